"""How well a model keeps the contract: every turn with the header alone and with retrieval.

Both conditions are the same handler on the same release, state, seed and settings; they differ in
the budget for retrieved passages alone, which is 0 for the header. Each turn is the first one of a
campaign of its own, in a database in memory that is gone afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from ..assembly.assembler import PromptAssembler
from ..errors import InvalidTurnError
from ..retrieval.encoder import Encoder
from ..retrieval.releases.build import Progress
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..turns.handler import OFFLINE, TurnHandler
from ..turns.types import TurnRequest
from .contract_report import ContractReport, Ran, Taken, report
from .turn_set import SEED, ContractTurn, load_turns, set_sha256
from .watched import Watched

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


def run_contract(settings: Settings, turns: int | None = None, *, encoder: Encoder | None = None,
                 progress: Progress | None = None) -> ContractReport:
    """What the model of ``settings.mvp_site_llm`` does on the set, or on its first ``turns``.

    In each turn the header alone comes first. A turn in which the model gives no answer counts as
    failed and the run goes on.

    Raises:
        SettingsError: no such model, no key, no SDK, or not that many turns.
        ModelRequestError: the provider refuses the very first turn: the key, the model's name.
        IndexLoadError, EncoderError: the version cannot be served, and so not be measured.
    """
    asked = load_turns(turns)
    with CampaignStore.from_url(_MEMORY) as store:
        served = PromptAssembler.open(settings, encoder=encoder)
        handler = TurnHandler.open(settings, assembler=served, store=store)
        with Watched(handler.model) as model:
            bare = replace(settings, prompt_max_tokens_retrieved=0)
            handlers = {
                HEADER: TurnHandler(
                    bare, PromptAssembler.open(bare, encoder=encoder), model, store
                ),
                RETRIEVAL: TurnHandler(settings, served, model, store),
            }
            taken: list[Taken] = []
            for number, turn in enumerate(asked, 1):
                for condition, takes in handlers.items():
                    taken.append(_taken(takes, turn, condition))
                    if number == 1 and model.refused is not None:
                        raise model.refused
                if progress is not None:
                    progress(f"turns with {model.name}", number, len(asked))
            tools = model.tools and settings.mvp_site_llm_tools
            ran = _ran(settings, model.name, served.version, asked, taken, tools=tools)
    return report(ran, CONDITIONS, taken)


def _taken(handler: TurnHandler, turn: ContractTurn, condition: str) -> Taken:
    """One turn, the first of its own campaign."""
    campaign = f"{turn.id}.{CONDITIONS.index(condition)}"
    request = TurnRequest(
        campaign, turn.input, turn.mode, turn.audience, turn.state, seed=turn.seed
    )
    try:
        result = handler.handle(request)
    except InvalidTurnError as error:  # it does not fit the window, for one
        return Taken(turn, condition, error=str(error))
    told = result.telemetry
    answered = any(not attempt.error for attempt in result.attempts)
    return Taken(
        turn, condition, result.attempts, result.fallback, len(result.chunks),
        str(told["turn"]["model"]) if answered else "", str(told["release"]),
    )


def _ran(settings: Settings, model: str, prompt_version: str, asked: Sequence[ContractTurn],
         taken: Sequence[Taken], *, tools: bool) -> Ran:
    kind = model.partition(":")[0]
    return Ran(
        model=model, answered_by=tuple(sorted({one.model for one in taken if one.model})),
        note=_NOTES.get(kind, ""), prompt_version=prompt_version,
        releases=tuple(sorted({one.release for one in taken if one.release})),
        packages=_packages(kind), turns=len(asked), turns_sha256=set_sha256(), seed=SEED,
        max_attempts=settings.mvp_site_max_attempts, tools=tools,
        retrieved_tokens=settings.prompt_max_tokens_retrieved,
        context_tokens=settings.mvp_site_context_tokens,
        answer_tokens=settings.mvp_site_answer_tokens,
    )


def _packages(kind: str) -> dict[str, str]:
    """The versions of this package and of the SDK that was used."""
    found: dict[str, str] = {}
    for name in ("mvp-site", *({kind} & {"openai", "anthropic"})):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found
