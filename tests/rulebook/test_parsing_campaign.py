"""Any rulebook: each line of text in exactly one section, the tree as CommonMark's headings make it.

What is expected comes from markdown-it and the few lines below, and for well-made books from how
they were written, never from the package. The campaign (``slow``) does the same for minutes:
each of its cases draws its books from the seed that stands in its name, so that a failure is seen
again with ``scripts/test -m slow -k "seed-3"``.
"""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Final

import hypothesis
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mvp_site.errors import RulebookError
from mvp_site.retrieval.tokens import count_tokens
from mvp_site.rulebook.ids import MAX_ID
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Section, Sections
from mvp_site.rulebook.source import decode

from .generated_books import (
    Book,
    Chapter,
    atx,
    bodies,
    books,
    chapters,
    ended,
    line_ends,
    long_book,
    marks,
    wild,
)

CASES_OF_THE_RUN: Final = {"books": 200, "wild": 800}
SEEDS: Final = 8
CASES_OF_A_SEED: Final = {"books": 700, "wild": 2_500}
"""Measured on two cores that do other work as well: about four minutes for all seeds."""

# --- what is expected ---------------------------------------------------------------------------

# Deep enough that no book here is cut off.
_reader = MarkdownIt("commonmark", {"maxNesting": 400}).enable("table")
_reader.core.ruler.enableOnly(["normalize", "block"])


def lines_of(text: str) -> list[str]:
    """The lines as an editor shows them, what no text can hold replaced."""
    return re.split("\r\n|\r|\n", re.sub("[\0\ud800-\udfff]", "\ufffd", text).removeprefix("\ufeff"))


def front_matter(lines: Sequence[str]) -> int:
    """How many lines are front matter, which markdown knows nothing of."""
    ends = [number for number, line in enumerate(lines[:201]) if line.rstrip() in {"---", "..."}]
    if not lines or lines[0].rstrip() != "---" or len(ends) < 2:
        return 0
    kinds = "".join(kind_of_line(line) for line in lines[1 : ends[1]])
    return ends[1] + 1 if re.fullmatch("#[# ]*f[f#> ]*|f[f#> ]*| +f[f> ]*", kinds) else 0


def kind_of_line(line: str) -> str:
    kinds = {r"\s*$": " ", "#": "#", r"\w[\w.-]*( [\w.-]+)*\s*:(\s|$)": "f", r"[ \t]|-(\s|$)": ">"}
    return next((kind for pattern, kind in kinds.items() if re.match(pattern, line)), "x")


def headings_of(lines: Sequence[str]) -> list[tuple[int, int, int]]:
    """First line, line behind, and level of every heading that is part of no other block."""
    first = front_matter(lines)
    return [
        (token.map[0] + first, token.map[1] + first, int(token.tag[1:]))
        for token in _reader.parse("\n".join((*lines[first:], "", "")))
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def blank(lines: Sequence[str]) -> bool:
    return not "".join(lines).strip()


def assert_sections(lines: Sequence[str], found: Sequence[tuple[int, int, int]], sections: Sections) -> None:
    """No line is lost or told twice, and every heading opens a section in its place of the tree."""
    held = list(sections)
    before = found[0][0] if found else len(lines)
    wanted = list(found) if blank(lines[:before]) else [(0, 0, 0), *found]
    assert len(held) == len(wanted)

    in_sections = [0] * len(lines)
    for section in held:
        first, last = section.lines
        assert first <= last
        in_sections[first - 1 : last] = [count + 1 for count in in_sections[first - 1 : last]]
    assert set(in_sections[wanted[0][0] :]) <= {1}
    assert set(in_sections[: wanted[0][0]]) <= {0}

    ends = [*(start for start, *_ in wanted[1:]), len(lines)]
    for section, (start, opened, level), end in zip(held, wanted, ends, strict=True):
        assert section.lines == (start + 1, end)
        assert section.level == level
        text = lines[opened:end]
        while text and blank(text[:1]):
            del text[0]
        while text and blank(text[-1:]):
            text.pop()
        assert section.content == "\n".join(text)
    assert_tree(held)


def assert_tree(held: Sequence[Section]) -> None:
    """Parents are the last section before of a lower level; paths and children say the same."""
    open_at: dict[int, Section] = {}  # by level, the last one that nothing has closed
    children: dict[str, list[str]] = {section.id: [] for section in held}
    assert len(children) == len(held)
    for section in held:
        assert 0 < len(section.id) <= MAX_ID + 12
        assert section.title.strip()
        assert section.categories
        above = max((level for level in open_at if level < section.level), default=None)
        parent = None if above is None else open_at[above]
        assert section.parent_id == (parent.id if parent else None)
        assert section.path == (*(parent.path if parent else ()), section.title)
        if parent:
            children[parent.id].append(section.id)
        open_at = {level: other for level, other in open_at.items() if level < section.level}
        if section.level:
            open_at[section.level] = section
    assert all(list(section.children_ids) == children[section.id] for section in held)


def refused(text: str) -> bool:
    """Whether it is no text: nothing at all, or too many characters that no text has."""
    odd = len(re.findall("[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\udfff\ufffd]", text))
    return not text.removeprefix("\ufeff").strip() or odd * 2 > len(text) or (odd >= 16 and odd > len(text) / 50)


def added(before: Sections, chapter: Chapter) -> Chapter:
    """``chapter`` without an anchor that would take a section's id away, as it is entitled to."""
    head = chapter.head
    taken = {section.anchor for section in before}
    if head.anchor and head.anchor not in taken and head.anchor[:MAX_ID] in {section.id[: len(head.anchor)] for section in before}:
        head = atx(head.level, ("Rage", "Rage"), None, 0)
    return Chapter(head, chapter.body, chapter.tight)


# --- the checks ---------------------------------------------------------------------------------


def check_book(book: Book, ends: Sequence[str], mark: str, other: list[tuple[str, ...]], more: list[Chapter]) -> None:
    """A well-made book is as it was written, whatever ends its lines; ids outlive what may change."""
    text = book.markdown()
    sections = parse_rulebook(mark + ended(text, ends))
    lines = lines_of(text)
    found = headings_of(lines)
    assert_sections(lines, found, sections)
    held = [section for section in sections if section.level]
    assert [(section.level, section.title, section.anchor) for section in held] == book.outline()
    assert list(parse_rulebook(text)) == list(sections)

    ids = [section.id for section in held]
    edited = parse_rulebook(book.edited(other or [()]).markdown())
    assert [section.id for section in edited if section.level] == ids

    behind = [added(sections, chapter) for chapter in more]
    longer = list(parse_rulebook(Book((*book.chapters, *behind), book.front, book.opening).markdown()))
    assert len(longer) == len(sections) + len(behind)
    for old, new in zip(sections, longer, strict=False):
        assert (new.id, new.parent_id, new.path, new.content) == (old.id, old.parent_id, old.path, old.content)


def check_wild(text: str, ends: Sequence[str]) -> None:
    """Whatever was written is read as CommonMark has it, or refused with a reason."""
    if refused(text):
        with pytest.raises(RulebookError, match=r"is (empty|not text)"):
            parse_rulebook(text)
        return
    sections = parse_rulebook(text)
    lines = lines_of(text)
    found = headings_of(lines)
    assert_sections(lines, found, sections)
    mark = "\ufeff" * text.startswith("\ufeff")
    assert list(parse_rulebook(mark + ended("\n".join(lines), ends))) == list(sections)
    if not re.search("[\ud800-\udfff]", text):
        assert decode(text.encode()) == text

    longer = f"{text}\n\n# Chapter zq of its own\n\nNew."
    *same, last = headings_of(lines_of(longer)) or [()]
    if same == found and last:  # no block is open that would take it in
        kept = list(parse_rulebook(longer))[: len(sections)]
        assert [(s.id, s.parent_id, s.content) for s in kept] == [(s.id, s.parent_id, s.content) for s in sections]


_given_books = given(books, line_ends, marks, st.lists(bodies, max_size=3), st.lists(chapters, max_size=3))
_given_wild = given(wild, line_ends)
CHECKS: Final[dict[str, tuple[Callable[..., Callable[..., None]], Callable[..., None]]]] = {
    "books": (_given_books, check_book), "wild": (_given_wild, check_wild),
}


def run(name: str, cases: int, seed: int) -> None:
    """Draws ``cases`` examples from ``seed`` and checks each; the same ones every time."""
    strategies, check = CHECKS[name]
    quiet = settings(
        max_examples=cases, deadline=None, database=None, phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.seed(seed)(quiet(strategies(check)))()


@pytest.mark.parametrize("name", CHECKS)
def test_generated(name: str) -> None:
    run(name, CASES_OF_THE_RUN[name], 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, SEEDS + 1), ids="seed-{}".format)
@pytest.mark.parametrize("name", CHECKS)
def test_generated_for_minutes(name: str, seed: int) -> None:
    run(name, CASES_OF_A_SEED[name], seed)


# --- size ---------------------------------------------------------------------------------------

MEGABYTE: Final = 1_000_000


def written(size: int, seed: int = 0) -> Book:
    """A well-made book of ``size`` bytes and a little more."""
    return Book(tuple(long_book(size, seed)), opening="A word before.")


def assert_written(book: Book, text: str, sections: Sections) -> None:
    lines = lines_of(text)
    assert_sections(lines, headings_of(lines), sections)
    assert [(s.level, s.title, s.anchor) for s in sections if s.level] == book.outline()


def seconds(text: str) -> float:
    start = time.process_time()
    parse_rulebook(text)
    return time.process_time() - start


def cost_ratio(small: str, large: str, most: float) -> float:
    """How many times more a character of ``large`` costs; tried again where it seems above ``most``."""
    count_tokens("loads the vocabulary")
    one, other = float("inf"), float("inf")
    for _ in range(6):
        one, other = min(one, max(seconds(small), 0.005)), min(other, seconds(large))
        if other / len(large) <= most * one / len(small):
            break
    return (other / len(large)) / (one / len(small))


def peak_memory(text: str) -> float:
    """Bytes at most, of all that is made on the way, for each character."""
    tracemalloc.start()
    parse_rulebook(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(text)


@pytest.mark.parametrize("seed", range(3), ids="seed-{}".format)
def test_a_book_of_half_a_megabyte(seed: int) -> None:
    book = written(MEGABYTE // 2, seed)
    text = book.markdown()
    assert_written(book, text, parse_rulebook(text))


SHAPES: Final = {
    "five thousand siblings of one title": Book((Chapter(atx(2, ("Rage", "Rage"), None, 0), ("You fume.",)),) * 5_000),
    "five thousand of one anchor": Book((Chapter(atx(2, ("Rage", "Rage"), "rage", 0)),) * 5_000),
    "levels that only fall": Book(tuple(Chapter(atx(6 - n % 6, ("A", "A"), None, 0), ("b",)) for n in range(3_000))),
    "levels that only skip": Book(tuple(Chapter(atx((1, 6, 3)[n % 3], ("A", "A"), None, 0), ("b",)) for n in range(3_000))),
    "every anchor another's path": Book(
        tuple(Chapter(atx(1 + n % 2, (f"T {n}", f"T {n}"), f"t-{n + 1}", 0)) for n in range(2_000))
        + tuple(Chapter(atx(1, (f"T {n}", f"T {n}"), None, 0)) for n in range(2_000))
    ),
    "titles as long as a page": Book(tuple(Chapter(atx(3, ("x y " * 700 + str(n),) * 2, None, 0), ("b",)) for n in range(100))),
    "one line of a megabyte": Book((Chapter(atx(1, ("A", "A"), None, 0), ("word " * 200_000,)),)),
    "a list of seven thousand items": Book((Chapter(atx(1, ("A", "A"), None, 0), ("- item\n  # no\n" * 7_000,)),)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_book_of_an_odd_shape(name: str) -> None:
    text = SHAPES[name].markdown()
    assert_written(SHAPES[name], text, parse_rulebook(text))


@pytest.mark.slow
def test_twenty_megabytes_cost_what_four_times_five_do() -> None:
    book = written(20 * MEGABYTE)
    text = book.markdown()
    assert_written(book, text, parse_rulebook(text))
    ratio = cost_ratio(written(5 * MEGABYTE).markdown(), text, 1.6)
    assert ratio <= 1.6  # 1.0 to 1.25 measured


@pytest.mark.slow
def test_memory_grows_with_length_and_no_faster() -> None:
    count_tokens("loads the vocabulary")
    small, large = (peak_memory(written(size * MEGABYTE).markdown()) for size in (2, 8))
    assert large <= 1.25 * small
    assert large <= 16  # about 8: the text, its lines and its sections


REPEATED: Final = (
    "# A\ntext\n", "## A {#x}\n\n", "A\n===\n", "text\n", "text\n\n", "- item\n", "- item\n\n  # no\n", "- a\n===\n", "1. a\n",
    "> # no\n", "> # no\ntext\n", "> > # no\n> text\n", "> ```\ntext\n", "> - a\nb\n", "```\n# no\n```\n", "~~~\ntext\n", "<div>\n", "<b\n",
    "<!-- a\n\n# b -->\n", "<!--\n", "<a>\n===\n", "|a|b|\n|-|-|\n", "|a|\n", "---\n", "* * *\n", "[a]: /u\n", "[a]: /u '\n", "[a\n", "]:\n",
    "\n", "    # no\n", "\t# no\n", "a\\\n", "a  \n", "# **a *b\n", "# [a](\n", "# <a id=\n", "# {#a {#b\n", "# `a ``b\n", "x", "# ", "[", "<", "*a ", "`", "| ", "> ", "- ",
)


@pytest.mark.slow
@pytest.mark.parametrize("piece", REPEATED, ids=repr)
def test_no_pattern_costs_more_the_longer_it_is(piece: str) -> None:
    small, large = ("# A\n" + piece * (size // len(piece)) for size in (60_000, 240_000))
    assert cost_ratio(small, large, 2.5) <= 2.5  # 4 where time grows with the square
