"""Front matter: optional YAML between ``---`` lines at the head of a prompt file."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..errors import FrontMatterError
from ..retrieval.text import clean
from ..types import AUDIENCES, CHUNK_MODES, DOMAINS
from ..yaml_values import RefusedError, read_yaml

_CHOICES: Final = {"domain": DOMAINS, "mode": CHUNK_MODES, "audience": AUDIENCES}
WHOLE_FILE: Final = ""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What an author said of a file; None where nothing was said.

    ``when`` maps a heading's text to the situations that call for it; the key ``""`` stands for
    the whole file. ``body`` is the 0-based line that the text starts at.
    """

    domain: str | None = None
    mode: str | None = None
    audience: str | None = None
    date: str | None = None
    version: str | None = None
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: int = 0
    unknown: tuple[str, ...] = ()


def read_front_matter(lines: Sequence[str], file: str) -> FrontMatter:
    """The front matter of a file's lines; an empty one where the file has none.

    A file that opens with a thematic break and no closing line, or whose block is no mapping, has
    no front matter: its text stays text.

    Raises:
        FrontMatterError: the block is a mapping that does not parse or has a wrong value.
    """
    if not lines or lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), None)
    if end is None:
        return FrontMatter()
    try:
        found, *more = read_yaml("\n".join(["", *lines[1:end]])) or [None]
        if more:
            raise RefusedError("holds several documents; write one")
    except RefusedError as error:
        if not any(line.split(":")[0].strip() in _KNOWN for line in lines[1:end]):
            return FrontMatter()
        raise FrontMatterError(
            f"{file}: the front matter in lines 1–{end + 1}: {error}"
        ) from None
    if found is None:
        return FrontMatter(body=end + 1)
    if not isinstance(found, dict):
        return FrontMatter()
    return _checked(found, end + 1, file)


_KNOWN: Final = frozenset({*_CHOICES, "date", "version", "when"})


def _checked(found: Mapping[Any, Any], body: int, file: str) -> FrontMatter:
    values: dict[str, Any] = {}
    for key, choices in _CHOICES.items():
        if found.get(key) is not None:
            value = str(found[key]).strip().lower()
            if value not in choices:
                raise FrontMatterError(
                    f"{file}: {key}: {found[key]!r} is unknown; write one of {', '.join(choices)}"
                )
            values[key] = value
    if found.get("date") is not None:
        values["date"] = _date(found["date"], file)
    if found.get("version") is not None:
        values["version"] = clean(str(found["version"])).strip()
    return FrontMatter(
        **values, when=_when(found.get("when"), file), body=body,
        unknown=tuple(sorted(str(key) for key in found if str(key) not in _KNOWN)),
    )


def _date(value: object, file: str) -> str:
    try:
        return datetime.datetime.fromisoformat(str(value)).date().isoformat()
    except ValueError:
        raise FrontMatterError(f"{file}: date: {value!r} is not a date; write YYYY-MM-DD") from None


def _when(value: object, file: str) -> dict[str, tuple[str, ...]]:
    if value is None:
        return {}
    if isinstance(value, (str, list)):
        return {WHOLE_FILE: _situations(value, file)}
    if isinstance(value, dict):
        return {clean(" ".join(str(k).split())): _situations(v, file) for k, v in value.items()}
    raise FrontMatterError(
        f"{file}: when: {value!r} is neither a list of situations nor a mapping from a heading "
        "to such a list"
    )


def _situations(value: object, file: str) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise FrontMatterError(
            f"{file}: when: {value!r} must be a list of sentences; quote one that holds a colon"
        )
    return tuple(clean(" ".join(item.split())) for item in items if item.strip())
