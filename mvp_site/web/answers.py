"""Answers as pages show them: read from text or JSON, and never trusted to have a field. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

HEADER_MARK: Final = "[SESSION_HEADER]"


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice, and what pressing it says."""

    key: str
    text: str
    description: str
    risk: str
    says: str
    mode: str
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Die:
    """A roll as it is shown. ``outcome`` is '' where it was made against nothing."""

    purpose: str
    expression: str
    dice: tuple[int, ...]
    modifier: int
    total: int
    advantage: str
    against: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer, field by field; what it lacks is empty. ``raw`` where it is no JSON object."""

    timestamp: str = ""
    location: str = ""
    status: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    paragraphs: tuple[str, ...] = ()
    god: tuple[str, ...] = ()
    thinking: str = ""
    choices: tuple[Choice, ...] = ()
    dice: tuple[Die, ...] = ()
    raw: str = ""


def read_answer(answer: str | Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The response in ``answer`` (a mapping, or a mode line and JSON), or None if there is none."""
    if isinstance(answer, Mapping):
        return answer
    start = answer.find("{")
    try:
        found = json.loads(answer[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def shown(answer: str | Mapping[str, Any], mode: str) -> Shown:
    """``answer`` ready for a page."""
    response = read_answer(answer)
    if response is None:
        return Shown(raw=str(answer))
    header = _header(_text(response.get("session_header")))
    planning = _object(response.get("planning_block"))
    return Shown(
        timestamp=header.get("Timestamp", ""),
        location=header.get("Location", "") or _text(response.get("location_confirmed")),
        status=_parts(header.get("Status", "")),
        resources=_parts(_text(response.get("resources"))),
        paragraphs=_paragraphs(_text(response.get("narrative"))),
        god=_paragraphs(_text(response.get("god_mode_response"))),
        thinking=_text(planning.get("thinking")),
        choices=tuple(
            _choice(str(key), _object(value), mode)
            for key, value in _object(planning.get("choices")).items()
        ),
        dice=tuple(_die(_object(entry)) for entry in _list(response.get("dice_rolls"))),
    )


def _header(text: str) -> dict[str, str]:
    """The parts of a session header by their names."""
    lines = (line.partition(":") for line in text.replace(HEADER_MARK, "").splitlines())
    return {name.strip(): value.strip() for name, colon, value in lines if colon}


def _choice(key: str, value: Mapping[str, Any], mode: str) -> Choice:
    text = _text(value.get("text")) or key
    return Choice(
        key, text, _text(value.get("description")), _text(value.get("risk_level")), text,
        "story" if key == "god:return_story" else mode,
        tuple(map(_text, _list(value.get("pros")))), tuple(map(_text, _list(value.get("cons")))),
        _text(value.get("confidence")),
    )


def _die(entry: Mapping[str, Any]) -> Die:
    target = _object(entry.get("target"))
    value = _number(target.get("value"))
    # A roll against nothing (initiative, damage) is written with a target of 0.
    outcome = "" if value == 0 else "success" if entry.get("success") is True else "failure"
    advantage = _text(entry.get("advantage"))
    return Die(
        _text(entry.get("purpose")), _text(entry.get("expression")),
        tuple(_number(number) for number in _list(entry.get("dice"))),
        _number(entry.get("modifier")), _number(entry.get("total")),
        "" if advantage == "none" else advantage,
        f"{_text(target.get('kind'))} {value}" if value else "", outcome,
    )


def _parts(line: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in line.split("|") if part.strip())


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("\n\n") if part.strip())


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
