"""The tree of sections as arrays, by section number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .categories import Category
from .sections import Sections

Scores = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
OWN: Final = 0.5
"""A section with this part of its subtree's tokens in its own text is where its rules stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What scoring needs to know of every section.

    ``parent`` is -1 at the top; ``end`` is the number after the last section below; ``leaf`` says
    that nothing stands below, or little beside its own text; ``weight`` has a row a section and a
    column a category; ``subtree_tokens`` count the section's own text and all below it.
    """

    parent: Numbers
    end: Numbers
    level: npt.NDArray[np.int8]
    leaf: npt.NDArray[np.bool_]
    weight: Scores
    subtree_tokens: Numbers

    def lifted(self, scores: Scores, share: float) -> Scores:
        """``scores`` where each section has at least its ``share`` of the best one right below.

        The best itself may have come from below: evidence climbs to the top.
        """
        lifted, parents = scores.tolist(), self.parent.tolist()
        for number in range(len(lifted) - 1, -1, -1):
            parent = parents[number]
            if parent >= 0:
                lifted[parent] = max(lifted[parent], share * lifted[number])
        return np.asarray(lifted, np.float32)


def outline(sections: Sections) -> Outline:
    """The arrays of ``sections``; linear in their number."""
    count = len(sections)
    parent = np.full(count, -1, np.int64)
    weight = np.zeros((count, len(Category) + 1), np.float32)
    tokens = np.asarray([section.tokens for section in sections], np.int64)
    for number, section in enumerate(sections):
        if section.parent_id is not None:
            parent[number] = sections.number(section.parent_id)
        for found in section.categories:
            weight[number, found.category] = found.weight
    end, subtree = np.arange(1, count + 1), tokens.copy()
    for number in range(count - 1, -1, -1):
        above = parent[number]
        if above >= 0:
            end[above] = max(end[above], end[number])
            subtree[above] += subtree[number]
    return Outline(
        parent=parent, end=end, weight=weight, subtree_tokens=subtree,
        level=np.asarray([section.level for section in sections], np.int8),
        leaf=(end == np.arange(1, count + 1)) | ((tokens > 0) & (tokens >= OWN * subtree)),
    )
