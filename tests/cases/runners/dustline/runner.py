#!/usr/bin/env python3
"""dustline - haul freight down a bad road, with a language model as dispatcher.

One prompt file, one state dict, one model call per turn. That's the whole trick.
What reads the keyboard and prints is left out here: play.py plays it.
"""
import json
import random
from pathlib import Path

from mvp_site import PromptAssembler, Settings

HERE = Path(__file__).parent
PROMPT = HERE / "prompts" / "system.md"
ASSEMBLER = PromptAssembler.open(Settings.of(HERE / "game"))  # mvp-site init game --from prompts
BUDGET = 4_000  # tokens of rules looked up for a turn
KEEP = 24  # messages of history sent along, user + assistant together

PLACES = ["cask_wells", "nine_poles", "tallow_bridge", "motel",
          "salter_row", "gypsum", "needle", "far_harbor"]
GAUGES = {"fuel": 60, "water": 40, "tyres": 100, "fatigue": 10}
WEATHER = {"clear", "haze", "wall", "night_cold"}
STEPS = {"taken", "delivered", "lost", "refused"}


class BadAnswer(Exception):
    """the model said something we can't use"""


def new_state(seed=70878):
    return {
        "seed": seed, "turn": 0, "place": "cask_wells", "clock": 6 * 60,
        "weather": "clear", "chits": 60, "wound": 0,
        "gauges": {"fuel": 22, "water": 14, "tyres": 90, "fatigue": 1},
        "items": {"cartridge": 6, "tin_box_use": 3, "antibiotic_strip": 2,
                  "tinned_peaches": 1, "chicory": 2, "strap": 1, "bread": 2},
        "jobs": {}, "standing": {"wardens": 0, "kinfolk": 0, "drifters": 0},
        "flags": [], "log": [],
    }


def clock_text(minutes):
    day, rest = divmod(minutes, 1440)
    return f"day {day + 1}, {rest // 60:02d}:{rest % 60:02d}"


def state_block(s):
    g = s["gauges"]
    lines = [
        "## STATE (from the program; trust this over anything in the chat)",
        "",
        f"place: {s['place']} | {clock_text(s['clock'])} | weather: {s['weather']}",
        f"chits: {s['chits']} | fuel {g['fuel']}/60 | water {g['water']}/40 | "
        f"tyres {g['tyres']}% | fatigue {g['fatigue']} | wound {s['wound']}",
        "has: " + (", ".join(f"{k} x{v}" for k, v in sorted(s["items"].items())) or "nothing"),
        "jobs: " + (", ".join(f"{k}={v}" for k, v in s["jobs"].items()) or "none"),
        "standing: " + ", ".join(f"{k} {v:+d}" for k, v in s["standing"].items()),
        "flags: " + (", ".join(s["flags"]) or "none"),
    ]
    if s["log"]:
        lines.append("logbook: " + " / ".join(s["log"][-6:]))
    return "\n".join(lines)


def build_system_prompt(state, history=(), text=""):
    system = ASSEMBLER.system_text(text, history=history, state=state, max_tokens_retrieved=BUDGET)
    return system.text.rstrip() + "\n\n" + state_block(state) + "\n"


def build_messages(state, history, text, dice):
    user = f"{text}\nDICE: {' '.join(map(str, dice))}"
    return ([{"role": "system", "content": build_system_prompt(state, history, text)}]
            + history[-KEEP:] + [{"role": "user", "content": user}])


def ask_model(messages):
    """the only place that talks to a model. swap the body for your provider."""
    import stub
    return stub.reply(messages)


def parse(raw):
    try:
        ans = json.loads(raw)
    except json.JSONDecodeError as e:
        raise BadAnswer(f"not json: {e}") from None
    if not isinstance(ans, dict) or set(ans) != {"say", "actions", "ask"}:
        raise BadAnswer("want exactly say, actions, ask")
    if not isinstance(ans["say"], str) or not ans["say"].strip():
        raise BadAnswer("say is empty")
    if ans["ask"] is not None and not isinstance(ans["ask"], str):
        raise BadAnswer("ask must be text or null")
    if not isinstance(ans["actions"], list) or not all(
            isinstance(a, dict) and isinstance(a.get("do"), str) for a in ans["actions"]):
        raise BadAnswer("actions must be a list of objects with a do")
    return ans


def _int(v, lo, hi):
    if isinstance(v, bool) or not isinstance(v, int) or not lo <= v <= hi:
        raise ValueError(f"{v!r} isn't a whole number from {lo} to {hi}")
    return v


def _one_of(v, allowed):
    if v not in allowed:
        raise ValueError(f"{v!r} isn't one of {', '.join(sorted(allowed))}")
    return v


def apply_one(s, a):
    """change state by one action; ValueError/KeyError when it can't be done"""
    match a["do"]:
        case "move":
            to = PLACES.index(_one_of(a["to"], set(PLACES)))
            if abs(to - PLACES.index(s["place"])) != 1:
                raise ValueError("a stop can't be skipped")
            s["place"] = a["to"]
        case "time":
            s["clock"] += _int(a["min"], 1, 720)
        case "give":
            s["items"][a["item"]] = s["items"].get(a["item"], 0) + _int(a["n"], 1, 99)
        case "take":
            have, n = s["items"].get(a["item"], 0), _int(a["n"], 1, 99)
            if have < n:
                raise ValueError(f"only {have} {a['item']}")
            s["items"][a["item"]] = have - n
            if have == n:
                del s["items"][a["item"]]
        case "chits":
            n = _int(a["n"], -999, 999)
            if s["chits"] + n < 0:
                raise ValueError("can't pay that")
            s["chits"] += n
        case "gauge":
            which = _one_of(a["which"], set(GAUGES))
            now = s["gauges"][which] + _int(a["n"], -100, 100)
            s["gauges"][which] = max(0, min(GAUGES[which], now))
        case "wound":
            s["wound"] = _int(a["level"], 0, 3)
        case "standing":
            who = _one_of(a["who"], set(s["standing"]))
            s["standing"][who] = max(-5, min(5, s["standing"][who] + _int(a["n"], -2, 2)))
        case "flag":
            name = str(a["name"])
            if a["on"] and name not in s["flags"]:
                s["flags"].append(name)
            elif not a["on"] and name in s["flags"]:
                s["flags"].remove(name)
        case "weather":
            s["weather"] = _one_of(a["is"], WEATHER)
        case "job":
            s["jobs"][str(a["id"])] = _one_of(a["step"], STEPS)
        case "note":
            s["log"].append(str(a["text"])[:90])
        case other:
            raise ValueError(f"no such action: {other}")


def apply_actions(s, actions):
    refused = []
    for a in actions:
        try:
            apply_one(s, a)
        except (ValueError, KeyError, TypeError) as e:
            refused.append(f"{a.get('do')}: {e}")
    return refused


def play_turn(s, history, text, ask=None):
    """one turn. returns (answer or None, list of complaints)"""
    rng = random.Random(s["seed"] * 1000 + s["turn"])
    dice = [rng.randint(1, 10) for _ in range(3)]
    messages = build_messages(s, history, text, dice)
    raw = (ask or ask_model)(messages)
    try:
        ans = parse(raw)
    except BadAnswer as e:
        return None, [str(e)]  # nothing happened: no state, no history, no turn
    refused = apply_actions(s, ans["actions"])
    history += [messages[-1], {"role": "assistant", "content": raw}]
    s["turn"] += 1
    return ans, refused
