"""Ranges: the numbers of a sheet stay what a sheet can hold.

Fields go by the words of their path within a record, for states are other people's: ``hp_current``,
``hp.current`` and ``hitPoints.now`` are one field. Only what the turn writes is judged, and only
where it makes or worsens the fault: a campaign that was odd before goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ...text.strict_json import short
from ..state import DELETE
from ..types import Violation
from ..values import MOST, at, leaves, mapping, number, parts
from .context import PC, Context, characters, path, path_words
from .pools import Count, counts, temporary

_HP: Final = "(?:hp|hit points?|hitpoints|health)"
_NOW: Final = "(?:current|now|left|remaining|value)"
_MAX: Final = "max(?:imum)?"
_PURSE: Final = "(?:currency|purse|money|coins)"
_ABILITY: Final = "(?:str|dex|con|int|wis|cha)[a-z]*(?: score)?"


class SheetNumber(NamedTuple):
    """A number of a sheet: the words of its path, its range, and whether it is whole.

    ``kept``: the player's character always has it. ``everybody``: others have it too.
    """

    words: re.Pattern[str]
    low: int
    high: int | None = None
    whole: bool = True
    kept: bool = True
    everybody: bool = False


FIELDS: Final = tuple(SheetNumber(re.compile(words), *rest) for words, *rest in (
    (rf"{_HP}(?: {_NOW})?|{_NOW} {_HP}", 0, None, True, True, True),
    (rf"{_HP} {_MAX}|{_MAX} {_HP}", 0, None, True, True, True),
    (rf"{_HP} temp(?:orary)?|temp(?:orary)? {_HP}", 0, None, True, False, True),
    (r"(?:character |total )?(?:level|lvl)", 1, 20),
    (rf"(?:{_NOW} |total )?(?:xp|experience(?: points)?)(?: {_NOW}| total)?", 0),
    (rf"(?:{_PURSE} )?(?:gold(?: pieces)?|gp)", 0, None, False),
    (rf"{_PURSE} (?:cp|sp|ep|pp|copper|silver|electrum|platinum)", 0, None, False, False),
    (rf"(?:abilities|ability scores) {_ABILITY}", 0, 30),
    (r"exhaustion(?: level)?", 0, 6, True, False),
    (r"death saves (?:successes|failures)", 0, 3, True, False),
    (r"(?:hit dice|spell slots)(?: .*)?", 0, None, True, False),
))


def state_range(context: Context) -> Iterator[Violation]:
    """The numbers that a turn writes are those that a sheet can hold."""
    state = context.facts.state
    for place, value in leaves(context.updates):
        if _huge(value) and not _huge(at(state, *place)):
            yield Violation("state_range", path("state_updates", *place), "is a number beyond "
                            f"{MOST:,}; write one that the game can have")
    others = ((*branch, key) for branch in (("npc_data",), ("combat_state", "combatants"))
              for key in mapping(context.updates, *branch))
    for place in (*characters(context.updates), *others):
        before, after = mapping(state, *place), mapping(context.after, *place)
        written = at(context.updates, *place)
        for below, value in leaves(written) if isinstance(written, Mapping) else ():
            had, has = at(before, *below), None if value == DELETE else value
            field = next((field for field in FIELDS if (place[0] == PC or field.everybody)
                          and field.words.fullmatch(path_words(below))), None)
            if wrong := _wrong(field, had, has, place):
                yield Violation("state_range", path("state_updates", *place, *below), wrong)
        yield from _over(place, before, after)


def _wrong(field: SheetNumber | None, had: Any, has: Any, place: tuple[str, ...]) -> str:
    """What is wrong with a field's new value beside the old one; '' where nothing is."""
    before, after = number(had), number(has)
    if field is None:
        return ""
    if after is None:
        removed = has is None and before is not None and field.kept and place[0] == PC
        return f"is {short(had)} and goes; the player's character always has it" if removed else ""
    if field.whole and after % 1 and not (before or 0) % 1:
        return f"is {short(has)}, and must be a whole number"
    low, high = field.low, field.high
    if after < low and (before is None or after < before):
        return f"is {short(has)}; the least it can be is {low}"
    # What is or begins beyond it is another game's
    if high is not None and before is not None and after > high >= before:
        return f"is {short(has)}; the most it can be is {high}"
    return ""


def _over(place: tuple[str, ...], before: Mapping[str, Any], after: Mapping[str, Any],
          ) -> Iterator[Violation]:
    """Hit points above their maximum; temporary ones may be counted in, a group's are many."""
    if "count" in after:
        return
    old = counts(before)
    for at_, count in counts(after).items():
        over = _excess(count, after)
        if over > 0 and over > _excess(old.get(at_), before):
            yield Violation("state_range", path("state_updates", *place, *at_),
                            f"is {over:g} above the most hit points; raise the maximum, or write "
                            "no more than it")


def _excess(count: Count | None, record: Mapping[str, Any]) -> float:
    """By how much hit points are above their maximum; below 0 where they are not."""
    if count is None or count[:2] != ("hit points", "left"):
        return 0
    most = [pool.value for pool in counts(record).values()
            if pool.stem == count.stem and pool.role == "most"]
    extra = sum(max(0, more) for more in temporary(record))
    return count.value - max(most) - extra if most else 0


def _huge(value: object) -> bool:
    """Whether a leaf is or holds a number that no game counts to."""
    return any(isinstance(part, int | float) and abs(part) > MOST for part in parts(value))
