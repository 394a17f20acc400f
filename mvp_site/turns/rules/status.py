"""Status: the header's last line beside the state after the turn.

Level, hit points, experience and gold are compared where the state says them, and whatever it may
mean by them counts: temporary hit points, smaller coins, a shape that was taken. What only one of
the two knows is no contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..json_values import leaves
from ..types import Violation
from .context import Context, Rule, characters, key_words, mapping, number, path_words, quoted
from .pools import Role, counts

_SEPARATOR: Final = ".,'’_ \u00a0\u202f"
# Not 6.5k, nor the +300 of an award
_NUMBER: Final = (rf"([-−]?\d{{1,20}}(?:[{_SEPARATOR}]\d{{1,3}}(?!\d))*)"
                  r"(?![\d.,]*\s?[kKmM]\b)")
_AFTER: Final = rf"[^\w+?/]{{0,3}}?{_NUMBER}"
_LEVEL: Final = re.compile(rf"(?<!\w)(?:Lvl|Level){_AFTER}(?!\d*\s*[/+&]\s*\d)")
_HP: Final = re.compile(rf"(?<!\w)HP{_AFTER}")
_MOST_HP: Final = re.compile(rf"(?<!\w)HP{_AFTER}\s*(?:/|of)\s*{_NUMBER}")
_XP: Final = re.compile(rf"(?<!\w)XP{_AFTER}")
_GOLD: Final = re.compile(rf"(?<!\w)Gold{_AFTER}\s*(?:gp?\b|gold|[|,;(]|$)")
_LEVELS: Final = re.compile("(?:character |total )?(?:level|lvl)")
_POINTS: Final = re.compile("(?:current |total )?(?:xp|experience)(?: points)?"
                            "(?: current| now| total| value)?")
_PURSE: Final = "(?:(?:currency|purse|money|coins) )?"
_COINS: Final = {re.compile(_PURSE + names): worth for names, worth in (
    ("(?:gold(?: pieces)?|gp)", 1.0), ("(?:cp|copper)", 0.01), ("(?:sp|silver)", 0.1),
    ("(?:ep|electrum)", 0.5), ("(?:pp|platinum)", 10.0),
)}


def _status_line(context: Context) -> Iterator[Violation]:
    lines = [line.strip() for line in context.text("session_header").splitlines()]
    status = next((line for line in lines if line.startswith("Status:")), "")
    if context.problems:
        return  # nobody knows the state after an update that cannot be applied
    state = context.facts.state if context.facts.deep_think else context.after
    records = [*characters(state).values()]
    coins = [(value, worth) for names, worth in _COINS.items()
             for value in _values(records, names)]
    gold = [value for value, worth in coins if worth == 1]
    most = max([*gold, sum(value * worth for value, worth in coins)], default=0)
    for name, pattern, known in (
        ("Lvl", _LEVEL, _values(records, _LEVELS)),
        ("HP", _HP, _hit_points(state, records, "left")),
        ("the most HP", _MOST_HP, _hit_points(state, records, "most")),
        ("XP", _XP, _values(records, _POINTS)), ("Gold", _GOLD, gold),
    ):
        told = [match[match.re.groups] for match in pattern.finditer(status)]
        right: Callable[[float], bool] = known.__contains__
        if pattern is _GOLD and gold:  # smaller coins may be counted in, or rounded
            right = lambda value: min(gold) - 1 < value <= most + 0.5  # noqa: E731 - one of two
        if told and known and not any(right(value) for text in told for value in _read(text)):
            yield Violation("status_line", "session_header", f"the Status line says {name} "
                            f"{quoted(told[0])}, and the state after the turn {known[0]:g}; show "
                            "the one or write the other")
            return


def _values(records: list[Mapping[str, Any]], names: re.Pattern[str]) -> list[float]:
    """The numbers of characters in fields of some names."""
    found = [number(value) for record in records for place, value in leaves(record)
             if names.fullmatch(path_words(place))]
    return [value for value in found if value is not None]


def _hit_points(state: Mapping[str, Any], records: list[Mapping[str, Any]], role: Role,
                ) -> list[float]:
    """The hit points that the state may mean, with and without temporary ones."""
    fighters = mapping(state, "combat_state", "combatants")
    everywhere = [*records, *(mapping(fighters, str(record.get("id"))) for record in records)]
    found: dict[float, None] = {}
    for record in everywhere:
        extra = [number(value) or 0 for place, value in leaves(record)
                 if {"temp", "temporary"} & set(key_words(place[-1]))]
        of_hp = [count for count in counts(record).values() if count.kind == "hit points"]
        shown = [count.value for count in of_hp if count.role == role]
        if role == "left":
            shown += [most.value - used.value for used in of_hp if used.role == "used"
                      for most in of_hp if most.role == "most"]
        found |= dict.fromkeys(value + more for more in (0, *extra) for value in shown)
    return [*found]


def _read(text: str) -> set[float]:
    """What a number may mean: 1,100 is eleven hundred, or one and a little."""
    digits = text.replace("−", "-")
    plain = re.sub(f"[{_SEPARATOR}]", "", digits)
    first = re.match(r"-?\d+", digits)
    found = {float(plain), float(first[0] if first else plain)}
    if re.fullmatch(r"-?\d+[.,]\d+", digits):
        found.add(float(digits.replace(",", ".")))
    return found


STATUS_LINE: Final = Rule(
    "status_line", "show `?` for what they lack, never guess", _status_line
)
