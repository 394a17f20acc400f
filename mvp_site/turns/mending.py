"""Mending an answer: what its schema finds wrong and no reader takes for anything else. Pure.

Never touched are values of dice, the state's updates, and the keys of choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from ..archive.answer_schema import problems
from ..text.json_values import at
from ..types import BRANCHES
from .rules.context import path, quoted
from .types import Hint

MOST_TRIED: Final = 20
"""How many fields are tried without their value, each in a check of its own."""
_UPDATES: Final = "state_updates"
_DICE: Final = "dice_rolls"
Json = Mapping[str, Any]
_Fault = tuple[tuple[str | int, ...], str, str]


def mended(schema: Json, answer: Json) -> tuple[Json, tuple[Hint, ...]]:
    """``answer``, mended as far as that changes nothing of what it says, and a hint for each place.

    An unknown field of a nested object goes, unless it has a name of the answer's or the state's,
    and so may only stand at the wrong place. An optional field goes where it is null or ``{}``; a
    text that must be empty and is null becomes empty. Enumerations get their letter case.
    """
    errors = problems(schema, answer)
    faults = {_fault(error) for error in errors}
    whole: dict[str, Any] = deepcopy(dict(answer))
    reserved = {*_names(schema, answer), *BRANCHES}
    hints: list[Hint] = []
    tried = 0
    for error in errors:
        place = [*error.absolute_path]
        if not place or place[0] == _UPDATES:
            continue
        value, kind = error.instance, error.validator
        above = at(whole, *place[:-1])
        if kind == "additionalProperties" and isinstance(fields := at(whole, *place), dict):
            for key in sorted(value.keys() - error.schema.get("properties", {}).keys() - reserved):
                del fields[key]
                hints.append(Hint("schema", path(*place, key), "is no field of the contract; left "
                                  "out"))
        elif place[0] == _DICE or not isinstance(above, dict) or place[-1] not in above:
            continue
        elif kind == "enum" and isinstance(value, str):
            names = [name for name in error.validator_value
                     if isinstance(name, str) and name.casefold() == value.strip().casefold()]
            if len(names) == 1:
                above[place[-1]] = names[0]
                hints.append(Hint("schema", path(*place), f"{quoted(value)}; read as {names[0]}"))
        elif value in (None, {}) and tried < MOST_TRIED:
            tried += 1
            for changes in _ways(schema, whole, place, faults, _fault(error)):
                del above[place[-1]]
                above |= changes
                hints.append(Hint("schema", path(*place), "is empty; "
                                  + ('read as ""' if changes else "left out")))
    return whole, tuple(hints)


def _ways(schema: Json, whole: Json, place: list[Any], faults: set[_Fault], fault: _Fault,
          ) -> Iterator[dict[str, Any]]:
    """What may stand for a field that is null or empty: nothing, or "" where nothing else may."""
    def mends(text: str | None = None) -> bool:
        trial = deepcopy(dict(whole))
        above = at(trial, *place[:-1])
        del above[place[-1]]
        above |= {} if text is None else {place[-1]: text}
        left = {_fault(error) for error in problems(schema, trial)}
        return fault not in left and left <= faults

    if mends():
        yield {}
    elif mends("") and not mends("text"):
        yield {place[-1]: ""}


def _fault(error: Any) -> _Fault:
    """An error without the value that it quotes; what is missing only the message names."""
    message = error.message if error.validator == "required" else ""
    return tuple(error.absolute_path), str(error.validator), message


def _names(schema: Json, answer: Json) -> Iterator[str]:
    """The names of the answer's own fields, as it has them and as the schema describes them."""
    yield from answer
    for part in (schema, *schema.get("$defs", {}).values()):
        if isinstance(part, Mapping) and _UPDATES in part.get("properties", ()):
            yield from part["properties"]
