"""What the inspector's forms ask for, read from a query string; nothing is believed. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from ..strict_json import JsonError, read_object
from ..types import AUDIENCES, MODES, Audience, Mode

MAX_TEXT: Final = 8_000
MAX_STATE: Final = 40_000


@dataclass(frozen=True, slots=True)
class Query:
    """A turn as it was typed. ``errors`` are by field; with any, nothing is asked."""

    text: str = ""
    mode: Mode = "story"
    audience: Audience = "player"
    versions: tuple[str, ...] = ()
    state_text: str = ""
    state: Mapping[str, Any] | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    asked: bool = False


def read_query(args: Mapping[str, str], versions: Sequence[str], fields: Mapping[str, str],
               ) -> Query:
    """The query in ``args``. ``fields`` are the version fields with what each is by default."""
    errors: dict[str, str] = {}
    text = args.get("text", "").replace("\r\n", "\n")
    if len(text) > MAX_TEXT:
        errors["text"] = f"The turn has {len(text)} characters; {MAX_TEXT} are the most here."
    elif "\0" in text:
        errors["text"] = "The turn has a NUL character; leave it out."
    mode = _one_of(args, "mode", MODES, errors)
    audience = _one_of(args, "audience", AUDIENCES, errors)
    chosen = []
    for name, default in fields.items():
        version = args.get(name) or default
        if version not in versions and args.get(name):
            errors[name] = f"There is no version {version[:64]!r}."
            version = default
        chosen.append(version)
    state_text = args.get("state", "").strip()
    state, wrong = _state(state_text)
    if wrong:
        errors["state"] = wrong
    return Query(
        text, cast(Mode, mode), cast(Audience, audience), tuple(chosen), state_text, state, errors,
        asked="text" in args and not errors,
    )


def _one_of(args: Mapping[str, str], name: str, values: Sequence[str], errors: dict[str, str],
            ) -> str:
    found = args.get(name, values[0])
    if found in values:
        return found
    errors[name] = f"There is no {name} {found[:40]!r}; there are {', '.join(values)}."
    return values[0]


def _state(text: str) -> tuple[dict[str, Any] | None, str]:
    """The state that was typed and '', or None and what is wrong with it."""
    if not text:
        return None, ""
    if len(text) > MAX_STATE:
        return None, f"The state has {len(text)} characters; {MAX_STATE} are the most here."
    try:
        return read_object(text, "The state"), ""
    except JsonError as error:
        return None, str(error)
