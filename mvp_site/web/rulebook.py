"""The rulebook's page: its contents, a question to it, and the sections that answer, with why.

Players may read it: a rulebook holds no secrets. Its contents are a tree that stays light: sections
stand in it from the top down until there are enough of them; those on the way to a section that the
page is about always do. Long rows of siblings are windows with gaps, and a gap leads to the first
section in it, where the window then stands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeVar

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import MissingIndexError, MvpSiteError
from ..operations.rulebook import RulebookQueryRequest, RulebookQueryResult, ask
from ..operations.services import Services
from ..rulebook.categories import Category
from ..rulebook.intentions import Intention
from ..rulebook.rulebook import Rulebook
from ..rulebook.sections import Section, Sections
from ..srd import ATTRIBUTION
from ..text.typos import near
from .access import current
from .failures import HttpFailure, failure_of
from .figures import score_bars
from .forms import Form, read_form

EXAMPLES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("How far can I fall before it hurts?", {}),
    ("What does being grappled do?", {"intention": "condition_effects"}),
    ("Longsword beside greatsword", {
        "intention": "compare_entities", "entities": "longsword, greatsword",
    }),
    ("Who has Fireball?", {"intention": "class_spell_access", "entities": "fireball"}),
)
"""Questions to begin with of the SRD, each with what goes with it."""
FIELDS: Final = {
    "q": "query", "intention": "intention", "entities": "entities",
    "hints": "context_hints", "category": "categories", "budget": "max_tokens",
    "continuation": "continuation",
}
"""The form's fields, each with the request's."""
GROUPS: Final = {
    "Look up": "describe_entity compare_entities find_by_criteria cost_lookup",
    "Rules": "rule_mechanics calculate_values skill_usage saving_throws rest_mechanics "
             "interaction_rules",
    "Combat": "action_options condition_effects damage_types tactical_usage",
    "Magic and equipment": "spell_details class_spell_access magic_item_usage "
                           "equipment_properties",
    "Characters": "character_creation level_progression subclass_features multiclass_rules "
                  "prerequisite_check optimization_advice",
    "Creatures": "monster_stats creature_abilities legendary_mechanics",
    "The world": "environmental_rules planar_properties downtime_activities",
}
"""All intentions, as the form offers them."""
NODES: Final = 300
"""How many entries stand in a tree beside those that must."""
SIBLINGS: Final = 60
"""How many of one row of siblings do before it becomes a window."""
AROUND: Final = 8
"""How many stand on each side of one that is wanted."""
NEAR: Final = 3
N = TypeVar("N", bound=Hashable)
OPENED: Final = 5
"""To how many of a response's sections the tree is opened."""


def blueprint(services: Services) -> Blueprint:
    """The page ``/rulebook``."""
    pages = Blueprint("rulebook", __name__)

    @pages.get("/rulebook")
    def read() -> ResponseReturnValue:
        form = read_form(RulebookQueryRequest, request.args, FIELDS)
        submitted = any(name in request.args for name in FIELDS if name != "budget")
        submitted = submitted and not form.errors
        book: Rulebook | None = None
        try:
            book = services.rulebook()
            if submitted:
                return _page(form, book, response=ask(services, form.request(), True))
        except MvpSiteError as error:
            failure = failure_of(error, entitled=current().entitled)
            return _page(form, book, failure=failure, unbuilt=isinstance(error, MissingIndexError))
        name = request.args.get("section", "")
        section = book.sections.get(name)
        if name and section is None:
            nearest = near(name, [section.id for section in book.sections], NEAR)
            return _page(form, book, failure=HttpFailure(404, "not_found", (
                f"This book has no section {name[:80]!r}; ids follow the headings, and another "
                "book has others. Look for it among the contents."
            )), near_sections=[book.sections[id_] for id_ in nearest])
        return _page(form, book, section=section)

    return pages


def _page(form: Form, book: Rulebook | None, *, response: RulebookQueryResult | None = None,
          section: Section | None = None, failure: HttpFailure | None = None,
          near_sections: Sequence[Section] = (), unbuilt: bool = False) -> ResponseReturnValue:
    results = sorted(response.sections, key=lambda section: -section.relevance) if response else []
    hues, bars = score_bars([view.parts for view in results])
    return render_template(
        "rulebook.html", form=form, book=book, response=response, section=section,
        failure=failure, unbuilt=unbuilt,
        groups={title: names.split() for title, names in GROUPS.items()},
        categories=[(category.value, category.label) for category in Category],
        examples=EXAMPLES if book and ATTRIBUTION in book.attribution else (),
        results=results, hues=hues, bars=bars,
        numbers={view.id: number for number, view in enumerate(results, 1)},
        contents=book and tree(
            book.sections, section.id if section else None, [view.id for view in results]
        ), attribution=book.attribution if book else "",
        above_of=lambda section: [
            *reversed(book.sections.ancestors(book.sections[section.id]))
        ] if book and section.id in book.sections else [],
        near_sections=near_sections,
        described=lambda name: Intention(name).description,
    ), failure.status if failure else 400 if form.errors else 200


@dataclass(frozen=True, slots=True)
class Gap:
    """Siblings that are left out: how many, and the first of them."""

    count: int
    first: str


Row = list[Section | Gap]


Contents = tuple[Row, dict[Section | Gap, Row], set[str]]
"""The row at the top, the rows under sections, and the ids of those that are seen at once."""


def tree(sections: Sections, current: str | None = None,
         results: Iterable[str] = ()) -> Contents:
    """The contents, open at ``current`` and at the first :data:`OPENED` of ``results``.

    An id that the book does not have is passed over.
    """
    marked = [name for name in (current, *list(results)[:OPENED]) if name and name in sections]
    opened = {above.id for name in marked for above in sections.ancestors(sections[name])}
    open_ids = opened.union(marked)
    if current is not None:
        opened.add(current)
    if len(sections.roots) == 1:  # a book under one title
        opened.add(sections.roots[0].id)
    top = window(sections.roots, open_ids)

    def below(section: Section | Gap) -> Row:
        return [] if isinstance(section, Gap) else window(sections.children(section), open_ids)

    rows = unfolded(top, below, lambda row: isinstance(row, Section) and row.id in opened)
    return top, rows, opened


def unfolded(top: Iterable[N], below: Callable[[N], Sequence[N]],
             opened: Callable[[N], bool] = lambda _: False) -> dict[N, list[N]]:
    """The rows below those of ``top``, from the top down, of at most :data:`NODES` entries.

    Rows under what is ``opened`` do not count.
    """
    rows: dict[N, list[N]] = {}
    room = NODES
    pending = deque(top)
    while pending:
        node = pending.popleft()
        row = list(below(node))
        is_opened = opened(node)
        if row and (is_opened or len(row) <= room):
            room -= 0 if is_opened else len(row)
            rows[node] = row
            pending.extend(row)
    return rows


def window(siblings: Sequence[Section], open_ids: set[str]) -> Row:
    """``siblings``, or where they are many those around ``open_ids``, with gaps between.

    Where none is wanted, the first :data:`SIBLINGS`.
    """
    if len(siblings) <= SIBLINGS:
        return list(siblings)
    visible = {
        near for place, section in enumerate(siblings) if section.id in open_ids
        for near in range(place - AROUND, place + AROUND + 1)
    } or set(range(SIBLINGS))
    row: Row = []
    for is_visible, group in groupby(enumerate(siblings), lambda pair: pair[0] in visible):
        run = [section for _, section in group]
        row += run if is_visible else [Gap(len(run), run[0].id)]
    return row
