"""Front matter: optional YAML between ``---`` lines at the head of a prompt file."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..errors import FrontMatterError
from ..retrieval.audience import is_audience_key, says_audience
from ..retrieval.text import clean
from ..types import AUDIENCES, CHUNK_MODES, DOMAINS
from ..yaml_values import RefusedError, read_yaml

_CHOICES: Final = {"domain": DOMAINS, "mode": CHUNK_MODES, "audience": AUDIENCES}
WHOLE_FILE: Final = ""
HEAD_LINES: Final = 10
"""So many lines with text are looked at for an audience that was not read."""


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
    no front matter: its text stays text, unless it looks as if an author had meant one.

    Raises:
        FrontMatterError: the block is a mapping that does not parse or has a wrong value, or the
            file begins like front matter or says who may see it, and was not read so.
    """
    matter = _read(lines, file)
    _check_nothing_missed(lines, matter, file)
    return matter


def _read(lines: Sequence[str], file: str) -> FrontMatter:
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
        if not any(map(_KEY_LINE.match, lines[1:end])):
            return FrontMatter()
        raise FrontMatterError(
            f"{file}: the front matter in lines 1–{end + 1}: {error}"
        ) from None
    if found is None:
        return FrontMatter(body=end + 1)
    if not isinstance(found, dict):
        return FrontMatter()
    return _checked(found, end + 1, file)


def _check_nothing_missed(lines: Sequence[str], matter: FrontMatter, file: str) -> None:
    """Refuse a file whose front matter an author wrote and nobody read: it might hide a secret."""
    begins = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if not matter.body and _FENCE.match(lines[begins] if lines else ""):
        first = next((line for line in lines[begins + 1 :] if line.strip()), "")
        if _KEY_LINE.match(first):
            raise FrontMatterError(
                f"{file}: line {begins + 1} begins like front matter, and is not read as such; "
                f"{_REMEDY}, or begin the file with its text"
            )
    for number in _head(lines):
        read = number < matter.body and matter.audience is not None
        if not read and says_audience(lines[number]):
            raise FrontMatterError(
                f"{file}: line {number + 1}, {lines[number].strip()[:80]!r}, seems to say who may "
                f"see the file, and is not read as that; {_REMEDY}, or word the line otherwise"
            )


def _head(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of a file's first lines that hold text, and of a fenced block begun in them."""
    shown = fence = 0
    for number, line in enumerate(lines):
        fence += bool(_FENCE.match(line))
        shown += bool(line.strip())
        if shown > HEAD_LINES and (fence != 1 or not line.strip()):
            return
        yield number


def stated_date(lines: Iterable[str]) -> str | None:
    """The date in the front matter that ``lines`` open with, unchecked, as ``YYYY-MM-DD``."""
    for number, line in enumerate(lines):
        if (line.rstrip() in {"---", "..."}) != (number == 0):
            return None
        if found := _DATE.match(line):
            return found[1]
    return None


_KNOWN: Final = frozenset({*_CHOICES, "date", "version", "when"})
_KEY_LINE: Final = re.compile(
    rf"\W*(?:{'|'.join(sorted(_KNOWN))})\s*[\"']?\s*(?:[:=]|$)", re.IGNORECASE
)
_DATE: Final = re.compile(r"date\s*:\s*[\"']?(\d{4}-\d\d-\d\d)")
_FENCE: Final = re.compile(r"\s*(?:-{2,}|\+{3,}|={3,}|[\u2013\u2014]+-*)\s*$")
_REMEDY: Final = (
    "write --- as the first line, then its keys, each as `audience: dm`, then --- again"
)


def _checked(found: Mapping[Any, Any], body: int, file: str) -> FrontMatter:
    for key, value in found.items():
        if key == "audience" and value is None:
            raise FrontMatterError(
                f"{file}: audience: says nothing; write one of {', '.join(AUDIENCES)}, or leave "
                "it out"
            )
        if key != "audience" and is_audience_key(str(key)):
            raise FrontMatterError(f"{file}: the key {str(key)!r} is not read; write it audience:")
    said = {key: value for key, value in found.items() if value is not None}
    values: dict[str, Any] = {
        key: str(said[key]).strip().lower() for key in _CHOICES if key in said
    }
    for key, value in values.items():
        if value not in _CHOICES[key]:
            raise FrontMatterError(
                f"{file}: {key}: {said[key]!r} is unknown; write one of {', '.join(_CHOICES[key])}"
            )
    if "date" in said:
        try:
            date = datetime.datetime.fromisoformat(str(said["date"])).date()
        except ValueError:
            raise FrontMatterError(
                f"{file}: date: {said['date']!r} is not a date; write YYYY-MM-DD"
            ) from None
        values["date"] = date.isoformat()
    if "version" in said:
        values["version"] = clean(str(said["version"])).strip()
    return FrontMatter(
        **values, when=_when(said.get("when", {}), file), body=body,
        unknown=tuple(sorted(str(key) for key in found if str(key) not in _KNOWN)),
    )


def _when(value: object, file: str) -> dict[str, tuple[str, ...]]:
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
