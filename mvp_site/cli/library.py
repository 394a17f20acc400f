"""``mvp-site library``: scan folders of books, ask them, take entries out, bind campaigns."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import click

from ..library.library import Library
from ..library.scan import Scanned
from ..operations.library import (
    AskBooks,
    BooksAnswer,
    Bound,
    ExtractedContent,
    Sources,
    follow_books,
)
from ..settings import Settings
from ..types import AUDIENCES
from .commands import Values, add
from .output import end_with, json_option, print_json, print_table, progress, say, say_wrapped, tell

_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
_STATES: Final = {"new": "green", "updated": "green", "unchanged": "dim", "edited": "yellow"}


@click.group()
def library() -> None:
    """Read and ask your own books. PDF, EPUB, DOCX, Markdown and text."""


@library.command()
@click.argument("folder", required=False, type=_FOLDER)
@click.option("--audience", type=click.Choice(AUDIENCES),
              help="Who may see what is in FOLDER (default: as before, else player).")
@click.option("--forget", metavar="DIR", type=click.Path(path_type=Path),
              help="Take DIR and its books out of the library; its files stay.")
@click.option("--force", is_flag=True, help="Build the index anew even where nothing changed.")
@json_option
def scan(folder: Path | None, audience: Any, forget: Path | None, force: bool,
         as_json: bool) -> None:
    """Bring the library up to date; FOLDER becomes one of its folders.

    Without FOLDER those that it has are looked through again: only new and changed files are read.
    """
    if folder is not None and forget is not None:
        raise click.UsageError("give FOLDER or --forget, not both")
    started = time.perf_counter()
    settings = Settings()
    with closing(Library.open(settings)) as opened, progress(as_json) as tell:
        report = opened.scan(
            folder, audience=audience, forget=forget, force=force, progress=tell
        )
        follow_books(settings)
    if as_json:
        print_json(report)
    else:
        _show_scan(report, time.perf_counter() - started)
    end_with((*report.left_out(copies=False),
              *(f"{file}: {why}" for file, why in report.refused.items())))


def _show_scan(report: Scanned, seconds: float) -> None:
    parts = [f"{len(ids)} {label}" for label, ids in (
        ("new", report.new), ("changed", report.changed), ("removed", report.removed)) if ids]
    say((f"{len(report.sources)} sources", "bold"),
        f": {', '.join(parts) or 'nothing changed'}, in {seconds:.1f} s")
    if report.read_pages:
        say(f"read {report.read_pages} pages, {report.read_pages / report.read_seconds:.0f} a "
            "second")
    if report.encoded:
        say(f"encoded {report.encoded} texts, {report.encoded / report.encode_seconds:.0f} a "
            "second")
    if report.ignored:
        kinds = ", ".join(f"{count} {suffix or 'without a suffix'}"
                          for suffix, count in sorted(report.ignored.items()))
        tell((f"left alone, as no books: {kinds}", "dim"))
    for copy in report.left_out(copies=True):
        tell((copy, "dim"))
    for file in report.withheld:
        tell(((f"{file}: left out of the entities, as players may not see its book; extract it "
               "again with --for-players if they may see it"), "yellow"))


def _show_sources(sources: Sources, request: Any, _: Values) -> None:
    if request.source_id is None:
        print_table(("source", "title", "pages", "entries", "what of"), [
            (info.source_id, info.title, info.pages or "", info.entries or "",
             ("not read", "yellow") if info.problem else dict(Counter(info.types).most_common(4)))
            for info in sources.sources
        ], order="By title")
        for info in sources.sources:
            if info.problem:
                tell((info.problem, "yellow"))
        if not sources.sources:
            tell(("no sources", "yellow"))
        return
    for source in sources.sources:
        say((source.title, "bold"), f" · {source.file}")
        for note in (*source.notes, source.problem):
            if note:
                tell((note, "yellow"))
    if not sources.entries:
        tell(("no entries", "yellow"))
        return
    print_table(("page", "entry", "type", "sure", ""), [
        (info.page, "  " * info.depth + info.title, info.type, f"{info.confidence:.0%}",
         ("✓", "green") if info.extracted else "")
        for info in sources.entries
    ], order="As the book has them")
    if sources.total > len(sources.entries):
        tell((f"{len(sources.entries)} of {sources.total}; --content-type names one kind", "dim"))


def _show_answer(books_answer: BooksAnswer, _: AskBooks, __: Values) -> None:
    for source, results in books_answer.by_source().items():
        say((f"\n{source}", "bold underline"))
        for answer in results:
            mark = ("✓", "green") if answer.extracted else ("[Extract]", "dim")
            page = f" p. {answer.page}" if answer.page else ""
            say("  ", (answer.title, "bold"), (page, "cyan"), "  ", (answer.type, "magenta"), "  ",
                (f"{answer.relevance:.2f}", "dim"), "  ", mark)
            for text, style in ((answer.extract, "italic dim"), (answer.why, "green")):
                if text:
                    say_wrapped((text, style), indent="    ")
    if not books_answer.results:
        tell(("Nothing was found.", "bold yellow"), " Looked for:")
        for one_tried in books_answer.tried:
            tell(f"  {one_tried}")
        tell("Try other words, fewer words, or the name of what you look for.")
    for text in books_answer.missing:
        tell(("note: ", "yellow"), text)
    for answer in books_answer.results:
        if answer.source_id and not answer.extracted:
            title = answer.title.replace("'", "'\\''")
            tell((f"\nto extract: mvp-site library extract {answer.source_id} '{title}'", "dim"),
                 whole=True)
            break
    if books_answer.attribution:
        tell((f"\n{books_answer.attribution}", "dim"))


def _show_extracted(content: ExtractedContent, _: Any, __: Values) -> None:
    page = f" · p. {content.page}" if content.page else ""
    say((content.title, "bold"), f" · {content.entity_type}{page} · sure ",
        (f"{content.confidence:.0%}", "green" if content.confidence >= 0.8 else "yellow"))
    if content.features:
        say(f"with its features: {', '.join(content.features)}")
    if content.missing:
        tell(("not found in its text: ", "yellow"), ", ".join(content.missing))
    for note in content.notes:
        tell((note, "yellow"))
    say((content.state, _STATES.get(content.state, "")), f": {content.file}")
    if content.state == "edited":
        tell("You have edited this file, so it was left alone; --replace writes it anew.")


def _show_bound(bound: Bound, _: Any, __: Values) -> None:
    if bound.sources:
        say((bound.campaign, "bold"), f" uses {', '.join(bound.sources)}")
    else:
        say((bound.campaign, "bold"), " is bound to no source: questions for it ask all")


_SOURCES: Final = {"sources": {"name": "--source"}}
add(library, "library.ask", arguments={"query": "QUERY"}, shown=_show_answer,
    options={**_SOURCES, "types": {"name": "--type"}})
add(library, "library.list", arguments={"source_id": "[SOURCE]"}, shown=_show_sources)
add(library, "library.extract", arguments={"source_id": "SOURCE", "content_name": "NAME"},
    shown=_show_extracted)
add(library, "library.bind", arguments={"campaign": "CAMPAIGN"}, options=_SOURCES,
    shown=_show_bound)
