"""What of the machinery, and of internal terms, shows in a narrative; and prose that only looks like it.

The texts stand in ``data/prose.json``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mvp_site.turns.checking import cut_terms
from mvp_site.turns.rules.prose import terms_in

from .answers import FIGHT, GOLD, RULING, SNEAK, Turn

TEXTS = json.loads((Path(__file__).parent / "data/prose.json").read_text("utf-8"))
CLEAN = FIGHT.having("dice_rolls", []).rolled()


def of(kind: str) -> list[tuple[str, str]]:
    """Every text of a kind, with the rule that reads it."""
    return [(rule, text) for rule, texts in TEXTS.items() for text in texts[kind]]


def test_what_shows() -> None:
    for rule, text in of("shows"):
        assert CLEAN.saying(f"It is late. {text}").named(rule), text
        assert rule != "internal_terms" or terms_in(text), text


def test_what_may_show_is_told_and_not_refused() -> None:
    for rule, text in of("may_show"):
        checked = CLEAN.saying(f"It is late. {text} The river goes on.").check()
        assert not checked.violations, text
        assert [(found.rule, found.path) for found in checked.warnings] == [(rule, "narrative")], text


def test_what_is_prose() -> None:
    for rule, text in of("plain"):
        assert rule != "internal_terms" or terms_in(text) == (), text
        for turn in (FIGHT, SNEAK):
            assert turn.saying(f"It is late. {text}\n\nThe river goes on.").check().violations == (), text


def test_only_a_story_is_read() -> None:
    told = "You rolled 14 + 5 = 19 against DC 15; hp_current is 19."
    assert RULING.saying(told).named("narrative_debug") == []
    found, = SNEAK.saying(told).named("narrative_debug")
    assert found.path == "narrative"
    assert "tell what happens in plain prose" in found.message


@pytest.mark.parametrize(("turn", "place", "value"), [
    (SNEAK, "planning_block/thinking", "Play her as INTJ, lawful evil."),
    (SNEAK, "debug_info/dm_notes/0", "high neuroticism"),
    (SNEAK, "planning_block/context", "true neutral"),
    (GOLD, "god_mode_response", "Her profile holds INTJ."),
])
def test_what_the_rule_does_not_read(turn: Turn, place: str, value: object) -> None:
    assert not turn.having(place, value).check().violations


@pytest.mark.parametrize(("name", "text", "caught"), [
    ("Infp Aldermoor", "Infp nods. \u201cInfp!\u201d Infp's hat.", False), ("Infp Aldermoor", "Infp is an INFP.", True), ("Infp Aldermoor", "Infp is an ENTJ.", True), ("Aldermoor", "Infp nods.", True),
    ("ISTP-9", "ISTP-9 hums.", False), ("Lawful Good", "He is Lawful Good.", True),
])
def test_a_code_that_is_a_name_is_a_name(name: str, text: str, caught: bool) -> None:
    turn = SNEAK.in_state("npc_data/npc_ford_warden_001/name", name).saying(text)
    assert bool(turn.named("internal_terms")) is caught
    assert turn.named("internal_terms") == turn.in_state("npc_data/npc_ford_warden_001/full_name", name).named("internal_terms")


def test_a_name_may_stand_in_a_choice_and_its_key() -> None:
    turn = SNEAK.having("planning_block/choices/ask_infp", {"text": "Ask Infp", "description": "Infp knows.", "risk_level": "low"})
    assert [found.path for found in turn.named("internal_terms")] == ["planning_block.choices.ask_infp"]
    assert turn.in_state("quest_data/quest_lost_carter_001/giver_name", "Old Infp").named("internal_terms") == []


def test_a_place_is_named_once_with_the_first_terms() -> None:
    found, = SNEAK.saying("INTJ, INFP, INTJ, lawful evil, ESTP, neuroticism").named("internal_terms")
    assert found.message.startswith("names 'INTJ', 'INFP', 'ESTP', 'neuroticism', 'lawful evil': ")


def test_the_last_answer_loses_the_sentence_and_not_the_turn() -> None:
    told = SNEAK.saying("Rain falls. The guard is clearly chaotic evil. \u201cWho goes?\u201d he asks.")
    told = told.having("planning_block/choices/look_about", {"text": "Ask the INTJ", "description": "He is lawful evil. He waits.", "risk_level": "low"})
    mended = cut_terms(told.check(), told.facts)
    assert mended is not None
    assert (mended.violations, mended.answer["narrative"]) == ((), "Rain falls. \u201cWho goes?\u201d he asks.")
    assert mended.answer["planning_block"]["choices"]["look_about"] == {"text": "Look about", "description": "He waits.", "risk_level": "low"}
    assert {fault.path for fault in mended.warnings if fault.rule == "internal_terms"} == {"narrative", "planning_block.choices.look_about"}
    assert cut_terms(SNEAK.saying("She is an INTJ.").check(), SNEAK.facts) is None, "nothing would be left"
    assert cut_terms(told.saying("hp_current falls. He is an INTJ.").check(), told.facts) is None, "it breaks another rule too"


@pytest.mark.parametrize(("text", "left"), [
    ("Dr. Vane is lawful evil. He bows.", "He bows."), ("The road to St. Orla is long. Mr. Pell, an INTJ, waits. It rains.", "The road to St. Orla is long. It rains."),
    ("He nods. \u201cShe is chaotic evil!\u201d whispers the guard. You wait.", "He nods. You wait."), ("It rains.\nThe guard is lawful\nevil. He waits.", "It rains.\nHe waits."),
])
def test_a_sentence_is_cut_whole(text: str, left: str) -> None:
    mended = cut_terms(SNEAK.saying(text).check(), SNEAK.facts)
    assert mended is not None
    assert mended.answer["narrative"] == left


@pytest.mark.slow
def test_public_prose_names_no_terms() -> None:
    folder = Path("/usr/share/games/fortunes")
    if not folder.is_dir():
        if os.environ.get("CI_REQUIRE_PROSE"):
            pytest.fail("no public prose: apt-get install fortunes")
        pytest.skip("no public prose: apt-get install fortunes")
    texts = [text for file in sorted(folder.iterdir()) if not file.suffix and not file.is_symlink()
             for text in file.read_text("utf-8", "replace").split("\n%\n") if len(text) > 120]
    assert len(texts) >= 500
    assert [(text, terms_in(text)) for text in texts if terms_in(text)] == []
