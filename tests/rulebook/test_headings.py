"""Headings: the ones that CommonMark has, whatever stands between them, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.rulebook.headings import after_front_matter, headings
from mvp_site.rulebook.markdown import split_lines

from ..texts import ODD
from .books import commonmark_headings, odd_lines, structured

# Each case: text, then (line, level, text) of every heading.
CASES: dict[str, tuple[str, list[tuple[int, int, str]]]] = {
    "none": ("text\n\nmore", []),
    "ATX": ("# A\n## B ##\n###### F", [(0, 1, "A"), (1, 2, "B"), (2, 6, "F")]),
    "seven": ("####### G", []),
    "no space": ("#A\n#hashtag here", []),
    "a tab for the space": ("#\tA", [(0, 1, "A")]),
    "no title": ("#\n\n## ##", [(0, 1, ""), (2, 2, "")]),
    "hashes in a title": ("# A #1\n# C#", [(0, 1, "A #1"), (1, 1, "C#")]),
    "indented by three": ("   # A", [(0, 1, "A")]),
    "indented by four": ("    # A", []),
    "escaped": ("\\# A", []),
    "right under text": ("text\n# A\ntext", [(1, 1, "A")]),
    "setext": ("A\n===\n\nB\n---\n", [(0, 1, "A"), (3, 2, "B")]),
    "setext of two lines": ("A\nB\n---", [(0, 2, "A\nB")]),
    "a rule is none": ("A\n\n---\n\nB\n\n***", []),
    "a table's rule is none": ("| a |\n|---|\n| 1 |", []),
    "in a fence": ("```\n# A\n```\n# B", [(3, 1, "B")]),
    "in a fence of tildes": ("~~~ md\n# A\n```\n# B\n~~~\n# C", [(5, 1, "C")]),
    "in a longer fence": ("````\n```\n# A\n```\n\n# B\n````\n# C", [(7, 1, "C")]),
    "in a fence with blank lines": ("```\n\n# A\n\ntext\n\n# B\n```\n\n# C", [(9, 1, "C")]),
    "in a fence without an end": ("# A\n\n```\n\n# B", [(0, 1, "A")]),
    "in a comment": ("<!--\n\n# A\n\n-->\n# B", [(5, 1, "B")]),
    "in a comment without an end": ("<!--\n\n# A", []),
    "after a comment": ("<!-- x -->\n# A", [(1, 1, "A")]),
    "in a script": ("<script>\n\n# A\n</script>\n# B", [(4, 1, "B")]),
    "in a block of HTML": ("<div>\n# A\n</div>\n\n# B", [(4, 1, "B")]),
    "between blocks of HTML": ("<div>\n\n# A\n\n</div>", [(2, 1, "A")]),
    "in a quote": ("> # A\n> text\n\n# B", [(3, 1, "B")]),
    "in a list": ("- # A\n  # B\n\n  # C\n\n# D", [(5, 1, "D")]),
    "a fence in a list ends with it": ("- ```\n  x\n\n# A", [(3, 1, "A")]),
    "a title in a reference is none": ("[r]: /u 'a\nb\n--\nc'\n\n# A", [(5, 1, "A")]),
    "a quote that ends in a comment in a list": ("[r]:\n>- <!--\n>", []),
    "after thirty lists in each other": ("- " * 30 + "x\n # A", [(1, 1, "A")]),
    "a label of a reference is none": ("[r\n=\n]: /u\n\n# A", [(4, 1, "A")]),
    "an item that would be a table": ("- a\n\n- b | c\n  |---|---|\n   # A", []),
    "no break space": ("#\u00a0A", []),
    "form feed": ("\x0c# A", []),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_headings(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert [(h.start, h.level, h.text) for h in headings(split_lines(text))] == expected


def found(lines: list[str]) -> list[tuple[int, int, int, str]]:
    return [(h.start, h.end, h.level, h.text) for h in headings(lines)]


@settings(max_examples=600, deadline=None)
@given(odd_lines)
def test_stretches_give_what_a_parse_of_the_whole_file_gives(lines: list[str]) -> None:
    assert found(lines) == commonmark_headings(lines)


@settings(max_examples=300, deadline=None)
@given(odd_lines, st.integers(1, 4), st.integers(1, 4))
def test_and_so_where_stretches_are_cut(lines: list[str], most: int, quoted: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"MOST_LINES": most, "QUOTE_LINES": quoted, "GROWS": 2, "QUOTE_GROWS": 2}.items():
            patch.setattr(f"mvp_site.rulebook.headings._{name}", value)
        assert found(lines) == commonmark_headings(lines)


@settings(max_examples=100, deadline=None)
@given(structured)
def test_and_so_for_files_with_structure(text: str) -> None:
    lines = split_lines(text)
    assert found(lines) == commonmark_headings(lines)


@pytest.mark.parametrize("name", ODD)
def test_and_so_for_odd_files(name: str) -> None:
    lines = split_lines(ODD[name].replace("\x00", "\ufffd"))
    assert found(lines) == commonmark_headings(lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ("# A", 0),
        ("---\ntitle: A book\ntags: [a]\n---\n# A", 4),
        ("---\n# by hand\nlayout: x\n...\n# A", 4),
        ("---\n\nlayout: x\n# by hand\n---", 0),
        ("---\n\nlayout: x\n---", 4),
        ("---\ntags:\n- a\n  - b\n\n'other tags': [\n  c\n]\n---", 9),
        ("---\ntitle:\n---\n", 3),
        ("---\n# A\n---", 0),
        ("---\n- a: b\n---", 0),
        ("---\n\n# The Book\n\nOf rules.\n\n---\n\n# Classes", 0),
        ("---\n# The Book\nOf rules: many\nand more.\n---\n\n# Classes", 0),
        ("---\n---\n", 0),
        ("---\nNo field here\n---", 0),
        ("---\nSaid: a: b\n\n# never closed", 0),
        ("text\n---\ntitle: x\n---", 0),
        ("---\n" + "a: b\n" * 500 + "---", 0),
    ],
)
def test_front_matter_at_the_start_holds_no_heading(text: str, lines: int) -> None:
    assert after_front_matter(split_lines(text)) == lines


GROWING = {
    "chapters": "# A\n\ntext of a rule\n\n## B\n- one\n- two\n\n",
    "no blank lines": "# A\ntext\n",
    "one paragraph": "line of words here\n",
    "one list": "- item\n",
    "fences": "```\n# x\n```\n",
    "comments": "<!-- a\n\n# b -->\n",
    "open tags": "<a\n",
    "a table": "| 1 | 2 |\n",
    "setext": "a\n===\n",
    "rules": "---\n",
    "brackets": "[a\n",
    "references": "[a]: /u\n",
    "blank": "\n",
    "quotes": "> # a\n",
    "quotes and text": "> # a\ntext\n",
    "quotes and text in a quote": "> > # a\n> text\n",
}


@pytest.mark.parametrize("name", GROWING)
def test_time_grows_with_length(name: str) -> None:
    def seconds(size: int) -> float:
        lines = split_lines(GROWING[name] * (size // len(GROWING[name])))
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            for _ in headings(lines):
                pass
            best = min(best, time.process_time() - start)
        return best

    small = max(seconds(15_000), 0.002)
    assert seconds(60_000) < 12 * small
