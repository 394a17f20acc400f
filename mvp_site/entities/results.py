"""What a search gives back: documents with a score, and what was understood of the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Result = dict[str, Any]
"""A document with ``entity_type`` and ``_score`` in (0, 1], the caller's own copy."""


class Results(list[Result]):
    """A page of results, the best first.

    ``total`` is how many results there are on all pages. ``stated`` are the constraints that the
    query states in words, as filters that can be sent back; they were applied if ``bound``.
    ``lanes_failed`` has the lanes that this was found without, each with its error.
    """

    def __init__(self, results: Iterable[Result] = (), *, total: int = 0,
                 stated: Mapping[str, Any] | None = None, bound: bool = False) -> None:
        super().__init__(results)
        self.total = total
        self.stated: dict[str, Any] = dict(stated or {})
        self.bound = bound
        self.lanes_failed: dict[str, str] = {}
