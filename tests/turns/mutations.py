"""For each rule a strategy that plants a breach of it into a good answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from mvp_site.turns.contract import MODE_LINES, Facts

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
    THINK,
    THINKS,
    TURNS,
    Turn,
    choice,
    entry,
    weighed,
)

Draw = Callable[[st.SearchStrategy[Any]], Any]
Planted = tuple[str, Facts]
TIME = "state_updates/world_data/world_time"
PC = "state_updates/player_character_data"

WORDS = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=9)
PROSE = st.lists(WORDS, min_size=1, max_size=8).map(lambda words: " ".join(words).capitalize() + ".")
NUMBER = st.integers(-50, 5_000)
SCALAR = st.none() | st.booleans() | NUMBER | WORDS
ANY = st.recursive(SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6)
PLAIN = st.one_of(PROSE, st.just(""))


def as_text(turn: Turn) -> Planted:
    return turn.text, turn.facts


@st.composite
def mode_line(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    line, body = turn.text.split("\n", 1)
    others = [other for other in MODE_LINES.values() if other != line]
    odd = draw(st.one_of(
        st.sampled_from(others), st.just(""), PROSE, st.just(line.lower()), st.just(line[:-1]), st.just(line[1:]),
        st.just(f"**{line}**"), st.just(line.replace("Mode", "mode")), st.just(line + "."), st.just(f"# {line}"),
        st.integers(1, len(line) - 2).map(lambda at: line[:at] + line[at + 1 :]),
        st.integers(1, len(line) - 2).map(lambda at: line[:at] + "\u200b" + line[at:]),
    ))
    joined = draw(st.sampled_from(["\n", "\n\n", " "])) if odd != "" else ""
    return f"{odd}{joined}{body}", turn.facts


@st.composite
def outside_json(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    line, body = turn.text.split("\n", 1)
    stray = draw(st.one_of(PROSE, st.sampled_from(["Here is the turn:", "(end)", line, "<answer>", "---", "I hope you like it!", "1", "null", body])))
    where = draw(st.integers(0, 2))
    parts = [line, body]
    parts.insert(where, stray)
    blank = draw(st.sampled_from(["\n", "\n\n"]))
    if where == 0 and stray == body:
        parts[0] = "{}"
    return blank.join(parts), turn.facts


@st.composite
def code_fence(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    line, body = turn.text.split("\n", 1)
    fence = draw(st.sampled_from(["```", "~~~", "````"]))
    tag = draw(st.sampled_from(["", "json", "JSON", "text"]))
    within = draw(st.integers(0, 4))
    if within == 0:
        return f"{line}\n{fence}{tag}\n{body}\n{fence}", turn.facts
    if within == 1:
        return f"{fence}{tag}\n{line}\n{body}\n{fence}", turn.facts
    if within == 2:
        return f"{line}\n{fence}{tag}\n{body}", turn.facts
    if within == 3:
        return f"{line}\n{body}\n{fence}", turn.facts
    before, after = draw(PROSE), draw(PROSE)
    tag = tag if fence != "~~~" else tag or "text"  # without a word it may part two scenes
    return as_text(turn.saying(f"{before}\n{fence}{tag}\n{after}\n{fence}"))


@st.composite
def json_(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    line, body = turn.text.split("\n", 1)
    kind = draw(st.integers(0, 7))
    field = draw(st.sampled_from(sorted(turn.answer)))
    if kind == 0:
        body = body[: draw(st.integers(0, len(body) - 1))]
    elif kind == 1:
        body = body[:-1] + f", {json.dumps(field)}: {json.dumps(draw(SCALAR))}}}"
    elif kind == 2:
        odd = draw(st.sampled_from(["NaN", "Infinity", "-Infinity", "1e999", "-1e400", "undefined", "None", "True"]))
        body = body[:-1] + f', "zz": {odd}}}'
    elif kind == 3:
        body = f"[{body}]"
    elif kind == 4:
        body = draw(PROSE)
    elif kind == 5:
        body = body[:-1] + ",}"
    elif kind == 6:
        depth = draw(st.integers(65, 3_000))
        body = body[:-1] + f', "zz": {"[" * depth}{"]" * depth}}}'
    else:
        at = draw(st.sampled_from([i for i, char in enumerate(body) if i and char in '":,{}[]' and body[i - 1] != "\\" and body[i : i + 2] not in (": ", ", ")]))
        strays = draw(st.sampled_from(["\\q", "\n", "\t", "\x00", "'"]))
        inside = body.index('"narrative": "') + len('"narrative": "')
        body = body[:inside] + "\x01" + body[inside:] if strays in ("\n", "\t", "'") else body[:at] + strays + body[at:]
    return f"{line}\n{body}", turn.facts


FIELDS = (
    "session_header", "resources", "narrative", "dice_rolls", "god_mode_response", "entities_mentioned", "location_confirmed",
    "state_updates", "debug_info", "debug_info/dm_notes", "debug_info/state_rationale",
)
TYPES = {"dice_rolls": list, "entities_mentioned": list, "dm_notes": list, "state_updates": dict, "debug_info": dict}


@st.composite
def schema(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    kind = draw(st.integers(0, 4))
    field = draw(st.sampled_from(FIELDS))
    if kind == 0:
        wanted = TYPES.get(field.rpartition("/")[2], str)
        odd = draw(st.just(MISSING) | ANY.filter(lambda value: not isinstance(value, wanted)))
        return as_text(turn.having(field, odd))
    if kind == 1:
        name = draw(WORDS.filter(lambda word: word not in turn.answer))
        return as_text(turn.having(draw(st.sampled_from([name, f"debug_info/{name}"])), draw(ANY)))
    planned = draw(st.sampled_from([turn for turn in TURNS if "planning_block" in turn.answer]))
    key = draw(st.sampled_from(sorted(planned.answer["planning_block"]["choices"])))
    here = f"planning_block/choices/{key}"
    if kind == 2:
        name = draw(st.sampled_from(["text", "description", "risk_level"]))
        odd = draw(st.just(MISSING) | ANY.filter(lambda value: value not in ("safe", "low", "medium", "high") and (name == "risk_level" or not isinstance(value, str))))
        return as_text(planned.having(f"{here}/{name}", odd))
    if kind == 3:
        return as_text(planned.having(f"{here}/{draw(WORDS.filter(lambda word: word not in ('text', 'description', 'pros', 'cons', 'confidence')))}", draw(ANY)))
    thrown = draw(st.sampled_from([turn for turn in STORIES if turn.answer["dice_rolls"]]))
    name = draw(st.sampled_from(["roll_id", "purpose", "expression", "dice", "modifier", "total", "advantage", "success"]))
    return as_text(thrown.without(f"dice_rolls/0/{name}"))


@st.composite
def mode_fields(draw: Draw) -> Planted:
    blank = st.sampled_from(["", " ", "\n", "\t \n"])
    story, think, dm, god = (draw(st.sampled_from(turns)) for turns in (STORIES, THINKS, DMS, GODS))
    plans = [turn for turn in (story, think, god) if "planning_block" in turn.answer]
    kind = draw(st.integers(0, 8))
    if kind == 0:
        turn = story.having("narrative", draw(blank))
    elif kind == 1:
        turn = draw(st.sampled_from([think, god])).having("narrative", draw(PROSE))
    elif kind == 2:
        turn = god.having("god_mode_response", draw(blank))
    elif kind == 3:
        turn = draw(st.sampled_from([story, think, dm])).having("god_mode_response", draw(PROSE))
    elif kind == 4:
        turn = draw(st.sampled_from(plans)).without("planning_block")
    elif kind == 5:
        turn = draw(st.sampled_from(plans))
        prefix = "god:" if turn is god else ""
        made = weighed if turn is think else choice
        count = draw(st.integers(0, 1) | st.integers(7, 12))
        keys = [f"{prefix}return_story", *(f"{prefix}way_{n}" for n in range(12))][:count]
        turn = turn.having("planning_block/choices", {key: made("go") for key in keys})
    elif kind == 6:
        turn = draw(st.sampled_from([story, think, god])).having("state_updates", {})
    elif kind == 7:
        turn = draw(st.sampled_from([story, think, dm])).having(draw(st.sampled_from(["session_header", "resources"])), draw(blank))
    else:
        key = draw(st.sampled_from(sorted(think.answer["planning_block"]["choices"])))
        turn = think.without(f"planning_block/choices/{key}/{draw(st.sampled_from(['pros', 'cons', 'confidence']))}")
    return as_text(turn)


@st.composite
def choice_keys(draw: Draw) -> Planted:
    turn = draw(st.sampled_from([turn for turn in TURNS if "planning_block" in turn.answer]))
    god = turn.facts.mode == "god"
    made = weighed("go") if turn.facts.deep_think else choice("go")
    if god and draw(st.booleans()):
        return as_text(turn.without("planning_block/choices/god:return_story"))
    word = draw(WORDS)
    odd = draw(st.sampled_from([
        word.capitalize(), f"{word}-{word}", f"{word} {word}", f"1{word}", f"_{word}", f"{word}!", f"{word}.", f"{word}\n", f"{word}é", word.upper(),
        f"God:{word}", f"god: {word}", f"god:{word.upper()}", f"god::{word}", "", word if god else f"god:{word}",
    ]))
    choices = {**turn.answer["planning_block"]["choices"], odd: made}
    return as_text(turn.having("planning_block/choices", choices))


CODES = [a + b + c + d for a in "IE" for b in "NS" for c in "TF" for d in "JP"]
SCALES = ["neuroticism score", "conscientiousness: 7", "extraversion trait", "high in extroversion", "agreeableness (low", "low in openness", "scores highly on agreeableness"]
MORALS = [f"{one} {other}" for one in ("lawful", "neutral", "chaotic") for other in ("good", "evil")] + ["lawful neutral", "chaotic neutral", "true neutral"]
FULL_WIDTH = {code: chr(code + 0xFEE0) for code in range(0x21, 0x7F)}
CYRILLIC = str.maketrans("aeopcyxiIETOPHACMBK", "аеорсухіІЕТОРНАСМВК")


@st.composite
def term(draw: Draw) -> str:
    """A term in one of many letterings; an alignment as a label, by its capitals or joined."""
    found = draw(st.sampled_from(CODES + SCALES + MORALS))
    found = draw(st.sampled_from([found, found.upper(), found.lower(), found.title()]))
    if " " in found and found.lower() in MORALS:
        spaces = [" ", "\n", "  ", "\u00a0", " *"] if found.istitle() else []
        found = found.replace(" ", draw(st.sampled_from([*spaces, "-", "_", "–", "/", "", "\u200b"])))
    odd = draw(st.integers(0, 6))
    at = draw(st.integers(1, 3))
    if odd == 0:
        found = found.translate(FULL_WIDTH)
    elif odd == 1:
        found = found.translate(CYRILLIC)
    elif odd == 2:
        found = found[:at] + draw(st.sampled_from(["\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u0301", "\u0336"])) + found[at:]
    return found


@st.composite
def internal_terms(draw: Draw) -> Planted:
    found = draw(term())
    around = draw(st.sampled_from(["{}", "“{}”", "{}-like", "{}'s", "({})", "the {}", "{}.", "{}, or so", "a {}ish".replace("ish", ""), "*{}*"]))
    told = f"{draw(PROSE)} {around.format(found)} {draw(PROSE)}"
    turn = draw(st.sampled_from([turn for turn in TURNS if "planning_block" in turn.answer]))
    kind = draw(st.integers(0, 4))
    made = weighed("go") if turn.facts.deep_think else choice("go")
    prefix = "god:" if turn.facts.mode == "god" else ""
    if kind == 0:
        told_in = draw(st.sampled_from([*STORIES, *DMS]))
        return as_text(told_in.saying(told))
    if kind == 1:
        plain = draw(st.sampled_from(CODES)).lower()
        key = f"{prefix}{draw(st.sampled_from(['be_{}', '{}_now', 'a_{}_b', '{}']))}".format(plain)
        return as_text(turn.having(f"planning_block/choices/{key}", made))
    key = draw(st.sampled_from(sorted(turn.answer["planning_block"]["choices"])))
    if kind == 2 and turn in THINKS:
        return as_text(turn.having(f"planning_block/choices/{key}/{draw(st.sampled_from(['pros', 'cons']))}", ["so", told]))
    return as_text(turn.having(f"planning_block/choices/{key}/{draw(st.sampled_from(['text', 'description']))}", told))


@st.composite
def narrative_debug(draw: Draw) -> Planted:
    turn = draw(st.sampled_from([SNEAK, FIGHT]))
    a, b, n = draw(st.integers(7, 20)), draw(st.integers(0, 12)), draw(st.integers(5, 30))
    name = draw(st.sampled_from([*FIELDS[:9], "dm_notes", "world_time", "npc_data", "hp_current", "roll_id", "player_character_data"])).rpartition("/")[2]
    kind, slug = draw(st.sampled_from(["pc", "npc", "loc", "item", "faction", "quest"])), draw(WORDS)
    shown = draw(st.sampled_from([
        f"{a} + {b} against DC {n}", f"DC{n}", f"a DC {n} check", f"{kind}_{slug}_{n:03} nods.", f"1d20+{b}", f"{1 + b}d6", "2d20kh1", f"HP {a}/{n}",
        f'{{"{slug}": {a}}}', "a Dexterity saving throw", "[SESSION_HEADER]", "__DELETE__",
    ] + ([f"The {name} says so."] if "_" in name else [])))
    return as_text(turn.saying(f"{draw(PROSE)} {shown} {draw(PROSE)}"))


@st.composite
def time_forward(draw: Draw) -> Planted:
    if draw(st.booleans()):
        turn = draw(st.sampled_from([*STORIES, *DMS]))
        now = turn.facts.state["world_data"]["world_time"]
        unit, low = draw(st.sampled_from([("year", 1), ("month", 1), ("day", 1), ("hour", 0), ("minute", 0)]))
        if now[unit] == low:
            unit, low = "year", 1
        units = list(now)
        time = {name: now[name] for name in units[: units.index(unit)]} | {unit: draw(st.integers(low, now[unit] - 1))}
        return as_text(turn.having(TIME, time))
    turn = draw(st.sampled_from(TURNS))
    unit, most = draw(st.sampled_from([("month", 12), ("day", 31), ("hour", 23), ("minute", 59), ("second", 59), ("microsecond", 999_999)]))
    lowest = 1 if unit in ("month", "day") else 0
    return as_text(turn.having(f"{TIME}/{unit}", draw(st.integers(max_value=lowest - 1) | st.integers(min_value=most + 1))))


@st.composite
def deep_think(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(THINKS))
    kind = draw(st.integers(0, 4))
    if kind == 0:
        micro = draw(st.integers(0, 999_999).filter(lambda value: value != turn.answer["state_updates"]["world_data"]["world_time"]["microsecond"]))
        turn = turn.having(f"{TIME}/microsecond", micro)
    elif kind == 1:
        turn = turn.having(TIME, {})
    elif kind == 2:
        turn = turn.having(f"{TIME}/{draw(st.sampled_from(['hour', 'minute']))}", draw(st.integers(22, 59)))
    elif kind == 3:
        made = draw(st.sampled_from([made for turn in STORIES for made in turn.facts.rolls]))
        turn = replace(turn.having("dice_rolls", [entry(made)]), facts=replace(turn.facts, rolls=(made,)))
    else:
        place, value = draw(st.sampled_from([
            (f"{PC}/hp_current", 3), (f"{PC}/gold", 0), ("state_updates/npc_data/npc_ford_warden_001/trust", 1), (f"{PC}/plan", "swim"),
            ("state_updates/custom_campaign_state/notes", ["a plan"]), ("state_updates/item_data/item_iron_key_002", "__DELETE__"), ("state_updates/world_data/weather/sky", "clear"),
        ]))
        turn = turn.having(place, value)
    return as_text(turn)


OBJECTS = [
    (f"{PC}/hit_dice", False), (f"{PC}/spell_slots", False), ("state_updates/world_data/weather", False), ("state_updates/world_data/world_time", False),
    *((f"state_updates/{branch}", True) for branch in ("npc_data", "world_data", "player_character_data", "quest_data", "custom_campaign_state")),
]


@st.composite
def state_branch(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    kind = draw(st.integers(0, 2))
    if kind == 0:
        name = draw(WORDS.map(lambda word: f"{word}_data").filter(lambda word: word not in turn.facts.state))
        return as_text(turn.having(f"state_updates/{name}", draw(ANY)))
    if kind == 1:
        place, _ = draw(st.sampled_from(OBJECTS))
        empty = not turn.facts.state["player_character_data"]["spell_slots"] and place.endswith("spell_slots")
        value = draw(st.just("__DELETE__") | NUMBER | WORDS | st.lists(SCALAR, max_size=2) if not empty else NUMBER)
        return as_text(turn.having(place, value))
    sheet = deepcopy(turn.facts.state["player_character_data"])
    warden = deepcopy(turn.facts.state["npc_data"]["npc_ford_warden_001"])
    if draw(st.booleans()):
        return as_text(turn.having("state_updates/player_character_data", sheet | {"hp_current": draw(NUMBER)}))
    return as_text(turn.having("state_updates/npc_data/npc_ford_warden_001", warden | {"trust": draw(NUMBER)}))


@st.composite
def state_delete(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    word = draw(WORDS)
    place = draw(st.sampled_from([
        f"state_updates/item_data/item_{word}_909", f"state_updates/npc_data/npc_{word}_909", f"{PC}/zz{word}", f"state_updates/npc_data/npc_ford_warden_001/zz{word}",
        f"state_updates/world_data/zz{word}", f"state_updates/world_data/scheduled_events/zz{word}", f"state_updates/location_data/loc_{word}_909/name",
    ]))
    return as_text(turn.having(place, "__DELETE__"))


@st.composite
def state_type(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    place, kind = draw(st.sampled_from([
        (f"{PC}/hp_current", int), (f"{PC}/gold", int), (f"{PC}/name", str), (f"{PC}/languages", list), (f"{PC}/inspiration", bool),
        ("state_updates/npc_data/npc_ford_warden_001/attitude", str), ("state_updates/npc_data/npc_ford_warden_001/trust", int),
        ("state_updates/location_data/loc_grey_ford_001/visited", bool), ("state_updates/world_data/weather/sky", str), ("state_updates/custom_campaign_state/god_log", list),
    ]))
    value = draw(ANY.filter(lambda value: value is not None and type(value) is not kind))
    return as_text(turn.having(place, value))


ALL = {branch: sorted(STATE[branch]) for branch in ("npc_data", "item_data", "location_data")}


@st.composite
def state_reference(draw: Draw) -> Planted:
    turn = draw(st.sampled_from([turn for turn in (*STORIES, *DMS) if turn.name not in ("cellar", "fight")]))
    if draw(st.booleans()):
        branch = draw(st.sampled_from(sorted(ALL)))
        return as_text(turn.having(f"state_updates/{branch}", dict.fromkeys(ALL[branch], "__DELETE__")))
    branch, gone = draw(st.sampled_from([
        ("npc_data", "npc_ford_warden_001"), ("npc_data", "npc_drowned_guard_001"), ("item_data", "item_arrows_001"), ("quest_data", "quest_lost_carter_001"),
    ]))
    place, value = draw(st.sampled_from([
        ("faction_data/faction_salt_toll_001/leader", gone), ("custom_campaign_state/watch", ["pc_ilva_001", gone]), ("combat_state/combatants", {gone: {"side": "foe"}}),
        ("world_data/scheduled_events/riders_come/by", gone),
    ]))
    turn = turn.having("state_updates", {"custom_campaign_state": {"tone": "dry"}}).in_state(place, value)
    return as_text(turn.having(f"state_updates/{branch}/{gone}", "__DELETE__"))


@st.composite
def state_player(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    return as_text(turn.having(f"{PC}/id", draw(st.just("__DELETE__") | st.none() | WORDS | WORDS.map(lambda word: f"pc_{word}_909"))))


@st.composite
def state_range(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    name, low, high = draw(st.sampled_from([("hp_current", 0, 28), ("level", 1, 20), ("xp", 0, 10**15), ("gold", 0, 10**15), ("exhaustion", 0, 6)]))
    beyond = st.integers(max_value=low - 1) | st.integers(min_value=high + 1) | st.integers(10**2_998, 10**3_000)
    if name in ("hp_current", "level", "xp"):
        beyond = beyond | st.sampled_from(["__DELETE__", None, 18.5])
    return as_text(turn.having(f"{PC}/{name}", draw(beyond)))


@st.composite
def entity_ids(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(TURNS))
    word = draw(WORDS)
    odd = draw(st.sampled_from([word, f"npc_{word}", f"npc_{word}_1", f"{word}_{word}_001x", f"NPC_{word}_001", f"npc-{word}-001", f"npc_{word}_0001 ", f"npc_{word} x_001", f"person_{word}_001"]))
    if draw(st.booleans()):
        mentioned = draw(st.sampled_from([odd, f"npc_{word}_909", f"loc_{word}_909", f"pc_{word}_909"]))
        return as_text(turn.having("entities_mentioned", [*turn.answer["entities_mentioned"], mentioned]))
    branch = draw(st.sampled_from(["npc_data", "location_data", "item_data", "faction_data", "quest_data"]))
    return as_text(turn.having(f"state_updates/{branch}/{odd}", {"name": word}))


@st.composite
def travel_time(draw: Draw) -> Planted:
    turn = draw(st.sampled_from([turn for turn in STORIES if turn.name != "night"]))
    turn = turn.having(TIME, draw(st.sampled_from([{}, {"minute": 5}, {"hour": 21}])))
    if draw(st.booleans()):
        return as_text(turn.having("state_updates/world_data/current_location_id", draw(st.sampled_from(["loc_toll_cellar_001", "loc_run_vale_001", "loc_far_away_001"]))))
    turn = turn.having("state_updates/world_data", {"world_time": {}})
    return as_text(turn.having("location_confirmed", draw(st.sampled_from(["Toll house, cellar", "toll house, cellar", "loc_toll_cellar_001"]))))


@st.composite
def rest_time(draw: Draw) -> Planted:
    said, back = draw(st.sampled_from([
        ("We take a long rest.", {"spell_slots": {"level_1": {"current": 3}}}), ("long rest", {"hp_current": 28, "hit_dice": {"current": 3}}),
        ("I sleep.", {"hit_dice": {"current": 3}}), ("I look about.", {"hp_current": 28, "hit_dice": {"current": 3}}),
    ]))
    turn = NIGHT.asked(said).having(PC, back)
    minutes = draw(st.integers(23 * 60 + 10, 23 * 60 + 59) | st.integers(24 * 60, 31 * 60 + 9))
    time = {"day": 4 + minutes // 1440, "hour": minutes // 60 % 24, "minute": minutes % 60}
    if draw(st.booleans()):
        turn = SNEAK.asked("We take a short rest, and I spend a hit die.").having(PC, {"hp_current": draw(st.integers(25, 28)), "hit_dice": {"current": 1}})
        minutes = draw(st.integers(5, 64))
        time = {"hour": 21 + minutes // 60, "minute": minutes % 60}
    return as_text(turn.having(TIME, time))


@st.composite
def session_header(draw: Draw) -> Planted:
    turn = draw(st.sampled_from([turn for turn in TURNS if turn.answer["session_header"]]))
    lines = turn.answer["session_header"].split("\n")
    kind = draw(st.integers(0, 4))
    at = draw(st.integers(0, 3))
    if kind == 0:
        del lines[at]
    elif kind == 1:
        other = draw(st.integers(0, 3).filter(lambda index: index != at))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 2:
        label = draw(st.sampled_from(["Lvl", "HP", "XP", "Gold"]))
        lines[3] = lines[3].replace(label, draw(st.sampled_from(["", label.lower(), "Rank"])))
    elif kind == 3:
        hour, minute, second = draw(st.tuples(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59)))
        told = f"{hour:02}:{minute:02}:{second:02}"
        if told in lines[1]:
            told = "late"
        lines[1] = lines[1].rsplit(" ", 1)[0] + " " + told
    else:
        day = lines[1].split("Mirtul ")[1].split(",")[0]
        wrong = draw(st.integers(1, 31).filter(lambda number: str(number) != day))
        lines[1] = lines[1].replace(f"Mirtul {day},", f"Mirtul {wrong},")
    return as_text(turn.having("session_header", "\n".join(lines)))


@st.composite
def status_line(draw: Draw) -> Planted:
    turn = draw(st.sampled_from([turn for turn in TURNS if turn.answer["session_header"]]))
    head, _, status = turn.answer["session_header"].rpartition("\n")
    label = draw(st.sampled_from([r"(?<=Lvl )\d+", r"(?<=HP )\d+", r"(?<=/)28", r"(?<=XP )\d+", r"(?<=Gold )\d+"]))
    told = re.search(label, status)
    assert told
    other = draw(st.integers(0, 10**6).filter(lambda number: number != int(told[0])))
    return as_text(turn.having("session_header", f"{head}\n{status[: told.start()]}{other}{status[told.end() :]}"))


@st.composite
def half_caster(draw: Draw) -> Planted:
    turn = draw(st.sampled_from([NOVICE, CORRECTION, SNEAK, THINK, REWIND]))
    turn = turn.in_state("player_character_data/level", 1)
    turn = turn.in_state("player_character_data/class", draw(st.sampled_from(["Paladin", "ranger", "RANGER", "Half-elf Paladin"])))
    line = draw(st.sampled_from(["HD 1/1 | Exhaustion 0", "HD 1/1 | Spells L1 2/2 | Exhaustion 0", "No Spells", "No Spells Yet", "Level 2+", "Lay on Hands 5/5"]) | PROSE)
    return as_text(turn.having("resources", line))


THROWN = [turn for turn in STORIES if turn.facts.rolls]


@st.composite
def roll_made(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(THROWN))
    at = draw(st.integers(0, len(turn.facts.rolls) - 1))
    made = turn.facts.rolls[at]
    here = f"dice_rolls/{at}"
    kind = draw(st.integers(0, 5))
    if kind == 0:
        turn = turn.having(f"{here}/roll_id", draw(WORDS | st.integers(3, 99).map(lambda n: f"r{n}")))
    elif kind == 1:
        die = draw(st.integers(0, len(made.dice) - 1))
        turn = turn.having(f"{here}/dice/{die}", draw(st.integers(1, 20).filter(lambda number: number not in made.dice)))
    elif kind == 2:
        turn = turn.having(f"{here}/total", draw(NUMBER.filter(lambda number: number != made.total)))
    elif kind == 3:
        turn = turn.having(f"{here}/modifier", draw(NUMBER.filter(lambda number: number != made.modifier)))
    elif kind == 4:
        turn = turn.having("dice_rolls", [*turn.answer["dice_rolls"], turn.answer["dice_rolls"][at]])
    else:
        turn = turn.rolled(*turn.facts.rolls[:at], *turn.facts.rolls[at + 1 :])
    return as_text(turn)


@st.composite
def roll_shown(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(THROWN))
    entries = turn.answer["dice_rolls"]
    if len(entries) > 1 and draw(st.booleans()):
        return as_text(turn.having("dice_rolls", entries[::-1]))
    kept = draw(st.lists(st.sampled_from(range(len(entries))), max_size=len(entries) - 1, unique=True))
    return as_text(turn.having("dice_rolls", [entries[at] for at in kept]))


@st.composite
def roll_target(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(THROWN))
    made = turn.facts.rolls[0]
    here = "dice_rolls/0"
    kind = draw(st.integers(0, 4))
    if kind == 0:
        turn = turn.without(f"{here}/{draw(st.sampled_from(['target', 'target/kind', 'target/value']))}")
    elif kind == 1:
        turn = turn.having(f"{here}/target/kind", draw(WORDS | st.sampled_from(["dc", "ac", "CR", "save", None, 5])))
    elif kind == 2:
        turn = turn.having(f"{here}/target/value", draw(st.integers(0, 60).filter(lambda number: number != made.value)))
    elif kind == 3:
        turn = turn.having(f"{here}/success", not made.success)
    else:
        turn = turn.having(f"{here}/target", draw(ANY.filter(lambda value: not isinstance(value, dict))))
    return as_text(turn)


@st.composite
def roll_dice(draw: Draw) -> Planted:
    turn = draw(st.sampled_from(THROWN))
    made = turn.facts.rolls[0]
    if made.advantage != "none" and draw(st.booleans()):
        return as_text(turn.having("dice_rolls/0/dice", list(made.dice)[: draw(st.integers(0, 1))]))
    others = [word for word in ("none", "advantage", "disadvantage") if word != made.advantage]
    return as_text(turn.having("dice_rolls/0/advantage", draw(st.sampled_from(others))))


MUTATIONS: dict[str, Callable[[], st.SearchStrategy[Planted]]] = {
    "mode_line": mode_line, "outside_json": outside_json, "code_fence": code_fence, "json": json_, "schema": schema, "mode_fields": mode_fields,
    "choice_keys": choice_keys, "internal_terms": internal_terms, "narrative_debug": narrative_debug, "time_forward": time_forward, "deep_think": deep_think,
    "state_branch": state_branch, "state_delete": state_delete, "state_type": state_type, "entity_ids": entity_ids, "travel_time": travel_time, "rest_time": rest_time,
    "state_reference": state_reference, "state_player": state_player, "state_range": state_range, "status_line": status_line, "roll_shown": roll_shown,
    "session_header": session_header, "half_caster": half_caster, "roll_made": roll_made, "roll_target": roll_target, "roll_dice": roll_dice,
}
