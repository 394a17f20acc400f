"""Parsing: no line lost, a consistent tree, ids that edits elsewhere leave alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.errors import RulebookError
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Sections
from mvp_site.text.front_matter import front_block
from mvp_site.text.markdown import split_lines
from mvp_site.text.normalising import clean
from mvp_site.text.titles import UNTITLED, read_title

from .books import Part, anything, book, commonmark_headings, parts, structured

# Each case: text, then (id, level, content, lines) of every section.
Row = tuple[str, int, str, tuple[int, int]]
CASES: dict[str, tuple[str, list[Row]]] = {
    "one": ("# Rage\n\nYou fume.\n", [("rage", 1, "You fume.", (1, 4))]),
    "no heading": ("some\n\ntext", [("_preface", 0, "some\n\ntext", (1, 3))]),
    "preface": ("word\n# A\none", [("_preface", 0, "word", (1, 1)), ("a", 1, "one", (2, 3))]),
    "blank lines make no preface": ("\n \n# A\none", [("a", 1, "one", (3, 4))]),
    "a level that is skipped": ("## A\n#### B\n### C\n# D", [("a", 2, "", (1, 1)), ("a/b", 4, "", (2, 2)), ("a/c", 3, "", (3, 3)), ("d", 1, "", (4, 4))]),
    "setext": ("The A\n=====\none\n\nB\n---\ntwo", [("the-a", 1, "one", (1, 4)), ("the-a/b", 2, "two", (5, 7))]),
    "blank lines inside and indents stay": ("# A\n\n    code\n\n\n- b\n  \n", [("a", 1, "    code\n\n\n- b", (1, 8))]),
    "CRLF": ("# A\r\none\r\n\r\ntwo\r\n# B\r\n", [("a", 1, "one\n\ntwo", (1, 4)), ("b", 1, "", (5, 6))]),
    "NUL": ("# A\x00B\none\x00", [("a-b", 1, "one\ufffd", (1, 2))]),
    "front matter": ("---\ntitle: x\n---\n# A", [("_preface", 0, "---\ntitle: x\n---", (1, 3)), ("a", 1, "", (4, 4))]),
    "line separators end no line": ("# A\u2028B\none\u2029# two\x85", [("a-b", 1, "one\u2029# two\x85", (1, 2))]),
    "anchor": ("# A {#x}\n## B\n# C {#x}", [("x", 1, "", (1, 1)), ("x/b", 2, "", (2, 2)), ("x-2", 1, "", (3, 3))]),
}


def test_sections() -> None:
    for text, expected in CASES.values():
        assert [(s.id, s.level, s.content, s.lines) for s in parse_rulebook(text)] == expected


def test_what_is_no_rulebook() -> None:
    for text, message in (("\ufeff \n\t\r\n", "the rulebook is empty"), ("\udc80\udc81 text" * 30, "the rulebook is not text")):
        with pytest.raises(RulebookError, match=message):
            parse_rulebook(text)


def after_front_matter(lines: list[str]) -> int:
    fields, body = front_block(lines)
    return body if fields else 0


def test_front_matter_at_the_start_holds_no_heading() -> None:
    for text, lines in {
        "# A": 0, "---\ntitle: A book\ntags: [a]\n---\n# A": 4, "---\n# by hand\nlayout: x\n...\n# A": 4,
        "---\ntags:\n- a\n  - b\n\n'other tags': [\n  c\n]\n---": 9, "---\n# A\n---": 0,
        "---\n\n# The Book\n\nOf rules.\n\n---\n\n# Classes": 0, "---\n---\n": 0, "text\n---\ntitle: x\n---": 0,
        "---\n# The Book\nOf rules: many\nand more.\n---\n\n# Classes": 0, "---\nSaid: a: b\n\n# never closed": 0, "---\n" + "a: b\n" * 500 + "---": 0,
    }.items():
        assert after_front_matter(split_lines(text)) == lines, text


# --- for any text -------------------------------------------------------------------------------


def parsed(text: str) -> Sections | None:
    """The sections, or None for text that is rightly refused."""
    try:
        return parse_rulebook(text)
    except RulebookError:
        odd = sum(not char.isprintable() or char == "\ufffd" for char in text)
        assert not text.removeprefix("\ufeff").strip() or odd >= min(16, len(text) / 2)
        return None


def assert_whole(text: str, sections: Sections) -> None:
    """Every line that is no heading's is in one section's content, in order; spans leave no gap."""
    lines = split_lines(clean(text))
    found = commonmark_headings(lines, after_front_matter(lines))
    of_headings = {number for start, end, *_ in found for number in range(start, end)}
    held = list(sections)
    if held and held[0].level == 0:
        assert held[0].lines[0] == 1
        assert len(held) == len(found) + 1
        starts = [0, *(start for start, *_ in found)]
        opens = [0, *(end for _, end, *_ in found)]
    else:
        assert len(held) == len(found)
        assert not any(line.strip() for line in lines[: found[0][0]])
        starts, opens = [start for start, *_ in found], [end for _, end, *_ in found]
    ends = [*starts[1:], len(lines)]
    content: list[str] = []
    for section, start, opening, end in zip(held, starts, opens, ends, strict=True):
        assert section.lines == (start + 1, end)
        assert section.content in "\n".join(lines[opening:end])
        content += [line for line in section.content.split("\n") if line.strip()]
    assert content == [line for number, line in enumerate(lines) if number not in of_headings and line.strip()]


def assert_tree(sections: Sections) -> None:
    """Parents before children and above them in level; paths and children as the parents say."""
    seen: dict[str, tuple[str, ...]] = {}
    children: dict[str, list[str]] = {}
    for section in sections:
        above: tuple[str, ...] = ()
        if section.parent_id is not None:
            above = seen[section.parent_id]
            assert 0 < sections[section.parent_id].level < section.level
            children.setdefault(section.parent_id, []).append(section.id)
        assert section.path == (*above, section.title)
        assert section.id not in seen
        seen[section.id] = section.path
    for section in sections:
        assert list(section.children_ids) == children.get(section.id, [])
        assert all(section in sections.ancestors(other) for other in sections.descendants(section))


@settings(max_examples=150)
@given(anything)
def test_no_line_is_lost_and_the_tree_is_consistent(text: str) -> None:
    sections = parsed(text)
    if sections is not None:
        assert_whole(text, sections)
        assert_tree(sections)
        assert all(section.categories for section in sections)


@given(structured)
def test_the_same_text_gives_the_same_sections_whatever_its_line_ends(text: str) -> None:
    plain = "\n".join(split_lines(text))
    assert list(parse_rulebook(text)) == list(parse_rulebook(plain)) == list(parse_rulebook(f"\ufeff{plain}"))


@given(st.lists(parts, max_size=8), st.lists(parts, max_size=8), st.lists(parts, max_size=3))
def test_ids_do_not_change_with_what_stands_elsewhere(before: list[Part], after: list[Part], between: list[Part]) -> None:
    # A chapter of its own, and then a chapter again: nothing moves under another parent.
    chapter = [Part(1, "Unrelated chapter zq", ("New.",)), *(Part(max(p.level, 2), p.title, p.body) for p in between)]
    rest = [Part(1, "The rest", ()), *after]
    old = parse_rulebook(book([*before, *rest]))
    new = parse_rulebook(book([*before, *chapter, *rest]))
    kept = [s for s in new if s.path[0] != "Unrelated chapter zq"]
    assert [(s.id, s.parent_id, s.content) for s in kept] == [(s.id, s.parent_id, s.content) for s in old]


# --- titles ----------------------------------------------------------------------------------------

TITLES: dict[str, tuple[str, str | None]] = {
    "Rage": ("Rage", None), "": (UNTITLED, None), "  two\nlines ": ("two lines", None), "\u200bRage": ("\u200bRage", None),
    "The *Order* of **Combat**": ("The Order of Combat", None), "Rock &amp; Roll &copy;": ("Rock & Roll ©", None),
    "[Rage](/rage 'x') and ![a *shield*](/s.png)": ("Rage and a shield", None), "Fire <b>bolt</b>": ("Fire bolt", None),
    "<b></b>": ("<b></b>", None), "**": ("**", None), "\u200b\u200d \u202e": (UNTITLED, None),
    "Rage {#rage}": ("Rage", "rage"), "Rage {#Rage:2.b-c_d}": ("Rage", "Rage:2.b-c_d"), "*Rage* {#rage}": ("Rage", "rage"),
    "Rage {#rage .wide key=val}": ("Rage", "rage"), 'Rage {key="a b" #rage}': ("Rage", "rage"), "Rage {.unnumbered}": ("Rage", None),
    "Rage ## {#rage}": ("Rage", "rage"), "{#rage}": (UNTITLED, "rage"), "Rage {#}": ("Rage {#}", None),
    "Rage {#rage} again": ("Rage {#rage} again", None), '<a id="rage"></a>Rage': ("Rage", "rage"),
    '<a name="a"></a>Rage {#b}': ("Rage", "b"), "x" * 2_000 + " ## {#rage}": ("x" * 2_000, "rage"),
}


def test_title_and_anchor() -> None:
    assert {text: read_title(text) for text in TITLES} == TITLES


@given(st.one_of(st.text(max_size=80), st.text("{}#.=\"' a-:<>/*`[]()_", max_size=40)))
def test_a_title_is_one_line_and_never_empty(text: str) -> None:
    title, anchor = read_title(text)
    assert title
    assert title == " ".join(title.split())
    assert anchor is None or (anchor and anchor in text and not set(anchor) & set(" {}\n"))
