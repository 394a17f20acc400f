"""What the handler adds to a turn: its own time, without assembly, the model and the commit.

A campaign of forty turns stands in a SQLite file, and each measured turn is its forty-first, with
a state of the contract's turns and a needle's query. The model is a script that answers at once.
"""

from __future__ import annotations

import json
import random
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from evaluation.contract import ContractTurn, load_turns
from evaluation.needles import Needle

from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.llm.protocol import Model, ModelReply, ModelRequest
from mvp_site.llm.scripted import ScriptedModel, ScriptLine
from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.types import Campaign
from mvp_site.turns.handler import TurnHandler
from mvp_site.turns.offline import OfflineNarrator
from mvp_site.turns.types import TurnRequest, TurnResult
from mvp_site.types import AssembledTurn

from .ours import Ours

TURNS: Final = 39
_SEED: Final = 7
_PAST: Final = "past"
# The narrator is brief; what a model tells of a turn is about this much longer.
_PROSE: Final = """

The lamps along the wall have been turned low, and whoever did it has not gone far — the smell of
the wick still hangs where the draught can’t reach. Somewhere above you a board takes a weight and
gives it back. You hear the yard dog get up, turn round twice and lie down again, as if it had been
told to mind its own affairs.

“Not tonight,” says a voice behind the shutters. “Tell them we’re closed.”

Rain has begun. It comes down the stones in threads, finds the gutter, and goes on talking to
itself under the arch. A cart stands there with its shafts on the ground and a blanket over the
load, and one corner of the blanket has been tied, untied and tied again by somebody in a hurry.
Nothing about it asks to be looked at, which is perhaps the reason why you do…

Then a door opens across the yard, no wider than a hand. A strip of yellow light falls out of it,
lies on the wet ground, and waits with you for whatever comes next."""


class Stopwatch:
    """The time spent in its ``with`` blocks: seconds on the clock and of the processor."""

    def __init__(self) -> None:
        self.seconds = self.cpu = 0.0
        self._started = self._working = 0.0

    def __enter__(self) -> Self:
        self._started, self._working = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.cpu += time.process_time() - self._working
        self.seconds += time.perf_counter() - self._started

    def reset(self) -> None:
        """Start from nothing."""
        self.seconds = self.cpu = 0.0


class Handling:
    """The campaign, and the turns that are taken in it."""

    def __init__(self, ours: Ours, store: _TimedStore, past: Mapping[str, Any],
                 apart: Stopwatch) -> None:
        self.apart = apart
        self._ours = ours
        self._store = store
        self._past = past
        self._scripts: dict[str, tuple[ModelReply, ...]] = {}
        self._states = _by_mode(load_turns())
        self._begun = 0

    @classmethod
    def open(cls, ours: Ours, work: Path) -> Self:
        """The campaign of forty turns, played by the offline narrator, in a file in ``work``."""
        file = work / "handling.sqlite3"
        for old in work.glob(f"{file.name}*"):
            old.unlink()
        apart = Stopwatch()
        store = _TimedStore.from_url(f"sqlite:///{file}")
        store.apart = apart
        handler = TurnHandler(ours.settings, ours.assembler(), _Storyteller(), store)
        plain = [turn for turn in load_turns() if turn.mode != "god"]
        for number in range(TURNS):
            state = plain[0].state if number == 0 else None
            _taken(handler, TurnRequest(
                _PAST, plain[number % len(plain)].input, plain[number % len(plain)].mode,
                state=state, seed=number,
            ))
        past = store.export(_PAST)
        # Nothing of a past turn's manifest is read again; without it four hundred copies fit.
        turns = [{**turn, "manifest": {}, "state_before": {}} for turn in past["turns"]]
        return cls(ours, store, {**past, "turns": turns}, apart)

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def begin(self, needle: Needle) -> tuple[TurnHandler, TurnRequest]:
        """A handler that took the campaign's last turn, and the turn that it is to take next.

        State and answers differ from campaign to campaign, so that each is read and counted as new.
        """
        if needle.id not in self._scripts:
            self._scripts[needle.id] = self._rehearsed(needle)
        model = _TimedScript(map(ScriptLine, self._scripts[needle.id]), name="rehearsed")
        model.apart = self.apart
        assembler = _TimedAssembler(
            self._ours.settings, self._ours.serving, self._ours.served.release.header,
            self._ours.version,
        )
        assembler.apart = self.apart
        request = self._campaign(needle)
        handler = TurnHandler(self._ours.settings, assembler, model, self._store)
        _taken(handler, _before(request))
        self.apart.reset()
        return handler, request

    def _rehearsed(self, needle: Needle) -> tuple[ModelReply, ...]:
        """What the narrator calls and says in the needle's turn: a script that is valid there."""
        storyteller = _Storyteller()
        handler = TurnHandler(
            self._ours.settings, self._ours.assembler(), storyteller, self._store
        )
        request = self._campaign(needle)
        _taken(handler, _before(request))
        _taken(handler, request)
        return tuple(storyteller.said)

    def _campaign(self, needle: Needle) -> TurnRequest:
        """A turn on a new copy of the campaign, which is written as its last turn would be."""
        self._begun += 1
        name = f"copy-{self._begun}"
        states = self._states[needle.mode]
        state = dict(states[zlib.crc32(needle.id.encode()) % len(states)].state)
        custom = {**state.get("custom_campaign_state", {}), "copy": self._begun}
        turns = [{**turn, "id": f"{name}-{turn['number']}"} for turn in self._past["turns"]]
        turns[-1]["answer"] += "\n" * (self._begun % 1000) + str(self._begun)
        self._store.import_document({
            **self._past, "campaign": {**self._past["campaign"], "id": name},
            "state": {**state, "custom_campaign_state": custom}, "turns": turns,
        })
        return TurnRequest(name, needle.query, needle.mode, "god", seed=_SEED)


def _before(request: TurnRequest) -> TurnRequest:
    """The turn before: in service a handler goes on with a campaign that it has at hand."""
    return TurnRequest(request.campaign_id, "What do I see from here?", "dm", "god", seed=_SEED)


class _TimedAssembler(PromptAssembler):
    """Times what the assembler does."""

    apart: Stopwatch

    def assemble(self, *args: Any, **kwargs: Any) -> AssembledTurn:
        """The prompt of one turn."""
        with self.apart:
            return super().assemble(*args, **kwargs)


class _TimedScript(ScriptedModel):
    """Times what the model does, little as that is."""

    apart: Stopwatch

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next answer."""
        with self.apart:
            return super().complete(request)


class _TimedStore(CampaignStore):
    """Times its commits."""

    apart: Stopwatch

    def commit(self, *turn: Any) -> Campaign:
        """The campaign with the turn."""
        with self.apart:
            return super().commit(*turn)


class _Storyteller(Model):
    """The offline narrator with more to tell; ``said`` keeps its replies."""

    name, tools = "storyteller", True

    def __init__(self) -> None:
        self._narrator = OfflineNarrator()
        self.said: list[ModelReply] = []

    def close(self) -> None:
        """Nothing to give back."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """The narrator's reply, its narrative as long as a model's."""
        reply = self._narrator.complete(request)
        line, _, written = reply.text.partition("\n")
        if written:
            answer = json.loads(written)
            if answer["narrative"]:
                answer["narrative"] += _PROSE
            reply = ModelReply(f"{line}\n{json.dumps(answer, ensure_ascii=False)}")
        self.said.append(reply)
        return reply


def _taken(handler: TurnHandler, request: TurnRequest) -> TurnResult:
    result = handler.handle(request)
    if result.fallback or len(result.attempts) > 1:
        found = {v.rule for attempt in result.attempts for v in attempt.violations}
        raise RuntimeError(f"the narrator broke {sorted(found)} on {request.user_input!r}")
    return result


def _by_mode(turns: Sequence[ContractTurn]) -> dict[str, list[ContractTurn]]:
    shuffled = random.Random(_SEED).sample(turns, len(turns))  # noqa: S311 - no secret
    return {
        mode: [turn for turn in shuffled if turn.mode == mode] for mode in ("story", "dm", "god")
    }
