"""What of the machinery shows in a narrative, and prose that only looks like it."""

from __future__ import annotations

import pytest

from ..answers import FIGHT, RULING, SNEAK

SHOWS = [
    # parts of the answer and the state
    "The state_updates are as follows.", "Your hp_current falls.", "npc_ford_warden_001 nods.", "loc_ashen_keep_001",
    "He hands you item_iron_key_002.", "It is gone (__DELETE__).", "[SESSION_HEADER]\nTimestamp: late", "[Mode: STORY MODE]",
    '{"attitude": "hostile"}', 'He shrugs. "trust": -2', "HP 24 -> 19", "24 → 19", "[DEBUG: he is lying]", "debug: none",
    "(DM note: he rolls next turn)", "DM: the sergeant lies.", "GM's notes: rain", "State update: the door is open.",
    "state changes: door", "(OOC: what do you do?)", "You have 19 HP left.", "HP: 19/28", "Your HP drops to 19.", "HP is now 19",
    "You lose 5 hit points.", "hit points: 19", "Your hit points are low.", "You gain 50 XP.", "XP 1100/2700", "You gain some experience points.", "40 experience points", "Trust: -1", "The NPC nods.", "You level up!", "DC is 15", "a target number of 12", "21 vs 13", "an opportunity attack", "a second-level spell", "a wisdom check", "the total is 21, enough", "a total of 6.",
    "Status: Lvl 3 Ranger", "The world_time moves on.", "dm_notes say otherwise", "ＤＣ　１５", "the guard_morale_score falls",
    "choose press_on or wait_a_while", "max_hp", "The attitude_status is hostile", "current_objective: find the cart",
    # dice
    "You rolled 14 + 5 = 19.", "14 + 5 = 19, and the bar gives.", "(16+5=21)", "16 + 5 − 2 = 19", "16 plus 5 makes 21 against the guard",
    "DC 15", "a DC of 15", "(DC 13)", "DC: 13", "against DC15", "DC fifteen", "AC 14", "his AC of 16", "It beats AC thirteen.", "dc 12",
    "difficulty class", "a difficulty of 13", "armor class", "you throw 1d20+5", "a d20 rolls", "2d6 fire", "2D6", "d100", "roll a d6",
    "a natural 20!", "nat 20", "nat 1, alas", "a natural twenty", "Make a Stealth check.", "your perception check", "Stealth: 21",
    "Perception 17", "a Wisdom saving throw", "Dexterity check", "Strength save", "Dexterity (Stealth)", "saving throws", "an attack roll",
    "It is a nat 4.", "nat nineteen", "You rolled a natural 3 for it.", "a natural 20 on the die", "The natural 1 means you fall.", "Level up! The fire in you grows.", "LEVEL UP", "You are now level 6.", "You've reached level 3!",
    "Your total is 12 against 14.", "a result of 19 beats 15", "The engine hatch needs a DC 15 check.", "AC-14, and the blow beats it", "DC 12, the adapter says, and you rolled under it", "He has AC 17, and a plate coat.",
    "the bridge gate is DC 18", "HP 3 and falling", "XP: 40", "a 17 against its AC", "You fail the saving throw, and the ball rolls on.",
    "your last spell slot", "as a bonus action", "Hit Dice", "Roll initiative!", "rolling for initiative", "You roll with advantage.",
    "advantage on the roll", "disadvantage on your next check", "+5 to hit", "a +2 bonus", "13 piercing damage", "5 damage",
    "8 points of damage", "17 vs DC 13", "You rolled a 14.", "He rolls a 19 for it", "rolled a natural 14", "Roll: 14", "rolls = 7",
    "rolled a 6.", "your passive Perception", "proficiency bonus", "Intelligence modifier",
]

PLAIN = [
    "He rolled the barrel down the ramp.", "He rolled 14 barrels into the cellar.", "They rolled a 20-foot log aside.",
    "She rolled two sixes and swept up the coins.", "Three plus two makes five, said the child.", "“3 + 2 = 5,” says the child.",
    "On the slate someone has chalked 7 + 5 = 13, and nobody has put it right.", "The ledger reads 14 + 5 = 19, but the chest holds twelve.",
    "A knife with the initials DC.", "DC Harrow, it says on the crate.", "The crate is stamped HP and nothing else.", "D.C., it reads.",
    "He carved DC five times into the bench.", "You take a long rest against the wall, or wish to.", "After a short rest of the oars",
    "He has the advantage of the slope.", "You are at a disadvantage here.", "with some difficulty seven men lift it",
    "The natural 20-foot drop is no cliff.", "a natural one, not made by hands", "His wisdom saves you both.", "Your strength saves you.",
    "Deception rolls off his tongue.", "Her insight saves the day", "It is a matter of survival: 3 days without water", "hit by hail",
    "Each hit points the way to the next.", "The damage is done.", "He points at the damage.", "Damage enough for one night.", "The dice are bone.",
    "The dice fall; he loses.", "A die rolls under the table.", "The state of the roof is poor.", "State your business.", "He notes your debt.",
    "“Note to self,” he says.", "the seven gates -> no, the eight", "Room 12, door 3.", "At 21:15 the bell rings.", "It is 1492, and raining.",
    "Four and twenty blackbirds", "He pays 37 gp.", "5 gold", "the 14th of Mirtul", "pawn to d4", "She counts: 1, 2, 3.", "one in 20",
    "_Now_, she whispers, _now_.", "The sign reads BR_THER, a letter gone.", "an underscored word: __never__", "He is a natural.",
    "The letters d, 6 and k", "A mode of speech", "Roll up your sleeves.", "on a roll", "The mission failed; the check bounced.",
    "A check on the door: barred.", "He checks the lock twice.", "In armor, class tells.", "He saves 20 coins.", "AC and DC are carved there.",
    "The player of the lute bows.", "It takes 2 hours + a mile", "Success! The bar gives.", "a level 3 floor below",
    "The bus AC 7 never comes.", "A DC-10 took off.", "Route AC 9 is closed.", "the DC 24 supply", "Her AC 40 charger hums.", "Bay DC-4.", "a saving throw by the goalkeeper", "The catcher's saving throw ends the innings.",
    "It took a natural twenty days.", "a natural 20-year-old", "the natural 1 in seven", "a natural twenty per cent", "The motor: HP 12.", "HP 60, says the tractor's badge", "The truck is an XP 500.", "You are level 2 in the queue",
    "You reach level 3 of the cellars.", "You are level with the sill.", "The total is 18 sacks.", "the sum of 7 and 4",
    "You feel lucky.", "experience pointed the way", "Long experience points to the left-hand door.", "The attack rolls over the wall.", "Death saves no one.", "May his wisdom save him.", "His ability checks out.", "a total of 21 arrows", "Trust: nobody.", "his standing with the guild", "You level the beam.", "The second-level cellar is dry.", "initiative is hers", "the bonus, acting on orders, is paid", "40 against 4",
    "An arrow -> pointing north -> is scratched here.", "His target: the mill.", "He is dead.", "the AC-cursed one", "No debugging spirits.",
]


@pytest.mark.parametrize("text", SHOWS)
def test_what_shows_of_the_machinery(text: str) -> None:
    assert SNEAK.saying(f"It is late. {text}").named("narrative_debug")


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_prose(text: str) -> None:
    assert [found.message for found in FIGHT.saying(f"It is late. {text}\n\nThe river goes on.").named("narrative_debug")] == []


def test_a_low_roll_in_digits_counts_where_the_turn_has_one() -> None:
    told = "The innkeeper rolled a 6, and laughs."
    assert SNEAK.saying(told).named("narrative_debug")
    assert RULING.saying(told).check().ok
    clean = FIGHT.having("dice_rolls", []).rolled()
    assert clean.saying(told).named("narrative_debug") == []


def test_only_a_story_is_read() -> None:
    told = "You rolled 14 + 5 = 19 against DC 15; hp_current is 19."
    assert RULING.saying(told).named("narrative_debug") == []
    found, = SNEAK.saying(told).named("narrative_debug")
    assert found.path == "narrative"
    assert "tell what happens in plain prose" in found.message
