"""Needles: queries with the source lines that answer them.

The sets stand in ``sets/`` as JSON lines. They were written from the source text alone, apart
from tuning, and frozen; ``test`` is the third that is never used for tuning (docs/evaluation.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.settings import Settings
from mvp_site.types import Message, Mode

from .sets import Name, Split, read_set

Kind = Literal["lookup", "reworded", "turn", "natural", "off_topic"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
ANY_VERSION: Final = "any"
_EXCERPT: Final = 160


@dataclass(frozen=True, slots=True)
class Span:
    """Lines ``start`` to ``end`` of a file of the archive, 1-based, inclusive."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Need:
    """What is wanted: all lines of ``any`` one of the spans."""

    any: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Needle:
    """A query, and in ``gold`` its needs. An off-topic one has none; its version is ``any``.

    A ``turn`` of the shipped set shares no word with its rule; a ``natural`` one is as people type.
    ``split`` is None where each part is a file of its own.
    """

    id: Name
    version: str
    kind: Kind
    mode: Mode
    query: str
    gold: tuple[Need, ...]
    near: bool = False
    state: Mapping[str, Any] | None = None
    history: tuple[Message, ...] = ()
    split: Split | None = None

    @property
    def text(self) -> str:
        """The query."""
        return self.query

    @property
    def grades(self) -> Mapping[str, int]:
        """The needs as documents that are relevant."""
        return {need_id(number): 1 for number in range(len(self.gold))}


def need_id(number: int) -> str:
    """What rankings call the need of that number."""
    return f"need-{number}"


def load_needles(split: Split) -> tuple[Needle, ...]:
    """The needles of one part of the set, in order of ids."""
    return read_set(Needle, f"sets/needles_{split}.jsonl", what="needle")


def met(needle: Needle, printed: Iterable[tuple[str, Iterable[tuple[int, int]]]],
        blank: Mapping[str, frozenset[int]]) -> list[list[int]]:
    """For each printed passage, in order, the needs that are met with it and not before.

    ``printed`` gives each passage's file and line spans; ``blank`` the blank lines of each file,
    which need not be printed.
    """
    seen = {file: set(lines) for file, lines in blank.items()}
    open_needs = dict(enumerate(needle.gold))
    found: list[list[int]] = []
    for file, spans in printed:
        lines = seen.setdefault(file, set())
        for start, end in spans:
            lines.update(range(start, end + 1))
        now = [
            number for number, need in open_needs.items()
            if any(
                seen.get(span.file, set()).issuperset(range(span.start, span.end + 1))
                for span in need.any
            )
        ]
        for number in now:
            del open_needs[number]
        found.append(now)
    return found


def assembler_of(settings: Settings, version: str) -> PromptAssembler:
    """The product itself, serving a version."""
    return PromptAssembler.open(replace(settings, prompt_version=version))


def spot_check(settings: Settings, count: int) -> str:
    """Markdown of ``count`` players' turns of the tuning set, spread over versions and ids."""
    turns = [needle for needle in load_needles("tune") if needle.kind == "turn"]
    step = max(len(turns) // max(count, 1), 1)
    chosen = turns[::step][:count]
    assemblers = {
        version: assembler_of(settings, version) for version in {one.version for one in chosen}
    }
    lines = [
        f"# {len(chosen)} turns and what was retrieved for them",
        "",
        f"`scripts/evaluate needles --turns {count}` wrote this page. The turns are of the",
        "tuning set; none shares a content word with the passage its author wanted. Scores are",
        "evidence.",
    ]
    for number, needle in enumerate(chosen, 1):
        plan = assemblers[needle.version].retrieve(
            needle.query, needle.mode, "god", needle.history, needle.state
        )
        lines += ["", f"## {number}. “{_plain(needle.query)}”", ""]
        about = f"{needle.version}, mode {needle.mode}"
        if needle.state:
            about += ", with state"
        if needle.history:
            about += ", after other turns"
        lines += [f"*{about}; {plan.tokens} tokens*", ""]
        if plan.sparse_reason:
            lines.append(f"Nothing was retrieved: {plan.sparse_reason}.")
        for chunk in plan.chunks:
            excerpt = _plain(" ".join(chunk.text.split())[:_EXCERPT])
            lines.append(f"- **{_plain(chunk.section)}** ({chunk.score:.2f}): {excerpt} …")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """``text`` with what Markdown would read as markup escaped."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in text)
