"""A small collection that has every kind of field, text and window, and what is true of it.

The truth is worked out the slow way, from the definitions in the protocol and in the filters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from mvp_site.retrieval.collection import STANDARD, IndexedPassage, SearchRequest, Value, standard
from mvp_site.retrieval.columns import Columns
from mvp_site.retrieval.dense import DenseLane
from mvp_site.retrieval.filters import (
    AnyOf,
    Clause,
    Condition,
    Contains,
    FieldKind,
    FilterField,
    Range,
)
from mvp_site.retrieval.index import HybridIndex, spans_of
from mvp_site.retrieval.lexical import LexicalLane
from mvp_site.types import AUDIENCES

DIMENSION = 16
FIELDS = (
    FilterField("level", FieldKind.NUMBER), FilterField("ritual", FieldKind.FLAG),
    FilterField("school", FieldKind.TEXT), FilterField("classes", FieldKind.TEXTS),
    FilterField("odd", FieldKind.TEXT), FilterField("odds", FieldKind.TEXTS),
    # Two types of entities have it as different kinds.
    FilterField("kind", FieldKind.TEXT), FilterField("kind", FieldKind.TEXTS), FilterField("kind", FieldKind.NUMBER),
    *STANDARD,
)
SOURCES = ("a book", "a book's \"second\" part %", "日本")
HOSTILE = (
    "' or 1==1", '" or 1==1 or "', "') or (1==1", "\\", "\\\\", '\\"', "o'brien", "100%", "%", "_",
    "a_b", "{x}", "{{}}", "x} or true {", "line\nend", "carriage\rreturn", "tab\there", "null\x00",
    "] or level >= 0 or odd in [", "*", "(", ")", "a:b", "[1 TO 9]", "a AND b", "NOT a",
    "żółć", "日本語", "🐉", "\ue000", "\ue011", "\ue001", "\ue000\ue001\ue001\ue003\ue006",
    "\u2028", "a  b", " a", "", "true", "null", "1", "-1", "level", "a|b", "~", "$meta", "#c",
)
_GROUPS = ("spells", "monsters", "magic-items", "o'dd \"group\"")
_VOCABULARY = (
    "fire", "cold", "xorn", "x", "level=3", "1d20+5", "god:return_story", "__delete__", "日本",
    "żółć", "cr=1/4", "a'b", "%", "goblin", "light", "heal",
)
_CLASSES = ("wizard", "cleric", "druid", "ranger", "paladin's oath")


@cache
def records() -> tuple[IndexedPassage, ...]:
    """Sixty-odd passages; each hostile text is a field of one, alone and among several."""
    rng = np.random.default_rng(7)
    out: list[IndexedPassage] = []
    count = len(HOSTILE) + 20
    for number in range(count):
        fields: dict[str, Value] = {}
        if number % 5:
            fields["level"] = float(number % 10) - 2.5 if number % 2 else float(number % 10)
        if number % 3:
            fields["ritual"] = bool(number % 2)
        if number % 7:
            fields["school"] = ("evocation", "illusion", "evo")[number % 3]
        if number % 4:
            fields["classes"] = tuple(_CLASSES[: 1 + number % 5])
        if number < len(HOSTILE):
            fields["odd"] = HOSTILE[number]
            fields["odds"] = (HOSTILE[number], f"with {HOSTILE[number]} inside", "plain")
        fields["kind"] = ("one", ("one", "two"), 3.0)[number % 3]
        if number % 6:  # the others have no standard fields
            fields |= standard(SOURCES[number % 3], AUDIENCES[number // 2 % 3])
        size = 0 if number % 11 == 0 else 1 + int(rng.integers(0, 30))
        terms = [_VOCABULARY[int(k)] for k in rng.integers(0, len(_VOCABULARY), size)]
        out.append(IndexedPassage(
            number, _GROUPS[number * len(_GROUPS) // count], tuple(terms),
            unit(1 + number % 4, number), fields,
        ))
    return tuple(out)


def unit(count: int, seed: int) -> npt.NDArray[np.float32]:
    """So many unit vectors."""
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def fulfils(record: IndexedPassage, groups: Sequence[str], where: Condition) -> bool:
    """Whether a passage is of the groups and fulfils every clause."""
    return record.type in groups and all(_holds(record.fields, clause) for clause in where)


def matching(groups: Sequence[str], where: Condition,
             among: Iterable[IndexedPassage] | None = None) -> list[int]:
    """The passages that do, by number."""
    held = records() if among is None else among
    return [record.number for record in held if fulfils(record, groups, where)]


def scores(wanted: SearchRequest) -> dict[int, tuple[float, float]]:
    """Cosine and lexical score of every passage."""
    lane, _ = LexicalLane.build([record.terms for record in records()]).scores(wanted.terms)
    return {
        record.number: (
            0.0 if wanted.vector is None else float((record.vectors @ wanted.vector).max()),
            float(lane[record.number]),
        )
        for record in records()
    }


def _holds(fields: dict[str, Value], clause: Clause) -> bool:  # type: ignore[misc]
    value = fields.get(clause.field)
    if value is None:
        return False
    several = value if isinstance(value, tuple) else (value,)
    match clause:
        case AnyOf(_, values):
            kinds = Counter((type(v) is bool, type(v) is str, v) for v in values)
            return any((type(v) is bool, type(v) is str, v) in kinds for v in several)
        case Range(_, low, high):
            return isinstance(value, float) and (low is None or value >= low) and (
                high is None or value <= high
            )
        case Contains(_, part):
            return any(isinstance(v, str) and part in v for v in several)


def opened(held: Sequence[IndexedPassage], exact_windows: int = 50_000) -> HybridIndex:
    """The local engine over records, with a graph past so many windows."""
    owners = [one.number for one in held for _ in one.vectors]
    vectors = np.concatenate([one.vectors for one in held])
    keys = np.zeros((len(owners), 16), np.uint8)
    return HybridIndex(
        LexicalLane.build([one.terms for one in held]),
        DenseLane.build(vectors, owners, keys, len(held), exact_windows),
        Columns([one.fields for one in held]), spans_of([one.type for one in held]),
    )
