"""Bytes of a text file, decoded: what people's editors wrote, and what it was taken for. Pure."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import Final

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ENCODINGS: Final = (
    "cp1252", "cp1250", "cp1251", "cp932", "gb18030", "big5", "cp949", "koi8_r", "cp1253", "cp1254",
    "iso8859_2", "mac_roman", "cp437",
)
"""What editors wrote before UTF-8; of two that fit as well, the first is taken."""
_SAMPLE: Final = 60_000
"""Bytes from which the encoding is guessed."""
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]+")
_HALF_WIDTH: Final = re.compile("[\uff61-\uff9f\u2500-\u25ff]")
_MANGLED: Final = ("cp1252", "latin-1", "cp1251", "mac_roman", "cp437")


class DecodingError(ValueError):
    """Bytes are no text that can be read; the message says why, and what mends it."""


def decoded(content: bytes | str) -> tuple[str, str]:
    """The text of a file, and a note of what it was taken for; '' for UTF-8 and marked UTF-16.

    What is text already is only looked at.

    Raises:
        DecodingError: nothing can read it, or it reads as mojibake.
    """
    note = ""
    try:
        text = content if isinstance(content, str) else content.decode(
            "utf-16" if content.startswith(_UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        encoding = _guessed(error.object)
        text = error.object.decode(encoding, errors="replace")
        note = (f"It is not UTF-8 and was read as {encoding}; where letters are wrong, save it as "
                "UTF-8.")
    if mangled := mojibake(text):
        raise DecodingError(f"its letters were mangled by another program ({mangled[:40]!r}): save "
                            "the original as UTF-8, or mend it")
    return text, note


def mojibake(text: str) -> str:
    """The first words of a text that was UTF-8 and was decoded as something else; else ''.

    Such words ("CafÃ©", "РџСЂРё") are at least a fifth of all with letters beyond ASCII.
    """
    runs = [match for _, match in zip(range(2_000), _FOREIGN.finditer(text), strict=False)]
    mangled = [match for match in runs if _is_mangled(match[0])]
    if not mangled or 5 * len(mangled) < len(runs):
        return ""
    start, end = mangled[0].span()
    return text[max(0, text.rfind(" ", 0, start) + 1) : end]


def _is_mangled(run: str) -> bool:
    """Whether letters are the bytes of other letters in UTF-8."""
    for encoding in _MANGLED if len(run) > 1 else ():
        try:
            original = b"".join(_byte(char, encoding) for char in run).decode("utf-8")
        except UnicodeError:
            continue
        if len(original) < len(run) and all(
                (unicodedata.category(char)[0] in "LPSN" and char < "\u0500") or char > "\u2000"
                for char in original):
            return True
    return False


def _byte(char: str, encoding: str) -> bytes:
    """The byte that a decoder gives as ``char``; what an encoding leaves out stands for itself."""
    try:
        return char.encode(encoding)
    except UnicodeEncodeError:
        return char.encode("latin-1")


def _guessed(content: bytes) -> str:
    """The encoding that fits best.

    Raises:
        DecodingError: none fits.
    """
    from charset_normalizer import from_bytes  # noqa: PLC0415 - only what is no UTF-8 needs it

    matches = [match for best in from_bytes(content[:_SAMPLE], cp_isolation=[*_ENCODINGS],
                                            threshold=0.3)
               for match in (best, *best.submatch) if match.encoding in _ENCODINGS]
    if not matches:
        raise DecodingError("it is no text in an encoding that is known: save it as UTF-8")

    def misfit(match: object) -> tuple[float, float, int]:
        text = str(match)
        odd = len(_HALF_WIDTH.findall(text)) / len(text)
        return (round(match.chaos * 8) / 8 + odd, -round(match.coherence, 1),  # type: ignore[attr-defined]
                _ENCODINGS.index(match.encoding))  # type: ignore[attr-defined]

    return str(min(matches, key=misfit).encoding)
