"""canned dispatcher: one scripted answer for each line in turns.json. no network, no keys."""
import json
from pathlib import Path

IDLE = {"say": "The engine ticks. Somewhere a loose sheet of tin says the same word over and "
               "over. The road goes on in both directions.", "actions": [], "ask": None}


def g(which, n):
    return {"do": "gauge", "which": which, "n": n}


def t(minutes):
    return {"do": "time", "min": minutes}


def flag(name):
    return {"do": "flag", "name": name, "on": True}


SCRIPT = [
    ("Liquorice on the air. Bettany Crewe turns a ledger round with both pencils. 'Bag for Far "
     "Harbor, stays shut. Or the cold chest for the Row, half of it in your palm now, if you're "
     "quick about it.'",
     [flag("met_crewe"), t(15)], "Which one goes on the truck?"),
    ("The chest comes aboard sweating, and brass comes with it. At the pump the attendant fills "
     "the drum before he so much as looks at the tank. You talk about his mother. He takes a "
     "fifth off and seems puzzled by it.",
     [{"do": "job", "id": "ice_02", "step": "taken"}, {"do": "give", "item": "ice_chest", "n": 1},
      {"do": "chits", "n": 22}, g("fuel", 26), g("water", 16), {"do": "chits", "n": -58}, t(25)],
     None),
    ("Two strips of foil slide down behind the squab. Ivo Sand chalks the door, one chest, one "
     "spare, and holds the book for you. The tar is kind this morning and Nine Poles comes up "
     "early, its blades turning over like a slow thought.",
     [flag("stash_squab"), flag("chalked"), g("fuel", -8), g("water", -2), g("fatigue", 1),
      {"do": "move", "to": "nine_poles"}, t(120)], None),
    ("You let her lope. Sister Maud's dog watches you out of sight. At this rate you'd be at the "
     "span by lamp-lighting. Two hours on, the light goes flat, as though somebody had put a "
     "plate over it.",
     [g("fuel", -3), {"do": "weather", "is": "haze"}, flag("nursing"), t(110)], None),
    ("It isn't you. The west stands up. The bonnet goes, then the wipers, and then the road is a "
     "rumour. The near wheels drop. Your forehead finds the door post. The truck leans in the "
     "ditch with its engine still breathing grit.",
     [{"do": "weather", "is": "wall"}, g("tyres", -2), {"do": "wound", "level": 1}, t(30)],
     "Do you leave the engine running?"),
    ("The dial hisses. A woman's voice, unhurried: '...washing day from the... to nearly... two "
     "hours if you... and what have you got for...' Then only sand on tin.",
     [flag("spoke_odile"), t(10)], None),
    ("When it thins you back her out. The knock walks with the ruts. Underneath, the lantern "
     "shows one leaf of the spring cracked clean through. The strap goes round it four times. "
     "It'll hold for a hundred, if nobody laughs.",
     [{"do": "take", "item": "strap", "n": 1}, flag("strap_100"), {"do": "weather", "is": "haze"},
      g("water", -1), g("fatigue", 1), t(150)], None),
    ("Three men and one limp. The limp is good. The boots are better, oiled, with the heels "
     "hardly worn. The oldest has his hand on the door already. 'God bless you,' he says, and "
     "looks at the ignition.",
     [flag("picked_up_three"), t(15)], "What do you do with your hands?"),
    ("An arm's length; you could count his teeth. The barrels come up and he swings the limping "
     "man's stick as he goes backward. It opens your forearm. He lands on his wrist and howls. "
     "The others are already running. The youngest looks at your plate.",
     [{"do": "wound", "level": 2}, flag("plate_remembered"), g("fatigue", 2), t(5)], None),
    ("Iodine, gauze, a knot pulled tight with your teeth. It's quiet. The arm stops arguing. The "
     "hands don't: the tin lid rattles on the tin until you set it down on the seat.",
     [{"do": "take", "item": "tin_box_use", "n": 1}, {"do": "wound", "level": 1},
      flag("dressing_fresh"), t(20)], None),
    ("The chicory tastes like a burnt fence. The road steadies. There's a house with a blue lamp "
     "in the window, close to the verge, and a woman sweeping the step. You pass it twice.",
     [{"do": "take", "item": "chicory", "n": 1}, g("fatigue", 2), g("fatigue", -1), g("fuel", -3),
      g("water", -2), t(90)], None),
    ("Sergeant Penhallow reads the gate book, the licence, then your sleeve. 'How was Nine "
     "Poles?' The door stands open. A warden leans into the cab, comes out chewing, and nobody "
     "looks at the seat. The toll is four. The bar goes up.",
     [{"do": "move", "to": "tallow_bridge"}, {"do": "take", "item": "tinned_peaches", "n": 1},
      {"do": "chits", "n": -4}, {"do": "standing", "who": "wardens", "n": 1}, t(30)], None),
    ("An hour's doze, then the Court, sunk to the sills. The walkway has been swept. In the "
     "front rooms you roll up three coils of copper. Behind the desk an old man turns a book "
     "toward you and uncaps a pen. 'If you'd be so good.'",
     [{"do": "move", "to": "motel"}, g("fatigue", -1), {"do": "give", "item": "copper", "n": 3},
      g("fuel", -5), g("water", -1), t(180)], "Do you sign?"),
    ("Salter's Row by lantern. The man to your left has clean cuffs; you checked. Your throw "
     "lies better than the blanket's and ten comes back as twenty. Somebody says the road's "
     "long, and waits.",
     [{"do": "move", "to": "salter_row"}, {"do": "chits", "n": 10}, g("fuel", -8),
      g("water", -2), flag("won_knuckles_once"), t(150)], "What do you say back?"),
    ("Perpetua signs the stub first, then lifts the lid, and the cold comes up between you. 'You're "
     "the one who talked old Pym out of his water,' she says. 'At Gypsum.' It was diesel, and it "
     "was the Wells. She seems pleased about it.",
     [{"do": "take", "item": "ice_chest", "n": 1}, {"do": "give", "item": "stub", "n": 1},
      {"do": "job", "id": "ice_02", "step": "delivered"},
      {"do": "standing", "who": "kinfolk", "n": 1},
      {"do": "note", "text": "Cold chest to the Row, signed for. Cash the stub."}, t(20)], None),
]

TURNS = json.loads((Path(__file__).parent / "turns.json").read_text(encoding="utf-8"))["turns"]
ANSWERS = {turn["text"]: {"say": say, "actions": acts, "ask": ask}
           for turn, (say, acts, ask) in zip(TURNS, SCRIPT, strict=True)}


def reply(messages):
    text = messages[-1]["content"].rsplit("\nDICE:", 1)[0]
    return json.dumps(ANSWERS.get(text, IDLE), ensure_ascii=False)
