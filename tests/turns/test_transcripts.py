"""Turns that a language model played: honest answers are taken, weak ones repaired or all their faults named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from mvp_site.turns.checking import MODE_LINES, ContractCheck, Facts, check_answer
from mvp_site.turns.dice_expression import read_expression
from mvp_site.turns.routing import TurnRoute, route
from mvp_site.turns.state import merged
from mvp_site.turns.types import Roll, TurnRequest

from ..conftest import REPOSITORY

Json = dict[str, Any]
MISSED: Final[dict[int, Json]] = {27: {"player_character_data": {"xp": 937, "hp_current": 31, "spell_slots": {"level_1": {"current": 2}}}}}
"""What turns that are not in the file had changed before one that is."""
REPAIRED: Final = {(27, 0): ["code_fence"], (28, 0): ["mode_line", "outside_json"], (29, 0): ["mode_line"]}
"""The warnings of answers that are taken, by turn and place."""
BARE: Final = {(3, 0), (8, 0), (11, 0), (14, 0), (17, 0), (29, 0), (30, 1)}
"""Those with new records that lack a race, a kind or a description; so did the first state of then."""
NAMED: Final[dict[tuple[int, int], list[str]]] = {
    (4, 0): ["debug_info", "entities_mentioned", "god_mode_response", "location_confirmed", "state_updates", "planning_block.choices", "dice_rolls"],
    (30, 0): [
        "notes", "planning_block.choices.Knock Twice.risk_level", "planning_block.choices.keep_watching.risk_level", "planning_block.choices.Knock Twice",
        "state_updates.player_character_data.currency.gp", "dice_rolls.0.roll_id", "dice_rolls.1.roll_id",
    ],
    (31, 0): [
        "debug_info.dm_notes", "planning_block.choices", "narrative", "state_updates.player_character_data.hp", "entities_mentioned.0", "entities_mentioned.1", "session_header.Timestamp", "session_header.Status",
    ],
    (31, 1): ["state_updates.player_character_data.hp", "session_header.Timestamp"],
}
"""The places of all faults of answers that are refused."""


@dataclass(frozen=True)
class Played:
    """One answer of the file with the facts of its turn."""

    turn: int
    place: int
    raw: str
    facts: Facts

    def check(self, raw: str = "", *, strict: bool = False) -> ContractCheck:
        return check_answer(raw or self.raw, self.facts, strict=strict)


def rolls_of(replies: list[Json]) -> list[Roll]:
    """The rolls that a turn's calls made, with the numbers that its last answer shows."""
    answers = [json.loads(body[0]) for reply in replies if (body := re.search(r"\{.*\}", reply.get("text", ""), re.DOTALL)) and "// note" not in body[0]]
    shown = {entry["roll_id"]: entry for entry in answers[-1]["dice_rolls"]}
    calls = [json.loads(call["arguments"]) for reply in replies for call in reply.get("calls", ()) if call["name"] == "roll_dice"]
    rolls = []
    for number, call in enumerate(calls, 1):
        entry, expression = shown[f"r{number}"], read_expression(call["expression"])
        target, value = ("AC", call["ac"]) if "ac" in call else ("DC", call["dc"]) if call.get("dc") else (None, None)
        rolls.append(Roll(f"r{number}", call["expression"], call["purpose"], tuple(entry["dice"]), expression.modifier, entry["total"], expression.advantage, target, value))  # type: ignore[arg-type]
    return rolls


def played() -> Iterator[Played]:
    """Every answer, each turn on the state that the turn before left."""
    state: Any = json.loads((REPOSITORY / "prompt_archive/first_state.json").read_text("utf-8"))
    for line in (Path(__file__).parent / "data/saltgate.jsonl").read_text("utf-8").splitlines():
        turn = json.loads(line)
        state = merged(state, MISSED.get(turn["turn"], {}))
        where = route(TurnRequest("wren", turn["args"][0], "dm" if "dm" in turn["args"] else "story", "god"))
        assert isinstance(where, TurnRoute)
        made: list[Roll] = []
        after: Any = state
        for place, text in enumerate(reply["text"] for reply in turn["replies"] if "text" in reply):
            answered = next(at for at, reply in enumerate(turn["replies"]) if reply.get("text") == text)
            made = rolls_of(turn["replies"])[: sum(call["name"] == "roll_dice" for reply in turn["replies"][:answered] for call in reply.get("calls", ()))]
            answer = Played(turn["turn"], place, text, Facts(where.mode, turn["args"][0], state, tuple(made)))
            yield answer
            checked = answer.check()
            after = checked.state_after if checked.state_after is not None and not checked.violations else after
        state = state if turn["fallback"] else after  # then the campaign stood still


PLAYED: Final = list(played())
HONEST: Final = [answer for answer in PLAYED if answer.turn <= 20 and (answer.turn, answer.place) not in NAMED]


@pytest.mark.parametrize("answer", PLAYED, ids=lambda answer: f"{answer.turn}-{answer.place}")
def test_an_answer_is_taken_or_all_its_faults_are_named(answer: Played) -> None:
    checked, key = answer.check(), (answer.turn, answer.place)
    if (answer.turn, answer.place) == (29, 1):  # a comment that hides a bracket: nothing was asked for after 29-0
        assert [fault.rule for fault in checked.violations] == ["json"]
        return
    assert [fault.path for fault in checked.violations] == NAMED.get(key, [])
    if key not in NAMED:
        assert list(dict.fromkeys(hint.rule for hint in checked.warnings)) == [*REPAIRED.get(key, []), *["state_name"] * (key in BARE)]
        assert bool(answer.check(strict=True).violations) == (key in REPAIRED)


def test_an_invented_roll_is_told_to_be_made() -> None:
    answer = next(answer for answer in PLAYED if (answer.turn, answer.place) == (30, 0))
    invented = [fault.message for fault in answer.check().violations if fault.rule == "roll_made"]
    assert len(invented) == 2
    assert all("call roll_dice for each roll that you have not made" in message for message in invented)


# --- planted damages ----------------------------------------------------------------------------

Damage = Callable[[Played, Json], str | Json | None]
"""A damaged answer, as text or as the object to be written; None where it has no place for it."""


def having(answer: Json, place: str, value: Any) -> Json:
    damaged = deepcopy(answer)
    *above, last = place.split("/")
    here: Any = damaged
    for key in above:
        here = here[int(key)] if isinstance(here, list) else here[key]
    here[last] = value
    return damaged


def choices(answer: Json, alter: Callable[[str, Json], tuple[str, Json]]) -> Json | None:
    """The answer with its first choice altered."""
    if not (block := answer.get("planning_block")):
        return None
    (key, choice), *rest = block["choices"].items()
    return having(answer, "planning_block/choices", dict([alter(key, deepcopy(choice)), *rest]))


def line_of(answer: Played) -> str:
    return MODE_LINES[answer.facts.mode]


def body_of(answer: Played) -> str:
    return answer.raw.partition("\n")[2]


HARMLESS: Final[dict[str, Damage]] = {
    "a fence": lambda a, _: f"```json\n{a.raw}\n```",
    "a fence around the object": lambda a, _: f"{line_of(a)}\n```\n{body_of(a)}\n```",
    "thoughts": lambda a, _: f"<think>\nThe guard {{Tobin}} may hear. {{\"a\": 1, \"b\": 2}}\n</think>\n\n{a.raw}",
    "thoughts whose beginning is lost": lambda a, _: f"The guard may hear.\n</think>\n{a.raw}",
    "words before": lambda a, _: f"Sure! Here is the next turn:\n\n{a.raw}",
    "words after": lambda a, _: f"{a.raw}\n\nShall I go on?",
    "no mode line": lambda a, _: body_of(a),
    "a bold mode line": lambda a, _: f"**{line_of(a)}**\n{body_of(a)}",
    "a mode line as a heading": lambda a, _: f"## Mode: {a.facts.mode.title()}\n\n{body_of(a)}",
    "a mode line on the object's line": lambda a, _: f"{line_of(a)} {body_of(a)}",
    "a mode line below": lambda a, _: f"{body_of(a)}\n{line_of(a)}",
    "a trailing comma": lambda a, _: re.sub(r"\s*\}\s*$", ",\n}", a.raw),
    "comments": lambda a, _: re.sub(r'^(  "resources")', r"  // what is left\n\1", a.raw, flags=re.MULTILINE).replace('"debug_info":', '/* notes */ "debug_info":'),
    "line breaks in a string": lambda a, answer: a.raw.replace("\\n\\n", "\n\n") if "\\n\\n" in a.raw else None,
    "letter case": lambda _, answer: choices(answer, lambda key, choice: (key, choice | {"risk_level": choice["risk_level"].upper()})),
    "null for an optional field": lambda _, answer: having(answer, "planning_block/context", None) if "planning_block" in answer else None,
    "an empty object for an optional field": lambda _, answer: choices(answer, lambda key, choice: (key, choice | {"confidence": {}})) if "pros" not in a_choice(answer) else None,
    "null for what is empty": lambda a, answer: having(answer, "god_mode_response", None) if a.facts.mode != "god" else having(answer, "narrative", None),
    "an unknown field of a choice": lambda _, answer: choices(answer, lambda key, choice: (key, choice | {"dc": 12})),
    "an unknown field of debug_info": lambda _, answer: having(answer, "debug_info/mood", "grim"),
}


def a_choice(answer: Json) -> Json:
    return next(iter(answer.get("planning_block", {}).get("choices", {}).values()), {"pros": []})


def damages(damage: Damage, step: int = 1) -> Iterator[tuple[Played, str]]:
    """Of every ``step``-th honest answer those that a damage has a place in, each with its damaged text."""
    for answer in HONEST[::step]:
        damaged = damage(answer, json.loads(body_of(answer)))
        if damaged is not None:
            yield answer, damaged if isinstance(damaged, str) else f"{line_of(answer)}\n{json.dumps(damaged, ensure_ascii=False)}"


some_and_all = pytest.mark.parametrize("step", [pytest.param(3, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)])


@some_and_all
@pytest.mark.parametrize("name", HARMLESS)
def test_what_changes_no_meaning_is_repaired_with_a_warning(name: str, step: int) -> None:
    for answer, damaged in damages(HARMLESS[name], step):
        checked, sound = answer.check(damaged), answer.check()
        assert checked.violations == (), (answer.turn, damaged[:200])
        assert len(checked.warnings) > len(sound.warnings)
        assert (checked.answer, checked.state_after) == (sound.answer, sound.state_after)
        assert answer.check(checked.text, strict=True).answer == sound.answer, "what is kept is as it should have been written"
        assert answer.check(damaged, strict=True).violations


def test_the_damages_are_hundreds() -> None:
    assert sum(len(list(damages(damage))) for damage in HARMLESS.values()) >= 200
    assert len(HONEST) == 20
