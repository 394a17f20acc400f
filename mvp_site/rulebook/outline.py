"""The tree of sections as arrays, so that a query's scores move along it without a walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .categories import Category
from .sections import Sections

Scores = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
CHAPTER: Final = 1
DIVISION: Final = 2
CATEGORIES: Final = len(Category)
OWN: Final = 0.5
"""A section with this part of its subtree's tokens in its own text is where its rules stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Rise:
    """The sections of one depth, grouped by the section above: evidence flows along them.

    ``below`` are section numbers in order, ``starts`` where each group begins, ``above`` the
    sections that the groups stand under.
    """

    below: Numbers
    starts: Numbers
    above: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What scoring needs to know of every section, by its number.

    ``parent`` is -1 at the top; ``end`` is the number after the last section below; ``leaf`` says
    that nothing stands below, or little beside its own text; ``weight`` has a row a section and a
    column a category; ``subtree_tokens`` count the section's own text
    and all below it. ``rises`` go from the deepest sections up.
    """

    parent: Numbers
    end: Numbers
    level: npt.NDArray[np.int8]
    leaf: npt.NDArray[np.bool_]
    weight: Scores
    tokens: Numbers
    subtree_tokens: Numbers
    rises: tuple[Rise, ...]

    def lifted(self, scores: Scores, share: Scores) -> Scores:
        """``scores`` where each section has at least its ``share`` of the best one right below.

        The best itself may have come from below: evidence climbs to the top.
        """
        lifted = scores.copy()
        for rise in self.rises:
            best = np.maximum.reduceat(lifted[rise.below], rise.starts)
            lifted[rise.above] = np.maximum(lifted[rise.above], share[rise.above] * best)
        return lifted


def outline(sections: Sections) -> Outline:
    """The arrays of ``sections``; linear in their number."""
    count = len(sections)
    parent = np.full(count, -1, np.int64)
    depth = np.zeros(count, np.int64)
    weight = np.zeros((count, CATEGORIES + 1), np.float32)
    tokens = np.zeros(count, np.int64)
    for number, section in enumerate(sections):
        if section.parent_id is not None:
            parent[number] = sections.number(section.parent_id)
            depth[number] = depth[parent[number]] + 1
        tokens[number] = section.tokens
        for found in section.categories:
            weight[number, found.category] = found.weight
    end = np.arange(1, count + 1)
    subtree = tokens.copy()
    for number in range(count - 1, -1, -1):
        above = parent[number]
        if above >= 0:
            end[above] = max(end[above], end[number])
            subtree[above] += subtree[number]
    return Outline(
        parent=parent, end=end,
        level=np.asarray([section.level for section in sections], np.int8),
        leaf=(end == np.arange(1, count + 1)) | ((tokens > 0) & (tokens >= OWN * subtree)),
        weight=weight, tokens=tokens, subtree_tokens=subtree, rises=_rises(parent, depth),
    )


def _rises(parent: Numbers, depth: Numbers) -> tuple[Rise, ...]:
    rises: list[Rise] = []
    for level in range(int(depth.max(initial=0)), 0, -1):
        below = np.flatnonzero(depth == level)
        below = below[np.argsort(parent[below], kind="stable")]
        above, starts = np.unique(parent[below], return_index=True)
        rises.append(Rise(below, starts, above))
    return tuple(rises)
