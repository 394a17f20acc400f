"""A rulebook's file to its text, or a clear word on why it has none."""

from __future__ import annotations

import re
from typing import Final

from ..errors import RulebookError

MAX_CONTROL_SHARE: Final = 0.02
MIN_CONTROLS: Final = 16
"""Stray control characters happen in text; this many, and more than the share, do not."""
READ_BYTES: Final = 65_536
"""How much of a file that is not UTF-8 is looked at for what it is."""

_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\udfff\ufffd]")
_SIGNATURES: Final = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip file, as docx, odt and epub are"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


def decode(content: bytes, name: str = "the rulebook") -> str:
    """The text of a file's ``content``.

    Raises:
        RulebookError: it is empty, binary, or not UTF-8.
    """
    for signature, kind in _SIGNATURES:
        if content.startswith(signature):
            raise RulebookError(f"{name} is {kind}: export it as markdown in UTF-8")
    if content.startswith(_UTF16):
        raise RulebookError(f"{name} is UTF-16: save it as UTF-8")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        opening = content[:READ_BYTES].decode("latin-1")
        if "\0" in opening or _is_binary(opening, _controls(opening)):
            raise RulebookError(
                f"{name} is a binary file: give a markdown file in UTF-8"
            ) from None
        raise RulebookError(
            f"{name} is not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from None
    return checked(text, name)


def checked(text: str, name: str = "the rulebook") -> str:
    """``text`` itself.

    Raises:
        RulebookError: it is blank, or has the characters of a binary file.
    """
    if not text.removeprefix("\ufeff").strip():
        raise RulebookError(f"{name} is empty: give a markdown file with text in it")
    controls = _controls(text)
    if _is_binary(text, controls):
        raise RulebookError(
            f"{name} is not text: {controls} of its {len(text)} characters are control "
            "characters; give a markdown file in UTF-8"
        )
    return text


def _controls(text: str) -> int:
    return sum(1 for _ in _CONTROL.finditer(text))


def _is_binary(text: str, controls: int) -> bool:
    """Whether so many control characters are too many; most of a text never are, however short."""
    few = controls < MIN_CONTROLS and 2 * controls <= len(text)
    return not few and controls > MAX_CONTROL_SHARE * len(text)
