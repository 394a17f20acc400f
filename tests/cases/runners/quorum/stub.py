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


SCRIPT = json.loads((Path(__file__).parent / "script.json").read_text(encoding="utf-8"))

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
