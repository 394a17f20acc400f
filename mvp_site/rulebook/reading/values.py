"""What the text of a field's value says: a number in the field's unit, and its parts by themselves.

Values stay text in :mod:`~.facts`; here they are read where a question needs more. The numbers of
a price are copper pieces, of a weight pounds, of a length feet, of a time minutes.
"""

from __future__ import annotations

import re
from typing import Final

from ...retrieval.names import fold, words
from ...retrieval.text import stem

Key = tuple[str, ...]
"""The stemmed words of a value: how two values are compared, whatever their case and number."""

MAX_READ: Final = 400
"""What stands behind so many characters of a value is prose, and not read."""

_COINS: Final = {
    "cp": 1.0, "sp": 10.0, "ep": 50.0, "gp": 100.0, "pp": 1000.0, "copper": 1.0, "silver": 10.0,
    "electrum": 50.0, "gold": 100.0, "platinum": 1000.0,
}
_WEIGHTS: Final = {
    "lb": 1.0, "lbs": 1.0, "pound": 1.0, "pounds": 1.0, "oz": 1 / 16, "ounce": 1 / 16,
    "ounces": 1 / 16, "ton": 2000.0, "tons": 2000.0, "kg": 2.2046, "kilogram": 2.2046,
    "kilograms": 2.2046, "g": 0.0022046,
}
_LENGTHS: Final = {
    "ft": 1.0, "feet": 1.0, "foot": 1.0, "'": 1.0, "yard": 3.0, "yards": 3.0, "mile": 5280.0,
    "miles": 5280.0, "inch": 1 / 12, "inches": 1 / 12, "m": 3.28084, "meter": 3.28084,
    "meters": 3.28084, "metre": 3.28084, "metres": 3.28084, "km": 3280.84,
}
_TIMES: Final = {
    "round": 0.1, "rounds": 0.1, "turn": 0.1, "turns": 0.1, "second": 1 / 60, "seconds": 1 / 60,
    "minute": 1.0, "minutes": 1.0, "min": 1.0, "mins": 1.0, "hour": 60.0, "hours": 60.0,
    "hr": 60.0, "hrs": 60.0, "day": 1440.0, "days": 1440.0, "week": 10080.0, "weeks": 10080.0,
    "year": 525600.0, "years": 525600.0,
}
_DIMENSIONS: Final = {
    "cost": _COINS, "weight": _WEIGHTS, "range": _LENGTHS, "speed": _LENGTHS,
    "duration": _TIMES, "casting time": _TIMES,
}
"""The units of a field's values; other fields have none."""
_BARE: Final = {"cost": 100.0, "weight": 1.0, "range": 1.0, "speed": 1.0}
"""What a number without a unit counts for: gold pieces, pounds, feet."""

RANKS: Final = {
    "size": {"tiny": 1.0, "small": 2.0, "medium": 3.0, "large": 4.0, "huge": 5.0,
             "gargantuan": 6.0},
    "rarity": {"common": 1.0, "uncommon": 2.0, "rare": 3.0, "very rare": 4.0, "legendary": 5.0,
               "artifact": 6.0},
}
"""Values in words that have an order: "Large or smaller"."""

_FRACTIONS: Final = {
    "½": "1/2", "¼": "1/4", "¾": "3/4", "⅛": "1/8", "⅓": "1/3", "⅔": "2/3", "⅕": "1/5",
}
_FRACTION: Final = re.compile(f"[{''.join(_FRACTIONS)}]")
_WHOLE: Final = r"\d{1,3}(?:,\d{3})+|\d{1,15}"
_NUMBER: Final = re.compile(
    rf"(?<![\w.,/])(?P<sign>[+-])?\s?(?:(?P<mixed>\d{{1,9}})[ \t]+(?=\d+/\d))?"
    rf"(?P<whole>{_WHOLE})(?:(?P<decimals>\.\d{{1,9}})|/(?P<below>\d{{1,9}}))?(?:st|nd|rd|th)?(?![\d/])"
)
_UNIT: Final = re.compile(r"[+\s-]*([^\W\d_]+|')")
_IN_PARENTHESES: Final = re.compile(r"\(([^()]*)\)")
_QUANTITY: Final = re.compile(
    r"[+-]?\b\d+(?:[,./]\d+)*(?:d\d+)?(?:\s?[+-]\s?\d+)?(?:st|nd|rd|th)?\+?"
    r"(?:[\s-]?(?:ft|feet|foot|lbs?|pounds?|gp|sp|cp|ep|pp|miles?|xp)\b\.?)?|[½¼¾⅛⅓⅔⅕]|\bdc\b"
)
_SPLIT: Final = re.compile(r"[,;/•·]|\bor\b|\band\b|\. ")
_TRUE: Final = frozenset({"yes", "y", "true", "required", "require", "requires", "✓", "✔", "x"})
_FALSE: Final = frozenset({"no", "n", "false", "none", "not required", "", "—", "-"})


def number(text: str, field: str = "") -> float | None:
    """The number that ``text`` opens with or holds first, in the unit of ``field``; None if none.

    ``number("1,500 gp", "cost")`` is 150000 copper pieces, ``number("1/4", "challenge rating")``
    .25, a cantrip's level 0; the hit points of "45 (6d10 + 12)" are 45. A value in words that has
    an order (:data:`RANKS`) is its rank.
    """
    text = _folded(text)
    ranks = RANKS.get(field)
    if ranks is not None:
        return next((ranks[atom] for atom in _parts(text) if atom in ranks), None)
    if field == "level" and "cantrip" in text:
        return 0.0
    units = _DIMENSIONS.get(field)
    if units is not None:  # a range's area, a price's quantity
        text = _IN_PARENTHESES.sub(" ", text).strip()
    for found in _NUMBER.finditer(text):
        amount = _amount(found)
        if amount is None:
            continue
        if units is None:
            return amount
        unit = _UNIT.match(text, found.end())
        if unit is not None and unit[1] in units:
            return amount * units[unit[1]]
        if found.end() == len(text.rstrip(".+ ")) and found.start() == 0 and field in _BARE:
            return amount * _BARE[field]
    return 0.0 if field == "cost" and text == "free" else None


def dimension(unit: str) -> str | None:
    """The field whose values have that unit: "cost" for "gp", "weight" for "lb"; None if unsure."""
    unit = unit.lower().rstrip(".")
    if unit in _COINS:
        return "cost"
    return "weight" if unit in _WEIGHTS else None


def is_true(text: str) -> bool | None:
    """Whether ``text`` says yes or no; None where it says something else."""
    folded = fold(text).rstrip(".")
    if folded in _FALSE:
        return False
    return True if folded.partition(" ")[0].rstrip(",;:") in _TRUE else None


def atoms(value: str) -> tuple[str, ...]:
    """The parts that ``value`` lists, folded, without numbers and units, each once.

    "Finesse, thrown (range 20/60)" → "finesse", "thrown"; "30 ft., fly 60 ft." → "fly".
    """
    return _parts(_folded(value))


def value_key(text: str) -> Key:
    """The stems of the words of ``text``."""
    return tuple(map(stem, words(text)))


def _folded(text: str) -> str:
    text = _FRACTION.sub(lambda found: f" {_FRACTIONS[found[0]]}", text[:MAX_READ])
    return fold(text)


def _parts(text: str) -> tuple[str, ...]:
    inside = _IN_PARENTHESES.findall(text)
    outside = _IN_PARENTHESES.sub(" ", text)
    # what a part has in parentheses with a number is its measure: "(range 20/60)"
    named_inside = (piece for piece in inside if not any(map(str.isdigit, piece)))
    found: dict[str, None] = {}
    for piece in (outside, *named_inside):
        for part in _SPLIT.split(_QUANTITY.sub(" ", piece)):
            named = " ".join(part.split()).strip(" .:;()-+*_'\"")
            if named and not named.isdigit():
                found[named] = None
    return tuple(found)


def _amount(found: re.Match[str]) -> float | None:
    amount = float(found["whole"].replace(",", "") + (found["decimals"] or ""))
    if found["below"]:
        below = float(found["below"])
        if not below:
            return None
        amount /= below
    if found["mixed"]:
        amount += float(found["mixed"])
    return -amount if found["sign"] == "-" else amount
