"""For each rule a strategy that plants a breach of it into a good answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from mvp_site.turns.checking import MODE_LINES, Facts
from mvp_site.turns.dice import entry

from .answers import (
    CORRECTION,
    DMS,
    FIGHT,
    GODS,
    MISSING,
    NIGHT,
    NOVICE,
    REWIND,
    SNEAK,
    STATE,
    STORIES,
    SWIM,
    THINK,
    THINKS,
    TURNS,
    Turn,
    choice,
    weighed,
)

Planted = st.SearchStrategy[tuple[str, Facts]]
TIME = "state_updates/world_data/world_time"
PC = "state_updates/player_character_data"
CHOICE = "planning_block/choices/*"
GONE = st.just("__DELETE__")
LOST = st.just(MISSING)
WORDS = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=9)
PROSE = st.lists(WORDS, min_size=1, max_size=8).map(lambda words: " ".join(words).capitalize() + ".")
NUMBER = st.integers(-50, 5_000)
BLANK = st.sampled_from(["", " ", "\n", "\t \n"])
PLANNED = tuple(turn for turn in TURNS if "planning_block" in turn.answer)
THROWN = tuple(turn for turn in STORIES if turn.facts.rolls)
SHOWN = tuple(turn for turn in TURNS if turn.answer["session_header"])
KIND = st.sampled_from(["pc", "npc", "loc", "item", "faction", "quest"])


def planting(turns: Iterable[Turn], places: str | list[str], values: Any) -> Planted:
    """Answers with another value at one of some places; ``*`` is the first key there."""

    def plant(turn: Turn, place: str, value: Any) -> tuple[str, Facts]:
        if "*" in place:
            above, below = place.split("/*")
            first, *_ = turn.answer["planning_block"]["choices"]
            place = f"{above}/{first}{below}"
        planted = turn.having(place, value)
        return planted.text, planted.facts

    places = [places] if isinstance(places, str) else places
    return st.builds(plant, st.sampled_from([*turns]), st.sampled_from(places), values if isinstance(values, st.SearchStrategy) else st.sampled_from(values))


def written(*makes: str, words: st.SearchStrategy[str] = PROSE) -> Planted:
    """Answers whose text is put together otherwise, of their line, their body and some words."""
    return st.builds(
        lambda turn, make, said: (make.format(*turn.text.split("\n", 1), said, cut=turn.text[:-9].split("\n", 1)[1], open=turn.text[:-1].split("\n", 1)[1]), turn.facts),
        st.sampled_from(TURNS), st.sampled_from(makes), words,
    )


def other(turns: Iterable[Turn], alter: Any, values: Any = st.none()) -> Planted:  # noqa: B008
    """Answers that a function alters."""
    return st.builds(alter, st.sampled_from([*turns]), values).map(lambda turn: (turn.text, turn.facts))


CODES = [a + b + c + d for a in "IE" for b in "NS" for c in "TF" for d in "JP"]
SCALES = ["neuroticism score", "conscientiousness: 7", "extraversion trait", "high in extroversion", "agreeableness (low", "low in openness"]
MORALS = [f"{one}{joint}{two}" for one, two in (("lawful", "evil"), ("neutral", "good"), ("chaotic", "neutral"), ("true", "neutral")) for joint in ("-", "_", "–", "/", "", "\u200b")]
ALTERED = [
    str.upper, str.lower, str.title, lambda term: term.translate({code: chr(code + 0xFEE0) for code in range(0x21, 0x7F)}),
    lambda term: term.translate(str.maketrans("aeopcyxiIETOPHACMBK", "аеорсухіІЕТОРНАСМВК")),
    *(lambda term, odd=odd: term[:2] + odd + term[2:] for odd in ("\u00ad", "\u200b", "\u2060", "\u0301", "\u0336")),
]
TERMS = st.builds(
    lambda term, alter, around, before: f"{before} {around.format(alter(term))} {before}", st.sampled_from([*CODES, *SCALES, *MORALS]),
    st.sampled_from(ALTERED), st.sampled_from(["{}", "“{}”", "{}-like", "({})", "{}, or so", "*{}*"]), PROSE,
)
SHOWS = st.builds(
    lambda shown, a, word: f"It is late. {shown.format(a, word)} He nods.",
    st.sampled_from(["7 + {0} against DC {0}", "DC{0}", "npc_{1}_0{0} nods", "1d20+{0}", "{0}d6", "2d20kh1", "HP {0}/30", '{{"{1}": {0}}}', "a Dexterity saving throw",
                     "[SESSION_HEADER]", "__DELETE__", "The dm_notes say so", "hp_current", "state_updates"]),
    st.integers(10, 30), WORDS,
)
ODD_KEYS = WORDS.flatmap(lambda word: st.sampled_from([word.capitalize(), f"{word}-{word}", f"{word} {word}", f"1{word}", f"_{word}", f"{word}!", f"{word}\n", f"{word}é", f"God:{word}", f"god: {word}", f"god::{word}", ""]))
ODD_IDS = WORDS.flatmap(lambda word: st.sampled_from([word, f"npc_{word}", f"npc_{word}_1", f"{word}_{word}_001x", f"NPC_{word}_001", f"npc-{word}-001", f"npc_{word}_0001 ", f"person_{word}_001"]))
UNITS = {"month": 12, "day": 31, "hour": 23, "minute": 59, "second": 59, "microsecond": 999_999}
OTHER_LEAVES = [(f"{PC}/hp_current", 3), (f"{PC}/gold", 0), (f"{PC}/plan", "swim"), ("state_updates/custom_campaign_state/notes", ["a plan"]), ("state_updates/item_data/item_iron_key_002", "__DELETE__")]
DELETED = ["npc_data/npc_ford_warden_001", "npc_data/npc_drowned_guard_001", "item_data/item_arrows_001", "quest_data/quest_lost_carter_001"]
NAMED_AT = ["faction_data/faction_salt_toll_001/leader", "custom_campaign_state/watch", "world_data/scheduled_events/riders_come/by"]


def told(turn: Turn, alter: Any) -> Turn:
    """A turn whose session header is another."""
    return turn.having("session_header", alter(turn.answer["session_header"]))


def other_number(turn: Turn, drawn: tuple[str, int]) -> Turn:
    """A turn whose status shows another number than the state has."""
    head, _, status = turn.answer["session_header"].rpartition("\n")
    found = re.search(drawn[0], status)
    assert found
    number = drawn[1] + (drawn[1] == int(found[0]))
    return turn.having("session_header", f"{head}\n{status[: found.start()]}{number}{status[found.end() :]}")


def rested(back: dict[str, Any], said: str) -> Turn:
    return NIGHT.asked(said).having(PC, back)


MUTATIONS: dict[str, Planted] = {
    "mode_line": written("{2}\n{1}", "{1}", "**{0}**\n{1}", "{0}.\n{1}", "# {0}\n{1}", "\u200b{0}\n{1}", "{2}{0}\n{1}") | written("{2}\n{1}", words=st.sampled_from([line[:-1] for line in MODE_LINES.values()])),
    "outside_json": written("{2}\n{0}\n{1}", "{0}\n{2}\n{1}", "{0}\n{1}\n{2}") | written("{0}\n{1}\n\n{2}", words=st.sampled_from(["(end)", "---", "1", "null", "{}", "<answer>"])),
    "code_fence": written(*(f"{make}" for fence in ("```", "~~~", "````json") for make in (
        f"{{0}}\n{fence}\n{{1}}\n{fence}", f"{fence}\n{{0}}\n{{1}}\n{fence}", f"{{0}}\n{fence}\n{{1}}", f"{{0}}\n{{1}}\n{fence}"))) | planting(STORIES, "narrative", ["He goes.\n```\nso\n```", "~~~text\nso\n~~~"]),
    "json": written("{0}\n{2}", "{0}\n[{1}]", "{0}\n{cut}", "{0}\n{open},}}", '{0}\n{open}, "resources": 1}}', *(f'{{0}}\n{{open}}, "zz": {odd}}}}}' for odd in (
        "NaN", "-Infinity", "1e999", "undefined", "None", '"\\q"', '"\x01"', '"\\u0000"', f"{'[' * 70}{']' * 70}"))),
    "schema": planting(TURNS, [
        "session_header", "resources", "narrative", "dice_rolls", "god_mode_response", "entities_mentioned", "location_confirmed", "state_updates", "debug_info", "debug_info/dm_notes",
        "debug_info/state_rationale",
    ], LOST | NUMBER | st.booleans()) | planting(TURNS, ["zz", "debug_info/zz"], NUMBER) | planting(PLANNED, [f"{CHOICE}/{name}" for name in ("text", "description", "risk_level")], LOST | NUMBER)
    | planting(THROWN, [f"dice_rolls/0/{name}" for name in ("roll_id", "purpose", "expression", "dice", "modifier", "total", "advantage", "success")], LOST),
    "mode_fields": planting(STORIES, "narrative", BLANK) | planting([*THINKS, *GODS], "narrative", PROSE) | planting(GODS, "god_mode_response", BLANK)
    | planting([*STORIES, *THINKS, *DMS], "god_mode_response", PROSE) | planting([*STORIES, *THINKS, *GODS], "planning_block", LOST) | planting([*STORIES, *GODS], "state_updates", [{}])
    | planting(STORIES, "planning_block/choices", [{f"way_{n}": choice("go") for n in range(count)} for count in (0, 1, 7, 12)])
    | planting([*STORIES, *DMS], ["session_header", "resources"], BLANK) | planting(THINKS, [f"{CHOICE}/{name}" for name in ("pros", "cons", "confidence")], LOST),
    "choice_keys": st.builds(lambda turn, key: turn.having(f"planning_block/choices/{key}", (weighed if turn.facts.deep_think else choice)("go")), st.sampled_from(PLANNED), ODD_KEYS)
    .map(lambda turn: (turn.text, turn.facts)) | planting(GODS, "planning_block/choices/god:return_story", LOST) | planting(GODS, "planning_block/choices/plain", [choice("go")]),
    "internal_terms": planting([*STORIES, *DMS], "narrative", TERMS) | planting(PLANNED, [f"{CHOICE}/text", f"{CHOICE}/description"], TERMS) | planting(THINKS, [f"{CHOICE}/pros", f"{CHOICE}/cons"], TERMS.map(lambda said: ["so", said]))
    | planting(STORIES, [f"planning_block/choices/be_{code.lower()}_now" for code in CODES], [choice("go")]),
    "narrative_debug": planting([SNEAK, FIGHT], "narrative", SHOWS),
    "time_forward": planting([*STORIES, *DMS], TIME, st.builds(lambda back: {"year": 1492 - back}, st.integers(1, 900)))
    | st.sampled_from(sorted(UNITS)).flatmap(lambda unit: planting(TURNS, f"{TIME}/{unit}", st.integers(max_value=-1) | st.integers(min_value=UNITS[unit] + 1))),
    "deep_think": planting([THINK], f"{TIME}/microsecond", st.integers(2, 999_999) | st.just(0)) | planting(THINKS, TIME, [{}]) | planting(THINKS, f"{TIME}/hour", st.integers(22, 23))
    | st.sampled_from(OTHER_LEAVES).flatmap(lambda leaf: planting(THINKS, leaf[0], [leaf[1]])) | other(THINKS, lambda turn, _: turn.rolled(SWIM).having("dice_rolls", [entry(SWIM)])),
    "state_branch": planting(TURNS, "state_updates/zz_data", NUMBER) | planting(TURNS, [f"{PC}/hit_dice", "state_updates/world_data/weather", TIME, "state_updates/npc_data", PC], GONE | NUMBER | WORDS)
    | other(TURNS, lambda turn, hp: turn.having(PC, turn.facts.state["player_character_data"] | {"hp_current": hp}), NUMBER)
    | planting(TURNS, "state_updates/npc_data/npc_ford_warden_001", [STATE["npc_data"]["npc_ford_warden_001"] | {"trust": 4}]),
    "state_delete": st.sampled_from(["item_data/item_{}_909", "npc_data/npc_{}_909", "player_character_data/zz{}", "world_data/scheduled_events/zz{}", "location_data/loc_{}_909/name"]).flatmap(
        lambda place: WORDS.flatmap(lambda word: planting(TURNS, f"state_updates/{place.format(word)}", GONE))),
    "state_type": planting(TURNS, [f"{PC}/hp_current", f"{PC}/gold", "state_updates/npc_data/npc_ford_warden_001/trust"], WORDS | st.booleans() | st.just([1]))
    | planting(TURNS, [f"{PC}/name", "state_updates/world_data/weather/sky", f"{PC}/languages", f"{PC}/inspiration"], NUMBER | st.just({"a": 1})),
    "state_reference": st.tuples(st.sampled_from(NAMED_AT), st.sampled_from(DELETED)).flatmap(lambda drawn: other([SNEAK, NIGHT, CORRECTION], lambda turn, _: turn.in_state(
        drawn[0], drawn[1].partition("/")[2]).having("state_updates", {"custom_campaign_state": {"tone": "dry"}}).having(f"state_updates/{drawn[1]}", "__DELETE__")))
    | planting([SNEAK, NIGHT, CORRECTION], "state_updates/location_data", [dict.fromkeys(STATE["location_data"], "__DELETE__")]),
    "state_player": planting(TURNS, f"{PC}/id", GONE | st.none() | WORDS | WORDS.map(lambda word: f"pc_{word}_909")),
    "state_range": planting(TURNS, [f"{PC}/{name}" for name in ("hp_current", "level", "xp", "gold", "exhaustion")], st.integers(max_value=-1) | st.integers(10**15 + 1, 10**3_000))
    | planting(TURNS, [f"{PC}/{name}" for name in ("hp_current", "level", "xp")], GONE | st.none() | st.just(18.5)) | planting(TURNS, f"{PC}/hp_current", st.integers(29, 900)),
    "entity_ids": planting(TURNS, "entities_mentioned", (ODD_IDS | st.builds("{}_{}_909".format, KIND, WORDS)).map(lambda odd: [odd]))
    | st.sampled_from(["npc_data", "location_data", "item_data"]).flatmap(lambda branch: ODD_IDS.flatmap(lambda odd: planting(TURNS, f"state_updates/{branch}/{odd}", [{"name": "x"}]))),
    "travel_time": planting([turn.having(TIME, still) for turn in STORIES if turn is not NIGHT for still in ({}, {"minute": 5})], "state_updates/world_data/current_location_id", ["loc_toll_cellar_001", "loc_run_vale_001", "loc_far_away_001"])
    | planting([SNEAK.having(TIME, {}), FIGHT.having(TIME, {})], "location_confirmed", ["Toll house, cellar", "toll house, cellar", "loc_toll_cellar_001"]),
    "rest_time": planting([
        rested({"spell_slots": {"level_1": {"current": 3}}}, "We take a long rest."), rested({"hp_current": 28, "hit_dice": {"current": 3}}, "long rest"), rested({"hit_dice": {"current": 3}}, "I look about."),
    ], TIME, st.integers(0, 6).map(lambda hour: {"day": 5, "hour": hour})) | planting(
        [SNEAK.asked("We take a short rest, and I spend a hit die.").having(PC, {"hp_current": 26, "hit_dice": {"current": 1}})], f"{TIME}/minute", st.integers(5, 59)),
    "session_header": other(SHOWN, told, st.integers(0, 3).map(lambda at: lambda text: "\n".join(line for n, line in enumerate(text.split("\n")) if n != at)))
    | other(SHOWN, told, st.just(lambda text: "\n".join(reversed(text.split("\n"))))) | other(SHOWN, told, st.sampled_from(["Lvl", "HP", "XP", "Gold"]).map(lambda label: lambda text: text.replace(label, "Rank")))
    | other([SNEAK, FIGHT, CORRECTION], told, st.integers(0, 20).map(lambda hour: lambda text: text.replace(" 21:", f" {hour:02}:"))) | other([SNEAK, FIGHT], told, st.integers(5, 31).map(lambda day: lambda text: text.replace("Mirtul 4", f"Mirtul {day}"))),
    "status_line": other(SHOWN, other_number, st.tuples(st.sampled_from([r"(?<=Lvl )\d+", r"(?<=HP )\d+", r"(?<=/)28", r"(?<=XP )\d+", r"(?<=Gold )\d+"]), st.integers(0, 10**6))),
    "half_caster": planting(
        [turn.in_state("player_character_data/level", 1).in_state("player_character_data/class", role) for turn in (NOVICE, CORRECTION, SNEAK, THINK, REWIND) for role in ("Paladin", "ranger", "Half-elf Paladin")],
        "resources", PROSE | st.sampled_from(["HD 1/1 | Spells L1 2/2 | Exhaustion 0", "No Spells", "No Spells Yet", "Level 2+"])),
    "roll_made": planting(THROWN, "dice_rolls/0/roll_id", WORDS | st.integers(3, 99).map(lambda n: f"r{n}")) | planting(THROWN, ["dice_rolls/0/total", "dice_rolls/0/modifier"], st.integers(30, 900))
    | planting(THROWN, "dice_rolls/0/dice", [[1, 1, 1], [], [2]]) | other(THROWN, lambda turn, _: turn.having("dice_rolls", turn.answer["dice_rolls"] * 2)) | other(THROWN, lambda turn, _: turn.rolled(*turn.facts.rolls[1:])),
    "roll_shown": planting(THROWN, "dice_rolls", [[]]) | other([SNEAK, FIGHT], lambda turn, order: turn.having("dice_rolls", [turn.answer["dice_rolls"][at] for at in order]), st.sampled_from([[1, 0], [0], [1]])),
    "roll_target": planting(THROWN, [f"dice_rolls/0/{name}" for name in ("target", "target/kind", "target/value")], LOST) | planting(THROWN, "dice_rolls/0/target/kind", WORDS | st.sampled_from(["dc", "CR", None, 5]))
    | planting(THROWN, "dice_rolls/0/target/value", st.integers(30, 60)) | planting(THROWN, "dice_rolls/0/target", NUMBER | WORDS) | other(THROWN, lambda turn, _: turn.having("dice_rolls/0/success", not turn.facts.rolls[0].success)),
    "roll_dice": other(THROWN, lambda turn, _: turn.having("dice_rolls/0/advantage", "none" if turn.facts.rolls[0].advantage != "none" else "advantage")) | planting([SNEAK], "dice_rolls/0/dice", [[], [7]]),
}
