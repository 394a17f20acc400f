"""Good answers in every mode with the facts of their turns, and ways to alter them."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final

from mvp_site.turns.contract import MODE_LINES, Checked, Facts, check
from mvp_site.turns.types import Roll, Violation

Json = dict[str, Any]
MISSING: Final = object()


@dataclass(frozen=True)
class Turn:
    """An answer, and the facts that it is checked with; a copy may be altered freely."""

    name: str
    answer: Json
    facts: Facts

    def having(self, place: str, value: Any) -> Turn:
        """A copy with another value at a path such as ``dice_rolls/0/total``."""
        answer = deepcopy(self.answer)
        keys = place.split("/")
        here: Any = answer
        for key in keys[:-1]:
            here = here[int(key)] if isinstance(here, list) else here.setdefault(key, {})
        last: Any = int(keys[-1]) if isinstance(here, list) else keys[-1]
        if value is MISSING:
            del here[last]
        else:
            here[last] = value
        return replace(self, answer=answer)

    def without(self, place: str) -> Turn:
        """A copy that lacks what stands at a path."""
        return self.having(place, MISSING)

    def saying(self, text: str) -> Turn:
        """A copy with another narrative."""
        return self.having("narrative", text)

    def asked(self, text: str) -> Turn:
        """A copy to which the player said something else."""
        return replace(self, facts=replace(self.facts, user_input=text))

    def in_state(self, place: str, value: Any) -> Turn:
        """A copy with another value at a path of the state before the turn."""
        state = deepcopy(dict(self.facts.state))
        *above, last = place.split("/")
        here = state
        for key in above:
            here = here.setdefault(key, {})
        if value is MISSING:
            here.pop(last, None)
        else:
            here[last] = value
        return replace(self, facts=replace(self.facts, state=state))

    def rolled(self, *rolls: Roll) -> Turn:
        """A copy in which other rolls were made."""
        return replace(self, facts=replace(self.facts, rolls=rolls))

    @property
    def text(self) -> str:
        """The answer as a model writes it."""
        return f"{MODE_LINES[self.facts.mode]}\n{json.dumps(self.answer, ensure_ascii=False)}"

    def check(self) -> Checked:
        """What the contract says of it."""
        return check(self.text, self.facts)

    def named(self, rule: str) -> list[Violation]:
        """What one rule says of it."""
        return [found for found in self.check().violations if found.rule == rule]

    def warned(self, rule: str) -> list[Violation]:
        """What one rule says of it without being sure."""
        return [found for found in self.check().warnings if found.rule == rule]


def rules_of(checked: Checked) -> set[str]:
    """The names of the rules that are broken."""
    return {violation.rule for violation in checked.violations}


def roll(id_: str, expression: str, dice: list[int], modifier: int, total: int, *,
         target: str | None = None, value: int | None = None, advantage: str = "none",
         purpose: str = "a try") -> Roll:
    """A roll that was made."""
    success = None if value is None else total >= value
    return Roll(id_, expression, purpose, tuple(dice), modifier, total, advantage,  # type: ignore[arg-type]
                target, value, success)  # type: ignore[arg-type]


def entry(made: Roll) -> Json:
    """A roll as an answer shows it."""
    return {
        "roll_id": made.id, "purpose": made.purpose, "expression": made.expression,
        "dice": list(made.dice), "modifier": made.modifier, "total": made.total,
        "advantage": made.advantage,
        "target": {"kind": made.target or "DC", "value": made.value or 0},
        "success": made.success is not False,
    }


STATE: Final[Json] = {
    "player_character_data": {
        "id": "pc_ilva_001", "name": "Ilva Tarn", "class": "Ranger", "level": 3, "xp": 1100,
        "hp_current": 24, "hp_max": 28, "gold": 37, "exhaustion": 0, "languages": ["Common"],
        "concentration": None, "inspiration": False,
        "hit_dice": {"die": "d10", "current": 2, "max": 3},
        "spell_slots": {"level_1": {"current": 2, "max": 3}},
        "resources": {"second_wind": {"current": 1, "max": 1, "recharge": "short"}},
    },
    "npc_data": {
        "npc_ford_warden_001": {
            "name": "Brann Ode", "role": "warden of the ford", "attitude": "suspicious",
            "trust": -2, "hp_current": 11, "hp_max": 11, "location_id": "loc_grey_ford_001",
        },
        "npc_drowned_guard_001": {"name": "drowned guard", "status": "alive", "hp_current": 13},
    },
    "location_data": {
        "loc_grey_ford_001": {
            "name": "Grey Ford, the toll house", "parent_id": "loc_run_vale_001", "visited": True,
            "exits": {"cellar": {"to": "loc_toll_cellar_001", "state": "barred", "minutes": 1}},
        },
        "loc_toll_cellar_001": {"name": "Toll house, cellar", "visited": False},
        "loc_run_vale_001": {"name": "Vale of the Run"},
    },
    "item_data": {
        "item_arrows_001": {"name": "arrow", "quantity": 20, "holder_id": "pc_ilva_001"},
        "item_iron_key_002": {"name": "iron key", "quantity": 1},
    },
    "faction_data": {"faction_salt_toll_001": {"name": "the Salt Toll", "standing": -1}},
    "quest_data": {
        "quest_lost_carter_001": {
            "title": "The carter", "status": "active",
            "objectives": {"find_cart": {"text": "Find the cart", "done": False}},
        },
    },
    "combat_state": {"in_combat": False, "round": 0, "combatants": {}},
    "world_data": {
        "world_time": {"year": 1492, "month": 5, "day": 4, "hour": 21, "minute": 5, "second": 0,
                       "microsecond": 0},
        "current_location_id": "loc_grey_ford_001",
        "weather": {"sky": "rain", "wind": "light"},
        "scheduled_events": {"riders_come": {"what": "six riders", "status": "pending"}},
    },
    "custom_campaign_state": {"tone": "wry", "god_log": ["M5 D3 gold 30 -> 37"]},
}

STEALTH: Final = roll("r1", "2d20kh1+5", [7, 16], 5, 21, target="DC", value=13,
                      advantage="advantage", purpose="Stealth")
SWIM: Final = roll("r2", "1d20+2", [4], 2, 6, target="DC", value=12, purpose="Athletics")
ARROW: Final = roll("r1", "1d20+7", [14], 7, 21, target="AC", value=13, purpose="longbow")
DAMAGE: Final = roll("r2", "1d8+3", [6], 3, 9, purpose="arrow, piercing")
HINDERED: Final = roll("r1", "2d20kl1+4", [18, 3], 4, 7, target="DC", value=12,
                       advantage="disadvantage", purpose="Survival in the dark")


def choice(text: str, risk: str = "low", **more: Any) -> Json:
    """One choice."""
    return {"text": text, "description": f"{text}, and see what comes.", "risk_level": risk, **more}


def weighed(text: str, risk: str = "low") -> Json:
    """One choice of a deep think."""
    return choice(text, risk, pros=["nobody need know"], cons=["it costs an hour"],
                  confidence="medium")


def header(when: str, where: str = "Grey Ford, the toll house", hp: int = 24, gold: int = 37) -> str:
    """A session header."""
    return (f"[SESSION_HEADER]\nTimestamp: 1492 DR, Mirtul {when}\nLocation: {where}\n"
            f"Status: Lvl 3 Ranger | HP {hp}/28 | XP 1100/2700 | Gold {gold}gp")


def _answer(**fields: Any) -> Json:
    return {
        "session_header": header("4, 21:05:00"),
        "resources": "HD 2/3 | Spells L1 2/3 | Exhaustion 0",
        "narrative": "", "planning_block": {"thinking": "Quiet.", "choices": {}},
        "dice_rolls": [], "god_mode_response": "", "entities_mentioned": [],
        "location_confirmed": "Grey Ford, the toll house", "state_updates": {},
        "debug_info": {"dm_notes": ["the warden is tired"], "state_rationale": "as told"}, **fields,
    }


def _plan(*texts: str, prefix: str = "", think: bool = False) -> Json:
    made = weighed if think else choice
    keys = [prefix + text.lower().replace(" ", "_") for text in texts]
    return {"thinking": "Two ways lie open.",
            "choices": {key: made(text) for key, text in zip(keys, texts, strict=True)}}


def _at(**units: int) -> Json:
    return {"world_data": {"world_time": units}}


def _story(name: str, said: str, *rolls: Roll, state: Json = STATE, **fields: Any) -> Turn:
    fields.setdefault("planning_block", _plan("Press on", "Wait a while", "Ask the warden"))
    answer = _answer(dice_rolls=[entry(made) for made in rolls], **fields)
    return Turn(name, answer, Facts("story", said, state, rolls))


def _level_one() -> Json:
    state = deepcopy(STATE)
    state["player_character_data"] |= {"class": "Paladin", "level": 1, "xp": 0, "spell_slots": {}}
    return state


def _late(**units: int) -> Json:
    state = deepcopy(STATE)
    state["world_data"]["world_time"] |= units
    return state


SNEAK: Final = _story(
    "sneak", "I creep past the brazier while Osric talks.", STEALTH, SWIM,
    session_header=header("4, 21:15:00"),
    narrative="The bar gives with a groan that only you seem to hear. Rain ticks on the tiles. The "
              "warden looks at the river, as he has looked at it for twenty years, and sees what he "
              "expects to see.\n\n“Quiet night,” he says to no one. You slip on the wet step and "
              "go in to the knee; the cold takes your breath and keeps it.",
    entities_mentioned=["npc_ford_warden_001", "loc_grey_ford_001"],
    state_updates={
        **_at(minute=15), "npc_data": {"npc_ford_warden_001": {"attitude": "indifferent"}},
        "item_data": {"item_iron_key_002": "__DELETE__"},
    },
)
FIGHT: Final = _story(
    "fight", "I put an arrow through the one with the helm.", ARROW, DAMAGE,
    session_header=header("4, 21:05:06"),
    narrative="You aim at the dark beneath the helm and let go. The arrow goes in under the rim; the "
              "helm rolls in a long curve and stops against your boot. The other bares its teeth.",
    entities_mentioned=["npc_drowned_guard_001", "item_arrows_001"],
    state_updates={
        **_at(second=6), "item_data": {"item_arrows_001": {"quantity": 19}},
        "npc_data": {"npc_drowned_guard_001": {"hp_current": 4}},
        "combat_state": {"in_combat": True, "round": 1, "combatants": {
            "npc_drowned_guard_001": {"side": "foe", "hp_current": 4}}},
    },
)
CELLAR: Final = _story(
    "cellar", "Down into the cellar, then.", HINDERED,
    session_header=header("4, 21:07:30", "Toll house, cellar"),
    narrative="The stair is older than the house. At its foot the dark has a smell of wet rope, and "
              "of the tracks you hoped for there is nothing to be read.",
    entities_mentioned=["loc_toll_cellar_001", "npc_cellar_cat_001"],
    location_confirmed="Toll house, cellar",
    state_updates={
        "location_data": {"loc_toll_cellar_001": {"visited": True}},
        "npc_data": {"npc_cellar_cat_001": {"name": "a cat", "status": "alive"}},
        "world_data": {"current_location_id": "loc_toll_cellar_001",
                       "world_time": {"minute": 7, "second": 30}},
    },
)
NIGHT: Final = _story(
    "night", "We make camp and take a long rest.", state=_late(hour=23, minute=10),
    session_header=header("5, 07:10:00", hp=28),
    resources="HD 3/3 | Spells L1 3/3 | Exhaustion 0",
    narrative="The rain gives up around midnight. You sleep, and when you open your eyes there is "
              "mist on the grass and something brown and hot in the pot.",
    entities_mentioned=["loc_grey_ford_001"],
    state_updates={
        "player_character_data": {"hp_current": 28, "hit_dice": {"current": 3},
                                  "spell_slots": {"level_1": {"current": 3}}},
        **_at(day=5, hour=7, minute=10),
    },
)
NOVICE: Final = _story(
    "novice", "I look at the offering bowl.", state=_level_one(),
    session_header="[SESSION_HEADER]\nTimestamp: 1492 DR, Mirtul 4, 21:05:10\nLocation: Grey Ford\n"
                   "Status: Lvl 1 Paladin | HP 24/28 | XP 0/300 | Gold 37gp",
    resources="HD 1/1 | No Spells Yet (Level 2+) | Lay on Hands 5/5 | Exhaustion 0",
    narrative="Three coppers, a button, and a child's tooth wrapped in a leaf.",
    entities_mentioned=["pc_ilva_001"], location_confirmed="Grey Ford", state_updates=_at(second=10),
)
THINK: Final = _story(
    "think", "think: how do I get in without a fight?",
    planning_block=_plan("Pay the warden", "Wait for the change", "Swim", think=True),
    entities_mentioned=["npc_ford_warden_001"], state_updates=_at(microsecond=1),
)
THINK_ON: Final = _story(
    "think_on", "Think: and if he wakes?", state=_late(second=59, microsecond=999_999),
    session_header=header("4, 21:06:00"),
    planning_block=_plan("Run", "Talk", think=True),
    state_updates=_at(minute=6, second=0, microsecond=0),
)
RULING: Final = Turn(
    "ruling",
    {name: value for name, value in _answer(
        narrative="Yes: you may move the mark with a bonus action, and against AC 18 you add +7. "
                  "The seven against DC 12 stands, since 3 + 4 = 7.",
        entities_mentioned=["pc_ilva_001"],
    ).items() if name != "planning_block"},
    Facts("dm", "Can I move the mark and still shoot?", STATE),
)
CORRECTION: Final = Turn(
    "correction",
    _answer(
        narrative="You are right, and I am sorry. That makes eighteen arrows.",
        planning_block=_plan("Go on", "Look at the sheet"), entities_mentioned=["item_arrows_001"],
        state_updates={"item_data": {"item_arrows_001": {"quantity": 18}}},
    ),
    Facts("dm", "You left me at sixteen arrows.", STATE),
)
GOLD: Final = Turn(
    "gold",
    _answer(
        session_header="", resources="",
        planning_block=_plan("Return story", "Undo gold", prefix="god:"),
        god_mode_response="Purse: 37 gp -> 537 gp. Nothing else was changed.",
        entities_mentioned=["pc_ilva_001"],
        state_updates={"player_character_data": {"gold": 537},
                       "custom_campaign_state": {"god_log": ["M5 D4 21:05 gold 37 -> 537"]}},
    ),
    Facts("god", "GOD MODE: give her five hundred gold.", STATE),
)
REWIND: Final = Turn(
    "rewind",
    _answer(
        session_header=header("3, 08:00:00"),
        planning_block=_plan("Return story", "Undo rewind", "Keep the key", prefix="god:"),
        god_mode_response="Back to the morning of the third. The riders are not on their way yet.",
        state_updates={"world_data": {
            "world_time": {"day": 3, "hour": 8, "minute": 0},
            "scheduled_events": {"riders_come": {"status": "__DELETE__"}}}},
    ),
    Facts("god", "Rewind to the third, in the morning.", STATE),
)

STORIES: Final = (SNEAK, FIGHT, CELLAR, NIGHT, NOVICE)
THINKS: Final = (THINK, THINK_ON)
DMS: Final = (RULING, CORRECTION)
GODS: Final = (GOLD, REWIND)
TURNS: Final = (*STORIES, *THINKS, *DMS, *GODS)
