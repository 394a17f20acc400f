"""A scripted stand-in for the model: one valid reply for each turn in turns.json."""
from __future__ import annotations

import json
from pathlib import Path

SCRIPT = json.loads((Path(__file__).parent / "script.json").read_text(encoding="utf-8"))

TURNS = json.loads((Path(__file__).parent / "turns.json").read_text(encoding="utf-8"))["turns"]
BY_TEXT = {t["text"]: reply for t, reply in zip(TURNS, SCRIPT, strict=True)}


def answer(messages: list[dict[str, str]]) -> str:
    """The reply to the player's words."""
    text = messages[-1]["content"].split("] ", 1)[1].rsplit("\nd12: ", 1)[0]
    return json.dumps(BY_TEXT[text], ensure_ascii=False)
