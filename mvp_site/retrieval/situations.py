"""The situations table: what people say at the table, and the words of the rules they need.

The package ships one; ``situations.toml`` beside the versions in the archive adds to it, an entry
of the same id replacing the shipped one and an entry without ``says`` removing it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from ..errors import ArchiveError

FILE: Final = "situations.toml"
STATES: Final = (
    "in_combat", "level_up_due", "resting", "dungeon", "settlement", "wilderness", "low_hp",
    "dead_or_dying", "deep_think", "god",
)


@dataclass(frozen=True, slots=True)
class Situation:
    """``says``: players' words; ``rules``: the rules' words; ``state``: facets that call it up."""

    id: str
    says: tuple[str, ...]
    rules: str
    state: tuple[str, ...] = ()


def load_situations(archive: Path) -> tuple[Situation, ...]:
    """The shipped table with the archive's own entries over it, in order of ids.

    Raises:
        ArchiveError: the archive's table does not parse or an entry is wrong.
    """
    table = {entry.id: entry for entry in shipped_situations()}
    own = archive / FILE
    if own.is_file():
        for entry in parse_situations(own.read_text(encoding="utf-8"), str(own)):
            if entry.says:
                table[entry.id] = entry
            else:
                table.pop(entry.id, None)
    return tuple(table[key] for key in sorted(table))


def shipped_situations() -> tuple[Situation, ...]:
    """The table that the package ships, in the order of its file."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return tuple(parse_situations(text, FILE))


def load_off_topic() -> tuple[str, ...]:
    """The shipped off-topic probes that the floor is calibrated on."""
    text = resources.files(__package__).joinpath("off_topic.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def parse_situations(text: str, source: str) -> list[Situation]:
    """The entries of a table; ``source`` is what errors call it.

    Raises:
        ArchiveError: it does not parse, or an entry is wrong.
    """
    try:
        entries = tomllib.loads(text).get("situation", [])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ArchiveError(f"{source}: {error}; see docs/situations.md for its form") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ArchiveError(
            f"{source}: each situation is a table [[situation]]; see docs/situations.md"
        )
    return [_entry(entry, source) for entry in entries]


def _entry(entry: Mapping[str, Any], source: str) -> Situation:
    name = entry.get("id")
    says, rules, state = entry.get("says", []), entry.get("rules", ""), entry.get("state", [])
    lists = all(isinstance(x, list) and all(isinstance(y, str) for y in x) for x in (says, state))
    if not isinstance(name, str) or not isinstance(rules, str) or not lists or (says and not rules):
        raise ArchiveError(
            f"{source}: situation {name!r} needs id (text), says (list of texts) and rules (text)"
        )
    if unknown := [s for s in state if s not in STATES]:
        raise ArchiveError(
            f"{source}: situation {name!r}: unknown state {unknown[0]!r}; "
            f"write some of {', '.join(STATES)}"
        )
    return Situation(str(name), tuple(says), rules, tuple(state))
