"""The pages of entities: all types, one type as a table, one entity, and several side by side.

Players may read them: entities hold no secrets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ..content.captions import TITLES, condition, label
from ..content.document import NAMED_TEXTS
from ..content.stat_block import caption, compared, markdown_of, stat_block
from ..content.types import DESCRIPTIONS, EntityType, entity_type, fields_of
from ..entities.index import EntityIndex
from ..entities.results import Result, Results
from ..errors import EntityTypeError, FilterError, UnknownEntityError
from ..operations.entities import EntitySearch, attribution, listed
from ..operations.name_places import NamePlace, places
from ..operations.services import Services
from ..text.typos import near
from . import entities_forms as forms
from .access import current
from .failures import failure_of

KIN: Final = 2
LIKE: Final = 8
"""How many similar entities stand beside one."""
MOST_COMPARED: Final = 6
ALL_PAGES: Final = 5
"""How many pages a search of all types has at most: each takes all before it anew."""
LEAST: Final = 0.4
"""Of all types, hits below this share of the best are left out."""
FEATURES: Final = 200
"""How many features of a class are looked for."""
SNIPPET: Final = 220
"""How many characters of its text a result shows."""
EXAMPLES: Final = (
    ("spells", "protect from fire"), ("monsters", "undead that drain life"),
    ("weapons", "light weapon for a rogue"), ("magic-items", "fly through the air"),
    ("spells", "healing magic, level 2"), ("monsters", "flying, CR 5 or lower"),
)
"""Searches to begin with."""

_MARKS: Final = re.compile(r"[*_`>~]+|^\s*[-+]\s+", re.MULTILINE)
_NO_PROSE: Final = re.compile(r"^\s*[|#].*$", re.MULTILINE)


def blueprint(services: Services) -> Blueprint:
    """The pages under ``/entities``."""
    pages = Blueprint("entities", __name__)
    pages.add_app_template_global(search_address, "entity_search")
    pages.add_app_template_global(card, "entity_card")
    pages.add_app_template_global(partial(beside, services), "places")

    @pages.get("/entities")
    @pages.get("/entities/<type_name>")
    def browse(type_name: str = "") -> ResponseReturnValue:
        type_ = entity_type(type_name) if type_name else None
        form, index = forms.read_search(request.args, type_), services.entities()
        results, reference = Results(), None
        if type_ and form.like:
            reference = index.entity(type_, form.like)
            results = index.find_similar_entities(type_, form.like, forms.PAGE)
        elif type_ and not form.error:
            try:
                results = listed(index, EntitySearch(
                    type_, form.query, form.filters, forms.PAGE, form.offset, sort=form.sort
                ))
            except FilterError as error:
                form = forms.refused(form.typed, str(error))
        elif form.query and not form.error:
            results = index.search_all(form.query, min(form.page, ALL_PAGES) * forms.PAGE)
            least = LEAST * max((row["_score"] for row in results), default=0.0)
            whole = len(results)
            results[:] = [row for row in results if row["_score"] >= least][form.offset:]
            if len(results) + form.offset < whole:  # the tail is cut
                results.total = len(results) + form.offset
        return _page(index, type_, form, results, reference)

    @pages.get("/entities/<type_name>/<slug>")
    def read(type_name: str, slug: str) -> ResponseReturnValue:
        type_, index = entity_type(type_name), services.entities()
        try:
            entity = index.entity(type_, slug)
        except UnknownEntityError:  # it may have been extracted a moment ago
            services.settle()
            entity = index.entity(type_, slug)
        like = index.find_similar_entities(type_, slug, LIKE)
        return render_template(
            "entities_one.html", one=card(entity), block=stat_block(type_, entity),
            like=like, plural=TITLES[type_][1], kin=kin(type_, entity),
            features=features_of(index, type_, str(entity["name"])),
            attribution=attribution(index, [row.get("document", "") for row in (entity, *like)]),
        )

    @pages.get("/entities/<type_name>/compare")
    def compare(type_name: str) -> ResponseReturnValue:
        type_, index = entity_type(type_name), services.entities()
        slugs = tuple(dict.fromkeys(filter(None, request.args.getlist("slug"))))
        entities = [index.entity(type_, slug) for slug in slugs[:MOST_COMPARED]]
        return render_template(
            "entities_compare.html", type=type_, plural=TITLES[type_][1],
            cards=[card(entity) for entity in entities], left=slugs[MOST_COMPARED:],
            both=compared([stat_block(type_, entity) for entity in entities]),
            attribution=attribution(index, [entity.get("document", "") for entity in entities]),
        )

    @pages.errorhandler(UnknownEntityError)
    @pages.errorhandler(EntityTypeError)
    def unknown(error: UnknownEntityError | EntityTypeError) -> ResponseReturnValue:
        failure = failure_of(error, entitled=current().entitled)
        type_name = (request.view_args or {})["type_name"]
        if isinstance(error, UnknownEntityError):
            type_, index = entity_type(type_name), services.entities()
            hints = [(str(index.entity(type_, slug)["name"]),
                      url_for("entities.read", type_name=type_, slug=slug)) for slug in error.near]
        else:
            hints = [(TITLES[EntityType(name)][1], url_for("entities.browse", type_name=name))
                     for name in near(type_name, EntityType)]
        return render_template("error.html", failure=failure, near=hints), failure.status

    return pages


def search_address(type_: str | None, query: str, pairs: Iterable[tuple[str, Any]] = (),
                   page: int = 1, sort: str = "") -> str:
    """The address of a search."""
    parameters = [("q", query)] if query else []
    parameters += [(key, forms.text_of(value)) for key, value in pairs]
    parameters += [("sort", sort)] if sort else []
    parameters += [("page", str(page))] if page > 1 else []
    base = url_for("entities.browse", type_name=type_)
    return f"{base}?{urlencode(parameters)}" if parameters else base


def _page(index: EntityIndex, type_: EntityType | None, form: forms.BrowseForm, hits: Results,
          reference: Result | None = None) -> ResponseReturnValue:
    documents = index.list_documents()
    counts = sum((Counter[str](document["types"]) for document in documents), Counter[str]())
    of = None if form.like else type_
    pages, columns = max(1, -(-hits.total // forms.PAGE)), forms.columns_of(type_, form.sort)
    return render_template(
        "entities.html", type=type_, form=form, documents=documents, columns=columns, found=hits,
        facets=forms.facets_of(of, form, partial(index.facets, of))
        if of and not form.error else None,
        active=forms.active_chips(of, form) if of else (),
        stated=forms.stated_chips(of, form, hits.stated) if of else (),
        held=() if type_ else forms.held_to(hits),
        rows=[(card(row), forms.cells_of(row, columns)) for row in hits],
        groups={} if type_ else by_type(hits),
        title=TITLES[type_] if type_ else ("Entity", "Entities"),
        tabs=[(row.value, TITLES[row][1], counts[row]) for row in EntityType
              if counts[row] or row is type_],
        pages=pages, last=min(pages, forms.MOST_PAGES if type_ else ALL_PAGES),
        attribution=attribution(index), examples=EXAMPLES, reference=reference,
    ), 400 if form.error else 200


def by_type(hits: Results) -> dict[str, list[dict[str, Any]]]:
    """The cards of hits by the title of their type, the type of the best first."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for hit in hits:
        groups.setdefault(TITLES[entity_type(hit["entity_type"])][1], []).append(card(hit))
    return groups


def features_of(index: EntityIndex, type_: EntityType, name: str) -> list[tuple[str, str, str]]:
    """What a class or a subclass brings: the name of each feature, its levels and its text."""
    field = {EntityType.CLASSES: "class", EntityType.SUBCLASSES: "subclass"}.get(type_)
    if field is None:
        return []
    try:
        results = index.search_entities(EntityType.FEATURES, "", {field: name}, FEATURES)
    except FilterError:  # nothing is of it
        return []
    levels: dict[tuple[str, str], list[float]] = {}
    for row in results:
        if field == "subclass" or not row.get("subclass"):
            text = str(row["name"]), markdown_of(row.get("desc"))
            levels.setdefault(text, []).append(number_of(row.get("level")))
    return [
        (title, ", ".join(f"{level:g}" for level in sorted(at) if level), text)
        for (title, text), at in sorted(levels.items(), key=lambda row: (min(row[1]), row[0]))
    ]


def number_of(value: object) -> float:
    """A number of a document, which may have anything; 0 for none."""
    return float(value) if isinstance(value, int | float) else 0.0


def beside(services: Services, name: str, type_: str = "", slug: str = "") -> list[NamePlace]:
    """The places of a name that the caller may see, but for the entity itself."""
    return [place for place in places(services, name, current().entitled)
            if (place.kind, place.type, place.id) != ("entity", type_, slug)]


def kin(type_: EntityType, entity: Result) -> list[tuple[str, tuple[str, Any]]]:
    """In words, what an entity has in common with others, each with its filter."""
    fields = {field.name: field for field in fields_of(type_)}
    return [
        (condition(fields[name], name, value), (name, value))
        for name in DESCRIPTIONS[type_].facets.split()[:KIN] if name in fields
        if isinstance(value := entity.get(name), str | int | float) and value not in ("", False)
    ]


def card(entity: Result) -> dict[str, Any]:
    """An entity at a glance; a document may have any value in any field."""
    type_ = entity_type(entity["entity_type"])
    return {
        "type": type_.value, "kind": TITLES[type_][0], "caption": caption(type_, entity),
        **{name: str(entity.get(name) or "") for name in ("slug", "name", "document", "shadows")},
        "score": float(entity["_score"]),
        "snippet": snippet(markdown_of(entity.get("desc"))) or snippet(" ".join(
            f"{label(section.key)}: {', '.join(entry.name for entry in section.entries)}."
            for section in stat_block(type_, entity).sections if section.key in NAMED_TEXTS
        )),
    }


def snippet(markdown: str) -> str:
    """The beginning of a text, without marks, headings and tables, cut at a word."""
    plain = " ".join(_MARKS.sub(" ", _NO_PROSE.sub("", markdown[:8 * SNIPPET])).split())
    if len(plain) <= SNIPPET:
        return plain
    return plain[:SNIPPET].rsplit(" ", 1)[0].rstrip(" ,;:.") + " …"
