"""A book's markdown as safe HTML: text is data, and no markup of its own gets through. Pure.

HTML in the text is shown as it stands, but for a line break; a picture is its caption; a link
leads nowhere, and its address is printed beside it. No tag has an attribute from the text but the
number that a list begins with. Tables scroll and have names, and headings go on from the page's
own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

MOST_SHOWN: Final = 100_000
"""How many characters of one text a page shows."""
DEEPEST: Final = 6

_BREAK: Final = re.compile(r"&lt;br ?/?&gt;", re.IGNORECASE)
_ABSOLUTE: Final = re.compile(r"(?:https?|mailto):", re.IGNORECASE)


def html_of(markdown: str, name: str, level: int = 4) -> Markup:
    """The HTML of ``markdown``, of its first :data:`MOST_SHOWN` characters.

    Its first heading is of ``level``, and none leaves one out. ``name`` says whose the tables
    are: "Table 2 of ``name``".
    """
    env = {"name": name, "level": level, "above": [], "tables": 0}
    return Markup(_blocks.render(markdown[:MOST_SHOWN], env))  # noqa: S704 (the renderer escapes)


class _Renderer(RendererHTML):
    """Markdown-it's own renderer, which escapes all text, but for what stands here.

    A rule is named like the token that it writes; ``env`` holds what one text has come to.
    """

    @staticmethod
    def renderAttrs(token: Token) -> str:  # noqa: N802 (markdown-it's name)
        start = token.attrs.get("start") if token.type == "ordered_list_open" else None
        return "" if start is None else f' start="{int(start)}"'

    def text(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return _BREAK.sub("<br>", str(escape(tokens[idx].content)))

    def image(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f'<span class="picture">{escape(tokens[idx].content)}</span>'

    def link_open(self, tokens: Sequence[Token], idx: int, _: Any, env: Any) -> str:
        """The words of the link; one in angle brackets is its own address."""
        token = tokens[idx]
        env["address"] = "" if token.markup == "autolink" else str(token.attrs.get("href", ""))
        return '<span class="link">'

    def link_close(self, _: Sequence[Token], __: int, ___: Any, env: Any) -> str:
        """The address, where it is one of the internet."""
        address = env["address"]
        suffix = f' <span class="address">({escape(address)})</span>'
        return f"</span>{suffix if _ABSOLUTE.match(address) else ''}"

    def heading_open(self, tokens: Sequence[Token], idx: int, _: Any, env: Any) -> str:
        """A heading one level under the one it stands under, however many the text leaves out."""
        own, above = int(tokens[idx].tag[1]), env["above"]
        while above and above[-1] >= own:
            above.pop()
        above.append(own)
        env["heading"] = min(env["level"] + len(above) - 1, DEEPEST)
        return f"<h{env['heading']}>"

    def heading_close(self, _: Sequence[Token], __: int, ___: Any, env: Any) -> str:
        return f"</h{env['heading']}>\n"

    def table_open(self, _: Sequence[Token], __: int, ___: Any, env: Any) -> str:
        env["tables"] += 1
        name = escape(f"Table {env['tables']} of {env['name']}")
        return (f'<div class="scroll" role="region" aria-label="{name}" tabindex="0"><table>'
                f'<caption class="visually-hidden">{name}</caption>\n')

    def table_close(self, *_: Any) -> str:
        return "</table></div>\n"

    def td_open(self, tokens: Sequence[Token], idx: int, _: Any, env: Any) -> str:
        """A cell; one of a header that says nothing heads no column."""
        head = tokens[idx].type == "th_open" and bool(tokens[idx + 1].content.strip())
        env["cell"] = "th" if head else "td"
        right = "right" in str(tokens[idx].attrs.get("style", ""))
        scope, number = ' scope="col"' if head else "", ' class="num"' if right else ""
        return f"<{env['cell']}{scope}{number}>"

    def td_close(self, _: Sequence[Token], __: int, ___: Any, env: Any) -> str:
        return f"</{env['cell']}>"

    th_open, th_close = td_open, td_close


_blocks = MarkdownIt(
    "commonmark", {"html": False, "xhtmlOut": False, "maxNesting": 100}, renderer_cls=_Renderer
).enable(["table", "strikethrough"])
