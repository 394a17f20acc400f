"""The sheet that a turn shows: the header's four lines beside the state, a half-caster's resources.

Level, hit points, experience and gold of the last line are compared where the state says them, and
whatever it may mean by them counts: temporary hit points, smaller coins, a shape that was taken.
What only one of the two knows is no contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..clock import Clock, world_time
from ..types import Violation
from ..values import at, leaves, mapping, number
from .context import PC, Context, characters, path_words, quoted
from .pools import Role, hit_points, temporary
from .times import clock_after, shown

_PARTS: Final = ("[SESSION_HEADER]", "Timestamp:", "Location:", "Status:")
_STATUS: Final = {"Lvl": r"(?:Lvl?|Level)", "HP": "HP", "XP": "XP", "Gold": "Gold"}
_HOURS: Final = re.compile(
    r"(?<!\d)(\d{1,2}|\?{1,2})[:.h](\d{2}|\?{1,2})(?:[:.](\d{2}|\?{1,2}))?(?:[.:]\d{1,6})?(?!\d)\s*"
    r"([AaPp])?(?(4)\.?[Mm])?"
)
_DIGITS: Final = re.compile(r"\d+")
_NO_SPELLS: Final = "no spells yet (level 2+)"
HALF_CASTER: Final = re.compile(r"\b(?:paladin|ranger)\b", re.IGNORECASE)
_LEVEL: Final = re.compile(r"\b(?:Lvl?|Level)\s+(\d+)\s+([^|]*)")
_READ: Final = 200
_SEPARATOR: Final = ".,'’_ \u00a0\u202f"
# Not 6.5k, nor the +300 of an award
_NUMBER: Final = (rf"([-−]?\d{{1,20}}(?:[{_SEPARATOR}]\d{{1,3}}(?!\d))*)"
                  r"(?![\d.,]*\s?[kKmM]\b)")
_AFTER: Final = rf"[^\w+?/]{{0,3}}?{_NUMBER}"
_TOLD_LEVEL: Final = re.compile(rf"(?<!\w)(?:Lvl|Level){_AFTER}(?!\d*\s*[/+&]\s*\d)")
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


def session_header(context: Context) -> Iterator[Violation]:
    """The header has its four lines, and its time is the clock's."""
    text = context.text("session_header")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return  # where it may not be empty, mode_fields says so
    wrong = _missing_part(lines) or _wrong_status(lines[3]) or _wrong_time(context, lines[1])
    if wrong:
        yield Violation("session_header", "session_header", wrong)


def _missing_part(lines: list[str]) -> str:
    for index, part in enumerate(_PARTS):
        line = lines[index] if index < len(lines) else ""
        if not (line == part if index == 0 else line.startswith(part)):
            actual = f"found {quoted(line)}" if line else "it is missing"
            whole = "be" if index == 0 else "begin with"
            return f"line {index + 1} of 4 must {whole} {part}; {actual}"
        if index and not line.removeprefix(part).strip():
            return f"line {index + 1}, {part}, says nothing; show ? for what the state lacks"
    if len(lines) > len(_PARTS):
        return f"has {len(lines)} lines; after Status nothing follows, found {quoted(lines[4])}"
    return ""


def _wrong_status(line: str) -> str:
    missing = [label for label, written in _STATUS.items()
               if not re.search(rf"(?<!\w){written}\b\W*[\w?]", line)]
    if not missing:
        return ""
    return f"the Status line lacks {', '.join(missing)}; write Lvl … | HP … | XP … | Gold …"


def _wrong_time(context: Context, line: str) -> str:
    clock = clock_after(context)
    if clock is None:
        return ""
    time_text = line.removeprefix(_PARTS[1])[:_READ].strip()
    for hours in _HOURS.finditer(time_text):  # a date may be written with dots as well
        date = time_text[: hours.start()] + " " + time_text[hours.end() :]
        if _is_time(context, hours, clock) and _is_date(context, date, clock):
            return ""
    return f"the Timestamp is {quoted(time_text)}, and the clock after the turn is {shown(clock)}"


def _is_time(context: Context, hours: re.Match[str], clock: Clock) -> bool:
    """Whether a time of day is the clock's; what is shown as ? or not in the state may be any."""
    hour, minute, second, half = hours.groups()
    if half and hour.isdigit():
        hour = str(int(hour) % 12 + (12 if half in "Pp" else 0))
    world = world_time(context.after)
    stated = {"hour": hour, "minute": minute, "second": second or "0"}
    return all(
        int(digits) == getattr(clock, unit) for unit, digits in stated.items()
        if digits.isdigit() and number(world.get(unit)) is not None
    )


def _is_date(context: Context, date: str, clock: Clock) -> bool:
    """Whether a date may be the clock's; names are the campaign's own, and may stand for numbers.

    A date in digits shows the day, and no number that would be another year. Where the state's
    calendar names its months, a month's name is the right one.
    """
    world = world_time(context.after)
    numbers = {int(digits) for digits in _DIGITS.findall(date) if len(digits) < 10}
    named = numbers - ({abs(clock.year)} if number(world.get("year")) is not None else set())
    if named and number(world.get("day")) is not None and clock.day not in named:
        return False
    year_told = number(world.get("year")) is None or abs(clock.year) in numbers
    if not year_told and numbers - {clock.day, clock.month}:
        return False
    months = mapping(context.after, "world_data", "calendar").get("month_names")
    matches = [index for index, name in enumerate(months if isinstance(months, list) else (), 1)
            if isinstance(name, str) and name and re.search(rf"\b{re.escape(name)}\b", date)]
    return not matches or clock.month in matches


def half_caster(context: Context) -> Iterator[Violation]:
    """A half-caster of level 1 has no spells, and its resources say so."""
    resources = " ".join(context.text("resources").casefold().split())
    if not resources or _NO_SPELLS in resources:
        return
    shown_sheet = _LEVEL.search(context.text("session_header"))
    level = number(at(context.after, PC, "level"))
    role = at(context.after, PC, "class")
    if level is None and shown_sheet:
        level = int(shown_sheet[1][:6])
    if not isinstance(role, str) and shown_sheet:
        role = shown_sheet[2]
    if level == 1 and isinstance(role, str) and HALF_CASTER.search(role):
        yield Violation("half_caster", "resources", f"a {quoted(role)} of level 1 has no spells; "
                        "resources must say: No Spells Yet (Level 2+)")


def status_line(context: Context) -> Iterator[Violation]:
    """The status line shows no other numbers than the state after the turn."""
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
    for name, pattern, holds in (
        ("Lvl", _TOLD_LEVEL, _values(records, _LEVELS)),
        ("HP", _HP, _hit_points(state, records, "left")),
        ("the most HP", _MOST_HP, _hit_points(state, records, "most")),
        ("XP", _XP, _values(records, _POINTS)), ("Gold", _GOLD, gold),
    ):
        stated = [match[match.re.groups] for match in pattern.finditer(status)]
        right: Callable[[float], bool] = holds.__contains__
        if pattern is _GOLD and gold:  # smaller coins may be counted in, or rounded
            right = lambda value: min(gold) - 1 < value <= most + 0.5  # noqa: E731 - one of two
        if stated and holds and not any(right(value) for text in stated for value in _read(text)):
            yield Violation("status_line", "session_header", f"the Status line says {name} "
                            f"{quoted(stated[0])}, and the state after the turn {holds[0]:g}; show "
                            "the one or write the other")
            return


def _values(records: list[Mapping[str, Any]], names: re.Pattern[str]) -> list[float]:
    """The numbers of characters in fields of some names."""
    numbers = [number(value) for record in records for place, value in leaves(record)
             if names.fullmatch(path_words(place))]
    return [value for value in numbers if value is not None]


def _hit_points(state: Mapping[str, Any], records: list[Mapping[str, Any]], role: Role,
                ) -> list[float]:
    """The hit points that the state may mean, with and without temporary ones."""
    fighters = mapping(state, "combat_state", "combatants")
    everywhere = [*records, *(mapping(fighters, str(record.get("id"))) for record in records)]
    sums: dict[float, None] = {}
    for record in everywhere:
        points = hit_points(record, role)
        if role == "left":
            points += [most - used for used in hit_points(record, "used")
                      for most in hit_points(record, "most")]
        sums |= dict.fromkeys(value + more for more in (0, *temporary(record)) for value in points)
    return [*sums]


def _read(text: str) -> set[float]:
    """What a number may mean: 1,100 is eleven hundred, or one and a little."""
    digits = text.replace("−", "-")
    plain = re.sub(f"[{_SEPARATOR}]", "", digits)
    first = re.match(r"-?\d+", digits)
    readings = {float(plain), float(first[0] if first else plain)}
    if re.fullmatch(r"-?\d+[.,]\d+", digits):
        readings.add(float(digits.replace(",", ".")))
    return readings
