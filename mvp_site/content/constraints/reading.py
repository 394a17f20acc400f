"""Constraints that a query states in words, recognised as clauses.

"level 3", "CR 5 or lower", "between 2 and 4 gp", "ritual", "without concentration", "undead",
"rare". Numbers want their noun or unit, flags their word, and values are those that the type's
entities have. What stands inside the name of an entity ("Ring of Fire Resistance", "light
crossbow") states nothing, and neither does a value that is the object of something done to it
("turn undead", "kill a dragon").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...retrieval.filters import AnyOf, Clause, Condition, Range
from ...text.names import fold
from ..types import EntityType
from .quantities import StatedQuantity, quantities
from .values import Orders, Values
from .words import INFLICTS, SPEECH, Speech

_NO: Final = re.compile(
    r"(?:\b(?:no|not|non|without|(?:is|are|does|do|has|have|ca|wo)n'?t|cannot|unable|never|neither|nor|"
    r"lacks?|lacking|except(?:ing| for)?|excluding|anything but|everything but|other than|"
    r"rather than|instead of)\b"
    r"(?:[\s-]+(?:a|any|an|the|need|needs|needing|require|requires|requiring|have|having|using|"
    r"to|has|with|be)\b)*[\s-]*)$"
)
_OBJECT: Final = re.compile(
    r"\b(?:against|versus|vs\.?|turns?|turning|kills?|killing|slays?|slaying|slayer|hunts?|"
    r"hunting|banish(?:es)?|detects?|detecting|like|resembles?|into|summons?|summoning|conjures?|"
    r"commands?|controls?|protects? from|from|than|fights?|fighting|harms?|hurts?|repels?|"
    r"creates?|raises?|become|becomes|becoming|enemy|enemies|hostile|opposing|rival|"
    r"serves?|leads?|worships?|break|breaking|disrupt|as|by|of|for|to|between)\s+(?:an?\s+|the\s+|other\s+|"
    r"any\s+)?$"
)
_WITHSTOOD: Final = re.compile(
    r"\b(?:immun\w+|resist\w*|protect\w*|against|from|cur(?:es?|ing)|remov(?:es?|ing)|ends?|ending|"
    r"heals?|free\w*|break(?:s|ing)?|while|am|is|are|i'm|was|get|being|be)(?: (?:an?|the|being|be|to|all))* $"
)
"""Before a condition that somebody has, or will not have."""
_OR: Final = re.compile(r"(?:\s*,)?\s+or\s+(?P<other>(?:an?|the|any)\s+)?")
_ELSE: Final = re.compile(r"(?:\s*,)?\s+or\s+(?:(?:an?|the|any)\s+)?$")
_SPELLS_BEFORE: Final = re.compile(r"\b(?:spells?|cantrips?|rituals?)\b")
_OF_SPELLS: Final = re.compile(
    r"\s+(?:[\w-]+\s+){0,3}(?:spells?|cantrips?|rituals?|magic|slots?|list)\b"
)


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a query states, as clauses, and the query without their words."""

    condition: Condition
    rest: str


class ConstraintReader:
    """Reads what queries for one type state; ``values`` are those of its fields, folded."""

    def __init__(self, type_: EntityType, values: Mapping[str, Iterable[str]]) -> None:
        speech = self._speech = SPEECH.get(type_, Speech())
        flags = {words: AnyOf(flag, (True,)) for flag, words in speech.flags.items()}
        forms = {**speech.phrases, **flags}
        self._clauses = dict(zip((f"p{n}" for n in range(len(forms))), forms.values(), strict=True))
        each = "|".join(f"(?P<p{n}>{words})" for n, words in enumerate(forms))
        self._phrase = re.compile(rf"(?<!\w)(?:{each or '(?!)'})(?!\w)")
        self._values = Values(speech, values)
        self._orders = Orders(speech.orders)

    def read(self, query: str, named: Sequence[tuple[int, int]] = ()) -> Constraints:
        """What ``query`` states; ``named`` are the places of names in its folded text."""
        text = fold(query)
        read = (*self._read_numbers(text), *self._read_phrases(text), *self._orders.find(text),
                *self._read_values(text))
        usable = [quantity for quantity in read
                 if not any(start < quantity.end and quantity.start < end for start, end in named)]
        stated_quantities = _of_things(_expressible(_apart(usable), text), text)
        clauses: dict[str, Clause] = {}
        rest, at = "", 0
        for part in stated_quantities:
            prior = clauses.get(part.clause.field)
            clauses[part.clause.field] = part.clause if prior is None else _both(prior, part.clause)
            rest += text[at : part.start]
            at = max(at, part.end)
        rest = " ".join(f"{rest}{text[at:]}".split())
        return Constraints(tuple(clauses[field] for field in sorted(clauses)), rest)

    def _read_numbers(self, text: str) -> list[StatedQuantity]:
        stated: list[StatedQuantity] = []
        for field, noun in self._speech.numbers.items():
            if noun.pattern.search(text):
                stated += quantities(text, field, noun)
        return stated

    def _read_phrases(self, text: str) -> Iterator[StatedQuantity]:
        for match in self._phrase.finditer(text):
            clause = self._clauses[match.lastgroup or ""]
            denied = _NO.search(text, 0, match.start())
            if clause.field == INFLICTS and _WITHSTOOD.search(text, 0, match.start()):
                continue
            if denied is None:
                yield StatedQuantity(clause, *match.span())
            elif isinstance(clause, Range) and clause.high is None:  # none of what has a measure
                yield StatedQuantity(AnyOf(clause.field, (0.0,)), denied.start(), match.end())
            elif clause == AnyOf(clause.field, (True,)):
                yield StatedQuantity(AnyOf(clause.field, (False,)), denied.start(), match.end())

    def _read_values(self, text: str) -> list[StatedQuantity]:
        return [
            StatedQuantity(AnyOf(hit.field, hit.values), hit.start, hit.end)
            for hit in self._values.find(text)
            if not _NO.search(text, 0, hit.start)
            and (not hit.alone or not _OBJECT.search(text, 0, hit.start))
        ]


def _of_things(stated: Sequence[StatedQuantity], text: str) -> list[StatedQuantity]:
    """Without the levels of somebody: of "a level 5 wizard" the spells are of any level."""
    classes = [quantity for quantity in stated if quantity.clause.field == "classes"]

    def is_of_somebody(level: StatedQuantity) -> bool:
        return not _SPELLS_BEFORE.search(text, 0, level.start) and any(
            level.end < quantity.start and not text[level.end : quantity.start].strip()
            and not _OF_SPELLS.match(text, quantity.end) for quantity in classes
        )

    return [part for part in stated if part.clause.field != "level" or not is_of_somebody(part)]


def _apart(stated: Sequence[StatedQuantity]) -> list[StatedQuantity]:
    """Those that do not overlap, by place: of two that do, the longer."""
    stated_quantities: list[StatedQuantity] = []
    for quantity in sorted(stated, key=lambda each: (each.start - each.end, each.start)):
        if not any(quantity.start < other.end and other.start < quantity.end
                   for other in stated_quantities):
            stated_quantities.append(quantity)
    return sorted(stated_quantities, key=lambda quantity: quantity.start)


def _expressible(stated: Sequence[StatedQuantity], text: str) -> list[StatedQuantity]:
    """Without what is one side of an "or" whose other is not of the same field.

    No filters can say that: of "undead or flying" and "a ring or an amulet" neither side binds.
    """
    lost: set[str] = set()
    for quantity in stated:
        if match := _OR.match(text, quantity.end):
            beside = {other.clause.field for other in stated if other.start == match.end()}
            # "CR 3 or so", "a Wisdom save or burn": what follows is no other thing to look for.
            alone = not beside and not match["other"] and (
                quantity.clause.field == "save" or is_counted(quantity.clause))
            if beside != {quantity.clause.field} and not alone:
                lost |= {quantity.clause.field, *beside}
        match = _ELSE.search(text, 0, quantity.start)
        if match and not any(other.end == match.start() for other in stated):
            lost.add(quantity.clause.field)
    return [quantity for quantity in stated if quantity.clause.field not in lost]


def is_counted(clause: Clause) -> bool:
    """Whether it is on a number."""
    return isinstance(clause, Range) or (
        isinstance(clause, AnyOf) and isinstance(clause.values[0], float))


def _both(first: Clause, clause: Clause) -> Clause:
    """Two clauses on one field as one: ranges bind together, values are any of them."""
    match first, clause:
        case Range(field, low, high), Range(_, least, most):
            lows = [bound for bound in (low, least) if bound is not None]
            highs = [bound for bound in (high, most) if bound is not None]
            low, high = max(lows, default=None), min(highs, default=None)
            if low is None or high is None or low <= high:
                return Range(field, low, high)
        case AnyOf(field, values), AnyOf(_, others) if not isinstance(values[0], bool):
            return AnyOf(field, tuple(sorted({*values, *others})))
    return first
