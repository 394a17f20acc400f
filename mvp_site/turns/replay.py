"""Replay: the prompt of a past turn, rebuilt byte for byte from its manifest.

No index is opened and nothing is searched: the manifest has the text that was retrieved. Only the
header is looked for, by its digest, among the kept releases and in the archive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import msgspec

from ..archive.versions import HEADER, read_header, resolve_version, store_of
from ..assembly import rendering
from ..errors import MvpSiteError, StoreError
from ..releases.store import ReleaseStore
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.types import TurnRecord
from ..types import AssembledTurn, Message, PromptSegment, RetrievedChunk, SparseReason
from .dice import Dice
from .history import Borders, answers_needed, messages_of, past_turns
from .manifests import FORMAT, prompt_sha256
from .prompting import given_of, state_layers

State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Chunk:
    id: str
    tokens: int = 0
    score: float = 0.0
    section: str = ""


@dataclass(frozen=True, slots=True)
class _History:
    cut: int
    whole: int
    states: tuple[int, ...] = ()
    summary: str = ""
    secret_notes: str = ""
    given: tuple[Message, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Tokens:
    header: int | None = None
    retrieved: int = 0
    budget: int = 0
    archive: int | None = None


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What the model looked up in a turn, and the text that it got, as it was sent."""

    query: str
    text: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """What of a manifest a replay needs; ``printed`` are the passages as they were sent."""

    version: str
    release: str | None
    header_sha256: str
    prompt_sha256: str
    chunks: tuple[_Chunk, ...]
    seed: int
    tray: bool
    history: _History
    printed: tuple[str, ...]
    sparse_reason: SparseReason | None = None
    tokens: _Tokens = field(default_factory=_Tokens)
    look_ups: tuple[LookedUp, ...] = ()
    contents: str = ""


def recorded(log: Mapping[str, Any]) -> Recorded:
    """What a manifest says. A campaign can be imported, so that it may be anybody's.

    Raises:
        StoreError: it is of another format, or lacks something.
    """
    if log.get("format") != FORMAT:
        raise StoreError(f"the turn's manifest cannot be read (format {log.get('format')!r:.40}; "
                         f"this program reads {FORMAT})")
    try:
        was = msgspec.convert(log, Recorded)
    except msgspec.ValidationError as error:
        raise StoreError(f"the turn's manifest cannot be read ({error!s:.200})") from None
    if len(was.printed) != len(was.chunks):
        raise StoreError(f"the turn's manifest cannot be read (it has {len(was.chunks)} chunks and "
                         f"{len(was.printed)} passages)")
    return was


@dataclass(frozen=True, slots=True)
class Replayed:
    """A turn's record, its prompt as it can be rebuilt, and what the model looked up.

    ``same`` says that it is the prompt that was sent, byte for byte; otherwise ``changes`` says
    what is no longer as it was, and ``turn`` is None where nothing could be rebuilt. Of its chunks
    and telemetry ``turn`` has what the manifest keeps: ids, headings, scores, tokens.
    """

    record: TurnRecord
    turn: AssembledTurn | None
    same: bool
    changes: tuple[str, ...]
    look_ups: tuple[LookedUp, ...] = ()


def replay(settings: Settings, store: CampaignStore, turn_id: str) -> Replayed:
    """The prompt of turn ``turn_id`` and its look-ups, from what its manifest keeps.

    Raises:
        UnknownTurnError: the store has no such turn.
    """
    record = store.turn(turn_id)
    look_ups: tuple[LookedUp, ...] = ()
    try:
        was = recorded(record.manifest)
        look_ups = was.look_ups
        version = resolve_version(replace(settings, prompt_version=was.version))
        releases = store_of(settings.prompt_index_dir, version)
        header = _header(settings, releases, version, was.header_sha256)
    except MvpSiteError as error:
        return Replayed(record, None, False, (str(error),), look_ups)
    layers = state_layers([_taken_on(store, record, number) for number in was.history.states],
                       record.taken_on)
    rebuilt = _rebuilt(record, was, header, _history(store, record, was.history, layers), layers)
    if prompt_sha256(rebuilt) == was.prompt_sha256:
        return Replayed(record, rebuilt, True, (), look_ups)
    return Replayed(record, rebuilt, False, (_difference(header, was),), look_ups)


def _header(settings: Settings, releases: ReleaseStore, version: str, digest: str) -> str:
    """The header with that SHA-256, of any kept release; else the one that the archive has.

    Raises:
        ArchiveError: there is none.
    """
    for name in releases.names():
        with suppress(OSError):
            content = (releases.folder / name / HEADER).read_bytes()
            if hashlib.sha256(content).hexdigest() == digest:
                return content.decode("utf-8")
    return read_header(settings, version).decode("utf-8")


def _taken_on(store: CampaignStore, record: TurnRecord, number: int) -> State | None:
    """The state of a turn of the record's campaign up to it."""
    if number == record.number:
        return record.taken_on
    return store.taken_on(record.campaign_id, number)


def _history(store: CampaignStore, record: TurnRecord, then: _History, layers: Sequence[str],
             ) -> tuple[Message, ...]:
    if then.given is not None:
        return then.given
    campaign, number = record.campaign_id, record.number
    memories = store.memories(campaign, number)
    past = past_turns(memories, store.history(campaign, answers_needed(memories), number))
    return messages_of(past, Borders(then.cut, then.whole), then.summary,
                       dict(zip(then.states, layers, strict=False)))


def _rebuilt(record: TurnRecord, was: Recorded, header: str, history: Sequence[Message],
             layers: Sequence[str]) -> AssembledTurn:
    elements = given_of(record.taken_on, Dice(was.seed) if was.tray else None,
                        layers[-1] if layers else "", was.history.secret_notes)
    passages = [PromptSegment("passage", text, chunk.id, chunk.tokens)
                for text, chunk in zip(was.printed, was.chunks, strict=True)]
    chunks = tuple(
        RetrievedChunk(
            chunk.id, "", "", chunk.section, None, None, chunk.tokens, chunk.score, 0.0, 0.0
        ) for chunk in was.chunks
    )
    last = (*rendering.context(was.version, passages), *rendering.asked(
        record.user_input, record.mode, record.audience, elements))
    prompt, messages, segments = rendering.prompt(
        header, history, last, was.tokens.header, contents=was.contents)
    return AssembledTurn(
        prompt, messages, chunks, (), was.sparse_reason is not None, was.sparse_reason,
        {"tokens": asdict(was.tokens)}, None, segments,
    )


def _difference(header: str, was: Recorded) -> str:
    digest = hashlib.sha256(header.encode()).hexdigest()
    if digest != was.header_sha256:
        return f"the header's SHA-256 was {was.header_sha256}, is {digest}"
    return "the rendering of the prompt: this is another version of the program"
