"""What named things cost, or the things of a named category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...retrieval.names import fold, stands_in, title_key, without_article, words
from ..answer_table import MISSING, AnswerTable
from ..reading.fact_book import FactBook
from ..reading.fact_types import Facts

COST: Final = "cost"
WEIGHT: Final = "weight"
MAX_ROWS: Final = 200
_IS: Final = 3
_HOLDS: Final = 1
"""How well a title fits a category: one more for holding it where it stands right above."""


def prices(facts: FactBook, names: Sequence[str]) -> AnswerTable | None:
    """Name, cost, weight where any has one, and where it stands; None where nothing has a price.

    A name is looked for among the things; then as a category, that is as a title over things with
    a price or the caption of their table; then as part of a longer name ("rope"). Things that are
    in the book without a price have a dash.
    """
    found: list[Facts] = []
    unpriced: list[Facts] = []
    priced = [held for held in facts.facts if held.origin != "below" and held.get(COST)]
    for name in dict.fromkeys(names):
        of_name = (
            [held for held in facts.named(name) if held.origin != "below" and held.get(COST)]
            or _of_category(facts, priced, name)
            or _of_longer_name(priced, name)
        )
        found += of_name
        if not of_name:
            unpriced += facts.named(name)[:1]
    if not found:
        return None
    kept = _once([*found, *unpriced])[:MAX_ROWS]
    weights = any(held.get(WEIGHT) for held in kept)
    rows = tuple(
        (held.name, held.get(COST) or MISSING, *([held.get(WEIGHT) or MISSING] if weights else []),
         facts.section(held).heading_path)
        for held in kept
    )
    return AnswerTable(
        title=f"Prices: {', '.join(dict.fromkeys(name.strip() for name in names if name.strip()))}",
        columns=("name", COST, *([WEIGHT] if weights else []), "where"),
        rows=rows,
        section_ids=tuple(dict.fromkeys(held.section_id for held in kept)),
    )


def _of_category(facts: FactBook, priced: Iterable[Facts], name: str) -> list[Facts]:
    """The priced things under a title or caption that is ``name``, else under one that holds it.

    Of titles that hold it those right above the things count more than a chapter's.
    """
    key = title_key(name)
    parts = without_article(words(name))
    found: dict[int, list[Facts]] = {}
    known: dict[str, int] = {}
    for held in priced if key else ():
        path = facts.section(held).path
        over = path if held.origin == "row" else path[:-1]
        titles = tuple(dict.fromkeys(filter(None, (held.group, *reversed(over)))))
        for title in titles:
            if title not in known:
                exact = title_key(title) == key
                known[title] = _IS if exact else _HOLDS if stands_in(parts, words(title)) else 0
        best = max((known[title] for title in titles), default=0)
        if best == _HOLDS and any(known.get(title) for title in (held.group, *over[-1:])):
            best += 1
        found.setdefault(best, []).append(held)
    return next((found[rank] for rank in sorted(found, reverse=True) if rank), [])


def _of_longer_name(priced: Iterable[Facts], name: str) -> list[Facts]:
    """The priced things whose names have all the words of ``name``."""
    parts = frozenset(without_article(words(name)))
    return [held for held in priced if parts and parts.issubset(words(held.name))]


def _once(found: Iterable[Facts]) -> list[Facts]:
    """``found`` without what is said again: the same name at the same cost and weight.

    A thing may stand in a table and under a heading of its own; the first one counts.
    """
    seen: dict[tuple[str, str, str], Facts] = {}
    for held in found:
        key = (title_key(held.name), fold(held.get(COST) or ""), fold(held.get(WEIGHT) or ""))
        seen.setdefault(key, held)
    return list(seen.values())
