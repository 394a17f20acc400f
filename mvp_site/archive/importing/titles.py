"""Titles: single lines that are set as headings, and titles of a text's own first words."""

from __future__ import annotations

import re
from typing import Final

TITLE_CHARS: Final = 80
_ENDS: Final = ".!,;。、，！；」』"  # noqa: RUF001 - as Chinese and Japanese write them
ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FRAMED: Final = re.compile(r"(?:([=\-~#+•·*_]{2,})\s*(.+?)\s*\1|\[([^\[\]]+)\]|【([^【】]+)】):?")
_NUMBERED: Final = re.compile(r"(?:(\d{1,3}(?:\.\d{1,3})*)[.):]?|[IVXLC]+[.)])\s+([^\Wa-z].*)")
_FIGURE: Final = re.compile(r"(?<!\w)\d")
WEAK: Final = ("*", "_", "number")
"""Styles that short text has for other things too."""


def style_of(text: str) -> str:
    """How a line is set as a heading; '' where it is not. Capitals count in whatever frame."""
    framed, numbered = _FRAMED.fullmatch(text), _NUMBERED.fullmatch(text)
    inner = next(filter(None, framed.groups()[1:])) if framed else text
    title = (named[2] if (named := _NUMBERED.fullmatch(inner)) else inner).rstrip(":")
    if not is_title(title) or (ITEM.match(text) and not (framed or numbered)):
        return ""
    if title.isupper() and sum(map(str.isalpha, title)) > 3 and not (
            numbered and "." in (numbered[1] or "")):
        return "" if len(_FIGURE.findall(title)) > 1 else "capitals"  # a line of values
    if framed:
        return text[0]
    if numbered:
        return f"number {(numbered[1] or 'I').count('.')}"
    return "colon" if text.endswith(":") and text[0].isupper() and text.count(" ") < 6 else ""


def is_title(text: str) -> bool:
    """Whether a line is short enough for a title, and ends no sentence."""
    return bool(len(text) <= TITLE_CHARS and len(text.split()) <= 10
                and WORD.search(text) and text.rstrip()[-1] not in _ENDS)


def number_of(text: str) -> int:
    """What a line is numbered with, the last part of it; 0 without."""
    match = _NUMBERED.fullmatch(text.strip())
    return int((match[1] or "0").rpartition(".")[2]) if match else 0


def first_words(text: str, most: int = 8) -> str:
    """A heading of a text's own first words, without markup; '' where it has none."""
    line = next((line for line in text.splitlines() if WORD.search(line)), "")
    line = line[mark.end() :] if (mark := ITEM.match(line)) else line
    title_words = WORD.findall(re.split(r"(?<=\w)[.!?:;](?:\s|$)", line)[0]) or WORD.findall(line)
    return " ".join(title_words[:most])[:TITLE_CHARS]
