"""Atoms: every line in exactly one, none over the limit, headings known, cut blocks readable alone."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.markdown import SLACK, Atom, atoms
from mvp_site.text.markdown import split_lines
from mvp_site.text.tokens import count_tokens

from ..texts import any_text, markdown

WHOLE = 1_000_000

# Each case: text, then for every atom its text, heading level and heading path.
CASES: dict[str, tuple[str, list[tuple[str, int, tuple[str, ...]]]]] = {
    "headings": (
        "# A\n\none\n## B\ntwo\n# C\nthree",
        [("# A", 1, ("A",)), ("one", 0, ("A",)), ("## B", 2, ("A", "B")), ("two", 0, ("A", "B")),
         ("# C", 1, ("C",)), ("three", 0, ("C",))],
    ),
    "levels that are skipped": (
        "# A\n### C\n## B\n#### D",
        [("# A", 1, ("A",)), ("### C", 3, ("A", "C")), ("## B", 2, ("A", "B")), ("#### D", 4, ("A", "B", "D"))],
    ),
    "a heading without a title": ("#\n\none", [("#", 1, ("(untitled)",)), ("one", 0, ("(untitled)",))]),
    "a title's markup": (
        "## The *big* `__DELETE__` of __NAME__, **now** ##",
        [("## The *big* `__DELETE__` of __NAME__, **now** ##", 2, ("The big __DELETE__ of __NAME__, now",))],
    ),
    "paragraphs": ("one\ntwo\n\nthree", [("one\ntwo", 0, ()), ("three", 0, ())]),
    "list items": (
        "- one\n- two\n  more\n\n  and more\n1. three",
        [("- one", 0, ()), ("- two\n  more\n\n  and more", 0, ()), ("1. three", 0, ())],
    ),
    "a table": (
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nafter",
        [("| a | b |\n|---|---|\n| 1 | 2 |", 0, ()), ("| 3 | 4 |", 0, ()), ("after", 0, ())],
    ),
    "reference definitions": (
        "[a]: http://b.c 'd'\n\nsee [a]\n\n[e]: f\n[g]: h",
        [("[a]: http://b.c 'd'", 0, ()), ("see [a]", 0, ()), ("[e]: f\n[g]: h", 0, ())],
    ),
    "a NUL": ("# a\x00b\n\nc\x00", [("# a\x00b", 1, ("a b",)), ("c\x00", 0, ("a b",))]),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_atoms(text: str, expected: list[tuple[str, int, tuple[str, ...]]]) -> None:
    found = atoms(split_lines(text), WHOLE)
    assert [(atom.text, atom.level, atom.path) for atom in found] == expected
    assert_covered(split_lines(text), found)


# --- blocks over the limit ----------------------------------------------------------------------


def test_a_long_table_repeats_its_header() -> None:
    rows = [f"| {n} | a word or two |" for n in range(40)]
    found = atoms(["| n | words |", "| --- | --- |", *rows], 60)
    assert found[0].text == f"| n | words |\n| --- | --- |\n{rows[0]}"
    assert [atom.text for atom in found[1:]] == rows[1:]
    assert {atom.lead for atom in found[1:]} == {"| n | words |\n| --- | --- |"}
    assert len({atom.block for atom in found}) == 1


@pytest.mark.parametrize(("opening", "closing"), [("```json", "```"), ("~~~~", "~~~~~"), ("````", "````")])
def test_a_long_fence_is_cut_at_its_lines_and_its_marks_are_repeated(opening: str, closing: str) -> None:
    body = [json.dumps({f"key_{n}": n}) for n in range(40)]
    found = atoms([opening, *body, closing], 60)
    assert len(found) == len(body)
    assert found[0].text == f"{opening}\n{body[0]}"
    assert found[-1].text == f"{body[-1]}\n{closing}"
    assert {(atom.lead, atom.tail) for atom in found[1:-1]} == {(opening, closing)}
    assert (found[0].lead, found[0].tail, found[-1].lead, found[-1].tail) == ("", closing, opening, "")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("One two three. Four five six! Seven eight nine? Ten.", ["One two three.", "Four five six!", "Seven eight nine?", "Ten."]),
        ("a1 " * 30, None),
        ("x1y2z3" * 30, None),
        ("🐉" * 60, None),
        ("\u200b" * 400, None),
    ],
    ids=["sentences", "words", "one word", "emoji", "invisible"],
)
def test_a_long_line_is_split_at_sentences_or_words_or_anywhere(line: str, parts: list[str] | None) -> None:
    found = atoms([line], 16)
    assert len(found) > 1
    assert not any(atom.whole_lines for atom in found)
    assert all(count_tokens(atom.text) <= 16 for atom in found)
    assert_covered([line], found)
    if parts:
        assert [part for atom in found for part in re.split(r"(?<=[.!?]) ", atom.text)] == parts


# --- for any text -------------------------------------------------------------------------------


@given(st.one_of(markdown, any_text), st.integers(24, 700))
def test_every_line_is_in_exactly_one_atom_and_none_is_over_the_limit(text: str, limit: int) -> None:
    lines = split_lines(text)
    found = atoms(lines, limit)
    assert_covered(lines, found)
    assert_small(found, limit)


def assert_covered(lines: list[str], found: list[Atom]) -> None:
    """Every line that is not blank is in one atom, or split over consecutive ones; in order."""
    position = 0
    index = 0
    while index < len(found):
        atom = found[index]
        assert not any(line.strip() for line in lines[position : atom.start])
        group = [atom]
        if not atom.whole_lines:
            while index + 1 < len(found) and found[index + 1].start < atom.end:
                index += 1
                group.append(found[index])
        source = "\n".join(lines[atom.start : group[-1].end])
        if len(group) == 1 and atom.whole_lines:
            assert atom.text == source
        else:
            assert "".join("".join(a.text for a in group).split()) == "".join(source.split())
        position = group[-1].end
        index += 1
    assert not any(line.strip() for line in lines[position:])


def assert_small(found: list[Atom], limit: int) -> None:
    for atom in found:
        own = count_tokens(atom.text)
        assert own <= limit + SLACK
        assert count_tokens(atom.lead) + own + count_tokens(atom.tail) <= limit * 1.5 + SLACK
