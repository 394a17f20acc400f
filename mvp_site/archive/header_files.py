"""What may stand beside the core header: first state, contract, own modes, and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from ..errors import ArchiveError
from ..text.strict_json import JsonError, read_object, short
from ..types import BRANCHES, MODES
from .answer_form import read_form
from .own_modes import FILES as DECLARED
from .own_modes import read_declared

FIRST_STATE: Final = "first_state.json"
CONTRACT: Final = "contract.json"
EXAMPLES: Final = "examples.txt"


def first_state(beside: Mapping[str, bytes]) -> dict[str, Any] | None:
    """The state that a new campaign begins with, a new copy each time; None where there is none."""
    return _first_state(beside[FIRST_STATE], FIRST_STATE) if FIRST_STATE in beside else None


def examples(beside: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Turns to begin with, each with its mode; a line without one (``dm: …``) is of the story."""
    pairs = []
    for line in beside.get(EXAMPLES, b"").decode("utf-8").splitlines():
        mode, _, text = line.partition(":")
        example = (text, mode) if mode in MODES else (line, "story")
        if example[0].strip():
            pairs.append((example[0].strip(), example[1]))
    return pairs


def check(file: str, content: bytes, label: str) -> None:
    """Refuse what cannot be used as ``file``; errors call it ``label``.

    Raises:
        ArchiveError: says what is wrong.
    """
    try:
        _READERS[file](content, label)
    except JsonError as error:
        raise ArchiveError(f"{error}; mend it, then build again") from None


def _first_state(content: bytes, label: str) -> dict[str, Any]:
    state = read_object(content, label)
    for branch, value in state.items():
        if branch not in BRANCHES:
            raise JsonError(f"{label} has {short(branch)}, which is no branch of the state; it has "
                            f"{', '.join(BRANCHES)}")
        if not isinstance(value, dict):
            raise JsonError(f"{label}: {branch} must be an object")
    return state


_READERS: Final[Mapping[str, Callable[[bytes, str], object]]] = {
    CONTRACT: read_form, EXAMPLES: lambda *_: None, FIRST_STATE: _first_state,
    **{file: partial(read_declared, file) for file in DECLARED},
}
FILES: Final = tuple(_READERS)
"""A version's own, else the archive's; each goes into the release as it is, where it exists."""
