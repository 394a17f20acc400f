"""The pages of entities: all types, one type with its facets, one entity with what is like it.

Players may read them: entities hold no secrets.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ..content.captions import TITLES
from ..content.types import EntityType, entity_type
from ..entities.index import EntityIndex
from ..entities.results import Results
from ..errors import FilterError
from ..operations.services import Services
from . import entities_chips as chips
from . import entities_view as view
from .entities_facets import Facets, facets_of
from .entities_forms import MOST_PAGES, PAGE, BrowseForm, read_form, refused, text_of
from .rulebook_view import own_attribution

LIKE: Final = 8
"""How many similar entities stand beside one."""
ALL_PAGES: Final = 5
"""How many pages a search of all types has at most: each takes all before it anew."""
EXAMPLES: Final = (
    ("spells", "protect from fire"), ("monsters", "undead that drain life"),
    ("weapons", "light weapon for a rogue"), ("magic-items", "fly through the air"),
    ("spells", "healing magic, level 2"), ("monsters", "flying, CR 5 or lower"),
)
"""Searches to begin with."""


def blueprint(services: Services) -> Blueprint:
    """The pages under ``/entities``."""
    pages = Blueprint("entities", __name__)

    @pages.get("/entities")
    def browse() -> ResponseReturnValue:
        form = read_form(request.args, None)
        index = services.entities()
        found = Results()
        if form.query and not form.error:
            every = index.search_all(form.query, min(form.page, ALL_PAGES) * PAGE)
            found = Results(
                every[form.offset:], total=every.total, stated=every.stated, bound=every.bound
            )
            found.lanes_failed = every.lanes_failed
        return _page(index, None, form, found, examples=EXAMPLES)

    @pages.get("/entities/<type_name>")
    def browse_type(type_name: str) -> ResponseReturnValue:
        type_ = entity_type(type_name)
        form = read_form(request.args, type_)
        index = services.entities()
        if form.like:
            reference = index.entity(type_, form.like)
            found = index.find_similar_entities(type_, form.like, PAGE)
            return _page(index, type_, form, found, reference=reference)
        if form.error:
            return _page(index, type_, form, Results())
        try:
            found = index.search_entities(type_, form.query, form.filters, PAGE, form.offset)
        except FilterError as error:
            return _page(index, type_, refused(form.query, str(error)), Results())
        return _page(index, type_, form, found)

    @pages.get("/entities/<type_name>/<slug>")
    def read(type_name: str, slug: str) -> ResponseReturnValue:
        type_ = entity_type(type_name)
        index = services.entities()
        entity = view.entity_view(index.entity(type_, slug))
        like = index.find_similar_entities(type_, slug, LIKE)
        return render_template(
            "entities_one.html", entity=entity, like=view.cards(like), plural=TITLES[type_][1],
            attribution=_attribution(index, entity.document),
        )

    @pages.app_template_global()
    def entity_search(type_: str | None, query: str, pairs: Iterable[tuple[str, Any]] = (),
                      page: int = 1) -> str:
        """The address of a search."""
        own = [("q", query)] if query else []
        given = [(key, text_of(value)) for key, value in pairs]
        words = urlencode([*own, *given, *([("page", str(page))] if page > 1 else [])])
        base = url_for("entities.browse_type", type_name=type_) if type_ else url_for(
            "entities.browse"
        )
        return f"{base}?{words}" if words else base

    return pages


def _page(index: EntityIndex, type_: EntityType | None, form: BrowseForm, found: Results,
          **more: Any) -> ResponseReturnValue:
    """A page of results with its facets."""
    documents = index.list_documents()
    facets: Facets | None = None
    active: tuple[chips.Chip, ...] = ()
    stated: tuple[chips.Chip, ...] = ()
    if type_ is not None and not form.like:
        if not form.error:
            facets = facets_of(type_, form, lambda filters: index.facets(type_, filters))
        active = chips.active_chips(type_, form)
        stated = chips.stated_chips(type_, form, found.stated)
    pages = max(1, -(-found.total // PAGE))
    shown: dict[str, Any] = {"reference": None, "examples": (), **more}
    return render_template(
        "entities.html", type=type_, form=form, found=found, documents=documents,
        title=TITLES[type_] if type_ else ("Entity", "Entities"),
        tabs=view.tabs(documents, type_), cards=view.cards(found, form.offset), facets=facets,
        active=active, stated=stated, held=() if type_ else chips.held_to(found), pages=pages,
        last=min(pages, MOST_PAGES if type_ else ALL_PAGES),
        attribution=" ".join(dict.fromkeys(
            said for one in documents if (said := own_attribution(str(one["attribution"] or "")))
        )), **shown,
    ), 400 if form.error else 200


def _attribution(index: EntityIndex, document: str) -> str:
    """What the licence of a document asks to be said, beyond what stands on every page."""
    return next((
        own_attribution(str(one["attribution"] or "")) for one in index.list_documents()
        if one["document"] == document
    ), "")
