"""A heading as it is written to its title, and to the anchor that its author gave it."""

from __future__ import annotations

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

UNTITLED: Final = "(untitled)"
MAX_MARKUP: Final = 1_000
"""A longer heading is taken as it is written; no title has that much markup."""

_ATTRIBUTE: Final = r"(?:[#.][^\s{}]+|[\w-]+=(?:\"[^\"{}]*\"|[^\s{}\"]+)|-)"
_ATTRIBUTES: Final = re.compile(rf"\s*\{{:?\s*({_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*)\s*\}}\s*$")
_ID: Final = re.compile(r"(?:^|\s)#([^\s{}]+)")
_LINK_TARGET: Final = re.compile(
    r"<a\s+(?:id|name)\s*=\s*[\"']?([^\s\"'<>]+)[\"']?\s*(?:/\s*>|>\s*(?:</a\s*>)?)", re.IGNORECASE
)
_CLOSING_MARKS: Final = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_MARKUP: Final = re.compile(r"[*_`\[\]<>&\\!~]")

_parser = MarkdownIt("commonmark")


def read_title(text: str) -> tuple[str, str | None]:
    """The plain title of a heading's ``text``, and its anchor or None.

    An anchor is ``{#one}`` at the end, alone or among other attributes, or an HTML link target.
    Neither it nor any markup is part of the title.
    """
    anchor: str | None = None
    if len(text) <= MAX_MARKUP and text.rstrip().endswith("}"):
        found = _ATTRIBUTES.search(text)
        if found:
            named = _ID.search(found[1])
            anchor = named[1] if named else None
            text = _CLOSING_MARKS.sub("", text[: found.start()])
    if len(text) <= MAX_MARKUP and "<" in text:
        target = _LINK_TARGET.search(text)
        if target:
            anchor = anchor or target[1]
            text = _LINK_TARGET.sub("", text)
    return plain(text) or UNTITLED, anchor


def plain(text: str) -> str:
    """``text`` without inline markup, on one line; what is nothing but markup stays as written."""
    if len(text) <= MAX_MARKUP and _MARKUP.search(text):
        shown = "".join(_shown(child) for token in _parser.parseInline(text)
                        for child in token.children or ())
        text = shown if shown.strip() else text
    return " ".join(text.split())


def _shown(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    if token.type == "image":
        return "".join(_shown(child) for child in token.children or ())
    return "" if token.type == "html_inline" else token.content
