"""Prepares a turn: reads the campaign, assembles the prompt, seeds the dice.

Also decides what answers the model's calls of tools and what checks its answers, as functions of
the turn: :mod:`.attempts` calls them.
"""

from __future__ import annotations

import datetime
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..archive.header_files import first_state
from ..assembly.assembler import PromptAssembler
from ..assembly.request import history_of
from ..errors import InvalidTurnError, UnknownCampaignError, require_text
from ..llm.protocol import Model
from ..settings import Settings
from ..store import rows
from ..store.campaigns import CampaignStore
from ..store.types import NEW, Campaign
from ..text.json_values import at
from ..types import BRANCHES
from . import dice as rolling
from . import model_look_ups
from .attempts import TOOL_ROUNDS, AttemptGenerator, AttemptSettings, run_attempts
from .campaign_passages import CampaignPassages
from .checking import ContractCheck, Facts, check_answer, claimed_rolls, cut_terms
from .contracts import Contract, ObjectForm, contract_of, object_form
from .dice import Dice, answer_call, tray_rolls
from .history import Borders, answers_needed, past_turns
from .model_look_ups import LookUps
from .prompting import Past, TurnPrompt, prompt_of
from .routing import TurnRoute
from .spending import require_credit, spending_by
from .tools import ToolHandler
from .types import Roll, TurnRequest

MAX_INPUT_CHARS: Final = 20_000
MAX_SEED: Final = 2**63


@dataclass(frozen=True, slots=True)
class PreparedTurn:
    """A turn that can be asked for, and everything that no longer changes in it.

    ``start_attempts`` starts the generator that asks for an answer. ``past`` are the campaign's own
    turns before it. ``spent`` are the US dollars that its campaign has cost before, ``form`` what
    its answer is held to.
    """

    turn_id: str
    request: TurnRequest
    route: TurnRoute
    contract: Contract
    campaign: Campaign
    state: Mapping[str, Any]
    past: Past
    prompt: TurnPrompt
    dice: Dice
    look_ups: LookUps
    tools: Mapping[str, ToolHandler]
    seed: int
    start_attempts: Callable[[], AttemptGenerator]
    seconds: float
    spent: float
    form: ObjectForm

    def rolls(self, checked: ContractCheck | None) -> tuple[Roll, ...]:
        """The rolls of the turn: those that were made, or what the answer took from the tray."""
        if not self.prompt.tray:
            return self.dice.rolls
        entries = checked.answer.get("dice_rolls") if checked and checked.answer else None
        return tray_rolls(self.dice, entries) if isinstance(entries, list) else ()


def checked_request(request: TurnRequest) -> TurnRequest:
    """The request, if it can be taken.

    Raises:
        InvalidTurnError: not a TurnRequest, or a field is of a wrong type or size.
    """
    if not isinstance(request, TurnRequest):
        raise InvalidTurnError(f"a turn is of the type {type(request).__name__}: give a "
                               "TurnRequest")
    for name in ("campaign_id", "user_input", "version", "replaces", "idempotency_key"):
        value = getattr(request, name)
        if value is not None or name in {"campaign_id", "user_input"}:
            require_text(value, name, InvalidTurnError)
    if request.seed is not None and type(request.seed) is not int:
        raise InvalidTurnError(f"the seed is {request.seed!r:.40}: give an integer of at most 63 "
                               "bits")
    if not -MAX_SEED <= (request.seed or 0) < MAX_SEED:
        raise InvalidTurnError("the seed is out of range: give an integer of at most 63 bits")
    if (size := len(request.user_input)) > MAX_INPUT_CHARS:
        raise InvalidTurnError(
            f"the turn's text has {size} characters, more than {MAX_INPUT_CHARS}: send a shorter "
            "one"
        )
    if request.history is not None:
        history_of(request.history)
    return request


def assemble(settings: Settings, assembler: PromptAssembler, store: CampaignStore,
             request: TurnRequest, turn_route: TurnRoute, *, seed: int, model: Model,
             campaign_passages: CampaignPassages) -> PreparedTurn:
    """Everything up to the first request to the model. Reads the store and writes nothing.

    A campaign that the store does not have begins here, with the request's state, else the
    archive's first; it is written with its first turn.

    Raises:
        InvalidTurnError, StoreError: as for the handler.
    """
    started = time.perf_counter()
    with_tools = model.tools and settings.mvp_site_llm_tools
    with store.reading():
        campaign, last_turn_number = _campaign(assembler, store, request)
        last = next(store.retrievals(1, campaign.id), None) if campaign.version != NEW else None
        manifest = last.manifest if last else {}
        account = spending_by(settings, store, campaign.id, manifest)
        require_credit(account)
        state = campaign.state
        if request.state is not None and campaign.version != NEW:
            state = _copied_state(request.state)
        # all turns may have been taken back
        past = _past(store, campaign, last_turn_number, state, manifest if campaign.turns else {})
    dice, contract = Dice(seed), contract_of(assembler.beside)
    tokens = settings.prompt_max_tokens_looked_up
    most = settings.mvp_site_max_look_ups if tokens else 0
    prompt = prompt_of(
        assembler, settings, turn_route, request.user_input, state=state, past=past,
        history=None if request.history is None else history_of(request.history),
        tray=dice if contract.rolls and not with_tools else None,
        max_tokens_retrieved=request.max_tokens_retrieved,
        contents=bool(with_tools and most and settings.mvp_site_contents),
    )
    search = partial(assembler.look_up, mode=turn_route.mode, audience=turn_route.audience)
    if prompt.turn.telemetry["release"] is None:
        most = 0
    borders = prompt.past_given.borders
    fallen = [turn for turn in past.turns if turn.number <= borders.dropped_up_to]
    campaign_search = campaign_passages.search(campaign.id, turn_route.audience, fallen)
    look_ups = LookUps(search, most, tokens, prompt.turn.chunks, campaign_search)
    tool_handlers: dict[str, ToolHandler] = {}
    if with_tools and contract.rolls:
        tool_handlers[rolling.TOOL] = lambda call, _attempt, _room: answer_call(dice, call)
    if with_tools and most:
        tool_handlers[model_look_ups.TOOL] = look_ups.answer

    def facts_of(raw: str) -> Facts:
        rolls = tray_rolls(dice, claimed_rolls(raw)) if prompt.tray else dice.rolls
        return Facts(turn_route.mode, request.user_input, state, rolls, tray=prompt.tray)

    def check_reply(raw: str) -> ContractCheck:
        return check_answer(raw, facts_of(raw), contract, strict=settings.mvp_site_strict)

    def cut_reply(checked: ContractCheck) -> ContractCheck | None:
        return cut_terms(checked, facts_of(checked.text), contract, strict=settings.mvp_site_strict)

    structured = getattr(model, "structured", False)
    form = object_form(contract, turn_route) if structured else ObjectForm()
    attempt_settings = AttemptSettings(
        messages=prompt.turn.messages, check_answer=check_reply, cut_terms=cut_reply,
        tools=tool_handlers, max_attempts=settings.mvp_site_max_attempts,
        answer_tokens=settings.mvp_site_answer_tokens,
        # a window for each attempt, and one for each round of rolls
        most_tokens=(settings.mvp_site_max_attempts + TOOL_ROUNDS) * settings.window_tokens,
        tool_tokens=prompt.tool_tokens, named_tokens=prompt.named_tokens,
        opening=contract.opening, form=form,
        # what a provider keeps the campaign's prefix under; says nothing of its name
        cache_key=uuid.uuid5(uuid.NAMESPACE_OID, campaign.id).hex,
    )
    return PreparedTurn(
        uuid.uuid4().hex, request, turn_route, contract, campaign, state, past, prompt, dice,
        look_ups, tool_handlers, seed, partial(run_attempts, attempt_settings),
        time.perf_counter() - started, account.spent, form,
    )


def _past(store: CampaignStore, campaign: Campaign, last_turn_number: int,
          state: Mapping[str, Any], manifest: Mapping[str, Any]) -> Past:
    """The campaign's turns up to ``last_turn_number``; ``manifest`` is the last turn's."""
    memories = store.memories(campaign.id) if campaign.turns else ()
    exchanges = store.history(campaign.id, answers_needed(memories)) if campaign.turns else ()

    def taken_on(number: int) -> Mapping[str, Any] | None:
        return store.taken_on(campaign.id, number) if number <= campaign.turns else state

    # A turn that landed since the campaign was read is not of this version.
    turns = past_turns([row for row in memories if row.number <= last_turn_number], exchanges)
    return Past(turns, _borders(manifest), taken_on)


def _borders(manifest: Mapping[str, Any]) -> Borders:
    """The borders of a turn's history, as its manifest has them; a campaign can be imported."""
    cut, whole = (at(manifest, "history", name) for name in ("cut", "whole"))
    return Borders(*(number if type(number) is int and number > 0 else 0
                     for number in (cut, whole)))


def _campaign(assembler: PromptAssembler, store: CampaignStore, request: TurnRequest,
              ) -> tuple[Campaign, int]:
    """The campaign that the turn is taken on, and the number of the last turn that it follows."""
    if request.replaces is not None:
        campaign, last = store.before(request.replaces)
        if campaign.id != request.campaign_id:
            raise InvalidTurnError(
                f"turn {request.replaces!r} is of another campaign than {request.campaign_id!r}"
            )
        return campaign, last - 1
    try:
        campaign = store.load(request.campaign_id)
    except UnknownCampaignError:
        moment = datetime.datetime.now(datetime.UTC)
        begun_with = request.state
        if begun_with is None:
            begun_with = first_state(assembler.beside) or {}
        campaign = Campaign(request.campaign_id, NEW, 0, moment, moment, _copied_state(begun_with))
    return campaign, campaign.turns


def _copied_state(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy of the state in plain JSON values, so that the caller may change theirs meanwhile.

    Raises:
        InvalidTurnError: it is no JSON object, or no turn can write anything to it.
    """
    copied = rows.read_document(rows.document(state, "the state"), "the state")
    if not any(isinstance(copied.get(branch), Mapping | None) for branch in BRANCHES):
        raise InvalidTurnError(
            f"no branch of the state is an object: one of {', '.join(BRANCHES)} must be"
        )
    return copied
