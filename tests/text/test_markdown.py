"""Blocks of Markdown: the headings that CommonMark has, and every line of a block where it stands."""

from __future__ import annotations

import pytest

from mvp_site.text.markdown import blocks, split_lines

# Each case: text, then (line, level, text) of every heading.
HEADINGS: dict[str, tuple[str, list[tuple[int, int, str]]]] = {
    "ATX": ("# A\n## B ##\n###### F", [(0, 1, "A"), (1, 2, "B"), (2, 6, "F")]),
    "no space": ("#A\n#hashtag here", []),
    "no title": ("#\n\n## ##", [(0, 1, ""), (2, 2, "")]),
    "hashes in a title": ("# A #1\n# C#", [(0, 1, "A #1"), (1, 1, "C#")]),
    "indented by four": ("    # A", []),
    "right under text": ("text\n# A\ntext", [(1, 1, "A")]),
    "setext": ("A\n===\n\nB\n---\n", [(0, 1, "A"), (3, 2, "B")]), "setext of two lines": ("A\nB\n---", [(0, 2, "A\nB")]),
    "a rule is none": ("A\n\n---\n\nB\n\n***", []), "a table's rule is none": ("| a |\n|---|\n| 1 |", []),
    "in a fence": ("```\n# A\n```\n# B", [(3, 1, "B")]),
    "in a fence without an end": ("# A\n\n```\n\n# B", [(0, 1, "A")]),
    "in a comment": ("<!--\n\n# A\n\n-->\n# B", [(5, 1, "B")]),
    "in a block of HTML": ("<div>\n# A\n</div>\n\n# B", [(4, 1, "B")]),
    "in a quote": ("> # A\n> text\n\n# B", [(3, 1, "B")]),
    "in a list": ("- # A\n  # B\n\n  # C\n\n# D", [(5, 1, "D")]),
    "a fence in a list ends with it": ("- ```\n  x\n\n# A", [(3, 1, "A")]),
    "a title in a reference is none": ("[r]: /u 'a\nb\n--\nc'\n\n# A", [(5, 1, "A")]),
    "a quote that ends in a comment in a list": ("[r]:\n>- <!--\n>", []),
    "after thirty lists in each other": ("- " * 30 + "x\n # A", [(1, 1, "A")]),
    "a label of a reference is none": ("[r\n=\n]: /u\n\n# A", [(4, 1, "A")]),
    "an item that would be a table": ("- a\n\n- b | c\n  |---|---|\n   # A", []),
    "quotes and text in turns": ("> # a\ntext\n" * 100 + "\n# B", [(201, 1, "B")]),
}


@pytest.mark.parametrize(("text", "expected"), HEADINGS.values(), ids=HEADINGS)
def test_headings(text: str, expected: list[tuple[int, int, str]]) -> None:
    found = [(one.start, one.level, one.title) for one in blocks(split_lines(text)) if one.level]
    assert found == expected


@pytest.mark.parametrize(("text", "lines"), [("", [""]), ("a\r\nb\rc\n", ["a", "b", "c", ""]), ("\ufeffa\u2028b\x85", ["a\u2028b\x85"])])
def test_line_feeds_and_carriage_returns_alone_end_a_line(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
