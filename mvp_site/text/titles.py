"""Titles and paragraphs of Markdown as a reader sees them: without markup, on one line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import MutableMapping
from typing import Any, Final

from markdown_it.token import Token

from .markdown import MAX_TITLE, inline

UNTITLED: Final = "(untitled)"
LINE_ENDS: Final = "\u2028"
"""Unicode's own character for the end of a line in a paragraph."""
_ATTRIBUTE: Final = r"(?:[#.][^\s{}]+|[\w-]+=(?:\"[^\"{}]*\"|[^\s{}\"]+)|-)"
_ATTRIBUTES: Final = re.compile(rf"\s*\{{:?\s*({_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*)\s*\}}\s*$")
_ID: Final = re.compile(r"(?:^|\s)#([^\s{}]+)")
_LINK_TARGET: Final = re.compile(
    r"<a\s+(?:id|name)\s*=\s*[\"']?([^\s\"'<>]+)[\"']?\s*(?:/\s*>|>\s*(?:</a\s*>)?)", re.IGNORECASE
)
_CLOSING_MARKS: Final = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_MARKUP: Final = re.compile(r"[*_`\[\]<>&\\!~]|  \n")


def read_title(text: str) -> tuple[str, str | None]:
    """The plain title of a heading's ``text``, and its anchor or None.

    An anchor is ``{#one}`` at the end, alone or among other attributes, or an HTML link target.
    Neither it nor any markup is part of the title; one of which nothing is seen is
    :data:`UNTITLED`.
    """
    text, anchor = _without_attributes(text)
    if len(text) <= MAX_TITLE and "<" in text:
        target = _LINK_TARGET.search(text)
        if target:
            anchor = anchor or target[1]
            text = _LINK_TARGET.sub("", text)
    title = plain(text)
    visible = any(unicodedata.category(char) not in _UNSEEN for char in title)
    return title if visible else UNTITLED, anchor


def _without_attributes(text: str) -> tuple[str, str | None]:
    """``text`` without the attributes at its end, and the id among them or None."""
    rest, end = text[:-MAX_TITLE], text[-MAX_TITLE:]
    match = _ATTRIBUTES.search(end) if end.rstrip().endswith("}") else None
    if not match:
        return text, None
    named = _ID.search(match[1])
    return rest + _CLOSING_MARKS.sub("", end[: match.start()]), named[1] if named else None


def plain(text: str) -> str:
    """``text`` without inline markup, on one line; what is nothing but markup stays as written."""
    return " ".join(plain_lines(text))


def plain_lines(
    text: str, longest: int = MAX_TITLE, references: MutableMapping[str, Any] | None = None
) -> list[str]:
    """The same on as many lines as its author ended with a hard break, none of them blank.

    A text of more than ``longest`` characters stays as written. ``references`` are the definitions
    of links that :func:`mvp_site.text.markdown.paragraphs` met.
    """
    if len(text) <= longest and _MARKUP.search(text):
        visible = "".join(map(_shown, inline(text, references, longest)))
        text = visible if visible.strip() else text
    return [line for part in text.split(LINE_ENDS) if (line := " ".join(part.split()))]


def _shown(token: Token) -> str:
    if token.type == "softbreak":
        return " "
    if token.type == "image":
        return "".join(_shown(child) for child in token.children or ())
    if token.type == "hardbreak" or (
            token.type == "html_inline" and token.content.lower().startswith("<br")):
        return LINE_ENDS
    return "" if token.type == "html_inline" else token.content
