"""The library's pages: a question to all books, the contents of one, and its pages as pictures.

Players may read them, and are told of no source that is not for players. Only who has the DM token
makes entities of entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ..content.stat_block import stat_block
from ..content.types import EntityType
from ..errors import LibraryError, MissingIndexError, MvpSiteError
from ..library.book import LibraryBook, lineage
from ..library.library import MAX_LIMIT, Library
from ..library.types import BookBlock, ContentsEntry, ContentType
from ..operations.library import (
    AskBooks,
    BookAnswer,
    ExtractContent,
    ExtractedContent,
    ListSources,
    SourceInfo,
)
from ..operations.services import Services
from ..text.normalising import content_words
from .access import audience, current, run
from .failures import failure_of
from .forms import read_form
from .limits import PICTURES_AT_ONCE, Places
from .rulebook import unfolded
from .rulebook_text import MOST_SHOWN

EXAMPLES: Final = (
    "something that lives under water", "protect a friend from harm", "a place to hide",
)
"""Questions to begin with."""
FIELDS: Final = {"q": "query", "source": "sources", "type": "types", "limit": "limit"}
"""The form's fields, each with the request's."""
EXTRACT_FIELDS: Final = {
    "title": "content_name", "type": "content_type", "replace": "replace",
    "for_players": "for_players",
}
WIDTHS: Final = (240, 480, 960, 1600)
"""Pixels that a picture of a page may be wide: the least that is enough of what is asked."""
ROWS: Final = 500
"""How many entries a page has at the top of the contents."""

_DIGITS: Final = re.compile("[0-9]{1,12}")
_EMPHASIS: Final = re.compile(r"(?<!\w)(\*\*\*|\*\*|\*|__|_)(?=\S)([^*_]+)(?<=\S)\1(?!\w)")
SURE: Final = 0.5
"""Below this confidence a type is unsure."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def blueprint(services: Services) -> Blueprint:
    """The pages under ``/library``."""
    pages = Blueprint("library", __name__)
    pictures = Places(PICTURES_AT_ONCE)
    pages.add_app_template_global(marked, "marked_words")
    pages.record_once(lambda state: state.app.jinja_env.globals.update(sure_type=SURE))

    @pages.get("/library")
    def ask() -> ResponseReturnValue:
        return _ask(services)

    @pages.get("/library/<source_id>")
    def read_source(source_id: str) -> ResponseReturnValue:
        return _source(services.library(), source_id)

    @pages.get("/library/<source_id>/entries/<number>")
    def read_entry(source_id: str, number: str) -> ResponseReturnValue:
        book = _book(services.library(), source_id)
        at = _number(number, 0, len(book.entries))
        entry = book.entries[at]
        blocks = book.text.blocks[entry.start:entry.own_end]
        own = blocks[1:] if blocks and blocks[0].level else blocks  # without its heading
        return _leaf(services.library(), book, entry.page, own, at)

    @pages.get("/library/<source_id>/pages/<page>")
    def read_page(source_id: str, page: str) -> ResponseReturnValue:
        book = _book(services.library(), source_id)
        at = _number(page, 1, book.source.pages + 1)
        return _leaf(services.library(), book, at, [
            block for block in book.text.blocks if block.page == at
        ])

    @pages.get("/library/<source_id>/pages/<page>.png")
    def picture(source_id: str, page: str) -> ResponseReturnValue:
        source = services.library().source(source_id, audience())
        at = _number(page, 1, source.pages + 1)
        width_text = request.args.get("w", "")
        least = int(width_text) if _DIGITS.fullmatch(width_text) else 0
        width = next((candidate for candidate in WIDTHS if candidate >= least), WIDTHS[-1])
        try:
            with pictures.place():
                drawn = services.library().page_picture(source_id, at, width)
        except LibraryError:
            abort(404)
        response = Response(drawn, content_type="image/png")
        response.set_etag(f"{source.digest}-{at}-{width}")
        return response.make_conditional(request)

    @pages.post("/library/<source_id>/extract")
    def extract(source_id: str) -> ResponseReturnValue:
        return _extract(services, source_id)

    return pages


def _ask(services: Services) -> ResponseReturnValue:
    """The sources, or the answer to a question."""
    args = request.args
    form = read_form(AskBooks, args, FIELDS)
    answer, failure, problem = None, None, ""
    sources: Sequence[SourceInfo] = ()
    try:
        sources = run(services, "library.list", ListSources()).sources
    except MissingIndexError as error:
        problem = str(error)
    except MvpSiteError as error:
        failure = failure_of(error, entitled=current().entitled)
    submitted, place = "q" in args, linker(services)

    def link_of(answer: BookAnswer) -> str:
        if answer.slug:
            return url_for("entities.read", type_name=answer.entity_type, slug=answer.slug)
        return place(answer.source_id, answer.title, answer.counted_page)

    if submitted and not form.errors and failure is None:
        form.values["audience"] = audience()
        try:
            answer = run(services, "library.ask", form.request())
        except MvpSiteError as error:
            failure = failure_of(error, entitled=current().entitled)
    return render_template(
        "library.html", form=form, sources=sources, answer=answer, failure=failure,
        problem=problem, examples=EXAMPLES, most=MAX_LIMIT,
        shelf=[(source.source_id, source.title) for source in sources if not source.problem],
        seen=content_words(form.typed["q"]), link_of=link_of,
        attribution=answer.attribution if answer else "",
    ), failure.status if failure else 400 if form.errors else 200


def _source(library: Library, source_id: str) -> ResponseReturnValue:
    """A source's contents, or why it has none."""
    source = library.source(source_id, audience())
    variables: dict[str, Any] = {"type": None, "under": None, "contents": None}
    if not source.problem:
        listed, entries = library.contents(source_id), library.book(source_id).entries
        name, under = request.args.get("type", ""), request.args.get("under")
        variables["type"] = ContentType(name) if name in set(ContentType) else None
        variables["under"] = None if under is None else _number(under, 0, len(entries))
        variables["contents"] = contents(
            entries, variables["type"], variables["under"], _number(request.args.get("from", "0"))
        )
        variables |= {"entries": entries, "listed": listed}
    return render_template(
        "library_source.html", source=source, counts=library.types().get(source_id, {}),
        form=read_form(AskBooks, MultiDict(), FIELDS), **variables
    )


def _extract(services: Services, source_id: str) -> ResponseReturnValue:
    """What became of an entry that was to be an entity."""
    form = read_form(ExtractContent, request.form, EXTRACT_FIELDS)
    form.values.update(source_id=source_id, wait=False)
    content: ExtractedContent = run(services, "library.extract", form.request())
    type_ = EntityType(content.entity_type)
    return render_template(
        "library_extracted.html", made=content, type=type_, again=form.typed,
        block=stat_block(type_, content.entity), source=services.library().source(source_id),
        slug=Path(content.file).stem,
    )


def _book(library: Library, source_id: str) -> LibraryBook:
    """A book that the caller may see; why it could not be read is not for players."""
    if library.source(source_id, audience()).problem and not current().entitled:
        abort(404)
    return library.book(source_id)


def _number(text: str, start: int = 0, end: int = 10**9) -> int:
    """The number that an address has, within bounds; there is no page where it has none."""
    if not _DIGITS.fullmatch(text) or int(text) not in range(start, end):
        abort(404)
    return int(text)


def linker(services: Services) -> Callable[[str, str, int | None], str]:
    """A function from a source, an entry's title and its page to the address where it is read."""
    numbers: dict[str, dict[tuple[str, int | None], int]] = {}

    def link_of(source_id: str, title: str, page: int | None) -> str:
        if source_id not in numbers:
            entries = services.library().book(source_id).entries
            numbers[source_id] = {
                (entry.title, entry.page): at for at, entry in reversed(list(enumerate(entries)))
            }
        at = numbers[source_id].get((title, page))
        if at is None:
            return url_for("library.read_source", source_id=source_id)
        return url_for("library.read_entry", source_id=source_id, number=at)

    return link_of


def _leaf(library: Library, book: LibraryBook, page: int | None, blocks: Sequence[BookBlock],
          number: int | None = None) -> ResponseReturnValue:
    """An entry, or without a ``number`` a page, with its text and its picture."""
    source = book.source
    room = MOST_SHOWN
    text = []
    for block in blocks:
        if room <= 0:
            break
        text.append(BookBlock(block.text[:room], block.level, block.page))
        room -= len(block.text)
    begins = [at for at, entry in enumerate(book.entries) if entry.page == page] if page else []
    leaf = None if number is None else book.entries[number]
    return render_template(
        "library_leaf.html", source=source, book=book, page=page, blocks=text, cut=room <= 0,
        number=number, one=leaf,
        extracted=number is not None and library.contents(source.id)[number].extracted,
        above=lineage(book.entries, number)[:-1], begins=begins, label=book.text.label(page),
    )


def contents(entries: Sequence[ContentsEntry], type_: ContentType | None = None,
             under: int | None = None, start: int = 0) -> dict[str, Any]:
    """The contents under an entry; with a type, all that are of it in one row. Numbers of entries.

    ``top`` is a page of the row, which has ``total``, from ``start`` on; ``rows`` are those that
    unfold below it, from the top down until there are :data:`.NODES`; ``above`` are the entries
    that the row stands below.
    """
    if type_ is not None:
        row = [at for at, entry in enumerate(entries) if entry.type is type_]
    elif under is not None:
        row = list(entries[under].children)
    else:
        row = [at for at, entry in enumerate(entries) if entry.parent is None]
    top = row[start:start + ROWS]
    rows = {} if type_ is not None else unfolded(top, lambda at: entries[at].children)
    above = [] if under is None or type_ is not None else lineage(entries, under)
    return {"top": top, "rows": rows, "start": start, "total": len(row), "above": above}


def marked(text: str, terms: set[str]) -> list[tuple[str, bool, bool]]:
    """``text`` in pieces: whether each is one of ``terms``, and whether it is emphasized."""
    pieces: list[tuple[str, bool, bool]] = []
    for number, part in enumerate(_EMPHASIS.split(text)):
        strong, at = number % 3 == 2, 0
        if number % 3 == 1:  # the mark
            continue
        for word in _WORD.finditer(part):
            if content_words(word[0]) & terms:
                pieces += [(part[at:word.start()], False, strong), (word[0], True, strong)]
                at = word.end()
        pieces.append((part[at:], False, strong))
    return [piece for piece in pieces if piece[0]]
