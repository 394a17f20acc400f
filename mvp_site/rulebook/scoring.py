"""The score of every section for one question, its parts, and the order (design 2, section 7).

Evidence first: both lanes on absolute scales, and of each section at least a share of the best
child. Then the bonuses. All of it is arrays over sections; nothing reads a section's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from .answer_table import NOTHING, Promise
from .book import Book
from .categories import Category
from .query_parsing import Asked, Name
from .results import ScorePart

Vector = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float32]
PARTS: Final = ("meaning", "words", "below", "entity", "talk", "answer", "context", "category",
                "level")
"""The parts as callers know them. The first three are those of the dense lane, of the lexical lane
and of the children; their names stand in stored answers."""
DEPTH: Final = 128
"""How many sections a ranking keeps with the parts of their scores."""
_OWN: Final = 0.5
"""The part of all tokens below a section that its own text has where its rules stand there."""
_CHAPTER: Final = 1
_NAMED: Final = 3
_SEEN: Final = 1e-6
_TOPIC: Final = 0.5
_NAMES_IT: Final = 4
"""The power of a name's telling: only one that hardly occurs elsewhere is meant for sure."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Section numbers, the best first, with their scores; ``totals`` has one for every section.

    ``evidence`` in [0, 1] is what the floor is held against, and ``parts`` what the totals are the
    sums of, a row a section, as PARTS. ``strongest`` is the highest evidence of any section, those
    outside the caller's categories among them. ``failed`` has the lanes that failed, each with its
    error.
    """

    asked: Asked
    numbers: npt.NDArray[np.int64]
    evidence: Scores
    totals: Scores
    parts: Scores
    promise: Promise = NOTHING
    strongest: float = 0.0
    failed: Mapping[str, str] = field(default_factory=dict)

    def parts_of(self, number: int) -> tuple[ScorePart, ...]:
        """What a section's total is the sum of; () for one that is not ranked."""
        return next((_explained(self.asked, self.parts[rank])
                     for rank in np.flatnonzero(self.numbers == number)), ())


class Scorer:
    """Scores the sections of one book."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self.weights = book.manifest.weights
        sections = book.sections
        tokens = np.asarray([section.tokens for section in sections], np.int64)
        self._parents = [
            None if section.parent_id is None else sections.number(section.parent_id)
            for section in sections
        ]
        # The tokens of a section's own text and all below it.
        self._whole = np.asarray(
            [tokens[n : sections.below(n).stop].sum() for n in range(len(sections))], np.int64
        )
        self._share = np.zeros((len(sections), len(Category) + 1), np.float32)
        # What each section's place adds; a leaf, with little beside its own text below it, is
        # where the rules stand, at whatever level.
        self._level = self._zeros()
        for number, section in enumerate(sections):
            for found in section.categories:
                self._share[number, found.category] = found.weight
            if not section.children_ids or 0 < tokens[number] >= _OWN * self._whole[number]:
                self._level[number] = self.weights.leaf_level
            elif section.level <= _CHAPTER:
                self._level[number] = self.weights.chapter_level
        self._tie = np.argsort(np.argsort([section.id for section in book.sections]))

    def rank(self, asked: Asked, vector: Vector | None, failed: Mapping[str, str]) -> Ranking:
        """The ranking for a question, by (-total, id); nothing where nothing is asked.

        ``vector`` is the unit vector of its text, None without one.
        """
        if not asked.text:
            none = self._zeros()
            return Ranking(asked, np.empty(0, np.int64), none[:0], none, none[:0])
        allowed, promise = None, self._book.tables.promise(asked)
        if asked.categories is not None:
            allowed = self._weight_of(asked.categories) > 0
            promise = promise.within(allowed)
        parts, evidence = self._scores(asked, vector, promise)
        total = parts.sum(axis=0)
        found = np.lexsort((self._tie, -total))
        if allowed is not None:
            found = found[allowed[found]]
        found = found[:DEPTH]
        return Ranking(asked, found, evidence[found], total, parts[:, found].T.copy(), promise,
                       float(evidence.max()), failed)

    def _scores(self, asked: Asked, vector: Vector | None, promise: Promise,
                ) -> tuple[Scores, Scores]:
        """The parts of each section's score, a row as PARTS each, and its evidence."""
        weights = self.weights
        # A lane that is left alone has the weight of both.
        dense, share = self._zeros(), weights.lexical + weights.dense
        if vector is not None:
            share = weights.lexical
            dense = weights.dense * weights.dense_scale(self._book.index.dense.scores(vector))
        lexical = share * self._lexical(asked)
        lifted = lifted_to_parents(dense + lexical, self._parents, weights.lift)
        entity, named = self._entity(asked.names)
        if asked.topics:  # what the intention is about counts less than what was said
            topics, _ = self._entity(asked.topics)
            entity = np.minimum(entity + _TOPIC * topics, weights.entity_most)
        self._add_named(asked, entity)
        found = [sure for name, sure in zip(asked.names, named, strict=True) if not name.given]
        talk, resembling = self._expanded(asked, vector, max(found, default=0.0))
        answer = self._zeros()
        answer[list(promise.numbers)] = weights.answer
        category = self._zeros()
        if asked.intention is not None:
            category = weights.category * self._weight_of(asked.intention.categories)
        parts = np.array([
            dense, lexical, lifted - dense - lexical, entity, talk, answer,
            self._context(asked.hints), category, self._level,
        ], np.float32)
        own = 1 - (1 - np.minimum(lifted, 1)) * (1 - np.minimum(entity, 1))
        for name, sure in zip(asked.names, named, strict=True):
            titled = list(self._book.titles.titled(name.words))
            own[titled] = np.maximum(own[titled], sure)
        evidence = own
        if resembling is not None and vector is not None:
            topic = self._book.expansion.topic(vector)
            about = weights.topic * topic + weights.resembling * resembling
            evidence = (1 - weights.topic - weights.resembling) * own + about
        return parts, evidence

    def _weight_of(self, categories: Sequence[Category]) -> Scores:
        """How surely each section has one of ``categories``."""
        most: Scores = self._share[:, list(map(int, categories))].max(axis=1)
        return most

    def _lexical(self, asked: Asked) -> Scores:
        weights = self.weights
        own, _ = self._book.index.lexical.scores(asked.terms)
        if asked.context:
            said, _ = self._book.index.lexical.scores(asked.context)
            own = own + weights.context_terms * said if asked.terms else said
        scaled: Scores = np.minimum(own * (1 / weights.lexical_high), 1.0)
        return scaled

    def _entity(self, names: Sequence[Name]) -> tuple[Scores, list[float]]:
        """The names' credit, and for each in [0, 1] how surely it means what has it as title."""
        weights, named = self.weights, list[float]()
        credit = np.zeros(len(self._parents), np.float32)
        for name in names:
            mine = np.zeros_like(credit)
            for number, part in self._book.titles.containing(name.words):
                mine[number] = max(mine[number], weights.title * part)
            mentioned = self._book.mentions.mentioning(name.words)
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
            titled = list(self._book.titles.titled(name.words)) if name.given else []
            if titled:
                said = np.log1p(self._whole[titled])
                # It is no worse for having its parts in sections of their own.
                whole = self.weights.named + self.weights.leaf_level - self._level[titled]
                credit[titled] += whole * (said / max(said.max(), 1)) ** 2

    def _expanded(self, asked: Asked, vector: Vector | None, named: float,
                ) -> tuple[Scores, float | None]:
        """What the user's own words resemble, and how much the most of it does.

        A bare list of names resembles nothing that people say, and where the words name a thing
        that few sections speak of, they are about that.
        """
        if not asked.words or vector is None:
            return self._zeros(), None
        alone = asked.intention is None and not asked.entities
        weight = self.weights.talk if alone else self.weights.talk_named
        hinted = self._book.expansion.hinted(vector)
        return weight * (1 - named) * hinted, float(hinted.max())

    def _telling(self, mentioned: int) -> float:
        """How much a name says that so many sections mention, from 1 down to 0."""
        return float(1 - np.log1p(mentioned) / np.log1p(len(self._parents)))

    def _context(self, hints: Sequence[tuple[str, ...]]) -> Scores:
        credit = self._zeros()
        for hint in hints:
            credit[self._book.mentions.mentioning(hint)] += self.weights.hint
        most: Scores = np.minimum(credit, self.weights.hint_most)
        return most

    def _zeros(self) -> Scores:
        return np.zeros(len(self._parents), np.float32)


def lifted_to_parents(scores: Scores, parents: Sequence[int | None], share: float) -> Scores:
    """``scores`` where each section has at least its ``share`` of the best one right below.

    The best itself may have come from below: evidence climbs to the top.
    """
    lifted = scores.tolist()
    for number in range(len(lifted) - 1, -1, -1):
        if (parent := parents[number]) is not None:
            lifted[parent] = max(lifted[parent], share * lifted[number])
    return np.asarray(lifted, np.float32)


def _explained(asked: Asked, values: Scores) -> tuple[ScorePart, ...]:
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
