"""The turns that a model is held against the contract on.

They stand in ``sets/turns.jsonl``, modes by turns, so that the first N are a fair part of them;
``sets/README.md`` says how they were written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from ..errors import SettingsError
from ..types import Audience, Mode

FILE: Final = "sets/turns.jsonl"
SEED: Final = 7
"""What all turns' dice are seeded from."""


@dataclass(frozen=True, slots=True)
class ContractTurn:
    """One turn: what is said, by whom, in which mode, and the state that it begins with."""

    id: str
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
    turns = tuple(_turn(json.loads(line)) for line in _text().splitlines() if line.strip())
    if first is None:
        return turns
    if not 1 <= first <= len(turns):
        raise SettingsError(f"{first} turns cannot be taken: the set has {len(turns)}, so give a "
                            f"number from 1 to {len(turns)}")
    return turns[:first]


def set_sha256() -> str:
    """The SHA-256 of the set's file."""
    return hashlib.sha256(_text().encode()).hexdigest()


def _text() -> str:
    return resources.files(__package__).joinpath(FILE).read_text("utf-8")


def _turn(values: Mapping[str, Any]) -> ContractTurn:
    return ContractTurn(
        values["id"], values["mode"], values["audience"], values["input"], values["state"]
    )
