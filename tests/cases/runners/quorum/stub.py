"""A scripted stand-in for the model: one valid reply for each turn in turns.json."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def narrator(text: str, *ops: Json, handoff: str | None = None) -> Json:
    return {"agent": "narrator", "text": text, "ops": list(ops), "handoff": handoff}


def actor(speaker: str, line: str, manner: str, *ops: Json) -> Json:
    return {"agent": "actor", "speaker": speaker, "line": line, "manner": manner, "ops": list(ops)}


def referee(ruling: str, grade: str, *ops: Json) -> Json:
    return {"agent": "referee", "ruling": ruling, "grade": grade, "ops": list(ops)}


def op(kind: str, **keys: Any) -> Json:
    return {"op": kind, **keys}


SCRIPT: list[Json] = [
    narrator("It took ten minutes down the Row, past the lamp that the Marchettis sign for. At the "
             "Ledger Wren's hand went to the doorframe, where the varnish was already dull from "
             "other hands. Inside, the cold had its own smell, of glue and iron. The apprentice "
             "stood up from bank K so fast that the steps rocked behind him.",
             op("goto", place="ledger_hall"), op("clock", minutes=10), op("scene", present=["tomas"])),
    narrator("Forty minutes, and nothing went back as it had been. Under the blotter lay a scrap of "
             "copied sheet, black from top to bottom. Tomas wrote its name on the docket as witness, "
             "twice, since his first attempt had blotted. Somebody touched the frame behind them: "
             "Ines Vold, in her outdoor felt.",
             op("clock", minutes=40),
             op("clue", id="one_ink", text="A scrap of a copied sheet, black ink only, fresh glue on its edge"),
             op("fact", name="witness_scrap", value="tomas"),
             op("scene", present=["tomas", "ines_vold"])),
    referee("It gives, but the pin stays in it. Behind the plate a paper roll has printed the hour, "
            "and it will say so to anybody who looks.", "cost",
            op("lose", item="hairpin", n=1), op("clock", minutes=5),
            op("fact", name="drawer_k_printed", value=True)),
    actor("ines_vold", "A week. As counted. I get to the edge of it and then I hear the steps go, and I "
          "wasn't even... You're the first that's said it to my face.", "folding a docket into quarters",
          op("trust", npc="ines_vold", n=1)),
    actor("ines_vold", "All right. I was by the hatch for a bit of it. Fish glue gets on everything, it "
          "was on me, so it was on... I was by the hatch.", "very still",
          op("clue", id="ines_hatch", text="Ines admits that she was at the hatch side for part of the night")),
    referee("The care is round a name: she never says whom she was waiting for. The hands stopped at "
            "'hatch'.", "clean", op("clock", minutes=3),
            op("clue", id="ines_waited", text="Ines avoids saying whom she was waiting for")),
    actor("ines_vold", "Put it away. I know whose frames that's off, and so will you, if anybody asks. I "
          "thought that you were only being kind.", "pushing it back with one finger",
          op("trust", npc="ines_vold", n=-1), op("fact", name="left_ines_vold", value=True)),
    narrator("Six ladders, and the crawl between the third and the fourth. In the lamp the frost kept "
             "what it had been given: a smooth sole, narrow, going up. It had no cleats and no patience. "
             "By the last ladder the suit had begun to tick, and then it left off ticking, and the needle "
             "lay down on its pin.",
             op("goto", place="cold_side"), op("clock", minutes=40), op("air", minutes=-40),
             op("clue", id="slippers", text="Smooth narrow soles in the frost, going up from the Ledger hatch"),
             handoff="referee"),
    referee("The climb takes both of the acts that you had sense for. You get the hatch wheel round with "
            "hands that you can't feel, and bark a wrist on it. The next breath is a real one.", "cost",
            op("strain", n=2), op("harm", n=1), op("clock", minutes=1)),
    narrator("The hub had no weight to give. Nets of mail turned along the rails, and between Wren and "
             "both hatches hung a man in plant grey, a spanner in his right hand and a corded box under "
             "his left arm. Wren's shoulders met a rib of the wall. He was within reach. 'One,' he was "
             "saying under his breath, 'two.'",
             op("goto", place="hub"), op("scene", present=["joss_tarrant"]), handoff="referee"),
    referee("Your elbow holds and he has nothing. He goes backward into the nets, slowly, and the spanner "
            "goes somewhere else. He can't reach you with his next act.", "clean",
            op("fact", name="joss_adrift", value=True), op("strain", n=2)),
    actor("joss_tarrant", "Wiped? All eleven, wiped? He had slippers on. On the ladder, in the cold, "
          "slippers, and he'd never once raised his voice. His voice.", "gasping, one hand in the net",
          op("trust", npc="joss_tarrant", n=1), op("fact", name="owed_joss_tarrant", value=True),
          op("clue", id="slippers_seen", text="Joss met a soft-spoken man in slippers on the ladder")),
    narrator("The tanks turned over in their sleep. Nobody wanted anything there. Wren sat with both palms "
             "on the warm lagging until the palms were only palms, and an hour had gone by, and somewhere "
             "above the lamps dimmed for two seconds and came back.",
             op("mode", to="exploration"), op("goto", place="tanks"), op("clock", minutes=60),
             op("strain", n=-2)),
    referee("Of course: that hour by the tanks is taken back, and you're at the hub again with Joss in the "
            "nets and the box adrift. To go on, say anything that Wren does or says.", "none",
            op("rewind", turns=1)),
    narrator("The bell was still going when Wren stood. The envelope made a small noise on the table. On "
             "the left, two got up by name, a weaver and a plumber, and the whole room leaned, muttered, "
             "and went quiet on that side first. Speaker Oyelaran drew breath. At her elbow the clerk "
             "had already fetched a chair that nobody had asked for.",
             op("mode", to="conversation"), op("goto", place="bench"), op("clock", minutes=60),
             op("scene", present=["oyelaran", "pell_marchetti"]),
             op("fact", name="proof_on_table", value="sealed"),
             op("tally", motion="stay_of_count", side="aye", n=2), handoff="actor:oyelaran"),
]

TURNS = json.loads((Path(__file__).parent / "turns.json").read_text(encoding="utf-8"))["turns"]
BY_TEXT = {t["text"]: reply for t, reply in zip(TURNS, SCRIPT, strict=True)}


def answer(messages: list[dict[str, str]]) -> str:
    """Look the player's words up; for anything else, fall back on the agent's idle reply."""
    text = messages[-1]["content"].split("] ", 1)[1].rsplit("\nd12: ", 1)[0]
    if text in BY_TEXT:
        return json.dumps(BY_TEXT[text], ensure_ascii=False)
    system = messages[0]["content"]
    agent = system.rsplit("You are the ", 1)[1].split(".", 1)[0]
    speaker = system.split("Speaking, if the actor is called: ")[-1].split(".", 1)[0]
    idle = {"narrator": narrator("The lamp hummed. Nothing came of it."),
            "actor": actor(speaker, "I've got a thing to see to.", "half turned away"),
            "referee": referee("There's nothing here to decide.", "none")}
    return json.dumps(idle[agent])
