"""Constraints that a query states in words, recognised as clauses.

"level 3", "CR 5 or lower", "between 2 and 4 gp", "ritual", "without concentration", "undead",
"rare". Numbers want their noun or unit, flags their word, and values are those that the type's
entities have. What stands inside the name of an entity ("Ring of Fire Resistance", "light
crossbow") states nothing, and neither does a value that is the object of something done to it
("turn undead", "kill a dragon").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ..retrieval.filters import AnyOf, Clause, Condition, Range
from ..retrieval.filters import fold as folded_value
from ..retrieval.names import fold
from .quantities import NUMBER, Said, patterns, quantities
from .stated_words import COINS, SPEECH, Speech
from .types import EntityType

_NO: Final = re.compile(
    r"(?:\b(?:no|not|non|without|(?:is|are|does|do|has|have|ca|wo)n'?t|cannot|unable|never|neither|nor|"
    r"lacks?|lacking)\b"
    r"(?:[\s-]+(?:a|any|an|the|need|needs|needing|require|requires|requiring|have|having|using|"
    r"to|has|with|be)\b)*[\s-]*)$"
)
_OBJECT: Final = re.compile(
    r"\b(?:against|versus|vs\.?|turns?|turning|kills?|killing|slays?|slaying|slayer|hunts?|"
    r"hunting|banish(?:es)?|detects?|detecting|like|resembles?|into|summons?|summoning|conjures?|"
    r"commands?|controls?|protects? from|from|than|fights?|fighting|harms?|hurts?|repels?|"
    r"creates?|raises?|become|becomes|becoming|as|by|of|for|to|between)\s+(?:an?\s+|the\s+|other\s+|"
    r"any\s+)?$"
)
_COUNTED: Final = re.compile(rf"\bcantrips?\b|{NUMBER}")
_CANTRIP: Final = re.compile(r"\bcantrips?\b")
_LONGEST: Final = 40
_OF_DAMAGE: Final = frozenset({"damage_type", "resistances", "immunities", "vulnerabilities"})


@dataclass(frozen=True, slots=True)
class Stated:
    """What a query states: its clauses, and the query without their words."""

    condition: Condition
    rest: str


class StatedReader:
    """Reads what queries for one type state; ``values`` are those of its fields, folded."""

    def __init__(self, type_: EntityType, values: Mapping[str, Iterable[str]]) -> None:
        self._speech = SPEECH.get(type_, Speech({}, {}, {}))
        self._numbers = {
            field: patterns(noun) for field, noun in self._speech.numbers.items() if field != "cost"
        }
        self._coins = {
            coin: patterns(coin) for coin in COINS if "cost" in self._speech.numbers
        }
        self._flags = {
            field: re.compile(rf"\b(?:{words})\b") for field, words in self._speech.flags.items()
        }
        self._phrases = [
            (re.compile(rf"(?<!\w)(?:{words})(?!\w)"), clause)
            for words, clause in self._speech.phrases.items()
        ]
        self._values = {
            field: pattern for field, (before, after) in self._speech.values.items()
            if (pattern := _value_pattern(
                values.get(field, ()), before, after, r"(?:\s+damage)?" * (field in _OF_DAMAGE)
            )) is not None
        }
        self._each = {field: re.compile(_listed(values[field])) for field in self._values}

    def read(self, query: str, named: Sequence[tuple[int, int]] = ()) -> Stated:
        """What ``query`` states; ``named`` are the places of names in its folded text."""
        text = fold(query)
        found = [
            one for one in (*self._read_numbers(text), *self._read_flags(text),
                            *self._read_phrases(text), *self._read_values(text))
            if not any(start < one.end and one.start < end for start, end in named)
        ]
        kept = _expressible(_apart(found), text)
        clauses: dict[str, Clause] = {}
        for one in kept:
            known = clauses.get(one.clause.field)
            clauses[one.clause.field] = one.clause if known is None else _both(known, one.clause)
        rest, at = [], 0
        for one in kept:
            rest.append(text[at : one.start])
            at = max(at, one.end)
        rest.append(text[at:])
        return Stated(
            tuple(clauses[field] for field in sorted(clauses)), " ".join("".join(rest).split())
        )

    def _read_numbers(self, text: str) -> list[Said]:
        found: list[Said] = []
        if not _COUNTED.search(text):
            return found
        for field, by in self._numbers.items():
            found += quantities(text, field, by, whole=field in self._speech.whole)
            if field == "level":
                found += [Said(AnyOf("level", (0.0,)), *match.span())
                          for match in _CANTRIP.finditer(text)]
        for coin, by in self._coins.items():
            found += quantities(text, "cost", by, worth=COINS[coin])
        return found

    def _read_flags(self, text: str) -> list[Said]:
        found = []
        for field, pattern in self._flags.items():
            for match in pattern.finditer(text):
                denied = _NO.search(text, 0, match.start())
                start = denied.start() if denied else match.start()
                found.append(Said(AnyOf(field, (denied is None,)), start, match.end()))
        return found

    def _read_phrases(self, text: str) -> list[Said]:
        return [
            Said(
                AnyOf(clause, (float(match["number"]),)) if isinstance(clause, str) else clause,
                *match.span(),
            )
            for pattern, clause in self._phrases for match in pattern.finditer(text)
            if not _NO.search(text, 0, match.start())
        ]

    def _read_values(self, text: str) -> list[Said]:
        found: list[Said] = []
        for field, pattern in self._values.items():
            asked = self._speech.values[field]
            matches = list(pattern.finditer(text))
            if not asked[0]:
                matches = [m for m in matches if not _NO.search(text, 0, m.start())
                           and not _OBJECT.search(text, 0, m.start())]
            for match in matches:
                said = self._each[field].finditer(match["values"])
                values = {folded_value(one[0]).strip() for one in said}
                found.append(Said(AnyOf(field, tuple(sorted(values))), *match.span()))
        return found


def _value_pattern(values: Iterable[str], before: str, after: str, with_: str,
                   ) -> re.Pattern[str] | None:
    """A pattern for one or several of the values, singular or plural, with the words around.

    ``with_`` is taken with a value that needs no word behind it, where it stands there.
    """
    one = _listed(values)
    if not one:
        return None
    several = rf"(?P<values>(?:{one})(?:e?s)?(?:(?:\s*,|\s+or|\s+and)+\s+(?:{one})(?:e?s)?)*)"
    head = rf"(?:{before})\s+(?:the\s+)?" if before else ""
    tail = rf"[\s-]+(?:{after})"
    if not after:
        tail = rf"{with_}(?!\s+(?:wants?|needs?|is|has|would|who)\b)"
    return re.compile(rf"(?<![\w-]){head}{several}(?!\w){tail}(?!\w)")


def _listed(values: Iterable[str]) -> str:
    """The values as alternatives, the longest first."""
    said = sorted({value for value in values if 2 < len(value) <= _LONGEST}, key=len)[::-1]
    return "|".join(re.escape(value).replace(r"\ ", r"[\s-]") for value in said)


def _apart(found: Sequence[Said]) -> list[Said]:
    """Those that do not overlap, by place: of two that do, the longer."""
    kept: list[Said] = []
    for one in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        if not any(one.start < other.end and other.start < one.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _expressible(said: Sequence[Said], text: str) -> list[Said]:
    """Without what is on two fields with an "or" between, which no filters can say."""
    fields = {
        one.clause.field for pair in pairwise(said)
        if pair[0].clause.field != pair[1].clause.field
        and text[pair[0].end : pair[1].start].strip(" ,") == "or"
        for one in pair
    }
    return [one for one in said if one.clause.field not in fields]


def _both(known: Clause, clause: Clause) -> Clause:
    """Two clauses on one field as one: ranges bind together, values are any of them."""
    match known, clause:
        case Range(field, low, high), Range(_, least, most):
            lows = [one for one in (low, least) if one is not None]
            highs = [one for one in (high, most) if one is not None]
            low, high = max(lows, default=None), min(highs, default=None)
            if low is None or high is None or low <= high:
                return Range(field, low, high)
        case AnyOf(field, values), AnyOf(_, others) if not isinstance(values[0], bool):
            return AnyOf(field, tuple(sorted({*values, *others})))
    return known
