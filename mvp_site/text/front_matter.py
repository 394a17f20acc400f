"""The YAML block between ``---`` lines at the head of a text, with its audience read strictly.

Prompt files and books may open with one. Which keys it has is theirs to say; that what seems to
keep a secret is read or refused, and never passed over, holds for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from ..errors import FrontMatterError
from ..types import AUDIENCES
from .audience import KEY, is_audience_key, says_audience
from .hiding_keys import hiding_keys
from .yaml_values import YamlError, read_yaml

_FENCE: Final = re.compile(r"\s*(?:-{2,}|\+{3,}|={3,}|[\u2013\u2014]+-*)\s*$")
_NONE: Final = re.compile("(?!)")
_REMEDY: Final = (
    "write --- as the first line, then its keys, each as `audience: dm`, then --- again"
)


def read_keys(
    lines: Sequence[str], file: str, allowed: Collection[str]
) -> tuple[dict[str, Any], int]:
    """The keys of a text's front matter with their values, and the 0-based line the text starts at.

    A text that opens with a thematic break and no closing line, or whose block is no mapping, has
    no front matter: it stays text, unless it looks as if an author meant one. ``allowed`` are the
    keys that it looks so by. ``audience``, where it is given, is one of ``AUDIENCES``; it is ``dm``
    where another key hides the text.

    Raises:
        FrontMatterError: the block is a mapping that does not parse or has a wrong audience, or the
            text begins like front matter or says who may see it, and was not read so.
    """
    key_line = re.compile(
        rf"\W*(?:{'|'.join(sorted(allowed))})\s*[\"']?\s*(?:[:=]|$)", re.IGNORECASE
    )
    fields, body = front_block(lines, file, key_line)
    _check_audience(fields, file)
    _check_nothing_missed(lines, fields, body, file, key_line)
    return fields, body


def front_block(
    lines: Sequence[str], file: str = "", key_line: re.Pattern[str] = _NONE
) -> tuple[dict[str, Any], int]:
    """The block's mapping, and the 0-based line the text starts at; {} and 0 without a block.

    Raises:
        FrontMatterError: a line of it is a ``key_line``, and it does not parse.
    """
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), None)
    if end is None:
        return {}, 0
    try:
        values, *more = read_yaml("\n".join(["", *lines[1:end]])) or [None]
        if more:
            raise YamlError("holds several documents; write one")
    except YamlError as error:
        if not any(map(key_line.match, lines[1:end])):
            return {}, 0
        raise FrontMatterError(
            f"{file}: the front matter in lines 1–{end + 1}: {error}"
        ) from None
    if values is None:
        return {}, end + 1
    return (values, end + 1) if isinstance(values, dict) else ({}, 0)


def _check_audience(values: dict[str, Any], file: str) -> None:
    for key, value in values.items():
        if key != KEY and is_audience_key(str(key)):
            raise FrontMatterError(f"{file}: the key {str(key)!r} is not read; write it audience:")
        if key == KEY and value is None:
            raise FrontMatterError(
                f"{file}: audience: says nothing; write one of {', '.join(AUDIENCES)}, or leave "
                "it out"
            )
    if KEY in values:
        audience = str(values[KEY]).strip().lower()
        if audience not in AUDIENCES:
            raise FrontMatterError(
                f"{file}: audience: {values[KEY]!r} is unknown; write one of {', '.join(AUDIENCES)}"
            )
        values[KEY] = audience
    senses = {sense: text for text, sense in hiding_keys(values)}
    if "hidden" in senses and values.setdefault(KEY, "dm") == "player":
        raise FrontMatterError(f"{file}: {senses['hidden']!r} hides the text, and audience: player "
                               "shows it; keep one of them")
    if "unclear" in senses and KEY not in values:
        raise FrontMatterError(f"{file}: {senses['unclear']!r} may mean that the text is hidden; "
                               "write audience: dm, or audience: player")


def _check_nothing_missed(
    lines: Sequence[str], values: Mapping[str, Any], body: int, file: str,
    key_line: re.Pattern[str],
) -> None:
    """Refuse a file whose front matter an author wrote and nobody read: it might hide a secret."""
    begins = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if not body and _FENCE.match(lines[begins] if lines else ""):
        first = next((line for line in lines[begins + 1 :] if line.strip()), "")
        if key_line.match(first):
            raise FrontMatterError(
                f"{file}: line {begins + 1} begins like front matter, and is not read as such; "
                f"{_REMEDY}, or begin the file with its text"
            )
    for number in _head(lines):
        # A text that players never see has no more to hide from them.
        read = values.get(KEY, "player") != "player" or (number < body and KEY in values)
        if not read and says_audience(lines[number]):
            raise FrontMatterError(
                f"{file}: line {number + 1}, {lines[number].strip()[:80]!r}, seems to say who may "
                f"see the file, and is not read as that; {_REMEDY}, or word the line otherwise"
            )


def _head(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of a file's first ten lines that hold text, and of a fenced block begun there."""
    filled = fence = 0
    for number, line in enumerate(lines):
        fence += bool(_FENCE.match(line))
        filled += bool(line.strip())
        if filled > 10 and (fence != 1 or not line.strip()):
            return
        yield number
