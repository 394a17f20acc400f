"""The rulebook's page: its contents, a question to it, and the sections that answer, with why.

Players may read it: a rulebook holds no secrets.
"""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import MvpSiteError
from ..operations.rulebook import RulebookResponse, ask
from ..operations.services import Services
from ..rulebook.categories import Category
from ..rulebook.rulebook import Rulebook
from . import rulebook_view as view
from .access import current
from .failures import Failure, failure_of
from .rulebook_forms import GROUPS, RulebookForm, read_question
from .rulebook_tree import tree

EXAMPLES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("How far can I fall before it hurts?", {}),
    ("What does being grappled do?", {"intention": "condition_effects"}),
    ("Longsword beside greatsword", {
        "intention": "compare_entities", "entities": "longsword, greatsword",
    }),
    ("Who has Fireball?", {"intention": "class_spell_access", "entities": "fireball"}),
)
"""Questions to begin with, each with what goes with it."""


def blueprint(services: Services) -> Blueprint:
    """The page ``/rulebook``."""
    pages = Blueprint("rulebook", __name__)

    @pages.get("/rulebook")
    def read() -> ResponseReturnValue:
        form = read_question(request.args)
        try:
            book = services.rulebook()
        except MvpSiteError as error:
            return _page(form, None, failure=_failure(error))
        name = request.args.get("section", "")
        if name and not form.asked:
            section = book.sections.get(name)
            if section is None:
                return _page(form, book, failure=_no_section(name))
            return _page(form, book, section=view.section_view(section, book.sections))
        if not form.asked:
            return _page(form, book)
        try:
            return _page(form, book, response=ask(services, form.request(), True))
        except MvpSiteError as error:
            return _page(form, book, failure=_failure(error))

    return pages


def _page(form: RulebookForm, book: Rulebook | None, *, response: RulebookResponse | None = None,
          section: view.SectionView | None = None, failure: Failure | None = None,
          ) -> ResponseReturnValue:
    shown: dict[str, Any] = {"results": (), "tables": (), "contents": (), "attribution": ""}
    if book is not None:
        if response is not None:
            shown["results"] = view.results(response, book.sections)
            shown["tables"] = view.tables(response, book.sections)
        shown["contents"] = tree(
            book.sections, section.section.id if section else None,
            {result.id: result.number for result in shown["results"]},
        )
        shown["attribution"] = view.own_attribution(book.attribution)
    return render_template(
        "rulebook.html", form=form, book=book, response=response, section=section,
        failure=failure, groups=GROUPS, categories=list(Category), examples=EXAMPLES,
        reasons=view.REASONS, how=view.HOW, **shown,
    ), failure.status if failure else 400 if form.errors else 200


def _failure(error: MvpSiteError) -> Failure:
    return failure_of(error, entitled=current().entitled, limit=0)


def _no_section(name: str) -> Failure:
    return Failure(404, "not_found", (
        f"This book has no section {name[:80]!r}; ids follow the headings, and another book has "
        "others. Look for it among the contents."
    ))
