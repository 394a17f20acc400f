"""A rulebook's file to its text, or a clear word on why it has none."""

from __future__ import annotations

from ..errors import RulebookError, require_text
from ..text.normalising import binary_kind, too_many_controls


def decode(content: bytes, name: str = "the rulebook") -> str:
    """The text of a file's ``content``.

    Raises:
        RulebookError: it is empty, binary, or not UTF-8.
    """
    if kind := binary_kind(content) or "UTF-16" * content.startswith((b"\xff\xfe", b"\xfe\xff")):
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
    require_text(text, name, RulebookError)
    if not text.removeprefix("\ufeff").strip():
        raise RulebookError(f"{name} is empty: give a markdown file with text in it")
    if controls := too_many_controls(text):
        raise RulebookError(
            f"{name} is not text: {controls} of its {len(text)} characters are control "
            "characters; give a markdown file in UTF-8"
        )
    return text
