"""Plays a runner's fifteen turns with its stub, and says what each system prompt has and lacks.

Usage: play.py RUNNER [BUDGET]. The index is built first. Tokens are o200k; `before` are the prompts sent whole.
"""

from __future__ import annotations

import copy
import json
import re
import sys
from pathlib import Path

from mvp_site import Settings, build_prompt_index
from mvp_site.text.tokens import count_tokens

NAME = sys.argv[1]
FOLDER = Path(__file__).parent / NAME
sys.path.insert(0, str(FOLDER))
build_prompt_index(Settings.of(FOLDER / "game"))
import runner  # noqa: E402

if len(sys.argv) > 2:
    runner.BUDGET = int(sys.argv[2])


def plain(text: str, values: dict[str, str]) -> str:
    return " ".join(re.sub(r"\{\{([A-Z_]+)\}\}", lambda match: values.get(match[1], match[0]), text).split())


def turns():
    """Each turn's system prompt, what it was before, and the texts of placeholders."""
    sent = {}

    def model(messages):
        sent["system"] = messages[0]["content"]
        return runner.ask_model(messages)

    for turn in PLAYED["turns"]:
        if NAME == "dustline":
            before = f"{PROMPTS.rstrip()}\n\n{runner.state_block(STATE)}\n"
            runner.play_turn(STATE, HISTORY, turn["text"], ask=model)
            yield turn, sent["system"], before, {}
            continue
        GAME.model = model
        agent, _, speaker = turn["agent"].partition(":")
        state = copy.deepcopy(GAME.state)
        state.mode = state.mode if turn["mode"] == "gamemaster" else turn["mode"]
        state.speaker = speaker or None
        parts = [file.body for file in runner.load_prompts() if agent in file.agents and turn["mode"] in file.modes]
        GAME.play(turn["text"], turn["agent"], turn["mode"])
        yield turn, sent["system"], "\n\n".join(parts), runner.placeholders(state)


PLAYED = json.loads((FOLDER / "turns.json").read_text("utf-8"))
PROMPTS = "\n\n".join(file.read_text("utf-8") for file in sorted((FOLDER / "prompts").iterdir()))
if NAME == "dustline":
    STATE, HISTORY = runner.new_state(), []
else:
    GAME = runner.Game(model=None)
tokens, always, missing, needed = [], [], [], 0
for turn, system, before, values in turns():
    text = plain(system, values)
    tokens.append((count_tokens(before), count_tokens(system)))
    always += [need for need in PLAYED["always"] if plain(need, values) not in text]
    missing += [need for need in turn["needs"] if plain(need, values) not in text]
    needed += len(turn["needs"])
before, after = (sum(column) / len(tokens) for column in zip(*tokens, strict=True))
print(json.dumps({"turns": len(tokens), "before": before, "after": after, "always_missing": always, "missing": missing, "needed": needed}))
