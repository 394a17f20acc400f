"""Rulebooks for tests: strategies that write them, and what CommonMark makes of them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ..texts import SPECIAL

_oracle = MarkdownIt("commonmark", {"maxNesting": 200}).enable("table")
_oracle.core.ruler.enableOnly(["normalize", "block"])

LINES = (
    "", "", "", "text", "more text", "  text", "\ttab", "# H", "## H2 ##", "  # indented", "    # code",
    "\t# tab", "#no", "###", "#\u00a0no", "\\# no", "---", "- - -", "--", "=", "   ---", "  ===  ", "===x",
    "* * *", "- item", "  in item", "  # in item", "- # in item", "1. one", "1)", "*", "-\t# in item", "> q",
    "> # q", "```", "````", "~~~", "   ```", "    ```", "``` py", "```x`y", "- ```", "> ```", "<div>", "</div>",
    " <div>", "- <div>", "<div", "<!-- c", "-->", "<!-- one -->", "- <!--", "<?php", "?>", "<!X", "<!x>",
    "<![CDATA[", "]]>", "<script>", "</script>", "<SCRIPT>", "<pre", "</pre>", "<textarea>", "<b>", "<b>x</b>",
    "<a name='x'></a>", "| a | b |", "|---|---|", "| 1 | 2 |", "a|b", "|-|-", "---|", "|", "[r]: /u", "[r]: /u 'ti",
    "tle'", "[r", "]: /u", "  ", "\t", "\x0c", "\x0c# no", "\u00a0", "\u2028# no", "\x85",
)
"""Lines that open, close or only resemble a block."""

odd_lines = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=16),
    st.lists(st.sampled_from(LINES), min_size=2, max_size=6).flatmap(lambda few: st.lists(st.sampled_from(few), max_size=16)),
)

line_ends = st.sampled_from(("\n", "\n", "\r\n", "\r"))

_title_words = st.sampled_from((
    "Spells", "Rage", "Class Features", "The Order of *Combat*", "Über", "龍", "🐉", "!", "Heroes' Feast", "C++",
    "2", "Rage 2", "`code`", "[link](/u)", "&amp;", "<b>x</b>", "~~s~~", "__NAME__", "a" * 300, "",
))
titles = st.lists(_title_words, min_size=1, max_size=3).map(" ".join)
_prose = st.sampled_from((
    "A rule.", "Roll 1d20 + 5.\nAdd it up.", "- one\n- two\n  # in it", "> quoted\n> # in it", "| a | b |\n|---|---|\n| 1 | 2 |",
    "```\n# in it\n```", "~~~~ md\n## in it\n~~~~", "<div>\n# in it\n</div>", "<!--\n\n# in it\n\n-->", "    # code", "#hashtag",
    "[r]: /u", "1. one\n\n   ## in it\n\n2. two", "a\\\nb", "\ttab", "text <b>html</b>", "***", "x | y",
))


@dataclass(frozen=True, slots=True)
class Part:
    """One heading with closed blocks under it."""

    level: int
    title: str
    body: tuple[str, ...]
    setext: bool = False

    def markdown(self) -> str:
        plain = " ".join(self.title.split())
        # A setext title that opens a block, or is none, would be no heading.
        if self.setext and self.level <= 2 and plain[:1].isalpha():
            head = f"{plain}\n{'=' if self.level == 1 else '-'}"
        else:
            head = f"{'#' * self.level} {plain}".rstrip()
        return "\n\n".join((head, *self.body))


parts = st.builds(Part, st.integers(1, 6), titles, st.lists(_prose, max_size=3).map(tuple), st.booleans())


def book(held: list[Part], opening: str = "") -> str:
    """The parts as one file."""
    return "\n\n".join(filter(None, (opening, *(part.markdown() for part in held)))) + "\n"


structured = st.builds(
    lambda held, opening, end, mark: mark + book(held, opening).replace("\n", end),
    st.lists(parts, min_size=1, max_size=12), st.sampled_from(("", "", "A word before.", "---\ntitle: x\n---")),
    line_ends, st.sampled_from(("", "", "\ufeff")),
)
anything = st.one_of(
    structured,
    st.builds(lambda lines, end: end.join(lines), odd_lines, line_ends),
    st.lists(st.one_of(st.sampled_from(SPECIAL), st.sampled_from(("\ud800", "# x\n", "\n", "a")), st.text(max_size=9)),
             max_size=30).map("".join),
    st.text(max_size=300),
)
"""What a caller may hand over."""


def commonmark_headings(lines: list[str], first: int = 0) -> list[tuple[int, int, int, str]]:
    """Start, end, level and text of the top-level headings, from one parse of the whole file."""
    tokens = _oracle.parse("\n".join((*lines[first:], "")))
    return [
        (token.map[0] + first, token.map[1] + first, int(token.tag[1]), tokens[number + 1].content)
        for number, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
