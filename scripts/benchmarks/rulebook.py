"""What a question to the rulebook costs, and what it costs to build the book.

An uncached question is one to a rulebook that keeps no answer. It is held against one encoding of
its own text; the words that an intention brings are no part of that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from evaluation.rulebook_set import Question, load_questions
from evaluation.sets import Split

from mvp_site.retrieval.building import open_encoder
from mvp_site.retrieval.encoder import Encoder
from mvp_site.rulebook.query_parsing import RulebookQuery
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.rulebook.sections import Section
from mvp_site.settings import Settings

from .turns import Timed, Times, measure

UNIT: Final = "one encoding of a question"
SEARCH: Final = "uncached search"
QUERY: Final = "uncached query"
SEARCH_AGAIN: Final = "the same search again"
QUERY_AGAIN: Final = "the same query again"
LIST: Final = "a list of questions"
LIST_UNIT: Final = "their encodings, one by one"
LENGTH: Final = 64
"""Questions in a list."""
_CALLS: Final = 10
_LISTS: Final = 3

Questions = tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """The rulebook as it was measured.

    ``times`` are of single questions, ``lists`` of :data:`LENGTH` at once. ``built`` sections were
    parsed, encoded and indexed in ``build_seconds``.
    """

    source: str
    fingerprint: str
    sections: int
    questions: int
    times: Times
    lists: Times
    built: int
    build_seconds: float


def run(settings: Settings, split: Split, step: Callable[[str], None]) -> Book:
    """The default rulebook with the questions of ``split``.

    Raises:
        MvpSiteError: it cannot be served; the message says the command that mends it.
    """
    step("the rulebook")
    encoder = open_encoder(settings)
    cached = Rulebook.open(settings, encoder=encoder)
    uncached = Rulebook.open(replace(settings, prompt_cache_size=0), encoder=encoder)
    questions = tuple(one for one in load_questions(split=split) if one.gold)
    lists = [
        tuple((questions * LENGTH)[number * LENGTH : (number + 1) * LENGTH])
        for number in range(_LISTS)
    ]
    times = measure(_single(uncached, cached, encoder), questions, step, "questions")
    in_lists = measure(_lists(uncached, encoder), lists, step, "lists of questions")
    step("building the rulebook")
    text = "\n\n".join(map(_written, cached.sections))
    started = time.perf_counter()
    made = Rulebook.from_markdown(text, settings=settings, encoder=encoder)
    return Book(
        source=cached.source, fingerprint=cached.fingerprint, sections=len(cached.sections),
        questions=len(questions), times=times, lists=in_lists, built=len(made.sections),
        build_seconds=time.perf_counter() - started,
    )


def _single(uncached: Rulebook, cached: Rulebook, encoder: Encoder,
            ) -> dict[str, Callable[[Question], Timed]]:
    def unit(one: Question) -> Timed:
        return Timed(lambda: encoder.encode([one.own_text]))

    def again(ask: Callable[[Rulebook, Question], object]) -> Callable[[Question], Timed]:
        def prepare(one: Question) -> Timed:
            ask(cached, one)
            return Timed(lambda: ask(cached, one), _CALLS)

        return prepare

    return {
        UNIT: unit,
        SEARCH: lambda one: Timed(lambda: _search(uncached, one)),
        QUERY: lambda one: Timed(lambda: _query(uncached, one)),
        SEARCH_AGAIN: again(_search), QUERY_AGAIN: again(_query),
    }


def _lists(uncached: Rulebook, encoder: Encoder) -> dict[str, Callable[[Questions], Timed]]:
    def together(questions: Questions) -> Timed:
        asked = [_as_query(one) for one in questions]
        return Timed(lambda: uncached.search_many(asked))

    def one_by_one(questions: Questions) -> Timed:
        texts = [one.own_text for one in questions]
        return Timed(lambda: [encoder.encode([text]) for text in texts])

    return {LIST: together, LIST_UNIT: one_by_one}


def _search(book: Rulebook, one: Question) -> object:
    return book.search(one.words, one.intent, one.entities, one.context_hints)


def _query(book: Rulebook, one: Question) -> object:
    return book.query(one.intent, one.entities, one.context_hints, one.words or None)


def _as_query(one: Question) -> RulebookQuery:
    return RulebookQuery(
        query=one.words, intention=one.intent, entities=one.entities,
        context_hints=one.context_hints,
    )


def _written(section: Section) -> str:
    return f"{'#' * max(section.level, 1)} {section.title}\n\n{section.content}"
