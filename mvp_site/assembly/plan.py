"""The plan of a turn: which pieces are printed, as text, and the account of the others. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..archive.chunks import Chunk, ChunkPiece, Lines
from ..archive.delimiters import escape
from ..archive.release import Release
from ..archive.retriever import Candidate, Retrieved
from ..retrieval.text import clean
from ..retrieval.tokens import printed_tokens
from ..types import DroppedChunk, DropReason, RetrievedChunk, SparseReason
from . import rendering
from .budget import Costs, Form, Offer, fill, form_of, passage_cost

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
    first = offered[: len(retrieved.selected)]
    printed, offers = _filled(first, retrieved.floor, budget, around)
    used = {order for order, _ in printed}
    reason_left: DropReason = "outranked"
    if len(used) < len(first) and len(offered) > len(first):
        # A selected chunk did not fit: the next candidates may take what is left.
        printed, offers = _filled(offered, retrieved.floor, budget, around)
        used, reason_left = {order for order, _ in printed}, "over_budget"
    chunks: list[RetrievedChunk] = []
    texts: list[str] = []
    by_place = {(offer.order, offer.index): offer for offer in offers}
    total = around.block
    for order, entry in enumerate(offered):
        if order not in used:
            reason = "over_budget" if order < len(first) else reason_left
            dropped.append(_dropped(entry.candidate, reason))
            continue
        tokens = passage_cost(order, printed, by_place, len(entry.pieces), around)
        retrieved_chunk, text = _printed(entry, order, printed, by_place, tokens)
        chunks.append(retrieved_chunk)
        texts.append(text)
        total += tokens
    if not chunks:
        # Withheld by redactors, or none fits: either way nothing that passed may be printed.
        return Plan("", 0, (), tuple(dropped), "filtered", retrieved.floor, retrieved.best)
    return Plan(
        rendering.block(release.version, texts), total, tuple(chunks), tuple(dropped),
        None, retrieved.floor, retrieved.best,
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


def _filled(offered: Sequence[_Offered], floor: float, budget: int, around: Costs,
            ) -> tuple[set[tuple[int, int]], list[Offer]]:
    place = {entry.chunk.id: order for order, entry in enumerate(offered)}
    offers: list[Offer] = []
    for order, entry in enumerate(offered):
        before = _neighbour(entry.chunk.id)
        for index, piece in enumerate(entry.pieces):
            evidence = entry.candidate.pieces[index]
            if not piece.text or evidence < PIECE_FLOOR * floor:
                continue
            after = None
            if piece.bare_tokens and index == 0 and before in place:
                order_before = place[before]
                after = (order_before, len(offered[order_before].pieces) - 1)
            offers.append(Offer(
                order, index, evidence, piece.tokens, piece.headless_tokens, piece.bare_tokens,
                piece.opening_tokens, after,
            ))
    return fill(offers, [len(entry.pieces) for entry in offered], budget, around), offers


def _neighbour(chunk_id: str) -> str:
    """The id of the chunk before, in the same file."""
    file, _, number = chunk_id.rpartition("#")
    return f"{file}#{int(number) - 1}"


def _printed(entry: _Offered, order: int, printed: set[tuple[int, int]],
             by_place: dict[tuple[int, int], Offer], tokens: int) -> tuple[RetrievedChunk, str]:
    indices = sorted(index for o, index in printed if o == order)
    parts: list[tuple[int, str]] = []
    spans: list[tuple[int, int]] = []
    for index in indices:
        piece = entry.pieces[index]
        form = form_of(by_place[order, index], indices[0], printed)
        parts.append((index, _form(piece, form)))
        spans += _spans(piece, form)
    candidate, chunk = entry.candidate, entry.chunk
    path = entry.pieces[indices[0]].path
    text = "\n".join(text for _, text in parts)
    retrieved = RetrievedChunk(
        id=chunk.id, text=text, file=chunk.file, section=" > ".join(path), domain=chunk.domain,
        mode=chunk.mode, tokens=tokens, score=round(candidate.evidence, 4),
        lexical_score=round(candidate.lexical, 4), dense_score=round(candidate.dense, 4),
        audience=chunk.audience, version=chunk.version, lines=tuple(spans),
        partial=len(indices) < len(entry.pieces),
    )
    return retrieved, rendering.passage(chunk.id, path, parts, len(entry.pieces))


def _form(piece: ChunkPiece, form: Form) -> str:
    return {"text": piece.text, "headless": piece.headless, "bare": piece.bare}[form]


def _spans(piece: ChunkPiece, form: Form) -> Lines:
    return piece.bare_lines if form == "bare" else piece.lines
