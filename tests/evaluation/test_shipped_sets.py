"""The shipped sets: enough of each kind, a third untouched, gold that is there, turns that can be played.

Nothing here shows a question of a test part: what fails is named by its id alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from evaluation.contract import ContractTurn, load_turns
from evaluation.needles import ANY_VERSION, Need, Needle, Span, load_needles, met
from evaluation.rulebook_set import Question, in_book, load_questions

from mvp_site import Settings
from mvp_site.archive.versions import read_version
from mvp_site.rulebook.build import default_rulebook
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.text.normalising import content_words, normalise
from mvp_site.text.tokens import count_tokens
from mvp_site.turns.checking import Facts, check_answer
from mvp_site.turns.clock import range_problems
from mvp_site.turns.draft import fallback_answer
from mvp_site.turns.routing import TurnRoute, route
from mvp_site.turns.state import BRANCHES, is_entity_id, update_problems
from mvp_site.turns.types import TurnRequest

from ..conftest import REPOSITORY

VERSIONS = ("dec_2025", "mar_2026")
SPLITS: Any = ("tune", "test")


# --- needles ------------------------------------------------------------------------------------


@cache
def needles() -> tuple[Needle, ...]:
    return tuple(needle for split in SPLITS for needle in load_needles(split))


@cache
def lines(version: str) -> dict[str, list[str]]:
    settings = Settings(prompt_archive_dir=REPOSITORY / "prompt_archive")
    return {source.file: source.text.split("\n") for source in read_version(settings, version).sources}


def spans() -> Iterator[tuple[Needle, Span, list[str]]]:
    """Each gold span with the lines of its file."""
    for needle in needles():
        for need in needle.gold:
            for span in need.any:
                yield needle, span, lines(needle.version)[span.file]


def test_no_needle_is_there_twice_and_the_parts_share_no_query() -> None:
    assert len({n.id for n in needles()}) == len(needles())
    asked = Counter((n.version, n.mode, normalise(n.query), str(n.state), str(n.history)) for n in needles())
    assert sum(count - 1 for count in asked.values()) == 0
    tune, test = ({normalise(n.query) for n in load_needles(split)} for split in SPLITS)
    assert len(tune & test) == 0


def test_a_needle_has_needs_unless_it_is_off_topic() -> None:
    said = {normalise(line) for version in VERSIONS for text in lines(version).values() for line in text}
    wrong = [
        needle.id for needle in needles()
        if bool(needle.gold) is (needle.kind == "off_topic") or not all(need.any for need in needle.gold)
        or (needle.version == ANY_VERSION) is not (needle.kind == "off_topic") or not needle.query.strip()
        or (needle.kind == "off_topic" and normalise(needle.query) in said)
    ]
    assert wrong == []


def test_gold_is_text_that_exists_says_something_and_can_be_printed() -> None:
    wrong = [
        f"{needle.id}: {span.file}:{span.start}-{span.end}" for needle, span, text in spans()
        if not 1 <= span.start <= span.end <= len(text)
        or span.start <= (text.index("---", 1) + 1 if text[0] == "---" else 0)  # front matter
        or not re.search(r"\w", "".join(text[span.start - 1 : span.end]))
        or count_tokens("\n".join(text[span.start - 1 : span.end])) > 600
    ]
    assert wrong == []


def test_a_turn_shares_no_content_word_with_its_gold_or_its_heading() -> None:
    wrong = [
        f"{needle.id}: {span.file}:{span.start}" for needle, span, text in spans() if needle.kind == "turn"
        and content_words(needle.query)
        & content_words("\n".join([_heading(text, span.start), *text[span.start - 1 : span.end]]))
    ]
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


A, B = Span("a.md", 3, 5), Span("b.md", 1, 1)


@pytest.mark.parametrize(("needs", "printed", "found"), [
    (((A,),), [("a.md", [(1, 9)])], [[0]]), (((A,),), [("a.md", [(3, 4)])], [[]]), (((A,),), [("a.md", [(3, 4)]), ("a.md", [(5, 5)])], [[], [0]]),
    (((A,),), [("b.md", [(1, 9)])], [[]]), (((A, B),), [("b.md", [(1, 1)]), ("a.md", [(1, 9)])], [[0], []]),
    (((A,), (B,)), [("b.md", [(1, 1)]), ("a.md", [(1, 9)])], [[1], [0]]), (((A,),), [], []), ((), [("a.md", [(1, 9)])], [[]]),
], ids=["whole", "in part", "by two passages", "another file", "either of two spans", "two needs", "nothing", "no need"])
def test_a_need_is_met_where_all_its_lines_are_printed_but_blank_ones(
    needs: tuple[tuple[Span, ...], ...], printed: list[tuple[str, list[tuple[int, int]]]], found: list[list[int]]
) -> None:
    needle = Needle("x", "dec_2025", "lookup", "story", "q", tuple(map(Need, needs)))
    assert met(needle, printed, {}) == found
    blank = {"a.md": frozenset({4})}
    assert met(Needle("x", "v", "lookup", "story", "q", (Need((A,)),)), [("a.md", [(3, 3), (5, 5)])], blank) == [[0]]


# --- questions to the rulebook ------------------------------------------------------------------


@cache
def questions() -> tuple[Question, ...]:
    return load_questions()


@pytest.mark.slow
def test_all_gold_is_in_the_default_rulebook() -> None:
    sections = parse_rulebook(default_rulebook().text)
    assert len(in_book(questions(), sections)) == len(questions())


# --- the contract's turns -----------------------------------------------------------------------

RECORDS = {"npc_data": "npc", "location_data": "loc", "item_data": "item", "faction_data": "faction", "quest_data": "quest"}
MOST_CHARS = 4_000


@cache
def turns() -> tuple[ContractTurn, ...]:
    return load_turns()


def routed(turn: ContractTurn) -> TurnRoute:
    return route(TurnRequest("c", turn.input, turn.mode, turn.audience, turn.state))


def test_inputs_and_seeds_are_different_and_no_turn_is_a_needle() -> None:
    inputs = {normalise(turn.input) for turn in turns()}
    assert len(inputs) == len({turn.seed for turn in turns()}) == len(turns())
    assert all(0 <= turn.seed < 2**63 for turn in turns())
    assert all(re.fullmatch(rf"{turn.mode}-[0-9]{{2}}", turn.id) for turn in turns())
    assert inputs.isdisjoint(normalise(needle.query) for needle in needles())


@pytest.mark.parametrize("turn", turns(), ids=lambda turn: turn.id)
def test_a_turn_could_have_come_about_and_has_an_answer_that_keeps_the_contract(turn: ContractTurn) -> None:
    assert routed(turn).mode == turn.mode
    assert turn.input == turn.input.strip() != ""
    assert turn.state
    assert set(turn.state) <= set(BRANCHES)
    assert update_problems({}, turn.state) == ()
    assert range_problems(turn.state) == ()
    assert len(json.dumps(turn.state)) <= MOST_CHARS
    known = {key: kind for branch, kind in RECORDS.items() for key in turn.state.get(branch, {})}
    assert all(is_entity_id(key) and key.startswith(f"{kind}_") for key, kind in known.items())
    hero = turn.state.get("player_character_data", {}).get("id", "")
    assert {text for text in texts(turn.state) if is_entity_id(text)} <= {*known, hero}
    _, text = fallback_answer(routed(turn), turn.state)
    assert check_answer(text, Facts(turn.mode, turn.input, turn.state)).violations == ()


def texts(value: Any) -> Iterator[str]:
    """Every string in a state, keys apart."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for below in value.values() if isinstance(value, Mapping) else value:
            yield from texts(below)
