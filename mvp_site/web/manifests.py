"""A turn's manifest as a page shows it; fields that it lacks are left out. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..store.types import TurnRecord
from .answers import Shown, read_answer, shown

WHY_FALLBACK: Final[Mapping[str, str]] = {
    "contract": "no attempt kept the contract",
    "model": "the model gave no answer",
    "tokens": "the turn's tokens were used up",
}
_FACTS: Final = (
    ("version", "Version"), ("release", "Release"), ("model", "Model"), ("seed", "Seed"),
    ("header_sha256", "Header, SHA-256"), ("prompt_sha256", "Prompt, SHA-256"),
    ("sparse_reason", "Sparse because"),
)

_SENT: Final = {
    "header": "header", "retrieved": "retrieved", "history": "history", "state": "state",
    "dice tray": "dice tray", "turn": "the turn itself", "tool": "dice tool",
    "again": "all this, sent again", "rolls": "rolls and results",
    "given back": "answers given back", "counted": "sent, in all",
}
_SPENT: Final = ("header", "retrieved", "history", "input", "cache read", "output")
_BY_PROVIDER: Final = {
    "input": "sent, by the provider", "cache read": "of it from its cache",
    "output": "output",
}
_NOT_SPENT: Final = frozenset({"archive", "budget"})


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk of the prompt with its score."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt: what was wrong with it, and what it cost."""

    number: int
    violations: tuple[tuple[str, str, str], ...]
    usage: tuple[tuple[str, int], ...]
    seconds: float | None
    error: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn of the store, ready for a page.

    ``told_apart`` where the provider counts what was sent otherwise than we do.
    """

    record: TurnRecord
    shown: Shown
    answer_json: str
    state_json: str
    manifest_json: str
    facts: tuple[tuple[str, str], ...]
    tokens: tuple[tuple[str, int], ...]
    told_apart: bool
    chunks: tuple[Scored, ...]
    attempts: tuple[AttemptRow, ...]
    why_fallback: str


def view_of(record: TurnRecord) -> TurnView:
    """``record`` with everything that its page shows."""
    manifest = record.manifest
    answer = read_answer(record.answer)
    return TurnView(
        record, shown(record.answer, record.mode),
        _json(answer) if answer is not None else str(record.answer),
        _json(record.state_before), _json(manifest),
        tuple((label, str(manifest[name])) for name, label in _FACTS
              if manifest.get(name) not in (None, "")),
        *_tokens(manifest),
        tuple(
            Scored(str(entry.get("id")), float(_finite(entry.get("score")) or 0.0))
            for entry in _objects(manifest.get("chunks"))
        ),
        tuple(
            _attempt(number, entry)
            for number, entry in enumerate(_objects(manifest.get("attempts")), 1)
        ),
        WHY_FALLBACK.get(record.fallback or "", record.fallback or ""),
    )


def _attempt(number: int, entry: Mapping[str, Any]) -> AttemptRow:
    return AttemptRow(
        number,
        tuple(
            (str(v.get("rule", "")), str(v.get("path", "")), str(v.get("message", "")))
            for v in _objects(entry.get("violations"))
        ),
        _counts(entry.get("usage")), _finite(entry.get("seconds")), str(entry.get("error") or ""),
        str(entry.get("text") or ""),
    )


def _tokens(manifest: Mapping[str, Any]) -> tuple[tuple[tuple[str, int], ...], bool]:
    """What a turn cost, in the order of the prompt, and whether the provider's count differs.

    A manifest without an account of all that was sent names the parts that it has.
    """
    found = dict(_counts(manifest.get("tokens")))
    sent = dict(_counts(manifest.get("sent")))
    if sent:
        rows = [(label, sent[name]) for name, label in _SENT.items() if sent.get(name)]
        differs = found.get("input", 0) != sent.get("counted", 0)
        names = ("input", "cache read", "output") if differs else ("cache read", "output")
        return (*rows, *((_BY_PROVIDER[n], found[n]) for n in names if n in found)), differs
    order = [name for name in _SPENT if name in found]
    others = [name for name in found if name not in {*_SPENT, *_NOT_SPENT}]
    return tuple((name, found[name]) for name in (*order, *others)), False


def _counts(value: object) -> tuple[tuple[str, int], ...]:
    """The whole numbers of an object, with their names in words."""
    if not isinstance(value, Mapping):
        return ()
    return tuple(
        (str(name).replace("_", " ").removesuffix(" tokens"), number)
        for name, number in value.items()
        if isinstance(number, int) and not isinstance(number, bool)
    )


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, (list, tuple)) else []


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
