"""canned dispatcher: one scripted answer for each line in turns.json. no network, no keys."""
import json
from pathlib import Path

SCRIPT = json.loads((Path(__file__).parent / "script.json").read_text(encoding="utf-8"))
TURNS = json.loads((Path(__file__).parent / "turns.json").read_text(encoding="utf-8"))["turns"]
ANSWERS = {turn["text"]: {"say": say, "actions": acts, "ask": ask}
           for turn, (say, acts, ask) in zip(TURNS, SCRIPT, strict=True)}


def reply(messages):
    text = messages[-1]["content"].rsplit("\nDICE:", 1)[0]
    return json.dumps(ANSWERS[text], ensure_ascii=False)
