"""The plan of a turn: the pieces that are printed, as text, and why the others are not. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..archive.candidates import Candidate, Selection, unsearched
from ..archive.chunks import Chunk, ChunkPiece
from ..archive.delimiters import escape
from ..archive.release import ArchiveRelease
from ..errors import InvalidTurnError
from ..retrieval.ranking import LEAST, Ranking, rounded
from ..text.normalising import clean
from ..text.tokens import printed_tokens
from ..types import DroppedChunk, PromptSegment, RetrievedChunk, SparseReason, Why
from . import rendering
from .budget import NEVER_SHARE, Costs, Filled, Offer, fill, form_of, least_share, ranked, repeats

Pinned = Mapping[int, Sequence[int]]
"""Pieces of chunks, by the number of the chunk."""
Redactor = Callable[[str, Chunk], str]
"""Takes a passage's text and its chunk and gives the text that may be shown; '' withholds it."""


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """The retrieved context as printed, its o200k tokens, and what became of every candidate."""

    segments: tuple[PromptSegment, ...]
    tokens: int
    chunks: tuple[RetrievedChunk, ...]
    dropped: tuple[DroppedChunk, ...]
    sparse_reason: SparseReason | None
    floor: float
    best: float
    exhausted: bool = True
    """Whether a greater budget would print no more."""
    why: Why | None = None
    """Of the passage that was asked after."""
    more: tuple[str, ...] = ()
    """Titles below the one that was looked up, whose text did not fit."""

    @property
    def block(self) -> str:
        """The retrieved context as one text, '' where nothing is printed."""
        return rendering.text_of(self.segments)


@dataclass(frozen=True, slots=True)
class RankedPlan:
    """What was retrieved for a request and how it is printed; ``failed`` lanes with their error.

    ``selected`` are the candidates that might be printed, ``pinned`` the pieces that are in any
    case, by their chunk.
    """

    ranking: Ranking | None
    plan: RetrievalPlan
    failed: Mapping[str, str]
    selected: tuple[Candidate, ...] = ()
    pinned: Pinned = field(default_factory=dict)


def empty(retrieved: Selection) -> RetrievalPlan:
    """The plan of a turn for which nothing is printed."""
    return RetrievalPlan(
        (), 0, (), retrieved.dropped, retrieved.sparse_reason, retrieved.floor, retrieved.best
    )


def with_pinned(release: ArchiveRelease, retrieved: Selection, pinned: Pinned) -> Selection:
    """What was retrieved, the pinned chunks first."""
    selected = {candidate.number: candidate for candidate in retrieved.selected}
    first = [selected.get(number) or unsearched(release, number) for number in pinned]
    names = {candidate.id for candidate in first}
    rest = (candidate for candidate in retrieved.selected if candidate.id not in names)
    return replace(retrieved, selected=(*first, *rest), dropped=tuple(
        dropped for dropped in retrieved.dropped if dropped.id not in names))


def plan(release: ArchiveRelease, retrieved: Selection, budget: int,
         redactors: Sequence[Redactor] = (), pinned: Pinned | None = None,
         may_follow: Callable[[int], bool] = lambda _: False) -> RetrievalPlan:
    """What is printed of the selected candidates within ``budget`` tokens, delimiters included.

    In the room that is left, printed texts bring the chunks that follow them, if they ``may``.

    Raises:
        InvalidTurnError: what is ``pinned`` does not fit; the message has its tokens.
    """
    if not retrieved.selected:
        return empty(retrieved)
    around = costs(release)
    candidates, offers = offered(release, retrieved.selected, redactors)
    dropped = [*retrieved.dropped, *(
        hit.dropped("redacted") for hit in retrieved.selected if hit not in candidates
    )]
    always = always_printed(candidates, offers, pinned or {})
    places = ranked(offers) if retrieved.sparse_reason is None else []
    filled = fill(offers, places, budget, around, always)
    tokens = around.block + sum(filled.tokens.values())
    if tokens > budget and always:
        raise InvalidTurnError(
            f"what is pinned has {tokens} tokens, and the budget is {budget}: pin less, or raise "
            "max_tokens_retrieved (PROMPT_MAX_TOKENS_RETRIEVED)"
        )
    best = max((offers[order].scores[index] for order, indices in filled.printed.items()
                for index in indices), default=0.0)
    least, never = least_share(budget) * best, NEVER_SHARE * best
    candidates, offers, filled = _followed(
        release, (candidates, offers, filled), budget, redactors, may_follow)
    tokens = around.block + sum(filled.tokens.values())
    chunks: list[RetrievedChunk] = []
    passages: list[PromptSegment] = []
    for order, candidate in enumerate(candidates):
        if order in filled.printed:
            retrieved_chunk, passage = _printed(
                release.chunks[candidate.number], candidate, order, offers, filled
            )
            retrieved_chunk = replace(retrieved_chunk, pinned=candidate.number in (pinned or {}))
            chunks.append(retrieved_chunk)
            passages.append(passage)
        else:
            outranked = max(candidate.pieces) < least
            dropped.append(candidate.dropped("outranked" if outranked else "over_budget"))
    if not chunks:
        # Withheld by redactors, or none fits: either way nothing that passed may be printed.
        return replace(empty(retrieved), dropped=tuple(dropped), sparse_reason="filtered")
    return RetrievalPlan(
        rendering.context(release.manifest.version, passages),
        tokens, tuple(chunks), tuple(dropped), retrieved.sparse_reason, retrieved.floor,
        retrieved.best, filled.more is None and retrieved.beyond < max(never, LEAST),
    )


_Choice = tuple[list[Candidate], list[Offer], Filled]


def _followed(release: ArchiveRelease, choice: _Choice, budget: int,
              redactors: Sequence[Redactor], may_follow: Callable[[int], bool]) -> _Choice:
    """A choice with the chunks that its printed texts name, and what those name in turn."""
    candidates, offers, filled = choice
    tried: set[int] = set()
    while True:
        numbers = {candidates[order].number: order for order in filled.printed}
        texts = [offers[order].pieces[index].text for number, order in numbers.items()
                 if release.chunks[number].brings for index in filled.printed[order]]
        number = next((number for number in release.conditions.brought(texts, {*numbers, *tried})
                       if may_follow(number)), None)
        if number is None:
            return candidates, offers, filled
        tried.add(number)
        known = [candidate for candidate in candidates if candidate.number != number]
        more, more_offers = offered(release, [*known, unsearched(release, number)], redactors)
        if not (more and more[-1].number == number):
            continue
        places = {candidate.number: order for order, candidate in enumerate(more)}
        always = {places[candidates[order].number]: [*indices]
                  for order, indices in filled.printed.items()}
        always[len(more) - 1] = [index for index, piece in enumerate(more_offers[-1].pieces)
                                 if piece.text]
        wider = fill(more_offers, (), budget, costs(release), always)
        if costs(release).block + sum(wider.tokens.values()) <= budget:
            candidates, offers = more, more_offers
            filled = replace(wider, more=filled.more)


def costs(release: ArchiveRelease) -> Costs:
    """The tokens of what stands around pieces."""
    return Costs(*release.manifest.delimiter_tokens)


def always_printed(candidates: Sequence[Candidate], offers: Sequence[Offer], pinned: Pinned,
                   ) -> dict[int, list[int]]:
    """The pinned pieces that have text, by their candidate's place."""
    return {order: indices for order, candidate in enumerate(candidates)
            if (indices := [index for index in pinned.get(candidate.number, ())
                            if offers[order].pieces[index].text])}


def offered(release: ArchiveRelease, selected: Sequence[Candidate], redactors: Sequence[Redactor],
            ) -> tuple[list[Candidate], list[Offer]]:
    """The candidates of which anything may be shown, and each one's pieces."""
    pairs = [(hit, redacted(release.chunks[hit.number], redactors)) for hit in selected]
    nonempty = [(hit, pieces) for hit, pieces in pairs if any(piece.text for piece in pieces)]
    places = {candidate.number: order for order, (candidate, _) in enumerate(nonempty)}
    return [candidate for candidate, _ in nonempty], [
        # A piece that has a bare form repeats what ends the chunk before its own.
        Offer(pieces, hit.pieces, places.get(hit.number - 1) if pieces[0].bare_tokens else None)
        for hit, pieces in nonempty
    ]


def redacted(chunk: Chunk, redactors: Sequence[Redactor]) -> tuple[ChunkPiece, ...]:
    """The pieces of ``chunk`` as they may be shown."""
    return tuple(_redacted(chunk, piece, redactors) for piece in chunk.pieces)


def _redacted(chunk: Chunk, piece: ChunkPiece, redactors: Sequence[Redactor]) -> ChunkPiece:
    """The piece as it may be shown; without text where nothing of it may be."""
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


def _printed(chunk: Chunk, candidate: Candidate, order: int, offers: Sequence[Offer],
             filled: Filled) -> tuple[RetrievedChunk, PromptSegment]:
    pieces, indices = offers[order].pieces, filled.printed[order]
    repeating = repeats(offers, order, filled.printed)
    parts: dict[int, str] = {}
    spans: list[tuple[int, int]] = []
    for index in indices:
        piece = pieces[index]
        form = form_of(piece, index, indices[0], repeats=repeating)
        parts[index] = getattr(piece, form)
        spans += piece.bare_lines if form == "bare" else piece.lines
    path = pieces[indices[0]].path
    best = max(indices, key=candidate.pieces.__getitem__)
    retrieved = RetrievedChunk(
        id=chunk.id, text="\n".join(parts.values()), file=chunk.file,
        section=" > ".join(path), domain=chunk.domain, mode=chunk.mode,
        tokens=filled.tokens[order], score=rounded(candidate.evidence),
        lexical_score=rounded(candidate.lexical), dense_score=rounded(candidate.dense),
        audience=chunk.audience, version=chunk.version, lines=tuple(spans),
        partial=len(parts) < len(pieces), best_section=" > ".join(pieces[best].path),
        sections=tuple(dict.fromkeys(" > ".join(pieces[index].path) for index in indices)),
    )
    passage = rendering.passage(chunk.id, path, parts, len(pieces), retrieved.tokens)
    return retrieved, passage
