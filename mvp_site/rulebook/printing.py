"""How sections are printed for a model, and what each printed part costs in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..retrieval.tokens import printed_tokens
from .results import Citation
from .sections import Section

DEEPEST: Final = 6
LONGEST: Final = 120
"""The most characters of a title that are printed."""
BLANK: Final = 2
"""Tokens that the blank line behind a part may add."""


def head_cost(section: Section, source: str) -> int:
    """The o200k tokens of the heading with its citation; never too few."""
    return printed_tokens(head_of(section, source)) + BLANK


def heading_cost(section: Section) -> int:
    """Those of the heading alone, as sections below another are printed."""
    return printed_tokens(heading_of(section)) + BLANK


def content_cost(section: Section) -> int:
    """Those of the section's own text, 0 where it has none."""
    return section.tokens + BLANK if section.content else 0


def citation_of(section: Section, source: str, last: Section | None = None) -> Citation:
    """Where the section stands, down to the end of ``last``, a section below it."""
    return Citation(source, section.path, (section.lines[0], (last or section).lines[1]))


def heading_of(section: Section) -> str:
    """The section's heading as a line of markdown."""
    title = section.title if len(section.title) <= LONGEST else f"{section.title[:LONGEST]}…"
    return f"{'#' * min(max(section.level, 1), DEEPEST)} {title}"


def head_of(section: Section, source: str) -> str:
    """The heading with the citation under it."""
    return f"{heading_of(section)}\n[{citation_of(section, source)}]"


def content_of(section: Section, span: tuple[int, int] | None) -> str:
    """The section's own text, or those characters of it."""
    return section.content if span is None else section.content[slice(*span)].strip("\n")


def joined(parts: Sequence[str]) -> str:
    """The parts that have text, with a blank line between."""
    return "\n\n".join(part for part in parts if part)
