"""What a rule looks at.

A rule reads a :class:`Context` and yields violations. It meets answers that break other rules as
well, so whatever it reads may be missing or of a wrong type; the methods here give nothing then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from ...archive.state_leaves import LeafTable, built_in_leaves
from ...text.json_values import mapping
from ...types import Mode
from ..routing import is_deep_think
from ..state import Problem, merged
from ..types import Roll

QUOTED_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a turn apart from its answer.

    ``state`` is the one before the turn; ``rolls`` are those that were really made, from a
    ``tray`` or by calls of the tool.
    """

    mode: Mode
    user_input: str
    state: Mapping[str, Any]
    rolls: tuple[Roll, ...] = ()
    tray: bool = False

    @property
    def deep_think(self) -> bool:
        """Whether this is a story turn that only thinks."""
        return is_deep_think(self.mode, self.user_input)


@dataclass(frozen=True)  # without slots: what is worked out once is kept
class Context:
    """One answer that parsed, and what is wrong with its update."""

    facts: Facts
    answer: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()
    leaves: LeafTable = field(default_factory=built_in_leaves)

    def text(self, field: str) -> str:
        """The string in a field of the answer; empty where there is none."""
        value = self.answer.get(field)
        return value if isinstance(value, str) else ""

    def listed(self, field: str) -> list[Any]:
        """The list in a field of the answer; empty where there is none."""
        value = self.answer.get(field)
        return value if isinstance(value, list) else []

    @cached_property
    def updates(self) -> Mapping[str, Any]:
        """``state_updates``; empty where that is no object."""
        return mapping(self.answer, "state_updates")

    @cached_property
    def choices(self) -> dict[str, Mapping[str, Any]]:
        """The choices of the planning block that are objects."""
        options = mapping(self.answer, "planning_block", "choices")
        return {key: choice for key, choice in options.items() if isinstance(choice, Mapping)}

    @cached_property
    def entries(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The entries of ``dice_rolls`` that are objects, each with its path."""
        return tuple((f"dice_rolls.{place}", entry) for place, entry
                     in enumerate(self.listed("dice_rolls")) if isinstance(entry, Mapping))

    def settled(self, *place: str) -> bool:
        """Whether it is known what stands at a path after the turn: its update can be applied."""
        if not isinstance(self.answer.get("state_updates"), Mapping):
            return False
        leaf = f"{'.'.join(place)}."
        places = (place for problem in self.problems for place in {problem.path, problem.leaf}
                  if place or not problem.path)
        return not any(leaf.startswith(above) or above.startswith(leaf)
                       for above in (f"{place}." if place else "" for place in places))

    @cached_property
    def after(self) -> dict[str, Any]:
        """The state after the update, without those parts of it that cannot be applied."""
        return merged(self.facts.state, self.updates)


def path(*parts: str | int) -> str:
    """A dotted path, each part short and printable."""
    return ".".join(part if part.isprintable() and len(part) <= QUOTED_CHARS
                    else quoted(part) for part in map(str, parts))


def quoted(text: str) -> str:
    """The beginning of ``text`` in quotation marks, on one line, at most 80 characters of it."""
    return repr(text if len(text) <= QUOTED_CHARS else f"{text[: QUOTED_CHARS - 1]}…")
