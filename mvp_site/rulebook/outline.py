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

    ``parent`` is -1 at the top; ``leaf`` says that nothing stands below, or little beside the
    section's own text; ``weight`` has a row a section and a
    column a category; ``subtree_tokens`` count the section's own text and all below it.
    """

    parent: Numbers
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
    subtree = tokens.copy()
    for number, section in enumerate(sections):
        if section.parent_id is not None:
            parent[number] = sections.number(section.parent_id)
        for found in section.categories:
            weight[number, found.category] = found.weight
        subtree[number] += tokens[sections.below(number)].sum()
    bare = np.asarray([not section.children_ids for section in sections])
    return Outline(
        parent=parent, weight=weight, subtree_tokens=subtree,
        level=np.asarray([section.level for section in sections], np.int8),
        leaf=bare | ((tokens > 0) & (tokens >= OWN * subtree)),
    )
