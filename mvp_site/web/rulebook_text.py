"""A book's markdown as safe HTML: text is data, and no markup of its own gets through. Pure.

Only the tags below are ever written, and none with an attribute from the text. HTML in the text
is shown as it stands, but for a line break; a picture is its caption; a link leads nowhere, and
its address is printed beside it. Tables scroll and have names, and headings go on from the
page's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

SHOWN: Final = 100_000
"""How many characters of one text a page shows."""
DEEPEST: Final = 6

_blocks = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(
    ["table", "strikethrough"]
)
_BREAK: Final = re.compile(r"&lt;br ?/?&gt;", re.IGNORECASE)
_ABSOLUTE: Final = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_TAGS: Final = {
    "paragraph": "p", "bullet_list": "ul", "list_item": "li", "blockquote": "blockquote",
    "strong": "strong", "em": "em", "s": "s", "thead": "thead", "tbody": "tbody", "tr": "tr",
}
"""What opens and closes as it is. Everything else has its own rule, or is text."""


def html_of(markdown: str, name: str, level: int = 4) -> Markup:
    """The HTML of ``markdown``, of its first :data:`SHOWN` characters.

    Its first heading is of ``level``, and none leaves one out. ``name`` says whose the tables
    are: "Table 2 of ``name``".
    """
    return _Writer(name, level).written(_blocks.parse(markdown[:SHOWN]))


class _Writer:
    """Writes the tokens of one text."""

    def __init__(self, name: str, level: int) -> None:
        self._name = name
        self._level = level
        self._above: list[int] = []
        self._headings: list[str] = []
        self._links: list[str] = []
        self._tables = 0
        self._cells: list[str] = []

    def written(self, tokens: Sequence[Token]) -> Markup:
        parts = [self._one(tokens, place) for place in range(len(tokens))]
        return Markup("").join(parts)

    def _one(self, tokens: Sequence[Token], place: int) -> Markup:
        token = tokens[place]
        if token.type == "inline":
            return self.written(token.children or ())
        if token.hidden:
            return Markup("")
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind in _TAGS:
            return Markup("<{}{}>").format("/" if token.nesting < 0 else "", _TAGS[kind])
        if kind in {"th", "td"}:
            return self._cell(token, tokens[place + 1])
        rule = getattr(self, f"_{kind}", None)
        if rule is None:
            return self._text(token)
        found: Markup = rule(token)
        return found

    def _text(self, token: Token) -> Markup:
        return Markup(_BREAK.sub("<br>", str(escape(token.content))))  # noqa: S704 (escaped)

    def _softbreak(self, _: Token) -> Markup:
        return Markup("\n")

    def _hardbreak(self, _: Token) -> Markup:
        return Markup("<br>\n")

    def _hr(self, _: Token) -> Markup:
        return Markup("<hr>\n")

    def _code_inline(self, token: Token) -> Markup:
        return Markup("<code>{}</code>").format(token.content)

    def _code_block(self, token: Token) -> Markup:
        return Markup("<pre><code>{}</code></pre>\n").format(token.content)

    def _fence(self, token: Token) -> Markup:
        return self._code_block(token)

    def _ordered_list(self, token: Token) -> Markup:
        if token.nesting < 0:
            return Markup("</ol>\n")
        start = int(token.attrs.get("start", 1))
        return Markup("<ol>\n") if start == 1 else Markup('<ol start="{}">\n').format(start)

    def _heading(self, token: Token) -> Markup:
        """A heading one level under the one it stands under, however many the text leaves out."""
        if token.nesting < 0:
            return Markup("</{}>\n").format(self._headings.pop())
        own = int(token.tag[1])
        while self._above and self._above[-1] >= own:
            self._above.pop()
        self._above.append(own)
        self._headings.append(f"h{min(self._level + len(self._above) - 1, DEEPEST)}")
        return Markup("<{}>").format(self._headings[-1])

    def _image(self, token: Token) -> Markup:
        return Markup('<span class="picture">{}</span>').format(token.content)

    def _link(self, token: Token) -> Markup:
        if token.nesting > 0:
            # One in angle brackets is its own address.
            address = "" if token.markup == "autolink" else str(token.attrs.get("href", ""))
            self._links.append(address)
            return Markup('<span class="link">')
        address = self._links.pop()
        if not _ABSOLUTE.match(address):
            return Markup("</span>")
        return Markup('</span> <span class="address">({})</span>').format(address)

    def _table(self, token: Token) -> Markup:
        if token.nesting < 0:
            return Markup("</table></div>\n")
        self._tables += 1
        return Markup(
            '<div class="scroll" role="region" aria-label="{0}" tabindex="0"><table>'
            '<caption class="visually-hidden">{0}</caption>\n'
        ).format(f"Table {self._tables} of {self._name}")

    def _cell(self, token: Token, inside: Token) -> Markup:
        """A cell; one of a header that says nothing heads no column."""
        if token.nesting < 0:
            return Markup("</{}>").format(self._cells.pop())
        head = token.type == "th_open" and bool(inside.content.strip())
        self._cells.append("th" if head else "td")
        right = "right" in str(token.attrs.get("style", ""))
        return Markup("<{}{}{}>").format(
            self._cells[-1], Markup(' scope="col"') if head else "",
            Markup(' class="num"') if right else "",
        )
