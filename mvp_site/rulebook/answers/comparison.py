"""Named things side by side: a table of the fields in which they differ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ...retrieval.names import fold, title_key
from ..answer_table import MISSING, AnswerTable
from ..reading.fact_book import FactBook
from ..reading.fact_types import Facts, is_entry
from ..reading.fields import ORDER
from ..reading.values import atoms

MAX_FACTS: Final = 40
"""So many facts of one name are looked at: a book that has more of them is a list."""
_PREFERRED: Final = 0.5
"""What standing in a preferred section counts for, in shared fields; so does being no row."""
_TRAIT: Final = 0.5
"""What a shared trait counts for: it tells two races from two languages, but is mostly prose."""
_DEFAULTS: Final = frozenset({"ritual", "attunement"})
_DEFAULT: Final = 0.5
"""Fields that a whole kind of thing has: things that only share these share little."""


def compare(
    facts: FactBook, names: Sequence[str], within: Collection[str] = ()
) -> AnswerTable | None:
    """The fields in which the things of ``names`` differ, a column each; None for fewer than two.

    Where several things have one name, those are compared that have most fields in common, and of
    these the ones in the sections ``within``. A name that the book does not have is left out. What
    all of them have alike is only counted and named, in the title.
    """
    found: dict[str, tuple[Facts, ...]] = {}
    for name in names:
        held = facts.named(name)[:MAX_FACTS]
        if held:
            found.setdefault(title_key(name), held)
    if len(found) < 2:
        return None
    return _table(_alike(tuple(found.values()), frozenset(within)))


def _alike(candidates: Sequence[Sequence[Facts]], within: frozenset[str]) -> list[Facts]:
    """One of each of ``candidates``, so that they have most fields in common.

    Each candidate in turn is the one that the others are held against: for things of a few facts
    each that finds what comparing every combination would, in time linear in their number.
    """
    best: tuple[float, list[Facts]] = (-1.0, [])
    for position, held in enumerate(candidates):
        for anchor in held:
            chosen, score = [], 0.0
            for place, others in enumerate(candidates):
                if place == position:
                    closest, shared = anchor, 0.0
                else:
                    closest, shared = _closest(anchor, others, within)
                chosen.append(closest)
                score += shared
            score += _PREFERRED * ((anchor.section_id in within) + (anchor.origin != "row"))
            if score > best[0]:
                best = score, chosen
    return best[1]


def _closest(anchor: Facts, others: Sequence[Facts], within: frozenset[str]) -> tuple[Facts, float]:
    names = {name for name, _ in anchor.fields}
    traits = {name for name, _ in anchor.traits}
    best, most = others[0], -1.0
    for other in others:
        shared = sum(
            _DEFAULT if name in _DEFAULTS else 1.0 for name, _ in other.fields if name in names
        )
        shared += _TRAIT * sum(name in traits for name, _ in other.traits)
        shared += _PREFERRED * ((other.section_id in within) + (other.origin != "row"))
        if shared > most:
            best, most = other, shared
    return best, most


def _table(things: Sequence[Facts]) -> AnswerTable:
    fields = [dict(thing.fields) for thing in things]
    traits = [dict(thing.traits) for thing in things]
    order = sorted(
        dict.fromkeys(name for held in fields for name in held),
        key=lambda name: ORDER.get(name, len(ORDER)),
    )
    shared_traits = [
        name for name in traits[0]
        # what a stat block's attacks begin with says nothing; what races have by the same name does
        if all(name in held for held in traits[1:]) and not any(map(is_entry, things))
    ]
    same: list[str] = []
    rows: list[tuple[str, ...]] = []
    for name in [*order, *(name for name in shared_traits if name not in order)]:
        values = [
            held.get(name) or told.get(name, "")
            for held, told in zip(fields, traits, strict=True)
        ]
        if len({_compared(value) for value in values}) == 1:
            same.append(name)
        else:
            rows.append((name, *(value or MISSING for value in values)))
    return AnswerTable(
        title=_title(things, len(rows), same),
        columns=("field", *_titles(things)),
        rows=tuple(rows),
        section_ids=tuple(dict.fromkeys(thing.section_id for thing in things)),
    )


def _compared(value: str) -> tuple[str, ...]:
    """``value`` so that the order of what it lists does not matter; a list with numbers has one."""
    folded = fold(value)
    return (folded,) if any(map(str.isdigit, folded)) else tuple(sorted(atoms(value) or (folded,)))


def _titles(things: Sequence[Facts]) -> list[str]:
    return [thing.name for thing in things]


def _title(things: Sequence[Facts], differ: int, same: Sequence[str]) -> str:
    names = " and ".join((", ".join(_titles(things[:-1])), things[-1].name))
    said = f"{names}: {differ} field{'' if differ == 1 else 's'} differ{'s' if differ == 1 else ''}"
    return f"{said}; the same: {', '.join(same)}" if same else said
