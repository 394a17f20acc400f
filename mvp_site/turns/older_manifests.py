"""What an older manifest's turn printed: found again from its chunks and their tokens.

Such a manifest names the chunks of the prompt with their o200k tokens, and the prompt's digest, but
not the text. Few choices of a chunk's pieces cost just that; the digest tells which was sent. No
search is made, so that a change of the ranking changes nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product
from typing import Final

from ..archive.chunks import Chunk, load_chunks
from ..archive.release import META
from ..assembly import rendering
from ..assembly.budget import Costs, Offer, form_of, passage_cost, repeats
from ..errors import CorruptIndexError
from ..retrieval.releases.store import ReleaseStore

MOST: Final = 10_000
"""So many choices are looked at, of a chunk's pieces and of the whole."""

Choice = tuple[int, ...]


def printed_blocks(store: ReleaseStore, release: str, version: str,
                   named: Sequence[tuple[str, int]]) -> Iterator[str]:
    """The blocks that a turn may have printed; ``named`` are its chunks' ids and tokens, in order.

    Raises:
        MissingIndexError: the release is no longer kept.
        CorruptIndexError: it does not verify, or its files do not fit the turn.
    """
    bundle = store.load(release)
    try:
        places = {chunk.id: (at, chunk) for at, chunk in enumerate(load_chunks(bundle.files[META]))}
        costs = Costs(*bundle.manifest["delimiter_tokens"])
        found = [places[name] for name, _ in named]
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptIndexError(
            f"release {release} of {store.what} does not have what the turn printed "
            f"({type(error).__name__}: {error!s:.200})"
        ) from None
    order = {at: number for number, (at, _) in enumerate(found)}
    offers = [
        Offer(chunk.pieces, (), order.get(at - 1) if chunk.pieces[0].bare_tokens else None)
        for at, chunk in found
    ]
    return _blocks(version, found, offers, [tokens for _, tokens in named], costs)


def _blocks(version: str, found: Sequence[tuple[int, Chunk]], offers: Sequence[Offer],
            tokens: Sequence[int], costs: Costs) -> Iterator[str]:
    options = [list(_choices(offers, place, tokens[place], costs)) for place in range(len(offers))]
    for choice in islice(product(*options), MOST):
        printed = dict(enumerate(choice))
        if all(passage_cost(offers, n, printed, costs) == tokens[n] for n in printed):
            texts = [_passage(chunk, offers, n, printed) for n, (_, chunk) in enumerate(found)]
            yield rendering.block(version, texts)


def _choices(offers: Sequence[Offer], place: int, tokens: int, costs: Costs) -> Iterator[Choice]:
    """The choices of a chunk's pieces that cost so many tokens, whatever stands before it."""
    size = len(offers[place].pieces)
    sizes = (combinations(range(size), many) for many in range(size, 0, -1))
    for choice in islice(chain.from_iterable(sizes), MOST):
        before: dict[int, Choice] = {}
        if (after := offers[place].after) is not None:
            before[after] = (len(offers[after].pieces) - 1,)
        if tokens in {passage_cost(offers, place, {**beside, place: choice}, costs)
                      for beside in ({}, before)}:
            yield choice


def _passage(chunk: Chunk, offers: Sequence[Offer], place: int, printed: Mapping[int, Choice],
             ) -> str:
    choice, repeating = printed[place], repeats(offers, place, printed)
    parts = {
        index: str(getattr(chunk.pieces[index], form_of(
            chunk.pieces[index], index, choice[0], repeats=repeating
        ))) for index in choice
    }
    return rendering.passage(chunk.id, chunk.pieces[choice[0]].path, parts, len(chunk.pieces))
