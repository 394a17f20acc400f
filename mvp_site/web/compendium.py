"""The compendium: rules, entities and books under one search box, each thing once.

Players may read it; of books they find those that are for players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue
from pydantic import Field

from ..content.stat_block import StatBlock, stat_block
from ..content.types import entity_type
from ..errors import MissingIndexError, MvpSiteError
from ..operations.entities import MAX_QUERY, attribution
from ..operations.library import AskBooks
from ..operations.requests import OperationRequest
from ..operations.services import Services
from ..text.names import title_key
from .access import audience, current, run
from .entities import EXAMPLES, card, snippet
from .failures import failure_of
from .forms import read_form
from .library import linker

LIMIT: Final = 12
"""How many hits each source gives."""
LEAST: Final = 0.4
"""Hits below this share of the best relevance are left out, but for what is asked by name."""
NOISE: Final = 0.2
"""Rules below this relevance are left out. The best one for nine questions that the book has
nothing on had .18 at most; for the twelve that it answers, .30 at least."""


@dataclass(frozen=True, slots=True)
class CompendiumSearch(OperationRequest):
    """What is looked for."""

    query: Annotated[str, Field(max_length=MAX_QUERY)] = ""


@dataclass(frozen=True, slots=True)
class Thing:
    """What stands under a name: its page, what is said of it, and its other places.

    ``exact`` says that it is called as was asked. ``block`` is an entity's stat block, ``text`` a
    rule's or an entry's Markdown.
    """

    kind: Literal["entity", "rule", "book"]
    title: str
    where: str
    address: str
    relevance: float
    text: str = ""
    snippet: str = ""
    type: str = ""
    exact: bool = False
    block: StatBlock | None = None
    others: tuple[Thing, ...] = ()


Things = tuple[Thing, ...]


def blueprint(services: Services) -> Blueprint:
    """The page ``/compendium``."""
    pages = Blueprint("compendium", __name__)

    @pages.get("/compendium")
    def search() -> ResponseReturnValue:
        form = read_form(CompendiumSearch, request.args, {"q": "query"})
        things, missing = things_of(services, form.value("query"))
        credit = ""
        with suppress(MvpSiteError):
            credit = attribution(services.entities())
        return render_template(
            "compendium.html", form=form, things=things, missing=missing, examples=EXAMPLES,
            attribution=credit,
        ), 400 if form.errors else 200

    return pages


def things_of(services: Services, query: str) -> tuple[Things, dict[str, str]]:
    """What rules, entities and books have on ``query``, the likeliest first, each name once.

    What could not be searched stands in the second, by its index: '' where it is not built.
    """
    hits: list[Thing] = []
    missing: dict[str, str] = {}
    looks = {"entities": _entities, "rulebook": _rules, "library": _books}
    for name, look in looks.items() if query else ():
        try:
            hits += look(services, query)
        except MissingIndexError:
            missing[name] = ""
        except MvpSiteError as error:
            missing[name] = failure_of(error, entitled=current().entitled).message
    return merged(hits, query), missing


def merged(hits: Iterable[Thing], query: str) -> Things:
    """Hits by name: what is called as was asked first, then the likeliest; without the tail.

    The page of a thing is its first hit's: an entity's before a rule's before a book's.
    """
    by_name: dict[str, list[Thing]] = {}
    for hit in hits:
        by_name.setdefault(title_key(hit.title), []).append(hit)
    name_key = title_key(query)
    rows = sorted(by_name.items(), key=lambda row: (row[0] != name_key, -_best(row[1]), row[0]))
    least = LEAST * max(map(_best, by_name.values()), default=0.0)
    return tuple(
        replace(group[0], relevance=_best(group), exact=name == name_key, others=tuple(group[1:]))
        for name, group in rows if name == name_key or _best(group) >= least
    )


def _best(group: Iterable[Thing]) -> float:
    return max(hit.relevance for hit in group)


def _entities(services: Services, query: str) -> Iterator[Thing]:
    for entity in services.entities().search_all(query, LIMIT):
        type_, glance = entity_type(entity["entity_type"]), card(entity)
        yield Thing(
            "entity", glance["name"], glance["caption"] or glance["kind"],
            url_for("entities.read", type_name=type_, slug=glance["slug"]), glance["score"],
            snippet=glance["snippet"], type=type_, block=stat_block(type_, entity),
        )


def _rules(services: Services, query: str) -> Iterator[Thing]:
    book = services.rulebook()
    for hit in book.search(query, limit=LIMIT):
        section = hit.section
        if hit.relevance < NOISE and title_key(section.title) != title_key(query):
            continue
        yield Thing(
            "rule", section.title, " > ".join(section.path[:-1]) or book.source,
            url_for("rulebook.read", section=section.id), hit.relevance, section.content,
            snippet(section.content),
        )


def _books(services: Services, query: str) -> Iterator[Thing]:
    place: Callable[[str, str, int | None], str] = linker(services)
    answer: Any = run(services, "library.ask", AskBooks(query, LIMIT, audience=audience()))
    for hit in answer.results:
        if hit.source_id:
            page = f", p. {hit.page}" if hit.page else ""
            yield Thing(
                "book", hit.title, f"{hit.source}{page}",
                place(hit.source_id, hit.title, hit.counted_page), hit.relevance,
                _whole(services, hit.source_id, hit.title) or hit.extract, hit.extract,
            )


def _whole(services: Services, source_id: str, title: str) -> str:
    """What a book says under a title, as far as it is shown; '' where it has no such entry."""
    with suppress(MvpSiteError):
        book = services.library().book(source_id)
        entry = services.library().entry(source_id, title)
        return "\n\n".join(block.text for block in book.text.blocks[entry.start:entry.own_end]
                           if not block.level)
    return ""
