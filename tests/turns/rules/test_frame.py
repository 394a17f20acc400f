"""The frame: mode line, one object, nothing besides."""

from __future__ import annotations

import json

import pytest

from mvp_site.turns.checking import MODE_LINES, check, claimed_rolls
from mvp_site.turns.rules.frame import MAX_CHARS, Split, split_answer
from mvp_site.types import Mode

from ..answers import GOLD, RULING, SNEAK, TURNS, Turn

LINE = MODE_LINES["story"]
BODY = json.dumps(SNEAK.answer, ensure_ascii=False)
PRETTY = json.dumps(SNEAK.answer, ensure_ascii=False, indent=2)
GOOD = f"{LINE}\n{BODY}"


def broken(raw: str, mode: Mode = "story") -> list[str]:
    return [violation.rule for violation in split_answer(raw, mode).violations]


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.name)
def test_a_good_answer_splits(turn: Turn) -> None:
    split = split_answer(turn.text, turn.facts.mode)
    assert split == Split(turn.answer, ())


@pytest.mark.parametrize("raw", [
    GOOD, f"{GOOD}\n", f"\n\n{GOOD}", f"{LINE}\n\n{BODY}", f"{LINE}\r\n{BODY}\r\n", f"{LINE}  \n  {BODY}  ",
    f"{LINE}\n{PRETTY}", f"{LINE}\n{PRETTY}\n\n", f"{LINE}\n\t{BODY}", f"{LINE}\u00a0\n{BODY}\u00a0", f"\u00a0\n{LINE}\u202f\r\n\u00a0{BODY}\n\u2003", GOOD.replace('", "', '",\n"'),
])
def test_white_space_is_no_text(raw: str) -> None:
    assert broken(raw) == []
    assert not check(raw, SNEAK.facts).violations


@pytest.mark.parametrize(("turn", "place", "text", "caught"), [
    (SNEAK, "narrative", "A note:\n```\nkeep out\n```", True),
    (SNEAK, "narrative", "The sign: ```keep out```", False),
    (SNEAK, "narrative", "~~~json\nkeep out\n~~~", True), (SNEAK, "narrative", "He goes.\n~~~\nLater.", False),
    (SNEAK, "narrative", "   ~~~~", False), (SNEAK, "narrative", "```'Tis late,' he quotes,'' says she.", False),
    (RULING, "narrative", "```text\n7 against 12\n```", True),
    (GOLD, "god_mode_response", "```json\n{}\n```", True),
    (SNEAK, "narrative", "He waits~~~ and waits.", False),
    (SNEAK, "narrative", "`Keep out`, says the sign, and ``no``.", False),
    (SNEAK, "narrative", "~ ~ ~\n\nLater.", False),
    (SNEAK, "narrative", "~~\nLater.", False),
    (SNEAK, "debug_info/state_rationale", "```", False),
    (SNEAK, "planning_block/thinking", "```", False),
])
def test_a_fence_within(turn: Turn, place: str, text: str, caught: bool) -> None:
    assert bool(turn.having(place, text).named("code_fence")) is caught


def test_a_line_of_tildes_may_be_a_fence() -> None:
    assert [hint.path for hint in SNEAK.saying("~~~\nkeep out\n~~~").warned("code_fence")] == ["narrative"]


def test_several_faults_of_the_frame_are_told_at_once_each_once() -> None:
    split = check(f"Hello\n```json\n{LINE}\nand\n{BODY}\n```\nbye", SNEAK.facts)
    assert [violation.rule for violation in split.violations] == [
        "mode_line", "outside_json", "outside_json", "code_fence",
    ]
    assert split.answer == SNEAK.answer


@pytest.mark.parametrize("text", ["x", "{", "[", '"', "`", "{}", " ", "\\", "\u0301", "{\n", "~~~\n", '{"a":', "[Mode: STORY MODE]\n"])
def test_ten_megabytes_are_not_read(text: str) -> None:
    raw = f"{LINE}\n" + text * (10_000_000 // len(text))
    checked = check(raw, SNEAK.facts)
    assert checked.answer is None
    assert [violation.rule for violation in checked.violations] == ["json"]
    assert f"{MAX_CHARS:,}" in checked.violations[0].message


@pytest.mark.parametrize(("raw", "claimed"), [
    (SNEAK.text, SNEAK.answer["dice_rolls"]), (RULING.text, []), ("nothing", []), (f"{LINE}\n{{}}", []),
    (f'{LINE}\n{{"dice_rolls": {{}}}}', []), (f'{LINE}\n{{"dice_rolls": [1, null]}}', [1, None]), (f"hello {GOOD} bye", SNEAK.answer["dice_rolls"]),
])
def test_claimed_rolls(raw: str, claimed: list[object]) -> None:
    assert list(claimed_rolls(raw)) == claimed
