"""The score of every section for one question, and its parts (design 2, section 7).

Evidence first: both lanes on absolute scales, and of each section at least a share of the best
below it. Then the bonuses. All of it is arrays over sections; nothing reads a section's text.
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
from .intentions import Intention
from .outline import CHAPTER, DIVISION, Outline, Scores
from .query_parsing import Asked, Name, terms_of
from .results import ScorePart
from .title_index import TitleIndex
from .weights import Weights
from .word_index import WordIndex

Vector = npt.NDArray[np.float32]
PARTS: Final = ("meaning", "words", "below", "entity", "talk", "answer", "context", "category",
                "level")
_NAMED: Final = 3
_SEEN: Final = 1e-6
_TOPIC: Final = 0.5
_NAMES_IT: Final = 4
"""The power of a name's telling: only one that hardly occurs elsewhere is meant for sure."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores of one question, an array over sections each.

    ``total`` is what ranks; ``evidence`` in [0, 1] what the floor is held against.
    """

    asked: Asked
    total: Scores
    evidence: Scores
    dense: Scores
    lexical: Scores
    lifted: Scores
    entity: Scores
    talk: Scores
    answer: Scores
    context: Scores
    category: Scores


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
        large = np.maximum(outline.subtree_tokens / max(weights.lift_tokens, 1), 1.0)
        self._share = (weights.lift / np.sqrt(large)).astype(np.float32)
        self._level = _levels(outline, weights)
        # Without hints the context is the intention's own words, the same for every question.
        self._contexts = {
            context: index.lexical.scores(context)[0]
            for intention in Intention if (context := terms_of(intention))
        }
        self._nothing = np.zeros(len(outline.parent), np.float32)
        self._nothing.flags.writeable = False
        self._categories: dict[Intention, Scores] = {
            intention: weights.category * outline.weight[:, list(intention.categories)].max(axis=1)
            for intention in Intention
        }
        self._content = np.where(outline.leaf, weights.content, weights.content_parent)

    def score(self, asked: Asked, vector: Vector, promise: Promise = NOTHING) -> Scored:
        """The scores for a question; ``vector`` is the unit vector of its text.

        ``promise`` is what its intention promises, with the sections that have it.
        """
        weights = self.weights
        dense = weights.dense * weights.dense_scale(self._index.dense.scores(vector))
        lexical = weights.lexical * self._lexical(asked)
        lifted = self._outline.lifted(dense + lexical, self._share)
        entity, named = self._entity(asked.names)
        if asked.topics:  # what the intention is about counts less than what was said
            topics, _ = self._entity(asked.topics)
            entity = np.minimum(entity + _TOPIC * topics, weights.entity_most)
        context = self._context(asked.hints)
        category = self._category(asked)
        found = [sure for name, sure in zip(asked.names, named, strict=True) if not name.given]
        talk, resembling = self._talked(asked, vector, max(found, default=0.0))
        answer = self._nothing
        if promise.numbers:
            answer = np.zeros_like(lifted)
            answer[list(promise.numbers)] = weights.answer
        self._add_named(asked, entity)
        total = lifted + entity + talk + answer + context + category + self._level
        own = 1 - (1 - np.minimum(lifted, 1)) * (1 - np.minimum(entity, 1))
        for name, sure in zip(asked.names, named, strict=True):
            titled = list(self._titles.titled(name.words))
            own[titled] = np.maximum(own[titled], sure)
        evidence = own
        if resembling is not None:
            about = weights.topic * self._talk.topic(vector) + weights.resembling * resembling
            evidence = (1 - weights.topic - weights.resembling) * own + about
        return Scored(asked, total, evidence, dense, lexical, lifted, entity, talk, answer,
                      context, category)

    def _lexical(self, asked: Asked) -> Scores:
        weights = self.weights
        own, _ = self._index.lexical.scores(asked.terms)
        if asked.context:
            said = self._contexts.get(asked.context)
            if said is None:
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
            for number in self._titles.titled(name.words):
                mine[number + 1 : self._outline.end[number]] = weights.path
            for number, part in self._titles.containing(name.words):
                mine[number] = max(mine[number], weights.title * part)
            mentioned = self._mentions.mentioning(name.words)
            mine[mentioned] += self._content[mentioned]
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

    def _talked(self, asked: Asked, vector: Vector, named: float,
                ) -> tuple[Scores, float | None]:
        """What the user's own words resemble, and how much the most of it does.

        A bare list of names resembles nothing that people say, and where the words name a thing
        that few sections speak of, they are about that.
        """
        if not asked.words:
            return self._nothing, None
        alone = asked.intention is None and not asked.entities
        weight = self.weights.talk if alone else self.weights.talk_named
        hinted = self._talk.hinted(vector)
        return weight * (1 - named) * hinted, float(hinted.max())

    def _telling(self, mentioned: int) -> float:
        """How much a name says that so many sections mention, from 1 down to 0."""
        return float(1 - np.log1p(mentioned) / np.log1p(len(self._outline.parent)))

    def _context(self, hints: Sequence[tuple[str, ...]]) -> Scores:
        if not hints:
            return self._nothing
        credit = np.zeros(len(self._outline.parent), np.float32)
        for hint in hints:
            credit[self._mentions.mentioning(hint)] += self.weights.hint
        most: Scores = np.minimum(credit, self.weights.hint_most)
        return most

    def _category(self, asked: Asked) -> Scores:
        return self._nothing if asked.intention is None else self._categories[asked.intention]

    def allowed(self, categories: Sequence[Category]) -> npt.NDArray[np.bool_]:
        """Which sections have one of ``categories``."""
        wanted = self._outline.weight[:, [int(category) for category in categories]]
        mask: npt.NDArray[np.bool_] = wanted.max(axis=1) > 0
        return mask

    def parts(self, scored: Scored, numbers: npt.NDArray[np.int64]) -> Scores:
        """What each of these sections' totals is the sum of: a row each, columns as PARTS."""
        rows = (
            scored.dense, scored.lexical, scored.lifted - scored.dense - scored.lexical,
            scored.entity, scored.talk, scored.answer, scored.context, scored.category,
            self._level,
        )
        held: Scores = np.array(rows, np.float32)[:, numbers].T
        return held


def explained(asked: Asked, values: Scores) -> tuple[ScorePart, ...]:
    """A row of :meth:`Scorer.parts` in words; parts of 0 are left out."""
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
    level[outline.level == DIVISION] = weights.division_level
    level[outline.level <= CHAPTER] = weights.chapter_level
    level[outline.leaf] = weights.leaf_level
    return level
