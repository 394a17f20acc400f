"""The leaves of a state: one table of their paths, types, ranges and the other names they go by.

The built-in table lies with the built-in contract; a version's ``contract.json`` adds its own. A
path is dotted; ``*`` stands for any key: an id, or a key of a map.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import Any, Final

from ..settings import PACKAGE
from ..text.strict_json import JsonError, named, short
from ..types import BRANCHES

KINDS: Final[Mapping[str, str]] = {
    "integer": "a number", "number": "a number", "string": "a string", "boolean": "true or false",
    "list": "a list", "map": "an object", "object": "an object",
}
"""The types of a leaf as JSON has them. A map has free keys, an object the table's."""
_KEYS: Final = ("type", "least", "most", "kept", "required", "names")
_LETTERS: Final = re.compile(r"[^a-z0-9*]+")
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateLeaf:
    """A leaf: its path, its type out of :data:`KINDS`, its range, the other names of its path.

    ``kept``: the player's character always has it. ``required``: a new record has it.
    """

    path: Path
    type: str
    least: int | None = None
    most: int | None = None
    kept: bool = False
    required: bool = False
    names: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class LeafMatch:
    """The leaf that a path leads to or through: the beginning as ``written``, and its ``own``."""

    leaf: StateLeaf
    written: Path
    own: Path


@dataclass(slots=True)
class _Branching:
    below: dict[str, _Branching] = field(default_factory=dict)
    leaf: StateLeaf | None = None


class LeafTable:
    """The leaves of a state, found by the paths that updates write; the first of a path counts."""

    def __init__(self, leaves: Iterable[StateLeaf]) -> None:
        self.leaves = tuple(leaves)
        self._root = _Branching()
        own = [(leaf.path, leaf) for leaf in self.leaves]
        others = [(name, leaf) for leaf in self.leaves for name in leaf.names]
        for path, leaf in (*own, *others):
            node = self._root
            for key in path:
                node = node.below.setdefault(_plain(key), _Branching())
            node.leaf = node.leaf or leaf

    def match(self, path: Sequence[str]) -> LeafMatch | None:
        """The last leaf along a path, whatever its name; below a map none is looked for."""
        node, last = self._root, None
        for length, key in enumerate(path, 1):
            below = node.below.get(_plain(key)) or node.below.get("*")
            if below is None:
                break
            node = below
            if leaf := node.leaf:
                own = (key if part == "*" else part
                       for part, key in zip_longest(leaf.path, path[: len(leaf.path)]))
                last = LeafMatch(leaf, tuple(path[:length]), tuple(own))
                if leaf.type == "map":
                    break
        return last


def _plain(key: str) -> str:
    """A key without case and marks: ``hpCurrent`` is ``hp_current`` in other lettering."""
    return key if key == "*" else _LETTERS.sub("", key.casefold())


@cache
def built_in_leaves() -> LeafTable:
    """The table of the built-in contract."""
    text = (PACKAGE / "turns" / "leaves.json").read_text("utf-8")
    return LeafTable(read_leaves(json.loads(text), "leaves.json"))


def read_leaves(raw: object, label: str) -> tuple[StateLeaf, ...]:
    """The leaves that a list of groups names: ``below`` paths, and ``leaves`` by the path there.

    Raises:
        JsonError: names the place, what is wrong there, and what to write.
    """
    leaves: list[StateLeaf] = []
    for number, group in enumerate(raw if isinstance(raw, list) else [raw]):
        place = f"{label}[{number}]"
        if not isinstance(group, dict) or not isinstance(group.get("leaves"), dict):
            raise JsonError(f'{place} is {named(group)}; write {{"below": ["world_data"], '
                            '"leaves": {"tide": {"type": "string"}}}')
        below = group.get("below")
        if not isinstance(below, list) or not all(
                isinstance(path, str) and path.split(".")[0] in BRANCHES for path in below):
            raise JsonError(f"{place}.below is {short(below)}; write a list of paths that begin "
                            f"with a branch: {', '.join(BRANCHES)}")
        for above in below:
            leaves += (_leaf(tuple(above.split(".")), name, about, f"{place}.leaves.{name}")
                       for name, about in group["leaves"].items())
    return tuple(leaves)


def _leaf(above: Path, name: str, about: Any, place: str) -> StateLeaf:
    if not isinstance(about, dict) or about.get("type") not in KINDS:
        raise JsonError(f"{place} needs a type out of {', '.join(KINDS)}")
    if unknown := sorted(about.keys() - {*_KEYS}):
        raise JsonError(f"{place}: unknown key {short(unknown[0])}: there are {', '.join(_KEYS)}")
    for bound in ("least", "most"):
        if type(about.get(bound, 0)) is not int:
            raise JsonError(f"{place}.{bound} is {short(about[bound])}; write an integer")
    names = about.get("names", [])
    if not isinstance(names, list) or not all(isinstance(other, str) for other in names):
        raise JsonError(f"{place}.names must be a list of names")
    return StateLeaf(
        (*above, *name.split(".")), about["type"], about.get("least"), about.get("most"),
        about.get("kept") is True, about.get("required") is True,
        tuple((*above, *other.split(".")) for other in names),
    )
