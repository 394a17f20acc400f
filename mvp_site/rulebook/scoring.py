"""The score of every section for one question, its parts, the order and the relevance (design 2).

Both lanes are on absolute scales, and a section has of its best child's score at least as much as
brings it halfway there. Then come the bonuses. All of it is arrays over sections; nothing reads a
section's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.collection import Query, Scores
from ..retrieval.encoder import Vector
from .answer_table import NOTHING, Promise
from .book import Book
from .query_parsing import Asked
from .results import ScorePart

PARTS: Final = ("meaning", "words", "below", "entity", "talk", "answer")
"""The parts as callers know them. The first three are those of the dense lane, of the lexical lane
and of the children; their names stand in stored answers."""
DEPTH: Final = 128
"""How many sections a ranking keeps with the parts of their scores."""
HALF: Final = 0.5
"""What utterances are worth as evidence, if the question is about the game; in the order, all."""
UNDECIDED: Final = 0.5
"""How far a question is about the game where no vector tells."""
_NAMED: Final = 3
_SEEN: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Section numbers, the best first; ``totals`` and ``relevance`` are of every section.

    ``parts`` are what the totals are the sums of, a row a section of ``numbers``, as PARTS.
    Sections outside the caller's categories are not among the numbers. ``failed`` has the lanes
    that failed, each with its error.
    """

    asked: Asked
    numbers: npt.NDArray[np.int64]
    totals: Scores
    relevance: Scores
    parts: Scores
    promise: Promise = NOTHING
    failed: Mapping[str, str] = field(default_factory=dict)

    def parts_of(self, number: int) -> tuple[ScorePart, ...]:
        """What a section's total is the sum of, but for zeros; () for one that is not ranked."""
        named = ", ".join(str(name) for name in self.asked.names[:_NAMED])
        whys = (
            "by its nearest window", "BM25 over title and text", "evidence of the sections below",
            f"title or text has {named}", "what such words are usually about",
            "it has what the intention promises",
        )
        return tuple(
            ScorePart(name, value, why)
            for values in self.parts[self.numbers == number].tolist()
            for name, value, why in zip(PARTS, values, whys, strict=True) if abs(value) > _SEEN
        )


class Scorer:
    """Scores the sections of one book."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self.weights = book.manifest.weights
        sections = book.sections
        tokens = [section.tokens for section in sections]
        self._parents = [
            None if section.parent_id is None else sections.number(section.parent_id)
            for section in sections
        ]
        # The tokens of a section's own text and all below it.
        self._whole = np.asarray(
            [tokens[n] + sum(tokens[below] for below in sections.below(n))
             for n in range(len(sections))], np.int64,
        )
        self._tie = np.argsort(np.argsort([section.id for section in sections]))

    def rank(self, asked: Asked, vector: Vector | None, failed: Mapping[str, str]) -> Ranking:
        """The ranking for a question, by (-total, id); nothing where nothing is asked.

        ``vector`` is the unit vector of its text, None without one.
        """
        if not asked.text:
            none = self._zeros()
            return Ranking(asked, np.empty(0, np.int64), none, none, none[:0])
        allowed, promise = None, self._book.tables.promise(asked)
        if asked.categories is not None:
            wanted = set(asked.categories)
            allowed = np.asarray([any(one.category in wanted for one in section.categories)
                                  for section in self._book.sections])
            promise = promise.within(allowed)
        parts, evidence = self._scores(asked, vector, promise)
        total = parts.sum(axis=0)
        found = np.lexsort((self._tie, -total))
        if allowed is not None:
            found = found[allowed[found]]
        found = found[:DEPTH]
        relevance = self.weights.relevance(total, evidence)
        return Ranking(asked, found, total, relevance, parts[:, found].T.copy(), promise, failed)

    def _scores(self, asked: Asked, vector: Vector | None, promise: Promise,
                ) -> tuple[Scores, float]:
        """The parts of each section's score, a row as PARTS each, and the book's evidence."""
        weights = self.weights
        dense, talk, topic = self._zeros(), self._zeros(), UNDECIDED
        cosine, words = self._searched(asked.terms, vector)
        if asked.context:
            said = self._searched(asked.context)[1]
            words = words + weights.context_terms * said if asked.terms else said
        share = weights.dense + weights.lexical  # a lane that is left alone has the weight of both
        if vector is not None:
            share = weights.lexical
            dense = weights.dense * cosine
            topic = self._book.expansion.topic(vector)
            if asked.words:  # a bare list of names resembles nothing that people say
                talk = weights.talk * self._book.expansion.called(vector, self._book.index)
        lexical = share * words
        lifted = lifted_to_parents(dense + lexical, self._parents, weights.lift)
        entity = self._entity(asked)
        answer = self._zeros()
        answer[list(promise.numbers)] = weights.answer
        parts = np.array(
            [dense, lexical, lifted - dense - lexical, entity, talk, answer], np.float32
        )
        own = lifted + entity + HALF * topic * talk
        return parts, float(own.max()) + weights.topic * topic

    def _searched(self, terms: tuple[str, ...], vector: Vector | None = None,
                  ) -> tuple[Scores, Scores]:
        return self._book.index.search(Query(vector=vector, terms=terms)).of_all(len(self._parents))

    def _entity(self, asked: Asked) -> Scores:
        """The credit for names: of the given ones in the text, of all as the section's own name.

        Of several sections of just a name the one that says most has all of it. A title among the
        user's words counts the less, the more sections mention it.
        """
        weights = self.weights
        text, title = self._zeros(), self._zeros()
        wanted = asked.intention is None or asked.intention.of_a_thing
        for name in asked.names:
            mentioned = self._book.mentions.mentioning(name.words)
            if name.given:
                text[mentioned] += weights.content
            titled = list(self._book.titles.titled(name.words)) if wanted else []
            if titled:
                said = np.log1p(self._whole[titled])
                rare = 1 - np.log1p(len(mentioned)) / np.log1p(len(self._parents))
                sure = 1.0 if name.given else rare
                title[titled] += weights.named * sure * (said / max(said.max(), 1)) ** 2
        return np.minimum(text, weights.entity_most) + title

    def _zeros(self) -> Scores:
        return np.zeros(len(self._parents), np.float32)


def lifted_to_parents(scores: Scores, parents: Sequence[int | None], lift: float) -> Scores:
    """``scores`` where no section is less than ``lift`` of the way to its best child's.

    The child's may have come from below: evidence climbs to the top.
    """
    own, lifted = scores.tolist(), scores.tolist()
    for number in range(len(lifted) - 1, -1, -1):
        if (parent := parents[number]) is not None:
            part = own[parent] + lift * (lifted[number] - own[parent])
            lifted[parent] = max(lifted[parent], part)
    return np.asarray(lifted, np.float32)
