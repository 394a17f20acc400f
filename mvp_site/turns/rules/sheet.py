"""The sheet that a turn shows: the header's four lines beside the state, a half-caster's resources.

Level, hit points, experience and gold of the last line, what is left of resources, and the place
are compared where the state says them, and whatever it may mean by them counts: temporary hit
points, smaller coins, a shape that was taken, a part of a place or the larger one around it. What
only one of the two knows is no contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ...text.json_values import at, leaves, mapping, number
from ...text.lookalikes import plain
from ..clock import Clock, world_time
from ..state import PC, PLACE, known_as, party_place
from ..types import Violation
from .context import Context, quoted
from .times import clock_after, shown, time_forward

_PARTS: Final = ("[SESSION_HEADER]", "Timestamp:", "Location:", "Status:")
_LABELS: Final = ("Lvl", "HP", "XP", "Gold")
_HOURS: Final = re.compile(r"(?<!\d)(\d{1,2}|\?\?):(\d\d|\?\?)(?::(\d\d|\?\?))?(?!\d)")
_DIGITS: Final = re.compile(r"\d+")
_NO_SPELLS: Final = "no spells yet (level 2+)"
HALF_CASTER: Final = re.compile(r"\b(?:paladin|ranger)\b", re.IGNORECASE)
_READ: Final = 200  # characters of a time or a place that are read
_NUMBER: Final = r"(-?\d{1,20}(?:,\d{3})*(?:\.\d{1,9})?)(?![\d.,]*\s?[kKmM]\b)"  # not 6.5k
_TOLD: Final = {label: re.compile(rf"(?<!\w){label}[:\s]{{0,2}}{_NUMBER}") for label in _LABELS}
_MOST_HP: Final = re.compile(rf"{_TOLD['HP'].pattern}\s*/\s*{_NUMBER}")
_COUNT: Final = re.compile(
    r"(?<!\w)(L[1-9]|[A-Za-z][A-Za-z' ]{0,30}?):? (\d{1,9})(?:/(\d{1,9}))?(?![\w/])"
)
_LITTLE: Final = frozenset({"the", "and", "loc", "of", "at", "in", "a", "an"})
_NESTED: Final = 8  # larger places that a place is looked for in
_COINS: Final = {"gold": 1.0, "gp": 1.0, "cp": 0.01, "sp": 0.1, "ep": 0.5, "pp": 10.0}


def session_header(context: Context) -> Iterator[Violation]:
    """The header has its four lines, and its time is the clock's."""
    text = context.text("session_header")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return  # where it may not be empty, mode_fields says so
    if wrong := _missing_part(lines):
        yield Violation("session_header", "session_header", wrong)
    for line in lines:
        label, _, text = line.partition(":")
        faults = {"Timestamp": _wrong_time, "Status": _wrong_status}.get(label)
        if faults and text.strip() and (wrong := faults(context, line)):
            yield Violation("session_header", f"session_header.{label}", wrong)


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


def _wrong_status(_: Context, line: str) -> str:
    missing = [label for label in _LABELS
               if not re.search(rf"(?<!\w){label}\b\W*[\w?]", line)]
    if not missing:
        return ""
    return f"the Status line lacks {', '.join(missing)}; write Lvl … | HP … | XP … | Gold …"


def _wrong_time(context: Context, line: str) -> str:
    clock = clock_after(context)
    if clock is None or any(time_forward(context)):
        return ""
    time_text = line.removeprefix(_PARTS[1])[:_READ].strip()
    hours = _HOURS.search(time_text)
    if hours and _is_time(context, hours, clock):
        date = f"{time_text[: hours.start()]} {time_text[hours.end() :]}"
        if _is_date(context, date, clock):
            return ""
    return f"the Timestamp is {quoted(time_text)}, and the clock after the turn is {shown(clock)}"


def _is_time(context: Context, hours: re.Match[str], clock: Clock) -> bool:
    """Whether a time of day is the clock's; what is shown as ? or not in the state may be any."""
    world = world_time(context.after)
    return all(
        int(digits) == getattr(clock, unit)
        for unit, digits in zip(("hour", "minute", "second"), hours.groups("0"), strict=True)
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
    role = at(context.after, PC, "class")
    if (resources and _NO_SPELLS not in resources and number(at(context.after, PC, "level")) == 1
            and isinstance(role, str) and HALF_CASTER.search(role)):
        yield Violation("half_caster", "resources", f"a {quoted(role)} of level 1 has no spells; "
                        "resources must say: No Spells Yet (Level 2+)")


def status_line(context: Context) -> Iterator[Violation]:
    """The status line shows no other numbers than the state after the turn."""
    lines = [line.strip() for line in context.text("session_header").splitlines()]
    status = next((line for line in lines if line.startswith("Status:")), "")
    record = mapping(context.facts.state if context.facts.deep_think else context.after, PC)
    coins = [(value, worth) for name, worth in _COINS.items()
             for value in _values(record, (name,), ("currency", name))]
    gold = [value for value, worth in coins if worth == 1]
    worth_all = sum(value * worth for value, worth in coins)
    hit_points, most = (_shapes(record, name) for name in ("hp_current", "hp_max"))
    for name, leaf, pattern, holds in (
        ("Lvl", "level", _TOLD["Lvl"], _values(record, ("level",))),
        ("HP", "hp_current", _TOLD["HP"], hit_points), ("maximum HP", "hp_max", _MOST_HP, most),
        ("XP", "xp", _TOLD["XP"], _values(record, ("xp",))),
        ("Gold", "currency", _TOLD["Gold"], gold),
    ):
        stated = [match[match.re.groups] for match in pattern.finditer(status)]
        right: Callable[[float], bool] = holds.__contains__
        if pattern is _TOLD["Gold"] and gold:  # smaller coins may be counted in, or rounded
            right = lambda value: min(gold) - 1 < value <= max(worth_all, *gold) + 0.5  # noqa: E731
        if (stated and holds and context.settled(PC, leaf)
                and not any(right(float(text.replace(",", ""))) for text in stated)):
            yield Violation("status_line", f"session_header.Status.{name}", "the Status line says "
                            f"{name} {quoted(stated[0])}, and the state after the turn "
                            f"{holds[0]:g}; show the one or write the other")


def resources(context: Context) -> Iterator[Violation]:
    """The counts in ``resources`` are those of the state after the turn: ``Ki 3/4``.

    Reports ``status_line``.
    """
    record = mapping(context.facts.state if context.facts.deep_think else context.after, PC)
    for name, current, most in _COUNT.findall(context.text("resources")):
        pool = _pool(record, name.casefold())
        counts = ((pool, current), ((*pool[:-1], "max"), most))
        for leaf, text in counts if pool else ():
            value = number(at(record, *leaf))
            if text and value is not None and int(text) != value and context.settled(PC, *leaf):
                yield Violation("status_line", f"resources.{name}", f"resources say {name} {text}, "
                                f"and {'.'.join(leaf)} is {value:g} after the turn; show the one "
                                "or write the other")


def _pool(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Where a record counts what resources call ``name``; () where nowhere."""
    if name in ("hd", "exhaustion"):
        return ("hit_dice", "current") if name == "hd" else ("exhaustion",)
    if slot := re.fullmatch(r"l([1-9])", name):
        return ("spell_slots", f"level_{slot[1]}", "current")
    key = re.sub(r"\W+", "_", name)
    return ("resources", key, "current") if mapping(record, "resources", key) else ()


def place(context: Context) -> Iterator[Violation]:
    """Header and ``location_confirmed`` name the place where the state says that the party is.

    Reports ``status_line``.
    """
    if not (context.settled(*PLACE) and context.settled("location_data")):
        return
    key = known_as(context.after, party_place(context.after))
    around = [key, *_around(context.after, key)]
    names = [at(context.after, "location_data", where, "name") for where in around]
    known = {word for text in (*around, *names) if isinstance(text, str) for word in _words(text)}
    if not isinstance(names[0], str) or not _words(names[0]):
        return
    lines = [line.strip() for line in context.text("session_header").splitlines()]
    header = next((line for line in lines if line.startswith(_PARTS[2])), "")
    for path, text in (("session_header.Location", header.removeprefix(_PARTS[2])),
                       ("location_confirmed", context.text("location_confirmed"))):
        words = _words(text)
        if words and known.isdisjoint(words):
            yield Violation("status_line", path, f"says {quoted(text.strip())}, and the state "
                            f"after the turn {quoted(names[0])}; name it so, or write where the "
                            "party is")


def _around(state: Mapping[str, Any], key: str) -> Iterator[str]:
    """The larger places that a place is in, and those that are in it."""
    places = mapping(state, "location_data")
    yield from (other for other in places if at(places, other, "parent_id") == key)
    for _ in range(_NESTED):
        parent = at(places, key, "parent_id")
        if not isinstance(parent, str):
            return
        yield (key := parent)


def _words(text: str) -> set[str]:
    """The words of a place's name, of four letters or more where it has any such."""
    words = set(re.findall(r"[^\W_]+", plain(text[:_READ]).casefold())) - _LITTLE
    return {word for word in words if len(word) > 3} or words


def _values(record: Mapping[str, Any], *places: tuple[str, ...]) -> list[float]:
    """The numbers that stand at some places of a record."""
    numbers = [number(at(record, *place)) for place in places]
    return [value for value in numbers if value is not None]


def _shapes(record: Mapping[str, Any], name: str) -> list[float]:
    """The numbers of hit points, in each shape that was taken, with and without temporary ones."""
    more = number(record.get("hp_temp")) or 0
    points = [number(value) for place, value in leaves(record) if place[-1] == name]
    return [value + extra for value in points if value is not None for extra in (0, more)]
