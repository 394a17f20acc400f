"""The archive's pages: every section with its tags, notes and use; one section whole.

They need the DM token: a section may be hidden from players, and usage has what players said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue
from pydantic import Field

from ..archive.chunks import Chunk
from ..archive.consistency import Finding
from ..archive.lint import lint
from ..archive.versions import Version, read_version
from ..errors import ArchiveError, MvpSiteError
from ..operations.archive_usage import UsageRequest
from ..operations.prompts import MAX_TEXT, AskedVersion
from ..operations.requests import OperationRequest
from ..operations.services import Services
from ..text.normalising import normalise
from ..turns.archive_usage import ArchiveUsage, SectionUsage
from ..types import AUDIENCES, DOMAINS
from .access import current, run
from .failures import failure_of
from .forms import read_form

Only = Literal["all", "unused", "without lines", "with notes"]
Order = Literal["place", "tokens", "printed", "candidate", "lines", "notes"]
WAIT: Final = 0.3
"""Seconds that a page waits for lint, which may take some: it comes with the next."""


@dataclass(frozen=True, slots=True)
class ListedSections(OperationRequest):
    """Which sections are listed, and in what order."""

    version: AskedVersion | None = None
    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""
    file: Annotated[str, Field(max_length=1_000)] = ""
    domain: Annotated[str, Field(json_schema_extra={"enum": [*DOMAINS]})] = ""
    audience: Annotated[str, Field(json_schema_extra={"enum": [*AUDIENCES]})] = ""
    only: Only = "all"
    order: Order = "place"


FIELDS: Final = {
    "q": "text", **{name: name for name in (
        "version", "file", "domain", "audience", "only", "order")},
}


@dataclass(frozen=True, slots=True)
class ArchiveSection:
    """A chunk of a release, what lint says of its lines, and what turns made of it."""

    chunk: Chunk
    notes: tuple[Finding, ...]
    usage: SectionUsage

    @property
    def title(self) -> str:
        """The heading of its first text."""
        return next((piece.path[-1] for piece in self.chunk.pieces if piece.path), self.chunk.id)

    @property
    def lines(self) -> dict[str, list[str]]:
        """Its ``when:`` lines by heading, '' for the whole file."""
        lines: dict[str, list[str]] = {}
        for entry in self.chunk.when:
            heading, _, line = entry.partition("\t")
            lines.setdefault(heading, []).append(line)
        return lines


class LintNotes:
    """What lint says of versions, worked out beside the pages and kept while nothing changes."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, "mvp-site-lint")
        self._known: dict[str, tuple[Version, Future[tuple[Finding, ...]]]] = {}

    def of(self, services: Services, name: str) -> tuple[Finding, ...] | None:
        """The findings of a version; () where it has no authored text, None while it is read."""
        try:
            version = read_version(services.settings, name)
        except ArchiveError:
            return ()
        entry = self._known.get(name)
        if entry is None or entry[0] != version:
            entry = version, self._threads.submit(lambda: lint(version).findings)
            self._known[name] = entry
        with suppress(NotYet):
            return entry[1].result(WAIT)
        return None


def blueprint(services: Services) -> Blueprint:
    """The pages under ``/archive``."""
    pages = Blueprint("archive", __name__, url_prefix="/archive")
    lint_notes = LintNotes()

    @pages.before_request
    def admit() -> None:
        current().require("the archive")

    @pages.get("")
    def read() -> ResponseReturnValue:
        form = read_form(ListedSections, request.args, FIELDS)
        version = form.value("version") or services.default_version
        try:
            usage, chunks = _opened(services, version)
        except MvpSiteError as error:
            failure = failure_of(error, entitled=True)
            return render_template(
                "archive.html", form=form, failure=failure, version=version,
                versions=services.versions(),
            ), failure.status
        notes = lint_notes.of(services, version)
        sections = sections_of(chunks, notes or (), usage)
        return render_template(
            "archive.html", form=form, failure=None, version=version,
            versions=services.versions(), usage=usage, all=sections, pending=notes is None,
            sections=listed(sections, form.value, usage.unused),
            files=[*dict.fromkeys(chunk.file for chunk in chunks)],
            of_files=[finding for finding in notes or () if not _within(finding, chunks)],
        ), 400 if form.errors else 200

    @pages.get("/sections/<path:section_id>")
    def section(section_id: str) -> ResponseReturnValue:
        form = read_form(ListedSections, request.args, {"version": "version"})
        version = form.value("version") or services.default_version
        usage, chunks = _opened(services, version)
        notes = lint_notes.of(services, version)
        sections = sections_of(chunks, notes or (), usage)
        place = next((at for at, row in enumerate(sections) if row.chunk.id == section_id), None)
        if place is None:
            abort(404)
        return render_template(
            "archive_section.html", section=sections[place], version=version, turns=usage.turns,
            pending=notes is None, before=sections[place - 1] if place else None,
            after=sections[place + 1] if place + 1 < len(sections) else None,
        )

    return pages


def _opened(services: Services, version: str) -> tuple[ArchiveUsage, tuple[Chunk, ...]]:
    """What turns made of the release in service, and its chunks.

    Raises:
        MissingIndexError: there is none.
    """
    usage: ArchiveUsage = run(services, "archive.usage", UsageRequest(version))
    loaded = services.assembler(version).loaded
    return usage, loaded.release.chunks if loaded else ()


def sections_of(chunks: Sequence[Chunk], findings: Iterable[Finding], usage: ArchiveUsage,
                ) -> list[ArchiveSection]:
    """The chunks of a release, in its order."""
    usages = {row.id: row for row in usage.sections}
    notes = [*findings]
    return [ArchiveSection(
        chunk, tuple(note for note in notes if _within(note, (chunk,))), usages[chunk.id],
    ) for chunk in chunks if chunk.id in usages]


def _within(finding: Finding, chunks: Iterable[Chunk]) -> bool:
    return any(finding.file == chunk.file and chunk.lines[0] <= finding.line <= chunk.lines[1]
               for chunk in chunks)


def listed(sections: Sequence[ArchiveSection], value: Callable[[str], Any], unused: Sequence[str],
           ) -> list[ArchiveSection]:
    """The sections that a form asks for, in its order; ``value`` gives its fields."""
    words, never = normalise(value("text")).split(), {*unused}
    filters: dict[str, Callable[[ArchiveSection], object]] = {
        "all": lambda _: True, "unused": lambda row: row.chunk.id in never,
        "without lines": lambda row: not row.chunk.when, "with notes": lambda row: row.notes,
    }
    orders: dict[str, Callable[[ArchiveSection], int]] = {
        "place": lambda _: 0, "tokens": lambda row: -row.chunk.tokens,
        "printed": lambda row: -row.usage.printed - row.usage.looked_up,
        "candidate": lambda row: -row.usage.candidate, "lines": lambda row: -len(row.chunk.when),
        "notes": lambda row: -len(row.notes),
    }
    tags = [(name, value(name)) for name in ("file", "domain", "audience") if value(name)]
    rows = [
        row for row in sections
        if filters[value("only")](row)
        and all(getattr(row.chunk, name) == tag for name, tag in tags)
        and (not words or _has(row.chunk, words))
    ]
    return sorted(rows, key=orders[value("order")])


def _has(chunk: Chunk, words: Sequence[str]) -> bool:
    text = normalise(" ".join((chunk.id, *chunk.section, chunk.text, *chunk.when)))
    return all(word in text for word in words)
