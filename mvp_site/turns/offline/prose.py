"""Prose: the narrative of a story turn, out of set phrases."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, TypeVar

from .phrases import CLOSINGS, OPENINGS, SIGNED, TOLD

Outcome = Literal["plain", "success", "failure"]
T = TypeVar("T")


def pick(seed: bytes, salt: str, options: Sequence[T]) -> T:
    """One of ``options``, always the same for the same seed and salt."""
    drawn = hashlib.sha256(seed + salt.encode()).digest()
    return options[int.from_bytes(drawn[:8], "big") % len(options)]


def narrative(seed: bytes, kind: str, outcome: Outcome, place: str | None, who: str | None) -> str:
    """Three paragraphs for the player: what came of it, whose move it is, and who tells it."""
    usual = TOLD.get((kind, "plain"), TOLD["talk", "plain"])
    told = TOLD.get((kind, outcome), usual)
    someone = who or "the other"
    opening = pick(seed, "opening", OPENINGS)
    if place:
        opening = f"{_capital(place)}. {opening}"
    words = {"place": place or "the place", "who": someone, "Who": _capital(someone)}
    body = pick(seed, f"{kind} {outcome}", told).format(**words)
    return f"{opening} {body}\n\n{pick(seed, 'closing', CLOSINGS)}\n\n{SIGNED}"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
