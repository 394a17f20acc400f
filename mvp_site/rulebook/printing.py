"""How sections are printed for a model, and what each printed part costs in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.tokens import printed_tokens
from .results import Citation
from .sections import Section, Sections

DEEPEST: Final = 6
LONGEST: Final = 120
"""The most characters of a title that are printed."""
_BLANK: Final = 2
"""Tokens that the blank line behind a part may add."""


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """The o200k tokens of each section's parts as printed, by its number; never too few.

    ``head`` is the heading with its citation, ``heading`` the heading alone, as sections below
    another are printed, ``content`` the section's own text.
    """

    head: npt.NDArray[np.int64]
    heading: npt.NDArray[np.int64]
    content: npt.NDArray[np.int64]


def costs(sections: Sections, source: str) -> Costs:
    """The costs of all sections of a book."""
    head = [printed_tokens(head_of(section, source)) + _BLANK for section in sections]
    heading = [printed_tokens(heading_of(section)) + _BLANK for section in sections]
    content = [section.tokens + _BLANK if section.content else 0 for section in sections]
    return Costs(
        np.asarray(head, np.int64), np.asarray(heading, np.int64), np.asarray(content, np.int64)
    )


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
