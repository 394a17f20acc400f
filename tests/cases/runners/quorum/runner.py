"""Quorum: a three-agent mystery runner.

A narrator describes, an actor speaks for one character, a referee rules. Which
prompt files each of them sees depends on the front matter of the files in
``prompts/`` and on the current mode.
What reads the keyboard and prints is left out here: play.py plays it.
"""
from __future__ import annotations

import copy
import json
import random
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable

from mvp_site import PromptAssembler, Settings

ROOT = Path(__file__).resolve().parent
ASSEMBLER = PromptAssembler.open(Settings.of(ROOT / "game"))  # mvp-site init game --from prompts
BUDGET = 2_500  # tokens of rules, people and places looked up for a turn
AGENTS = ("narrator", "actor", "referee")
MODES = ("exploration", "conversation", "conflict", "gamemaster")
PLACES = {
    "quarters": "Tellers' Row", "ledger_hall": "the Ledger", "orchards": "the Orchards",
    "looms": "the Looms", "bench": "the Bench", "physic": "the Physic", "plant": "the Plant",
    "hub": "the hub", "cold_side": "the service space", "tanks": "the settling tanks",
}
SHAPES = {
    "narrator": {"agent", "text", "ops", "handoff"},
    "actor": {"agent", "speaker", "line", "manner", "ops"},
    "referee": {"agent", "ruling", "grade", "ops"},
}
SPOKEN = {"narrator": "text", "actor": "line", "referee": "ruling"}
GRADES = {"clean", "cost", "foul", "none"}
ALLOWED = {
    "narrator": {"goto", "clock", "mode", "scene", "gain", "lose", "strain", "air",
                 "clue", "fact", "tally", "setting"},
    "actor": {"trust", "clue", "fact"},
    "referee": {"clock", "mode", "gain", "lose", "trust", "strain", "harm", "air",
                "clue", "fact", "tally", "rewind", "setting"},
}
GM_ONLY = {"rewind", "setting"}
NOT_IN_GM = {"clock", "scene"}


class InvalidReply(ValueError):
    """The model's reply does not have the agent's shape."""


class OpRefused(ValueError):
    """An operation is forbidden or out of bounds."""


@dataclass
class State:
    """Everything that a rewind has to bring back."""

    seed: int = 6
    turn: int = 0
    mode: str = "exploration"
    place: str = "quarters"
    minutes: int = 50  # since first bell of the first watch, day one
    air: int = 40
    strain: int = 1
    harm: int = 0
    speaker: str | None = None
    present: list[str] = field(default_factory=list)
    items: dict[str, int] = field(default_factory=lambda: {
        "tables": 6, "hairpin": 1, "work_suit": 1, "honey_jar": 1, "notebook": 1})
    trust: dict[str, int] = field(default_factory=lambda: {
        "ines_vold": 1, "joss_tarrant": -1, "oyelaran": 0, "pell_marchetti": 2,
        "dr_sung": 1, "tomas": 2, "mrs_abara": 0, "hanne_orchard": 0})
    clues: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    tallies: dict[str, dict[str, int]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def watch(self) -> str:
        day, rest = divmod(self.minutes, 1440)
        watch, rest = divmod(rest, 480)
        return f"{('first', 'second', 'third')[watch]}, bell {rest // 60 + 1}, day {day + 1}"


@dataclass(frozen=True)
class PromptFile:
    name: str
    agents: tuple[str, ...]
    modes: tuple[str, ...]
    body: str

    @classmethod
    def load(cls, path: Path) -> "PromptFile":
        _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
        meta = dict(line.split(": ", 1) for line in head.strip().splitlines())

        def pick(key: str, every: tuple[str, ...]) -> tuple[str, ...]:
            value = meta[key].strip()
            return every if value == "all" else tuple(v.strip() for v in value.split(","))

        return cls(path.name, pick("agents", AGENTS), pick("modes", MODES), body.strip())


def load_prompts(folder: Path = ROOT / "prompts") -> list[PromptFile]:
    return [PromptFile.load(p) for p in sorted(folder.glob("*.md"))]


def placeholders(state: State) -> dict[str, str]:
    return {
        "PLACE": f"{PLACES[state.place]} ({state.place})",
        "WATCH": state.watch,
        "AIR": str(state.air), "STRAIN": str(state.strain), "HARM": str(state.harm),
        "PRESENT": ", ".join(state.present) or "nobody",
        "TRUST": ", ".join(f"{n} {state.trust[n]:+d}" for n in state.present) or "does not apply",
        "SPEAKER": state.speaker or "nobody",
    }


def build_system_prompt(agent: str, mode: str, state: State, line: str = "", history=()) -> str:
    """What the turn needs of what this agent may see in this mode, filled from the state."""
    people = {*state.present, state.speaker} - {None}
    if agent == "referee" or mode == "gamemaster":
        people = set()
    text = ASSEMBLER.system_text(
        line, f"{agent}-{mode}", "player" if agent == "actor" else "dm",  # sealed files are the dm's
        history=history, state=asdict(state), fill=placeholders(state),
        pin=sorted(people), max_tokens_retrieved=BUDGET).text.rstrip()
    record = [f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in (
        ("trust", state.trust if agent == "referee" else None),
        ("carries", state.items), ("clues in the log", state.clues), ("facts", state.facts),
        ("tallies", state.tallies), ("settings", state.settings)) if v]
    return (f"{text}\n\n# Record\n\n" + "\n".join(record)
            + f"\n\nYou are the {agent}. The mode is {mode}.")


def ask_model(messages: list[dict[str, str]]) -> str:
    """Replace this with a call to a provider. The stub needs no network."""
    import stub

    return stub.answer(messages)


def parse_reply(agent: str, raw: str) -> dict[str, Any]:
    try:
        reply = json.loads(raw)
    except json.JSONDecodeError as exc:
        raise InvalidReply(f"not JSON ({exc})") from exc
    if not isinstance(reply, dict) or set(reply) != SHAPES[agent] or reply["agent"] != agent:
        raise InvalidReply(f"not the {agent}'s shape")
    if not isinstance(reply[SPOKEN[agent]], str) or not reply[SPOKEN[agent]].strip():
        raise InvalidReply("nothing is said")
    if not isinstance(reply["ops"], list) or not all(isinstance(o, dict) for o in reply["ops"]):
        raise InvalidReply("ops is not an array of objects")
    if agent == "referee" and reply["grade"] not in GRADES:
        raise InvalidReply(f"unknown grade {reply['grade']!r}")
    if agent == "narrator" and not re.fullmatch(r"None|referee|actor:\w+", str(reply["handoff"])):
        raise InvalidReply(f"bad handoff {reply['handoff']!r}")
    return reply


def bounded(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise OpRefused(f"{value!r} is not within {low}..{high}")
    return value


def known(value: Any, names: Any) -> str:
    if value not in names:
        raise OpRefused(f"unknown: {value!r}")
    return value


class Game:
    """Holds the state, the history and the snapshots for rewinding."""

    def __init__(self, model: Callable[[list[dict[str, str]]], str] | None = None) -> None:
        self.state = State()
        self.history: list[dict[str, str]] = []
        self.snapshots: list[tuple[State, int]] = []
        self.model = model or ask_model

    def messages(self, agent: str, mode: str, text: str) -> list[dict[str, str]]:
        line = f"[{mode}] {text}"
        if agent == "referee":
            line += f"\nd12: {random.Random(f'{self.state.seed}/{self.state.turn}').randint(1, 12)}"
        return [{"role": "system", "content": build_system_prompt(
            agent, mode, self.state, text, self.history)},
                *self.history[-30:], {"role": "user", "content": line}]

    def play(self, text: str, agent: str, mode: str) -> tuple[dict[str, Any] | None, list[str]]:
        """Play one turn. On an invalid reply nothing changes and None is returned."""
        agent, _, speaker = agent.partition(":")
        before = copy.deepcopy(self.state)
        if mode != "gamemaster":
            self.state.mode = mode
        self.state.speaker = speaker or None
        messages = self.messages(agent, mode, text)
        raw = self.model(messages)
        try:
            reply = parse_reply(agent, raw)
            if agent == "actor" and reply["speaker"] != speaker:
                raise InvalidReply("somebody else answered")
        except InvalidReply as exc:
            self.state = before
            return None, [str(exc)]
        length = len(self.history)
        if mode != "gamemaster":  # stepping out of the story is not a turn of it
            self.snapshots = self.snapshots[-9:] + [(before, length)]
            self.state.turn += 1
        self.history += [messages[-1], {"role": "assistant", "content": raw}]
        refused = []
        for op in reply["ops"]:
            try:
                self.apply(op, agent, mode)
            except (OpRefused, KeyError) as exc:
                refused.append(f"{op.get('op')}: {exc}")
        return reply, refused

    def apply(self, op: dict[str, Any], agent: str, mode: str) -> None:
        s, kind = self.state, op["op"]
        if kind not in ALLOWED[agent] or (kind in GM_ONLY) > (mode == "gamemaster"):
            raise OpRefused(f"not for the {agent} in {mode}")
        if mode == "gamemaster" and kind in NOT_IN_GM:
            raise OpRefused("the story stands still")
        if kind == "goto":
            s.place, s.present = known(op["place"], PLACES), []
        elif kind == "clock":
            s.minutes += bounded(op["minutes"], 1, 480)
        elif kind == "mode":
            s.mode = known(op["to"], MODES[:3])
        elif kind == "scene":
            s.present = [known(n, s.trust) for n in op["present"]]
        elif kind == "gain":
            s.items[op["item"]] = s.items.get(op["item"], 0) + bounded(op["n"], 1, 20)
        elif kind == "lose":
            left = s.items.get(op["item"], 0) - bounded(op["n"], 1, 20)
            if left < 0:
                raise OpRefused(f"not that many: {op['item']}")
            s.items[op["item"]] = left
            s.items = {k: v for k, v in s.items.items() if v}
        elif kind == "trust":
            npc = known(op["npc"], s.trust)
            s.trust[npc] = max(-3, min(5, s.trust[npc] + bounded(op["n"], -2, 2)))
        elif kind == "strain":
            s.strain = max(0, min(10, s.strain + bounded(op["n"], -4, 4)))
        elif kind == "harm":
            s.harm = max(0, min(4, s.harm + bounded(op["n"], -2, 2)))
        elif kind == "air":
            s.air = max(0, min(120, s.air + bounded(op["minutes"], -120, 120)))
        elif kind == "clue":
            s.clues[str(op["id"])] = str(op["text"])[:100]
        elif kind == "fact":
            s.facts[str(op["name"])] = op["value"]
        elif kind == "tally":
            motion = s.tallies.setdefault(str(op["motion"]), {"aye": 0, "nay": 0, "abstain": 0})
            motion[known(op["side"], motion)] += bounded(op["n"], 0, 6000)
        elif kind == "setting":
            s.settings[str(op["name"])] = op["value"]
        elif kind == "rewind":
            turns = bounded(op["turns"], 1, min(5, len(self.snapshots)))
            self.state, length = self.snapshots[-turns]
            del self.snapshots[-turns:], self.history[length:]
