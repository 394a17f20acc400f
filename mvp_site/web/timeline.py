"""A turn's moments in their order, with what each sent; and what it changed of the state. Pure.

All is read off the turn's record, which may be anybody's: what it lacks is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..archive.delimiters import GIVEN
from ..store.types import TurnRecord
from ..text.json_values import same
from ..turns import model_look_ups
from .records import manifest_of

_ELEMENTS: Final = ("header", "contents", "retrieved", "history", *GIVEN, "turn", "tool")
MAX_SHOWN: Final = 2_000
"""Characters of a state's value that are shown."""

Kind = Literal["assemble", "call", "dice", "look_up", "check", "state"]


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened in a turn.

    ``tokens`` are what it sent, in o200k tokens; those of all moments add up to the input.
    ``attempt`` is its attempt, from 1; ``number`` which look-up it is, from 0; ``rolls`` the dice.
    ``answers`` is the call that the attempt ended with, rather than with calls of tools.
    """

    kind: Kind
    seconds: float | None = None
    tokens: int | None = None
    attempt: int = 0
    number: int = 0
    rolls: tuple[Mapping[str, Any], ...] = ()
    answers: bool = True


@dataclass(frozen=True, slots=True)
class Changed:
    """Something of the state as it was and as it is, as text; None where there is nothing."""

    name: str
    was: str | None
    now: str | None


def moments(record: TurnRecord) -> tuple[Moment, ...]:
    """The moments of a turn: assemble, call, dice, look-up, check, and what became of the state."""
    manifest = manifest_of(record)
    prompt = sum(manifest["sent"].get(name, 0) for name in _ELEMENTS)
    rows = [Moment("assemble", sum(manifest["ms"].values()) / 1000 if manifest["ms"] else None)]
    rolls, look_ups = list(manifest["rolls"]), list(range(len(manifest["look_ups"])))
    for attempt, tried in enumerate(manifest["attempts"], 1):
        steps = [step for step in manifest["steps"] if step["attempt"] == attempt]
        for step in steps:
            if not step["calls"]:
                rows.append(Moment("call", step["seconds"], prompt + step["tokens"], attempt,
                                   answers=step is steps[-1]))
                continue
            look_up_calls = sum(name == model_look_ups.TOOL for name in step["calls"])
            thrown = len(step["calls"]) - look_up_calls
            if thrown:
                step_rolls = tuple(rolls[:thrown])
                rows.append(Moment("dice", step["seconds"], None, attempt, rolls=step_rolls))
            rows += [Moment("look_up", step["seconds"], None, attempt, number)
                     for number in look_ups[:look_up_calls]]
            del rolls[:thrown], look_ups[:look_up_calls]
        if not steps:  # no request of it was answered
            rows.append(Moment("call", tried["seconds"], None, attempt))
        if attempt == len(manifest["attempts"]) and rolls:  # off the tray
            rows.append(Moment("dice", None, None, attempt, rolls=tuple(rolls)))
        rows.append(Moment("check", attempt=attempt))
    return (*rows, Moment("state"))


def changed(was: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Changed]:
    """The values that differ, each with the keys that lead to it."""
    for (*above, key), old, new in differing(was, after):
        yield Changed(".".join((*above, key)), _text(old, key), _text(new, key))


def differing(was: Mapping[str, Any], after: Mapping[str, Any], above: tuple[str, ...] = (),
              ) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any], Mapping[str, Any]]]:
    """The keys that lead to each value that differs, and the objects that have it, or have not."""
    for key in dict.fromkeys((*was, *after)):
        old, new = was.get(key), after.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differing(old, new, (*above, key))
        elif key not in was or key not in after or not same(old, new):
            yield (*above, key), was, after


def _text(of: Mapping[str, Any], key: str) -> str | None:
    if key not in of:
        return None
    value = of[key]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
