"""Plain ways to rank, beside which the product is measured.

Plain convex fusion normalises each lane per question by its minimum and maximum and adds halves;
each lane alone ranks by its score. None of them weighs titles, knows of parents or adds a bonus.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np

from mvp_site.content.document import NAMED_TEXTS, TEXT
from mvp_site.entities.results import Result
from mvp_site.retrieval.arrays import minmax
from mvp_site.retrieval.building import Progress
from mvp_site.retrieval.collection import Scores
from mvp_site.retrieval.encoder import Encoder
from mvp_site.retrieval.index import HybridIndex, Passage, VectorCache
from mvp_site.text.normalising import normalise, terms

from .entities_filters import fulfils
from .entities_set import LIMIT, Entities, Query

PLAIN: Final = "plain convex fusion"
DENSE: Final = "dense lane alone"
LEXICAL: Final = "lexical lane alone"
LANES: Final = (PLAIN, DENSE, LEXICAL)
RECIPE: Final = "plain recipe"
RECIPE_DENSE: Final = 0.7


def rankings(dense: Scores, lexical: Scores) -> dict[str, list[int]]:
    """The order of all passages by each of :data:`LANES`, the best first, ties as they stand."""
    scores = (0.5 * minmax(dense) + 0.5 * minmax(lexical), dense, lexical)
    return {
        name: np.argsort(-one, kind="stable").tolist()
        for name, one in zip(LANES, scores, strict=True)
    }


def recipe(dense: Scores, lexical: Scores) -> Scores:
    """The scores of :data:`RECIPE`: the two lanes by their minimum and maximum, .7 and .3."""
    return RECIPE_DENSE * minmax(dense) + (1 - RECIPE_DENSE) * minmax(lexical)


class PlainLanes:
    """Both lanes over passages, each of which is read once, title and text alike."""

    def __init__(self, passages: Sequence[Passage], encoder: Encoder,
                 progress: Progress | None = None) -> None:
        told = partial(progress, "baselines") if progress else None
        self._ids = [passage.id for passage in passages]
        self._encoder = encoder
        self._index = HybridIndex.build(
            passages, encoder, VectorCache(encoder), told, heading_weight=1
        )

    def rank(self, text: str, limit: int) -> dict[str, tuple[str, ...]]:
        """The ids of the best ``limit`` passages by each of :data:`LANES` and by the recipe.

        The lexical lane alone finds nothing where no word is shared.
        """
        vector = self._encoder.encode([normalise(text)])[0]
        dense = self._index.dense.scores(vector)
        lexical, _ = self._index.lexical.scores(terms(text))
        found = rankings(dense, lexical)
        found[RECIPE] = np.argsort(-recipe(dense, lexical), kind="stable").tolist()
        found[LEXICAL] = [number for number in found[LEXICAL] if lexical[number] > 0]
        return {
            name: tuple(self._ids[number] for number in order[:limit])
            for name, order in found.items()
        }


class PlainCosine:
    """One vector an entity, of its name and all of its text as far as the encoder's window goes.

    It ranks the entities that fulfil the filters by their cosine with the query. It knows of no
    fields, names, typing errors or constraints that words state, and never refuses.
    """

    def __init__(self, entities: Entities, encoder: Encoder,
                 progress: Progress | None = None) -> None:
        texts = {key: text_of(one) for held in entities.values() for key, one in held.items()}
        told = partial(progress, "baseline") if progress else None
        vectors, _ = VectorCache(encoder).encode([*texts.values()], told)
        self._entities = entities
        self._vectors = dict(zip(texts, vectors, strict=True))
        self._encoder = encoder

    def rank(self, query: Query, limit: int = LIMIT) -> tuple[str, ...]:
        """The keys of the best ``limit`` entities; of equal ones in order of keys."""
        own = f"{query.type}/{query.reference}"
        keys = sorted(
            key for type_ in query.types for key, entity in self._entities[type_].items()
            if key != own and fulfils(entity, query.wanted)
        )
        if query.reference:
            vector = self._vectors[own]
        elif query.words.strip():
            vector = self._encoder.encode([query.words])[0]
        else:
            return tuple(keys[:limit])
        return tuple(sorted(keys, key=lambda key: -float(self._vectors[key] @ vector))[:limit])


def text_of(entity: Result) -> str:
    """Name and text of an entity as one; the encoder reads of it what its window holds."""
    parts = [str(entity["name"])]
    for key in TEXT:
        text = entity.get(key) or ""
        parts += [text] if isinstance(text, str) else map(str, text)
    for key in NAMED_TEXTS:
        parts += [f"{one['name']}. {one['desc']}" for one in entity.get(key) or ()]
    return "\n".join(part for part in parts if part)
