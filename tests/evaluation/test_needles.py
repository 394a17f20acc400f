"""The needles: enough of each kind, a third untouched, turns that share no word with their gold.

Nothing here shows a query of the test part: what fails is named by its id alone.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from mvp_site import Settings
from mvp_site.archive.versions import read_version
from mvp_site.evaluation.needles import ANY_VERSION, KINDS, Needle, Span, load_needles, met
from mvp_site.retrieval.text import content_words, normalise
from mvp_site.types import MODES, Message

from ..conftest import REPOSITORY

VERSIONS = ("dec_2025", "mar_2026")
SPLITS = ("tune", "test")


@cache
def needles() -> tuple[Needle, ...]:
    return tuple(needle for split in SPLITS for needle in load_needles(split))  # type: ignore[arg-type]


@cache
def lines(version: str) -> dict[str, list[str]]:
    settings = Settings(prompt_archive_dir=REPOSITORY / "prompt_archive")
    return {source.file: source.text.split("\n") for source in read_version(settings, version).sources}


def on_topic() -> list[Needle]:
    return [needle for needle in needles() if needle.kind != "off_topic"]


def off_topic() -> list[Needle]:
    return [needle for needle in needles() if needle.kind == "off_topic"]


# --- how many -----------------------------------------------------------------------------------


def test_there_are_enough_of_each_kind_over_both_versions() -> None:
    assert len(on_topic()) >= 200
    assert len(off_topic()) >= 60
    assert {needle.kind for needle in needles()} == set(KINDS)
    assert {needle.version for needle in on_topic()} == set(VERSIONS)
    count = Counter((needle.kind, needle.version) for needle in on_topic())
    assert min(count.values()) >= 20
    assert len(count) == 6


def test_a_fifth_of_the_off_topic_ones_are_near_misses() -> None:
    assert sum(needle.near for needle in off_topic()) >= len(off_topic()) / 5
    assert not any(needle.near for needle in on_topic())


def test_a_third_is_kept_for_the_test() -> None:
    parts = {split: Counter(n.kind for n in load_needles(split)) for split in SPLITS}  # type: ignore[arg-type]
    for kind in KINDS:
        share = parts["test"][kind] / (parts["test"][kind] + parts["tune"][kind])
        assert 0.3 <= share <= 0.37, kind


def test_every_mode_is_asked_in() -> None:
    assert {needle.mode for needle in on_topic()} == set(MODES)


# --- each of them -------------------------------------------------------------------------------


def test_ids_and_queries_are_different() -> None:
    assert [name for name, count in Counter(n.id for n in needles()).items() if count > 1] == []
    asked = Counter((n.version, n.mode, normalise(n.query), str(n.state), str(n.history)) for n in needles())
    assert sum(count - 1 for count in asked.values()) == 0


def test_the_parts_share_no_query() -> None:
    tune, test = ({normalise(n.query) for n in load_needles(split)} for split in SPLITS)  # type: ignore[arg-type]
    assert len(tune & test) == 0


def test_a_needle_has_needs_unless_it_is_off_topic() -> None:
    wrong = [
        needle.id for needle in needles()
        if bool(needle.needs) is (needle.kind == "off_topic") or not all(needle.needs)
        or (needle.version == ANY_VERSION) is not (needle.kind == "off_topic")
        or needle.mode not in MODES or not needle.query.strip()
    ]
    assert wrong == []


def test_gold_is_lines_that_exist_and_say_something() -> None:
    wrong = [
        f"{needle.id}: {span.file}:{span.start}-{span.end}"
        for needle in on_topic() for need in needle.needs for span in need
        if not _exists(span, lines(needle.version))
    ]
    assert wrong == []


def _exists(span: Span, files: dict[str, list[str]]) -> bool:
    text = files.get(span.file, [])
    if not 1 <= span.start <= span.end <= len(text):
        return False
    return any(re.search(r"\w", line) for line in text[span.start - 1 : span.end])


def test_gold_is_small_enough_to_be_printed() -> None:
    from mvp_site.retrieval.tokens import count_tokens

    large = [
        needle.id for needle in on_topic() for need in needle.needs for span in need
        if count_tokens("\n".join(lines(needle.version)[span.file][span.start - 1 : span.end])) > 600
    ]
    assert large == []


def test_gold_is_not_front_matter() -> None:
    wrong = []
    for needle in on_topic():
        for need in needle.needs:
            for span in need:
                text = lines(needle.version)[span.file]
                end = text.index("---", 1) + 1 if text[0] == "---" else 0
                if span.start <= end:
                    wrong.append(needle.id)
    assert wrong == []


def test_a_turn_shares_no_content_word_with_its_gold_or_its_heading() -> None:
    wrong = []
    for needle in on_topic():
        if needle.kind != "turn":
            continue
        said = content_words(needle.query)
        for need in needle.needs:
            for span in need:
                text = lines(needle.version)[span.file]
                gold = "\n".join([_heading(text, span.start), *text[span.start - 1 : span.end]])
                if said & content_words(gold):
                    wrong.append(f"{needle.id}: {span.file}:{span.start}")
    assert wrong == []


def _heading(text: list[str], line: int) -> str:
    """The nearest heading at or above a line, fences left out."""
    heading, fenced = "", False
    for content in text[:line]:
        if content.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and re.match(r"#{1,6} ", content):
            heading = content
    return heading


def test_an_off_topic_query_is_no_line_of_the_archive() -> None:
    said = {normalise(line) for version in VERSIONS for text in lines(version).values() for line in text}
    assert [needle.id for needle in off_topic() if normalise(needle.query) in said] == []


# --- when a need is met -------------------------------------------------------------------------

A, B = Span("a.md", 3, 5), Span("b.md", 1, 1)


def needle(*needs: tuple[Span, ...]) -> Needle:
    return Needle("x", "dec_2025", "lookup", "story", "q", needs)


@pytest.mark.parametrize(
    ("needs", "printed", "found"),
    [
        (((A,),), [("a.md", [(1, 9)])], [[0]]),
        (((A,),), [("a.md", [(3, 4)])], [[]]),
        (((A,),), [("a.md", [(3, 4)]), ("a.md", [(5, 5)])], [[], [0]]),
        (((A,),), [("b.md", [(1, 9)])], [[]]),
        (((A, B),), [("b.md", [(1, 1)]), ("a.md", [(1, 9)])], [[0], []]),
        (((A,), (B,)), [("b.md", [(1, 1)]), ("a.md", [(1, 9)])], [[1], [0]]),
        (((A,),), [], []),
        ((), [("a.md", [(1, 9)])], [[]]),
    ],
    ids=["whole", "in part", "by two passages", "another file", "either of two spans", "two needs", "nothing", "no need"],
)
def test_a_need_is_met_where_all_its_lines_are_printed(
    needs: tuple[tuple[Span, ...], ...], printed: list[tuple[str, list[tuple[int, int]]]], found: list[list[int]]
) -> None:
    assert met(needle(*needs), printed, {}) == found


def test_a_blank_line_need_not_be_printed() -> None:
    assert met(needle((A,)), [("a.md", [(3, 3), (5, 5)])], {"a.md": frozenset({4})}) == [[0]]


def test_state_and_history_are_read() -> None:
    assert any(n.state for n in needles())
    assert all(isinstance(m, Message) for n in needles() for m in n.history)
