"""The score of every section for one question, and its parts (design 2, section 7).

Evidence first: both lanes on absolute scales, and of each section at least a share of the best
child. Then the bonuses. All of it is arrays over sections; nothing reads a section's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.index import HybridIndex
from ..retrieval.query_expansion import QueryExpansion
from .answer_table import NOTHING, Promise
from .categories import Category
from .outline import Outline, Scores
from .query_parsing import Asked, Name
from .results import ScorePart
from .title_index import TitleIndex
from .weights import Weights
from .word_index import WordIndex

Vector = npt.NDArray[np.float32]
PARTS: Final = ("meaning", "words", "below", "entity", "talk", "answer", "context", "category",
                "level")
"""The parts as callers know them. The first three are those of the dense lane, of the lexical lane
and of the children; their names stand in stored answers."""
_CHAPTER: Final = 1
_NAMED: Final = 3
_SEEN: Final = 1e-6
_TOPIC: Final = 0.5
_NAMES_IT: Final = 4
"""The power of a name's telling: only one that hardly occurs elsewhere is meant for sure."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores of one question, an array over sections each.

    ``total`` is what ranks; ``evidence`` in [0, 1] what the floor is held against; ``parts`` are
    what the total is the sum of, a row each, as PARTS.
    """

    total: Scores
    evidence: Scores
    parts: Scores


class Scorer:
    """Scores the sections of one book."""

    def __init__(self, index: HybridIndex, outline: Outline, titles: TitleIndex,
                 mentions: WordIndex, talk: QueryExpansion, weights: Weights) -> None:
        self._index = index
        self._outline = outline
        self._titles = titles
        self._mentions = mentions
        self._talk = talk
        self.weights = weights
        self._level = _levels(outline, weights)

    def score(self, asked: Asked, vector: Vector | None, promise: Promise = NOTHING) -> Scored:
        """The scores for a question; ``vector`` is the unit vector of its text, None without one.

        ``promise`` is what its intention promises, with the sections that have it.
        """
        weights = self.weights
        # A lane that is left alone has the weight of both.
        dense, share = self._zeros(), weights.lexical + weights.dense
        if vector is not None:
            share = weights.lexical
            dense = weights.dense * weights.dense_scale(self._index.dense.scores(vector))
        lexical = share * self._lexical(asked)
        lifted = self._outline.lifted(dense + lexical, weights.lift)
        entity, named = self._entity(asked.names)
        if asked.topics:  # what the intention is about counts less than what was said
            topics, _ = self._entity(asked.topics)
            entity = np.minimum(entity + _TOPIC * topics, weights.entity_most)
        self._add_named(asked, entity)
        found = [sure for name, sure in zip(asked.names, named, strict=True) if not name.given]
        talk, resembling = self._talked(asked, vector, max(found, default=0.0))
        answer = np.zeros_like(lifted)
        answer[list(promise.numbers)] = weights.answer
        parts = np.array([
            dense, lexical, lifted - dense - lexical, entity, talk, answer,
            self._context(asked.hints), self._category(asked), self._level,
        ], np.float32)
        own = 1 - (1 - np.minimum(lifted, 1)) * (1 - np.minimum(entity, 1))
        for name, sure in zip(asked.names, named, strict=True):
            titled = list(self._titles.titled(name.words))
            own[titled] = np.maximum(own[titled], sure)
        evidence = own
        if resembling is not None and vector is not None:
            about = weights.topic * self._talk.topic(vector) + weights.resembling * resembling
            evidence = (1 - weights.topic - weights.resembling) * own + about
        return Scored(parts.sum(axis=0), evidence, parts)

    def allowed(self, categories: Sequence[Category]) -> npt.NDArray[np.bool_]:
        """Which sections have one of ``categories``."""
        mask: npt.NDArray[np.bool_] = self._weight_of(categories) > 0
        return mask

    def _weight_of(self, categories: Sequence[Category]) -> Scores:
        """How surely each section has one of ``categories``."""
        most: Scores = self._outline.weight[:, list(map(int, categories))].max(axis=1)
        return most

    def _lexical(self, asked: Asked) -> Scores:
        weights = self.weights
        own, _ = self._index.lexical.scores(asked.terms)
        if asked.context:
            said, _ = self._index.lexical.scores(asked.context)
            own = own + weights.context_terms * said if asked.terms else said
        scaled: Scores = np.minimum(own * (1 / weights.lexical_high), 1.0)
        return scaled

    def _entity(self, names: Sequence[Name]) -> tuple[Scores, list[float]]:
        """The names' credit, and for each in [0, 1] how surely it means what has it as title."""
        weights, named = self.weights, list[float]()
        credit = np.zeros(len(self._outline.parent), np.float32)
        for name in names:
            mine = np.zeros_like(credit)
            for number, part in self._titles.containing(name.words):
                mine[number] = max(mine[number], weights.title * part)
            mentioned = self._mentions.mentioning(name.words)
            mine[mentioned] += weights.content
            telling = 1.0 if name.given else self._telling(len(mentioned))
            credit += mine * telling
            named.append(telling**_NAMES_IT)
        return np.minimum(credit, weights.entity_most), named

    def _add_named(self, asked: Asked, credit: Scores) -> None:
        """Add what the sections of just the given names get; of several the one that says most."""
        if asked.intention is not None and not asked.intention.of_a_thing:
            return
        for name in asked.names:
            titled = list(self._titles.titled(name.words)) if name.given else []
            if titled:
                said = np.log1p(self._outline.subtree_tokens[titled])
                # It is no worse for having its parts in sections of their own.
                whole = self.weights.named + self.weights.leaf_level - self._level[titled]
                credit[titled] += whole * (said / max(said.max(), 1)) ** 2

    def _talked(self, asked: Asked, vector: Vector | None, named: float,
                ) -> tuple[Scores, float | None]:
        """What the user's own words resemble, and how much the most of it does.

        A bare list of names resembles nothing that people say, and where the words name a thing
        that few sections speak of, they are about that.
        """
        if not asked.words or vector is None:
            return self._zeros(), None
        alone = asked.intention is None and not asked.entities
        weight = self.weights.talk if alone else self.weights.talk_named
        hinted = self._talk.hinted(vector)
        return weight * (1 - named) * hinted, float(hinted.max())

    def _telling(self, mentioned: int) -> float:
        """How much a name says that so many sections mention, from 1 down to 0."""
        return float(1 - np.log1p(mentioned) / np.log1p(len(self._outline.parent)))

    def _context(self, hints: Sequence[tuple[str, ...]]) -> Scores:
        credit = self._zeros()
        for hint in hints:
            credit[self._mentions.mentioning(hint)] += self.weights.hint
        most: Scores = np.minimum(credit, self.weights.hint_most)
        return most

    def _category(self, asked: Asked) -> Scores:
        if asked.intention is None:
            return self._zeros()
        return self.weights.category * self._weight_of(asked.intention.categories)

    def _zeros(self) -> Scores:
        return np.zeros(len(self._outline.parent), np.float32)


def explained(asked: Asked, values: Scores) -> tuple[ScorePart, ...]:
    """The parts of one section's score in words, ``values`` as PARTS; those of 0 are left out."""
    named = ", ".join(str(name) for name in asked.names[:_NAMED])
    whys = (
        "by its nearest window", "BM25 over title and text", "evidence of the sections below",
        f"title or text has {named}", "what such words are usually about",
        "it has what the intention promises", "text has the context hints",
        f"where {asked.intention} is usually answered", "a leaf gains, a chapter loses",
    )
    return tuple(
        ScorePart(name, value, why)
        for name, value, why in zip(PARTS, values.tolist(), whys, strict=True) if abs(value) > _SEEN
    )


def _levels(outline: Outline, weights: Weights) -> Scores:
    """What each section's place adds; a leaf is where the rules stand, at whatever level."""
    level = np.zeros(len(outline.parent), np.float32)
    level[outline.level <= _CHAPTER] = weights.chapter_level
    level[outline.leaf] = weights.leaf_level
    return level
