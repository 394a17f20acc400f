"""Homebrewery's Markdown, of version 3 and before, as plain Markdown with as many lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_TAGS: Final = r"[\w#.%\"'-]+(?:[:=](?:\"[^\"\n]*\"|[^\s,{}]*))?"
_OPENS: Final = re.compile(rf"^\s*\{{\{{(?:{_TAGS})?(?:,{_TAGS})*\s*$")
_PAGE: Final = re.compile(r"^\s*\\(?:page|column|pagebreak)\w*(?:\s*\{[^{}]*\})?\s*$")
_SIGN: Final = re.compile(
    rf"{_OPENS.pattern}|{_PAGE.pattern}|^\s*(?:>\s*)?#{{1,4}}\s.*\n(?:>\s*)?\*[^*\n]+,[^*\n]+\*\s*\n(?:>\s*)?___",
    re.MULTILINE)
_INLINE: Final = re.compile(rf"\{{\{{(?:{_TAGS})(?:,{_TAGS})*(?:\s+([^{{}}]*))?\}}\}}")
_GAP: Final = re.compile(r"^\s*:+\s*$")
_TERM: Final = re.compile(
    r"^(\s*(?:>\s*)?(?:[-*]\s+)?(?:\*{1,3}[^*\n]+\*{1,3}|[^:\n|]{1,60}?))\s*::+\s*(.*)$")
_STYLE: Final = re.compile(r"^\s*(`{3,})\s*(?:css|metadata|snippets)\s*$")
_ATTRIBUTES: Final = re.compile(r"(?<=[)\w*])\{[\w-]+[:=][^{}\n]*\}")
_QUOTED: Final = re.compile(r"^ {0,3}> ?")
_QUOTED_TITLE: Final = re.compile(r"^ {0,3}>\s*#{1,6}\s")


def is_homebrew(text: str) -> bool:
    """Whether a text has pages, blocks or stat blocks as Homebrewery writes them."""
    return _SIGN.search(text) is not None


def plain_markdown(lines: Sequence[str]) -> list[str]:
    """The lines without blocks, styles and page marks; a stat block's name is a heading."""
    return [*_unquoted([*_unmarked(lines)])]


def _unmarked(lines: Sequence[str]) -> Iterator[str]:
    opened, fence = 0, ""
    for line in lines:
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
            yield ""
            continue
        if style := _STYLE.match(line):
            fence = style[1]
            yield ""
            continue
        if _OPENS.match(line) or _PAGE.match(line) or _GAP.match(line):
            opened += _OPENS.match(line) is not None
            yield ""
            continue
        text = _ATTRIBUTES.sub("", _INLINE.sub(_shown, line))
        while opened and text.rstrip().endswith("}}"):
            text, opened = text.rstrip()[:-2].rstrip(), opened - 1
        yield _TERM.sub(r"\1 \2  ", text)


def _shown(match: re.Match[str]) -> str:
    name = re.split(r"[,:=\s]", match[0][2:-2], maxsplit=1)[0]
    return "" if name in {"pageNumber", "footnote", "skipCounting"} else match[1] or ""


def _unquoted(lines: Sequence[str]) -> Iterator[str]:
    """The lines; quotes that begin with a heading, as stat blocks did, stand by themselves."""
    inside = False
    for at, line in enumerate(lines):
        quoted = bool(_QUOTED.match(line))
        if quoted and not inside:
            following = lines[at : at + 3]
            inside = any(_QUOTED_TITLE.match(row) for row in following)
        inside = inside and quoted
        yield _QUOTED.sub("", line) if inside else line
