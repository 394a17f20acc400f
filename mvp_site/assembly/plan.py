"""The plan of a turn: which pieces are printed, as text, and the account of the others. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..archive.chunks import Chunk, ChunkPiece
from ..archive.delimiters import escape
from ..archive.release import Release
from ..archive.retriever import Candidate, Retrieved
from ..retrieval.text import clean
from ..retrieval.tokens import printed_tokens
from ..types import DroppedChunk, DropReason, RetrievedChunk, SparseReason
from . import rendering
from .budget import Costs, Filled, Form, Offer, fill, form_of

Redactor = Callable[[str, Chunk], str]
"""Takes a passage's text and its chunk and gives the text that may be shown; '' withholds it."""

PIECE_FLOOR: Final = 0.85
"""A piece of a chunk that passed the floor is printed from this part of the floor on."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The retrieved block as printed, its o200k tokens, and what became of every candidate."""

    block: str
    tokens: int
    chunks: tuple[RetrievedChunk, ...]
    dropped: tuple[DroppedChunk, ...]
    sparse_reason: SparseReason | None
    floor: float
    best: float


@dataclass(frozen=True, slots=True)
class _Offered:
    """A candidate with its pieces as they may be printed (redacted, where a caller redacts)."""

    candidate: Candidate
    chunk: Chunk
    pieces: tuple[ChunkPiece, ...]


def empty(retrieved: Retrieved) -> Plan:
    """The plan of a turn for which nothing is printed."""
    return Plan(
        "", 0, (), retrieved.dropped, retrieved.sparse_reason, retrieved.floor, retrieved.best
    )


def plan(release: Release, retrieved: Retrieved, budget: int, around: Costs,
         redactors: Sequence[Redactor] = ()) -> Plan:
    """What is printed of the selected candidates within ``budget`` tokens, delimiters included."""
    if not retrieved.selected:
        return empty(retrieved)
    dropped = list(retrieved.dropped)
    offered: list[_Offered] = []
    for candidate in (*retrieved.selected, *retrieved.reserve):
        chunk = release.chunks[candidate.number]
        pieces = _redacted(chunk, redactors) if redactors else chunk.pieces
        if any(piece.text for piece in pieces):
            offered.append(_Offered(candidate, chunk, pieces))
        else:
            dropped.append(_dropped(candidate, "redacted"))
    first = len(offered[: len(retrieved.selected)])
    offers = _offers(offered, retrieved.floor)
    filled, reason_left = _filled(offers, offered, first, budget, around)
    chunks: list[RetrievedChunk] = []
    texts: list[str] = []
    by_order: dict[int, list[Offer]] = {}
    for offer in offers:
        if (offer.order, offer.index) in filled.printed:
            by_order.setdefault(offer.order, []).append(offer)
    for order, entry in enumerate(offered):
        if order not in by_order:
            dropped.append(
                _dropped(entry.candidate, "over_budget" if order < first else reason_left)
            )
            continue
        retrieved_chunk, text = _printed(entry, by_order[order], filled)
        chunks.append(retrieved_chunk)
        texts.append(text)
    if not chunks:
        # Withheld by redactors, or none fits: either way nothing that passed may be printed.
        return Plan("", 0, (), tuple(dropped), "filtered", retrieved.floor, retrieved.best)
    return Plan(
        rendering.block(release.version, texts), around.block + sum(filled.tokens.values()),
        tuple(chunks), tuple(dropped), None, retrieved.floor, retrieved.best,
    )


def _dropped(candidate: Candidate, reason: DropReason) -> DroppedChunk:
    return DroppedChunk(
        candidate.id, reason, round(candidate.evidence, 4), round(candidate.lexical, 4),
        round(candidate.dense, 4),
    )


def _redacted(chunk: Chunk, redactors: Sequence[Redactor]) -> tuple[ChunkPiece, ...]:
    return tuple(_redact(chunk, piece, redactors) for piece in chunk.pieces)


def _redact(chunk: Chunk, piece: ChunkPiece, redactors: Sequence[Redactor]) -> ChunkPiece:
    text = piece.text
    for redactor in redactors:
        text = redactor(text, chunk)
    if text == piece.text:
        return piece
    text = escape(clean(text)).strip("\r\n")
    return replace(
        piece, text=text, tokens=printed_tokens(text), headless="", headless_tokens=0, bare="",
        bare_tokens=0,
    )


def _offers(offered: Sequence[_Offered], floor: float) -> list[Offer]:
    """The pieces that may be printed, chunk after chunk."""
    place = {entry.chunk.id: order for order, entry in enumerate(offered)}
    least = PIECE_FLOOR * floor
    offers: list[Offer] = []
    for order, entry in enumerate(offered):
        evidences = entry.candidate.pieces
        for index, piece in enumerate(entry.pieces):
            evidence = evidences[index]
            if evidence < least or not piece.text:
                continue
            after = None
            if piece.bare_tokens and index == 0:
                before = place.get(_neighbour(entry.chunk.id))
                if before is not None:
                    after = before, len(offered[before].pieces) - 1
            offers.append(Offer(order, index, evidence, piece, after))
    return offers


def _filled(offers: Sequence[Offer], offered: Sequence[_Offered], first: int, budget: int,
            around: Costs) -> tuple[Filled, DropReason]:
    """What is printed, and why what is behind the ``first`` chunks is not."""
    sizes = [len(entry.pieces) for entry in offered]
    filled = fill([offer for offer in offers if offer.order < first], sizes, budget, around)
    if len(filled.tokens) == first or len(offered) == first:
        return filled, "outranked"
    # A selected chunk did not fit: the next candidates may take what is left.
    return fill(offers, sizes, budget, around), "over_budget"


def _neighbour(chunk_id: str) -> str:
    """The id of the chunk before, in the same file."""
    file, _, number = chunk_id.rpartition("#")
    return f"{file}#{int(number) - 1}"


def _printed(entry: _Offered, offers: Sequence[Offer], filled: Filled,
             ) -> tuple[RetrievedChunk, str]:
    first = offers[0].index
    parts: list[tuple[int, str]] = []
    spans: list[tuple[int, int]] = []
    for offer in offers:
        form = form_of(offer, first, filled.printed)
        parts.append((offer.index, _form(offer.piece, form)))
        spans += offer.piece.bare_lines if form == "bare" else offer.piece.lines
    candidate, chunk, path = entry.candidate, entry.chunk, offers[0].piece.path
    retrieved = RetrievedChunk(
        id=chunk.id, text="\n".join([text for _, text in parts]), file=chunk.file,
        section=" > ".join(path), domain=chunk.domain, mode=chunk.mode,
        tokens=filled.tokens[offers[0].order], score=round(candidate.evidence, 4),
        lexical_score=round(candidate.lexical, 4), dense_score=round(candidate.dense, 4),
        audience=chunk.audience, version=chunk.version, lines=tuple(spans),
        partial=len(parts) < len(entry.pieces),
    )
    return retrieved, rendering.passage(chunk.id, path, parts, len(entry.pieces))


def _form(piece: ChunkPiece, form: Form) -> str:
    if form == "text":
        return piece.text
    return piece.bare if form == "bare" else piece.headless
