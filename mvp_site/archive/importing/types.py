"""Sources and proposals: what was read, line by line, and where each line is to stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final, Literal

from ...formats.lore import FieldUse
from ...types import RefusedFile
from ..versions import HEADER
from ..when_lines import unified

Kind = Literal["prompt", "lorebook", "skills"]
How = Literal["text", "heading", "escaped", "kept", "mark"]
HEADER_TOKENS: Final = 6_000
"""The most o200k tokens that are proposed for a header: every turn sends it."""
ASIDE: Final = "imported.yaml"
"""What is kept of a source and is no text of a prompt: no version reads a file of this name."""
ALWAYS: Final = 9.0
"""How much is wanted in the header what its source has in every prompt."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source, or a field of a lorebook as a line of YAML, and where it stands."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A part of a source that stands for itself: a file of it, or an entry of a lorebook.

    ``name`` is a path without suffix. ``kept`` are lines of front matter, or fields. ``when`` are
    sentences that call for the text, ``unless`` words that keep it out, ``follows`` words by which
    a printed text brings it; ``brings`` says that its own text brings others. ``audience`` is what
    the source said of it, or ''. ``wanted`` is how much it is in every prompt of the source, from
    0. ``reserved`` are the words of the text, or of its file's name, that keep it for the game
    master. ``lore`` says that another tool's file has it as an entry or a field.
    """

    name: str
    lines: tuple[SourceLine, ...]
    kept: tuple[SourceLine, ...] = ()
    when: tuple[str, ...] = ()
    audience: str = ""
    wanted: float = 0.0
    reserved: str = ""
    unless: tuple[tuple[str, ...], ...] = ()
    follows: tuple[str, ...] = ()
    brings: bool = True
    lore: bool = False


@dataclass(frozen=True, slots=True)
class ImportSource:
    """What was read: a prompt (or a folder of them), a lorebook or skills; ``name`` has no suffix.

    ``aside`` is what no prompt is made of. ``notes`` say in words what was odd about it;
    ``refused`` are files of a folder that were left out, each with why. ``uses`` say what is made
    of its fields, ``names`` what stands in its placeholders.
    """

    kind: Kind
    name: str
    documents: tuple[SourceText, ...]
    aside: tuple[SourceLine, ...] = ()
    notes: tuple[str, ...] = ()
    refused: tuple[RefusedFile, ...] = ()
    uses: tuple[FieldUse, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """Where a line went: file and 1-based line.

    As ``text`` it stands there as it was, as ``heading`` behind a heading's marks (others than it
    had, perhaps, and without a colon at its end), as ``escaped`` with a backslash behind the word
    "audience", as ``kept`` in front matter or ``imported.yaml``. A ``mark`` has no letter or digit,
    and is not written: the heading's or front matter's own marks at that line stand for it.
    """

    line: SourceLine
    file: str
    number: int
    how: How = "text"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A version that a source could be: its texts by path, where each line went, what to know."""

    texts: Mapping[str, str]
    placed: tuple[PlacedLine, ...]
    notes: tuple[str, ...] = ()
    uses: tuple[FieldUse, ...] = ()

    @property
    def header(self) -> str:
        """The text of the header."""
        return self.texts[HEADER]

    def header_diff(self, source: ImportSource) -> Iterator[str]:
        """The source's lines in their order: those of the header, and what was left out between.

        A line of the header begins with two blanks, a run of others is one line that begins with
        ``-`` and names how many they are, where they stand, and how they begin.
        """
        lines = (line for document in source.documents
                 for line in (*document.kept, *document.lines))
        order = {line: number for number, line in enumerate(lines)}
        placed = sorted(self.placed, key=lambda row: order.get(row.line, len(order)))
        for file, run in groupby(placed, lambda row: row.file):
            rows = [*run]
            if file == HEADER:
                yield from (f"  {row.line.text}" for row in rows)
            else:
                count = f"{len(rows)} line{'s' * (len(rows) > 1)}"
                yield f"- {count} in {file}: {rows[0].line.text.strip()[:60]}"

    def diff(self, existing: Path) -> str:
        """What would change in a version's folder, which need not exist, as a unified diff."""
        texts = {
            path.relative_to(existing).as_posix(): path.read_bytes().decode(errors="replace")
            for path in sorted(existing.rglob("*")) if path.is_file()
        } if existing.is_dir() else {}
        return "".join(unified(name, texts.get(name, ""), self.texts.get(name, ""))
                       for name in sorted({*self.texts, *texts}))
