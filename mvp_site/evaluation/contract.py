"""How well a model keeps the contract: every turn with the header alone and with retrieval.

Both conditions are the same handler on the same release, state, seed and settings; they differ in
the budget for retrieved passages alone, which is 0 for the header. Each turn is the first one of a
campaign of its own, in a database in memory that is gone afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, cast

from ..assembly.assembler import PromptAssembler
from ..errors import InvalidTurnError, ModelRequestError
from ..llm.protocol import Model, ModelReply, ModelRequest
from ..retrieval.encoder import Encoder
from ..retrieval.releases.build import Progress
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..turns.handler import OFFLINE, TurnHandler
from ..turns.types import TurnRequest
from .contract_report import Taken, condition, page
from .report import Report
from .turn_set import SEED, ContractTurn, load_turns, set_sha256

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
        bare = replace(settings, prompt_max_tokens_retrieved=0)
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
        "turns": len(taken) // len(CONDITIONS), "turns_sha256": set_sha256(), "seed": SEED,
        "max_attempts": settings.mvp_site_max_attempts, "tools": tools,
        "retrieved_tokens": settings.prompt_max_tokens_retrieved,
        "context_tokens": settings.mvp_site_context_tokens,
        "answer_tokens": settings.mvp_site_answer_tokens,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
