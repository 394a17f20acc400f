"""What a look-up finds of the turns that have fallen out of a prompt's history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, cast

from ..retrieval.encoder import Encoder
from ..retrieval.index import VectorCache
from ..sessions.search import CampaignIndex, seen_by, texts_of
from ..sessions.types import CampaignDocument, CampaignPiece, Known, PieceHit
from ..types import Audience
from .history import PastTurn

MOST_VECTORS: Final = 20_000
"""Vectors that are kept of turns, of all campaigns."""


@dataclass(frozen=True, slots=True)
class FallenTurns:
    """The turns of a campaign that a prompt no longer has."""

    campaign: str
    turns: tuple[PastTurn, ...] = ()


class TurnSearch:
    """Searches turns by what was typed and told in them; never their notes.

    ``encoder`` gives what encodes them. Each is encoded once, as long as this is kept.
    """

    def __init__(self, encoder: Callable[[], Encoder]) -> None:
        self._encoder = encoder
        self._vectors: VectorCache | None = None

    def search(self, fallen: FallenTurns, query: str, audience: Audience, limit: int,
               ) -> tuple[PieceHit, ...]:
        """The turns that may answer, the likeliest first, of those that an audience took part in.

        Raises:
            EncoderError: the encoder is not on this machine.
        """
        documents, names = seen_by(
            audience, [_document(turn) for turn in fallen.turns if turn.memory.narrative],
            _people(fallen),
        )
        if not documents:
            return ()
        encoder = self._encoder()
        vectors = self._vectors
        if vectors is None or vectors.encoded > MOST_VECTORS:
            vectors = self._vectors = VectorCache(encoder)
        texts = list(chain.from_iterable(texts_of(document, encoder) for document in documents))
        index = CampaignIndex.local(fallen.campaign, documents, names, encoder, texts=texts,
                                    cache=vectors)
        return tuple(index.search(query, "session", intention=None, names=(), hints=(),
                                  audience=audience, document=None, limit=limit))


def _document(turn: PastTurn) -> CampaignDocument:
    memory = turn.memory
    people = ", ".join(memory.people.values())
    title = ", ".join(filter(None, (f"Turn {turn.number}", memory.place)))
    text = f"{turn.user_input}\n{memory.narrative}"
    piece = CampaignPiece("told", "told", people, text, audience=cast("Audience", turn.audience))
    return CampaignDocument(f"turn-{turn.number}", "session", title, (piece,), text, turn.number)


def _people(fallen: FallenTurns) -> Sequence[Known]:
    names = {(name, cast("Audience", turn.audience)) for turn in fallen.turns
             for name in turn.memory.people.values()}
    return [Known(name, "non_player_character", audience=audience)
            for name, audience in sorted(names)]
