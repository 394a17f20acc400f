"""Sources and proposals: what was read, line by line, and where each line is to stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from ..versions import HEADER
from ..when_lines import unified

Kind = Literal["prompt", "lorebook", "skills"]
How = Literal["text", "heading", "value", "mark"]
Role = Literal["cut", "file", "as_is", "header", "aside"]
HEADER_TOKENS: Final = 1_500
"""The most o200k tokens that are proposed for a header: every turn pays for it."""
ASIDE: Final = "imported.yaml"
"""What is kept of a source and is no text of a prompt: no version reads a file of this name."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line or a string value of a source: where it stands, and its text."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A part of a source that stands for itself.

    ``title`` is a heading that is not among ``lines``. ``when`` are sentences that call for it.
    ``kept`` goes to front matter, ``values`` are its strings and those that only ``when`` has, by
    key. ``role``: to be ``cut`` into files, one ``file`` with headings, one ``as_is``, wanted for
    the ``header``, or to be kept ``aside``.
    """

    name: str
    lines: tuple[Line, ...] = ()
    title: Line | None = None
    when: tuple[str, ...] = ()
    values: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)
    role: Role = "file"


@dataclass(frozen=True, slots=True)
class Source:
    """What was read: a prompt (or a folder of them), a lorebook or skills; ``name`` has no suffix.

    ``notes`` say in words what was odd about it, or left out.
    """

    kind: Kind
    name: str
    documents: tuple[Document, ...]
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line that is not blank and every string value, each once."""
        return tuple(
            line for one in self.documents
            for line in (*((one.title,) if one.title else ()), *one.lines,
                         *(value for values in one.values.values() for value in values))
            if line.text.strip()
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a line went: file and 1-based line, 0 for a value in front matter or ``imported.yaml``.

    As ``text`` it stands there as it was, as ``heading`` with a heading's marks before it, as
    ``value`` as YAML has it. A ``mark`` framed a heading and has no letter or digit: the heading's
    own marks stand for it.
    """

    line: Line
    file: str
    number: int
    how: How = "text"


@dataclass(frozen=True, slots=True)
class ProposedFile:
    """A file of the version: its path below the version's folder, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A version that a source could be: header, files, where each line went, and what to know."""

    header: str
    files: tuple[ProposedFile, ...]
    placed: tuple[Placed, ...]
    notes: tuple[str, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        """All that the version's folder would hold, by path."""
        return {HEADER: self.header, **{file.name: file.text for file in self.files}}

    def diff(self, existing: Path) -> str:
        """What would change in a version's folder, which need not exist, as a unified diff."""
        texts = self.texts
        held = {
            path.relative_to(existing).as_posix(): path.read_bytes().decode(errors="replace")
            for path in sorted(existing.rglob("*")) if path.is_file()
        } if existing.is_dir() else {}
        found = []
        for name in sorted({*texts, *held}):
            old, new, *rest = unified(name, held.get(name, ""), texts.get(name, "")).splitlines(
                keepends=True) or ["", ""]
            found += [old if name in held or not old else "--- /dev/null\n",
                      new if name in texts or not new else "+++ /dev/null\n", *rest]
        return "".join(found)


def values_of(kept: Mapping[str, Any], place: str) -> dict[str, tuple[Line, ...]]:
    """Every string in a mapping by its outermost key, each with the dotted place of it."""
    return {key: tuple(_strings(value, f"{place}{key}")) for key, value in kept.items()}


def _strings(value: Any, place: str) -> Iterator[Line]:
    if isinstance(value, str):
        yield Line(place, value)
    elif isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _strings(one, f"{place}.{key}")
