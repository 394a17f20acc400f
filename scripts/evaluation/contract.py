"""How well a model keeps the contract: every turn with the header alone and with retrieval.

Both conditions are the same handler on the same release, state, seed and settings; they differ in
the budget for retrieved passages alone, which is 0 for the header. Each turn is the first one of a
campaign of its own, in a database in memory that is gone afterwards.

The turns stand in ``sets/turns.jsonl``, modes by turns, so that the first N are a fair part of
them; ``sets/README.md`` says how they were written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, cast

from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.errors import InvalidTurnError, ModelRequestError, SettingsError
from mvp_site.llm.protocol import Model, ModelReply, ModelRequest
from mvp_site.retrieval.building import Progress
from mvp_site.retrieval.encoder import Encoder
from mvp_site.settings import Settings
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.handler import OFFLINE, TurnHandler
from mvp_site.turns.types import Attempt, FallbackReason, TurnRequest
from mvp_site.types import Audience, Mode

from .contract_report import condition, page
from .report import Report
from .sets import Name, read_set, shipped_text

FILE: Final = "sets/turns.jsonl"
SEED: Final = 7
"""What all turns' dice are seeded from."""
HEADER: Final = "header alone"
RETRIEVAL: Final = "with retrieval"
CONDITIONS: Final = (HEADER, RETRIEVAL)
_MEMORY: Final = "sqlite://"
_NOTES: Final = {
    OFFLINE: "The offline narrator is a deterministic stand-in that was written to keep the "
             "contract. This proves the handler only, and nothing about language models.",
    "scripted": "A script gave the answers, whatever was asked. This proves the handler only, and "
                "nothing about language models.",
}


@dataclass(frozen=True, slots=True)
class ContractTurn:
    """One turn: what is said, by whom, in which mode, and the state that it begins with."""

    id: Name
    mode: Mode
    audience: Audience
    input: str
    state: Mapping[str, Any]

    @property
    def seed(self) -> int:
        """The seed of the turn's dice, the same in every run: 63 bits of a hash of its id."""
        digest = hashlib.sha256(f"{SEED}:{self.id}".encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1


def load_turns(first: int | None = None) -> tuple[ContractTurn, ...]:
    """The turns of the set in its order, or the ``first`` of them.

    Raises:
        SettingsError: it has not that many, or fewer than one is asked for.
    """
    turns = read_set(ContractTurn, FILE, what="turn")
    if first is not None and not 1 <= first <= len(turns):
        raise SettingsError(f"{first} turns cannot be taken: the set has {len(turns)}, so give a "
                            f"number from 1 to {len(turns)}")
    return turns[:first]


@dataclass(frozen=True, slots=True)
class Taken:
    """One turn in one condition.

    ``error`` says why there is no result, where the handler itself refused the turn. ``chunks``
    counts the passages that were retrieved, ``model`` is what the provider calls the one that
    answered.
    """

    turn: ContractTurn
    condition: str
    attempts: tuple[Attempt, ...] = ()
    fallback: FallbackReason | None = None
    chunks: int = 0
    model: str = ""
    release: str = ""
    error: str = ""

    @property
    def answers(self) -> tuple[Attempt, ...]:
        """The attempts that gave an answer."""
        return tuple(attempt for attempt in self.attempts if not attempt.error)

    @property
    def failure(self) -> str:
        """Why there is no answer at all; '' where there is one."""
        return "" if self.answers else self.error or self.attempts[-1].error

    def as_dict(self) -> dict[str, Any]:
        """The turn as JSON values: enough to see what a model did and why it counted."""
        return {
            "id": self.turn.id, "condition": self.condition, "mode": self.turn.mode,
            "fallback": self.fallback, "error": self.error, "chunks": self.chunks,
            "seed": self.turn.seed, "attempts": [asdict(attempt) for attempt in self.attempts],
        }


class Watched:
    """A model that passes everything on to another, and keeps its last refusal as ``refused``.

    The handler turns a model's errors into fallbacks. A refusal is not mended by asking again, and
    whoever pays for a run had better stop.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.refused: ModelRequestError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def complete(self, request: ModelRequest) -> ModelReply:
        """The model's answer; raises as the model does."""
        try:
            return self._model.complete(request)
        except ModelRequestError as error:
            self.refused = error
            raise


def run_contract(settings: Settings, turns: int | None = None, *, encoder: Encoder | None = None,
                 progress: Progress | None = None) -> Report:
    """What the model of ``settings.mvp_site_llm`` does on the set, or on its first ``turns``.

    In each turn the header alone comes first. A turn in which the model gives no answer counts as
    failed and the run goes on. The values have every turn with its answers under ``turns``.

    Raises:
        SettingsError: no such model, no key, no SDK, or not that many turns.
        ModelRequestError: the provider refuses the very first turn: the key, the model's name.
        IndexLoadError, EncoderError: the version cannot be served, and so not be measured.
    """
    asked = load_turns(turns)
    with CampaignStore.from_url(_MEMORY) as store:
        served = PromptAssembler.open(settings, encoder=encoder)
        handler = TurnHandler.open(settings, assembler=served, store=store)
        watched = Watched(handler.model)
        model = cast(Model, watched)
        bare = replace(settings, prompt_max_tokens_retrieved=0, mvp_site_max_look_ups=0)
        handlers = {
            HEADER: TurnHandler(bare, PromptAssembler.open(bare, encoder=encoder), model, store),
            RETRIEVAL: TurnHandler(settings, served, model, store),
        }
        taken: list[Taken] = []
        try:
            for number, turn in enumerate(asked, 1):
                for name, takes in handlers.items():
                    taken.append(_taken(takes, turn, name))
                    if number == 1 and watched.refused is not None:
                        raise watched.refused
                if progress is not None:
                    progress(f"turns with {model.name}", number, len(asked))
            tools = model.tools and settings.mvp_site_llm_tools
            ran = _ran(settings, model.name, served.version, taken, tools=tools)
        finally:
            model.close()
    conditions = [
        condition(name, [one for one in taken if one.condition == name]) for name in CONDITIONS
    ]
    values = {"ran": ran, "conditions": conditions, "turns": [one.as_dict() for one in taken]}
    return Report(values, tuple(page(ran, conditions)))


def _taken(handler: TurnHandler, turn: ContractTurn, name: str) -> Taken:
    """One turn, the first of its own campaign."""
    campaign = f"{turn.id}.{CONDITIONS.index(name)}"
    request = TurnRequest(
        campaign, turn.input, turn.mode, turn.audience, turn.state, seed=turn.seed
    )
    try:
        result = handler.handle(request)
    except InvalidTurnError as error:  # it does not fit the window, for one
        return Taken(turn, name, error=str(error))
    told = result.telemetry
    answered = any(not attempt.error for attempt in result.attempts)
    return Taken(
        turn, name, result.attempts, result.fallback, len(result.chunks),
        str(told["turn"]["model"]) if answered else "", str(told["release"]),
    )


def _ran(settings: Settings, model: str, prompt_version: str, taken: Sequence[Taken], *,
         tools: bool) -> Mapping[str, Any]:
    """What was run, as JSON values.

    ``releases`` are fingerprints, ``answered_by`` the provider's model names, ``note`` says what
    the figures do not show, ``tools`` whether dice came by tool calls or from the tray.
    """
    kind = model.partition(":")[0]
    return {
        "model": model,
        "answered_by": sorted({one.model for one in taken if one.model}),
        "note": _NOTES.get(kind, ""), "prompt_version": prompt_version,
        "releases": sorted({one.release for one in taken if one.release}),
        "packages": {
            name: _version(name) for name in ("mvp-site", *({kind} & {"openai", "anthropic"}))
        },
        "turns": len(taken) // len(CONDITIONS),
        "turns_sha256": hashlib.sha256(shipped_text(FILE).encode()).hexdigest(), "seed": SEED,
        "max_attempts": settings.mvp_site_max_attempts, "tools": tools,
        "retrieved_tokens": settings.prompt_max_tokens_retrieved,
        "context_tokens": settings.window_tokens,
        "answer_tokens": settings.mvp_site_answer_tokens,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
