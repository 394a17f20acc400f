"""The sheet: the four lines of the session header, and what a half-caster's resources say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ..clock import Clock, world_time
from ..types import Violation
from .context import Context, Rule, mapping, number, quoted
from .times import clock_after, shown

_PARTS: Final = ("[SESSION_HEADER]", "Timestamp:", "Location:", "Status:")
_STATUS: Final = {"Lvl": r"(?:Lvl?|Level)", "HP": "HP", "XP": "XP", "Gold": "Gold"}
_HOURS: Final = re.compile(
    r"(?<!\d)(\d{1,2}|\?{1,2})[:.h](\d{2}|\?{1,2})(?:[:.](\d{2}|\?{1,2}))?(?:[.:]\d{1,6})?(?!\d)\s*"
    r"([AaPp])?(?(4)\.?[Mm])?"
)
_NUMBER: Final = re.compile(r"\d+")
_NO_SPELLS: Final = "no spells yet (level 2+)"
_HALF_CASTER: Final = re.compile(r"\b(?:paladin|ranger)\b", re.IGNORECASE)
_LEVEL: Final = re.compile(r"\b(?:Lvl?|Level)\s+(\d+)\s+([^|]*)")
_READ: Final = 200
_PC: Final = "player_character_data"


def _session_header(context: Context) -> Iterator[Violation]:
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
            found = f"found {quoted(line)}" if line else "it is missing"
            whole = "be" if index == 0 else "begin with"
            return f"line {index + 1} of 4 must {whole} {part}; {found}"
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
    told = line.removeprefix(_PARTS[1])[:_READ].strip()
    for hours in _HOURS.finditer(told):  # a date may be written with dots as well
        date = told[: hours.start()] + " " + told[hours.end() :]
        if _is_time(context, hours, clock) and _is_date(context, date, clock):
            return ""
    return f"the Timestamp is {quoted(told)}, and the clock after the turn is {shown(clock)}"


def _is_time(context: Context, hours: re.Match[str], clock: Clock) -> bool:
    """Whether a time of day is the clock's; what is shown as ? or not in the state may be any."""
    hour, minute, second, half = hours.groups()
    if half and hour.isdigit():
        hour = str(int(hour) % 12 + (12 if half in "Pp" else 0))
    known = world_time(context.after)
    told = {"hour": hour, "minute": minute, "second": second or "0"}
    return all(
        int(digits) == getattr(clock, unit) for unit, digits in told.items()
        if digits.isdigit() and number(known.get(unit)) is not None
    )


def _is_date(context: Context, date: str, clock: Clock) -> bool:
    """Whether a date may be the clock's; names are the campaign's own, and may stand for numbers.

    A date in digits shows the day, and no number that would be another year. Where the state's
    calendar names its months, a month's name is the right one.
    """
    known = world_time(context.after)
    numbers = {int(digits) for digits in _NUMBER.findall(date) if len(digits) < 10}
    named = numbers - ({abs(clock.year)} if number(known.get("year")) is not None else set())
    if named and number(known.get("day")) is not None and clock.day not in named:
        return False
    year_told = number(known.get("year")) is None or abs(clock.year) in numbers
    if not year_told and numbers - {clock.day, clock.month}:
        return False
    months = mapping(context.after, "world_data", "calendar").get("month_names")
    return _is_month(date, months, clock.month)


def _is_month(date: str, months: Any, month: int) -> bool:
    names = months if isinstance(months, list) else []
    told = [index for index, name in enumerate(names, 1)
            if isinstance(name, str) and name and re.search(rf"\b{re.escape(name)}\b", date)]
    return not told or month in told


def _half_caster(context: Context) -> Iterator[Violation]:
    resources = " ".join(context.text("resources").casefold().split())
    if not resources or _NO_SPELLS in resources:
        return
    shown_sheet = _LEVEL.search(context.text("session_header"))
    level = number(context.known(_PC, "level"))
    role = context.known(_PC, "class")
    if level is None and shown_sheet:
        level = int(shown_sheet[1][:6])
    if not isinstance(role, str) and shown_sheet:
        role = shown_sheet[2]
    if level == 1 and isinstance(role, str) and _HALF_CASTER.search(role):
        yield Violation("half_caster", "resources", f"a {quoted(role)} of level 1 has no spells; "
                        "resources must say: No Spells Yet (Level 2+)")


SESSION_HEADER: Final = Rule("session_header", "`session_header`: four lines", _session_header)
HALF_CASTER: Final = Rule(
    "half_caster", "A level 1 half-caster (paladin, ranger) shows `No Spells Yet (Level 2+)`",
    _half_caster,
)
