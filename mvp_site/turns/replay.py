"""Replay: the prompt of a past turn, rebuilt byte for byte from its manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import msgspec

from ..archive.versions import read_header, resolve_version
from ..assembly.assembler import PromptAssembler
from ..assembly.plan import Redactor
from ..assembly.serving import Loaded
from ..errors import MvpSiteError, StoreError
from ..retrieval.encoder import Encoder
from ..retrieval.releases.serving import Fixed
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.types import TurnRecord
from ..types import AssembledTurn, Audience, Message, Mode
from .dice import Dice
from .finishing import FORMAT, prompt_sha256
from .prompting import Situation, compose, messages_of
from .routing import Route, is_deep_think


@dataclass(frozen=True, slots=True)
class _Chunk:
    id: str


@dataclass(frozen=True, slots=True)
class _Said:
    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class _History:
    first_turn: int
    dropped: int
    given: tuple[_Said, ...] | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What of a manifest a replay needs. ``given`` is a history that the caller handed in."""

    version: str
    release: str | None
    header_sha256: str
    prompt_sha256: str
    chunks: tuple[_Chunk, ...]
    budget: int
    floor: float | None
    seed: int
    tray: bool
    history: _History


def recorded(found: Mapping[str, Any]) -> Recorded:
    """What a manifest says. A campaign can be imported, so that it may be anybody's.

    Raises:
        StoreError: it is of another format, or lacks something.
    """
    if found.get("format") != FORMAT:
        raise StoreError(f"the turn's manifest cannot be read (format {found.get('format')!r:.40}; "
                         f"this program reads {FORMAT})")
    try:
        return msgspec.convert(found, Recorded)
    except msgspec.ValidationError as error:
        raise StoreError(f"the turn's manifest cannot be read ({error!s:.200})") from None


@dataclass(frozen=True, slots=True)
class Replayed:
    """A turn's record, and its prompt as it can be rebuilt today.

    ``same`` says that it is the prompt that was sent, byte for byte; otherwise ``changes`` says
    what is no longer as it was, and ``turn`` is None where nothing could be rebuilt.
    """

    record: TurnRecord
    turn: AssembledTurn | None
    same: bool
    changes: tuple[str, ...]


def replay(settings: Settings, store: CampaignStore, turn_id: str, *,
           encoder: Encoder | None = None, redactors: Sequence[Redactor] = ()) -> Replayed:
    """The prompt of turn ``turn_id``, from the release that it was assembled from.

    ``encoder`` and ``redactors`` are those that the turn's assembler was opened with.

    Raises:
        UnknownTurnError: the store has no such turn.
    """
    record = store.turn(turn_id)
    changed: list[str] = []
    try:
        was = recorded(record.manifest)
        then = replace(
            settings, prompt_version=was.version, prompt_max_tokens_retrieved=was.budget,
            prompt_retriever_score_floor=was.floor,
        )
        try:
            assembler = _assembler(then, was.release, encoder, redactors)
        except MvpSiteError as error:
            changed.append(str(error))
            assembler = PromptAssembler.open(
                then, degraded=True, encoder=encoder, redactors=redactors
            )
    except MvpSiteError as error:
        return Replayed(record, None, False, (*changed, str(error)))
    turn = _rebuilt(store, record, was, assembler)
    if prompt_sha256(turn) == was.prompt_sha256:
        return Replayed(record, turn, True, ())
    return Replayed(record, turn, False, (*changed, *_differences(turn, was)))


def _assembler(settings: Settings, release: str | None, encoder: Encoder | None,
               redactors: Sequence[Redactor]) -> PromptAssembler:
    """The assembler of a kept release, or of none where the turn had none."""
    if release is not None:
        return PromptAssembler.open(
            settings, encoder=encoder, redactors=redactors, release=release
        )
    version = resolve_version(settings)
    header = read_header(settings, version).decode("utf-8")
    return PromptAssembler(settings, Fixed[Loaded](None), header, version, redactors)


def _rebuilt(store: CampaignStore, record: TurnRecord, was: Recorded,
             assembler: PromptAssembler) -> AssembledTurn:
    mode, audience = cast(Mode, record.mode), cast(Audience, record.audience)
    then = was.history
    if then.given is not None:
        history = tuple(Message(said.role, said.content) for said in then.given)
    else:
        read = [one for one in store.history(record.campaign_id)
                if then.first_turn < one.number < record.number]
        history = messages_of(read)[then.dropped :]
    situation = Situation(
        Route(mode, audience, is_deep_think(mode, record.user_input)), record.user_input,
        record.state_before, history, Dice(was.seed), tools=not was.tray,
    )
    return compose(assembler, situation, history)


def _differences(turn: AssembledTurn, was: Recorded) -> list[str]:
    now = turn.telemetry
    found = [
        f"{name} was {before}, is {after}"
        for name, before, after in (
            ("the release", was.release, now["release"]),
            ("the header's SHA-256", was.header_sha256, now["header_sha256"]),
        ) if before != after
    ]
    had, has = ([chunk.id for chunk in chunks] for chunks in (was.chunks, turn.chunks))
    if had != has:
        found.append(f"the chunks were {', '.join(had) or 'none'}, are {', '.join(has) or 'none'}")
    return found or ["the rendering of the prompt: this is another version of the program"]
