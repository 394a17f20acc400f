"""Sets of questions as JSON lines: the shipped ones, and others in files of the same form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Annotated, Literal, Protocol, TypeVar

import msgspec

from mvp_site.errors import SettingsError
from mvp_site.text import typos

Split = Literal["tune", "test"]
"""The part of a set; ``test`` is the third that is never used for tuning."""
Grade = Literal[1, 2, 3]
Name = Annotated[str, msgspec.Meta(min_length=1)]


class Line(Protocol):
    """What a line of a set holds."""

    @property
    def id(self) -> str:
        """Its name, unique in the set."""


T = TypeVar("T", bound=Line)


def read_set(of: type[T], shipped: str, file: Path | None = None, *, what: str = "question",
             asks: Callable[[T], Hashable] = lambda one: one.id, split: Split | None = None,
             ) -> tuple[T, ...]:
    """What the lines of a set hold, blank ones left out; with ``split``, those of that part.

    The set is ``file``, or where there is none the one that stands beside this module under the
    path ``shipped``. ``of`` is a dataclass, which may refuse a line with ValueError. ``asks``
    tells what a line asks; no two may ask the same. A line that states no part is in each.

    Raises:
        SettingsError: the set cannot be read, is empty, repeats itself, or a line is none of
            these; the message names the line.
    """
    name, text = (shipped, shipped_text(shipped)) if file is None else (str(file), _read(file))
    found: list[T] = []
    ids: set[str] = set()
    asked: dict[Hashable, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            one = msgspec.json.decode(line, type=of)
        except msgspec.DecodeError as error:
            raise SettingsError(f"{place}: {error}") from None
        if one.id in ids:
            raise SettingsError(f"{place}: the id {one.id!r} is there already")
        ids.add(one.id)
        if (first := asked.setdefault(asks(one), one.id)) != one.id:
            raise SettingsError(f"{place}: {what} {one.id} asks what {first} asks")
        found.append(one)
    if not found:
        raise SettingsError(f"{name}: there is no {what} in it")
    parts = {None, split}
    return tuple(one for one in found if not split or getattr(one, "split", None) in parts)


def shipped_text(name: str) -> str:
    """The text of a set that was shipped.

    Raises:
        SettingsError: this installation has none.
    """
    try:
        return (Path(__file__).parent / name).read_text("utf-8")
    except FileNotFoundError:
        raise SettingsError(f"there is no set {name}") from None


def require_tuning(worst: int, split: Split | None, file: Path | None) -> None:
    """Nothing, where the ``worst`` answered questions of a part may be told.

    Raises:
        SettingsError: they would show the untouched part of a set.
    """
    if worst and split != "tune" and (file is None or split == "test"):
        raise SettingsError(
            "the worst answered questions are told of the part `tune` only: whoever looks at "
            "those of `test` tunes on them"
        )


def unknown(lacks: str, key: str, known: Iterable[str]) -> SettingsError:
    """The error about a key that a book or an index ``lacks``, with what is near it."""
    found = typos.near(key, known)
    return SettingsError(f"{lacks} {key!r}{'; near it: ' if found else ''}{', '.join(found)}")


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} is not UTF-8 at byte {error.start}") from None
