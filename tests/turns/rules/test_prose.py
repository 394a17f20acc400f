"""What of the machinery shows in a narrative, and prose that only looks like it."""

from __future__ import annotations

import pytest

from ..answers import FIGHT, RULING, SNEAK

SHOWS = [
    "The state_updates are as follows.", "Your hp_current falls.", "npc_ford_warden_001 nods.", "loc_ashen_keep_001",
    "He hands you item_iron_key_002.", "It is gone (__DELETE__).", '[SESSION_HEADER]\nTimestamp: late',
    "[Mode: STORY MODE]", "{\"attitude\": \"hostile\"}", "HP: 19/28", "XP 1100/2700", "The world_time moves on.",
    "dm_notes say otherwise", "choose press_on or wait_a_while", "against DC15", "you throw 1d20+5", "2d6 fire",
    "a Wisdom saving throw", "The engine hatch needs a DC 15 check.", "17 vs DC 13", "(DC 13)", "DC: 13",
    "a DC of 13", "DC 12, the adapter says", 'ＤＣ\u3000１５', "DC 15", "a DC of 15", "the bridge gate is DC 18",
]
MAY_SHOW = [
    "[DEBUG: he is lying]", "(DM note: he rolls next turn)", "(OOC: what do you do?)", "You lose 5 hit points.",
    "You gain 50 XP.", "You gain some experience points.", "40 experience points", "You rolled 14 + 5 = 19.",
    "nat 20", "nat 1, alas", "Make a Stealth check.", "an attack roll", "You rolled a natural 3 for it.",
    "your last spell slot", "as a bonus action", "Roll initiative!", "rolling for initiative",
    "You roll with advantage.", "disadvantage on your next check", "13 piercing damage", "rolled a natural 14",
    "(DM: he lies)", "As an AI language model, I cannot roll.", "You make the Stealth check.", "You rolled a 16.",
    "He rolls a 21 for it", "a natural 16!", "(16+5=21)", "21 vs 13", "21, against 13", "21 points of damage",
    "6 damage", "HP 24 -> 19", "You have 24 HP left.", "Your HP drops to 24.", "HP is now 24", "XP: 1100",
    "He shrugs. \"trust\": -2", "24 → 19", "debug: none", "GM's notes: rain", "You have 19 HP left.",
    "Your HP drops to 19.", "HP is now 19", "hit points: 19", "Your hit points are low.", "The NPC nods.",
    "You level up!", "a target number of 12", "an opportunity attack", "a wisdom check", "Status: Lvl 3 Ranger",
    "the guard_morale_score falls", "max_hp", "The attitude_status is hostile", "current_objective: find the cart",
    "14 + 5 = 19, and the bar gives.", "16 + 5 − 2 = 19", "AC 14", "his AC of 16", "difficulty class", "armor class",
    "a natural 20!", "your perception check", "Dexterity check", "Strength save", "saving throws", "It is a nat 4.",
    "a natural 20 on the die", "The natural 1 means you fall.", "Level up! The fire in you grows.", "LEVEL UP",
    "Your total is 12 against 14.", "He has AC 17, and a plate coat.", "HP 3 and falling", "XP: 40",
    "You fail the saving throw, and the ball rolls on.", "Hit Dice", "advantage on the roll", "5 damage",
    "8 points of damage", "You rolled a 14.", "He rolls a 19 for it", "rolled a 6.", "proficiency bonus",
    "Intelligence modifier",
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


# What novelists write: games of others, prices, votes, labels, initials, nature, measures, work.
NOVELS = [
    "She rolled a 9. The table groaned.", "The dice: 6 and 6.", "You pay 5 + 5 = 10 silver.", "The mayor won the vote 12 vs 9.",
    "Standing: 3 men, a dog.", "AC 12 is stencilled on the crate.", "The initiative order came from the duke",
    "He rolled an 11, then a 7, and lost the mule.", "“Rolls: 4,” the baker counts, “loaves: 12.”", "Final count: Harbour 21 vs. Hill 14.", "2 + 2 = 5, they taught him to say.",
    "The total is 21. You leave a coin over it.", "He threw a d6, as gamblers in the south call it.", "Crate 2D6 is missing from the manifest.", "Attitude: 4 degrees, nose down.",
    "The spell slots into the ward like a key.", "Your hit points to the flaw in his guard.", "Wisdom save us all.", "Let Strength check thy hand.", "It was an opportunity attack, and badly planned.",
    "The board paid a proficiency bonus.", "The strength check on the beam took all day.", "The debug of the loom", "DM: four hundred marks", "GM notes a fall in sales.", "The NPC met in the great hall.",
    "Target number one is the mayor.", "A 300 HP engine idles.", "The tractor makes 60 HP.", "Windows XP 64 on the ruined screen", "You reach level five of the mine.", "You level up the sill with wedges.", "Lvl 3, says the lift.",
    "On the vellum: 7 -> 3 -> 9.", "The word \"faith\": \"trust without proof.\"", "He shouted, \"Go\": the rest ran.", "[Mode: stealth], says the panel.", "login as user_name", "~~~",
    "20 damage claims lie on the desk.", "The survival bonus is paid to widows.", "It was an attack roll of drums.", "Her bonus action figure has lost an arm.", "She served as an AI assistant for a year.", "Survival: 17 days, no more.",
    "It beat flight AC 7 to the gate.", "The garrison rolled 16 guns down to the quay.", "By the natural 16-foot arch", "the 14 vs. the 21, an old quarrel of regiments",
]
CLEAN = FIGHT.having("dice_rolls", []).rolled()


@pytest.mark.parametrize("text", SHOWS)
def test_what_shows_of_the_machinery(text: str) -> None:
    assert CLEAN.saying(f"It is late. {text}").named("narrative_debug")


@pytest.mark.parametrize("text", MAY_SHOW)
def test_what_may_show_it_is_told_and_not_refused(text: str) -> None:
    checked = CLEAN.saying(f"It is late. {text}").check()
    assert checked.ok
    assert [(found.rule, found.path) for found in checked.warnings] == [("narrative_debug", "narrative")]


@pytest.mark.parametrize("text", PLAIN + NOVELS)
def test_what_is_prose(text: str) -> None:
    for turn in (FIGHT, SNEAK):
        assert turn.saying(f"It is late. {text}\n\nThe river goes on.").check().violations == ()


def test_only_a_story_is_read() -> None:
    told = "You rolled 14 + 5 = 19 against DC 15; hp_current is 19."
    assert RULING.saying(told).named("narrative_debug") == []
    found, = SNEAK.saying(told).named("narrative_debug")
    assert found.path == "narrative"
    assert "tell what happens in plain prose" in found.message
