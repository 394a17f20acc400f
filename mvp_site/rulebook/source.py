"""A rulebook's file to its text, or a clear word on why it has none."""

from __future__ import annotations

from typing import Final

from ..errors import RulebookError
from ..retrieval.text import too_many_controls

_SIGNATURES: Final = {
    b"%PDF-": "a PDF", b"PK\x03\x04": "a zip file, as docx, odt and epub are",
    b"\xd0\xcf\x11\xe0": "an old Office document", b"{\\rtf": "an RTF document",
    b"\x1f\x8b": "a gzip file", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}


def decode(content: bytes, name: str = "the rulebook") -> str:
    """The text of a file's ``content``.

    Raises:
        RulebookError: it is empty, binary, or not UTF-8.
    """
    for signature, kind in _SIGNATURES.items():
        if content.startswith(signature):
            raise RulebookError(f"{name} is {kind}: export it as markdown in UTF-8")
    try:
        return checked(content.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise RulebookError(
            f"{name} is not UTF-8 at byte {error.start}: give a markdown file saved as UTF-8"
        ) from None


def checked(text: str, name: str = "the rulebook") -> str:
    """``text`` itself.

    Raises:
        RulebookError: it is blank, or has the characters of a binary file.
    """
    if not text.removeprefix("\ufeff").strip():
        raise RulebookError(f"{name} is empty: give a markdown file with text in it")
    if controls := too_many_controls(text):
        raise RulebookError(
            f"{name} is not text: {controls} of its {len(text)} characters are control "
            "characters; give a markdown file in UTF-8"
        )
    return text
