"""The turns that a model is held against the contract on.

They stand in ``sets/turns.jsonl``, modes by turns, so that the first N are a fair part of them;
``sets/README.md`` says how they were written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..errors import SettingsError
from ..types import Audience, Mode
from .sets import Name, read_set, shipped_text

FILE: Final = "sets/turns.jsonl"
SEED: Final = 7
"""What all turns' dice are seeded from."""


@dataclass(frozen=True, slots=True)
class ContractTurn:
    """One turn: what is said, by whom, in which mode, and the state that it begins with."""

    id: Name
    mode: Mode
    audience: Audience
    input: str
    state: Mapping[str, Any]

    @property
    def seed(self) -> int:
        """The seed of the turn's dice, the same in every run: 63 bits of a hash of its id."""
        digest = hashlib.sha256(f"{SEED}:{self.id}".encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1


def load_turns(first: int | None = None) -> tuple[ContractTurn, ...]:
    """The turns of the set in its order, or the ``first`` of them.

    Raises:
        SettingsError: it has not that many, or fewer than one is asked for.
    """
    turns = read_set(ContractTurn, FILE, what="turn")
    if first is not None and not 1 <= first <= len(turns):
        raise SettingsError(f"{first} turns cannot be taken: the set has {len(turns)}, so give a "
                            f"number from 1 to {len(turns)}")
    return turns[:first]


def set_sha256() -> str:
    """The SHA-256 of the set's file."""
    return hashlib.sha256(shipped_text(FILE).encode()).hexdigest()
