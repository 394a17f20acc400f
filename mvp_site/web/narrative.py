"""What a model tells, as safe HTML: emphasis, lists and speech, and nothing else of Markdown. Pure.

No HTML, link, heading or picture of a model's gets through: they stand as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

_CLOSES: Final = {
    "“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", '"': '"', "”": "”",
}
"""Marks that speech begins with, each with those that it ends with."""
_EITHER: Final = frozenset({'"', "”", "»"})
"""Marks that may be the end of speech too: they begin it behind no word."""
_MARK: Final = re.compile(f"[{''.join(_CLOSES)}]")


def story_of(text: str) -> Markup:
    """The HTML of ``text``; speech stands in ``<span class="speech">``."""
    return Markup(_story.render(text, {"closing": ""}))  # noqa: S704 (the renderer escapes)


def emphasised(text: str) -> Markup:
    """The HTML of a line of ``text``."""
    return Markup(_story.renderInline(text, {"closing": ""}))  # noqa: S704 (as above)


class _StoryRenderer(RendererHTML):
    """Markdown-it's own, which escapes all text, and tints what stands in quotation marks."""

    @staticmethod
    def renderAttrs(token: Token) -> str:  # noqa: N802 (markdown-it's name)
        start = token.attrs.get("start") if token.type == "ordered_list_open" else None
        return "" if start is None else f' start="{int(start)}"'

    def paragraph_open(self, tokens: Sequence[Token], idx: int, _: Any, env: Any) -> str:
        env["closing"] = ""  # speech ends with its paragraph
        return "" if tokens[idx].hidden else "<p>"

    def text(self, tokens: Sequence[Token], idx: int, _: Any, env: Any) -> str:
        content, closing, at = tokens[idx].content, env["closing"], 0
        pieces = ['<span class="speech">'] if closing else []
        for mark in _MARK.finditer(content):
            begins = not closing and mark[0] in _CLOSES and not (
                mark[0] in _EITHER and re.match(r"[^\W_]|[.!?…,]", content[mark.start() - 1:]
                                                if mark.start() else ""))
            if closing and mark[0] in closing:
                pieces += [str(escape(content[at:mark.end()])), "</span>"]
                closing, at = "", mark.end()
            elif begins:
                pieces += [str(escape(content[at:mark.start()])), '<span class="speech">']
                closing, at = _CLOSES[mark[0]], mark.start()
        pieces += [str(escape(content[at:])), *(["</span>"] if closing else [])]
        env["closing"] = closing
        return "".join(pieces)


_story = MarkdownIt(
    "zero", {"html": False, "breaks": True, "xhtmlOut": False}, renderer_cls=_StoryRenderer
).enable(["emphasis", "escape", "newline", "list", "hr"])
