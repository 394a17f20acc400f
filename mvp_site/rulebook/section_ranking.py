"""The ranking of a rulebook's sections for one question (design 2): its signals to the ranker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..retrieval.collection import Scores
from ..retrieval.ranking import BELOW, MEANING, WORDS, Ranking, Signal, Understanding, rank
from ..text.names import title_key
from .book import LoadedRulebook
from .query_parsing import BookQuery
from .results import NOTHING, Promise, ScorePart

WHYS: Final[Mapping[str, str]] = {
    MEANING: "by its nearest window", WORDS: "BM25 over title and text",
    BELOW: "evidence of the sections below", "entity": "title or text has {names}",
    "single": "a part of one thing, which the question does not name",
    "talk": "what such words are usually about", "answer": "it has what the intention promises",
}
"""The parts of a section's score, as callers know them; their names stand in stored answers."""
REPEATED: Final = 3
"""What so many sections are titled is a part of single things, such as monsters' actions."""
DEPTH: Final = 128
"""How many sections a ranking keeps with the parts of their scores."""
HALF: Final = 0.5
"""What utterances are worth as evidence, if the question is about the game; in the order, all."""


@dataclass(frozen=True, slots=True, eq=False)
class SectionRanking:
    """The ``best`` sections; ``totals`` and ``relevance`` are of every section, by number.

    Sections outside the caller's categories are not among the best.
    """

    query: BookQuery
    best: Ranking
    totals: Scores
    relevance: Scores
    promise: Promise = NOTHING

    def parts_of(self, number: int) -> tuple[ScorePart, ...]:
        """What a section's total is the sum of, but for zeros; () for one that is not ranked."""
        names = ", ".join(str(name) for name in self.query.names[:3])
        return tuple(
            ScorePart(name, value, WHYS[name].format(names=names))
            for name, values in self.best.parts.items()
            for value in values[self.best.numbers == number].tolist() if abs(value) > 1e-6
        )


class SectionRanker:
    """Ranks the sections of one book."""

    def __init__(self, book: LoadedRulebook) -> None:
        self._book = book
        self.weights = book.manifest.weights
        sections = book.sections
        tokens = [section.tokens for section in sections]
        self._parents = np.array([
            -1 if section.parent_id is None else sections.number(section.parent_id)
            for section in sections
        ], np.int64)
        # The tokens of a section's own text and all below it.
        self._whole = np.asarray(
            [tokens[n] + sum(tokens[below] for below in sections.below(n))
             for n in range(len(sections))], np.int64,
        )
        titles = [title_key(section.title) for section in sections]
        count = Counter(titles)
        often = np.array([count[title] >= REPEATED for title in titles], np.bool_)
        self._repeated = np.flatnonzero(often & (self._parents >= 0))
        self._tie = np.argsort(np.argsort([section.id for section in sections]))

    def rank(self, query: BookQuery, understanding: Understanding) -> SectionRanking:
        """The ranking for a question, by (-total, id); nothing where nothing is asked."""
        size = len(self._parents)
        allowed, promise = np.ones(size, np.bool_), self._book.tables.promise(query)
        if not query.text:
            none = np.zeros(size, np.float32)
            nothing = Ranking(np.empty(0, np.int64), none[:0], {}, none[:0], none[:0])
            return SectionRanking(query, nothing, none, none)
        if query.categories is not None:
            categories = set(query.categories)
            allowed = np.asarray([
                any(assignment.category in categories for assignment in section.categories)
                for section in self._book.sections
            ])
            promise = promise.within(allowed)
        ranking = rank(query, understanding, self._book.index, self.weights,
                       self._signals(query, understanding, promise), parents=self._parents,
                       tie=self._tie)
        return SectionRanking(
            query, ranking.take(np.flatnonzero(allowed[ranking.numbers])[:DEPTH]),
            ranking.by_number(ranking.scores, size), ranking.by_number(ranking.relevance, size),
            promise,
        )

    def _signals(self, query: BookQuery, understanding: Understanding, promise: Promise,
                 ) -> list[Signal]:
        weights, expansion = self.weights, self._book.expansion
        signals = [Signal("entity", self._entity(query).__getitem__)]
        if (vector := understanding.vector) is not None and query.words:
            # A bare list of names resembles nothing that people say.
            meaning, talk = expansion.meaning(vector), np.float32(weights.talk)
            called = expansion.called(vector, self._book.index, meaning=meaning)
            signals.append(Signal("talk", lambda numbers: talk * called(numbers),
                                  HALF * (understanding.topicality or 0.0)))
            if meaning is not None and weights.home:
                home = meaning.at_home(self._book.homes, len(self._parents))
                signals.append(Signal("talk", (np.float32(weights.home) * home).__getitem__, 0.0))
        answer = np.zeros(len(self._parents), np.float32)
        answer[list(promise.numbers)] = weights.answer
        single = np.float32(-weights.single) * self._single(query)
        return [*signals, Signal("answer", answer.__getitem__, 0.0),
                Signal("single", single.__getitem__, 0.0)]

    def _single(self, query: BookQuery) -> Scores:
        """1 for the parts of single things of which the question names none, 0 for all others."""
        named = np.zeros(len(self._parents), np.bool_)
        for name in query.names:
            for top in self._book.titles.titled(name.words):
                named[[top, *self._book.sections.below(top)]] = True
        single = np.zeros(len(self._parents), np.float32)
        single[self._repeated[~named[self._parents[self._repeated]]]] = 1.0
        return single

    def _entity(self, query: BookQuery) -> Scores:
        """The credit for names: of the given ones in the text, of all as the section's own name.

        Of several sections of just a name the one that says most has all of it. A title among the
        user's words counts the less, the more sections mention it.
        """
        weights = self.weights
        text, title = np.zeros((2, len(self._parents)), np.float32)
        of_a_thing = query.intention is None or query.intention.of_a_thing
        for name in query.names:
            mentioned = self._book.mentions.mentioning(name.words)
            if name.given:
                text[mentioned] += weights.content
            titled = list(self._book.titles.titled(name.words))
            if titled and (of_a_thing or name.given):
                size = np.log1p(self._whole[titled])
                rare = 1 - np.log1p(len(mentioned)) / np.log1p(len(self._parents))
                certainty = 1.0 if name.given else rare
                title[titled] += weights.named * certainty * (size / max(size.max(), 1)) ** 2
        credit: Scores = np.minimum(text, np.float32(weights.entity_most)) + title
        return credit
