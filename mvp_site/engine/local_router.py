"""The router that needs no model: it goes by examples, and by names."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from cachetools import LRUCache

from .. import utterances as shipped
from ..errors import EncoderError, IndexLoadError, MvpSiteError
from ..retrieval import topic_files
from ..retrieval.building import Progress, encode_texts, open_encoder
from ..retrieval.cache import SingleFlightCache
from ..retrieval.encoder import Encoder, Vectors
from ..retrieval.index import VectorCache
from ..rulebook.rulebook import Rulebook
from ..sessions.search import READ_CHARS
from ..sessions.session_notes import CAMPAIGNS, SessionNotes
from ..sessions.types import KnownName
from ..settings import Settings, settings_of
from ..store.campaign_documents import Routing
from ..text.names import words
from ..text.shipped_tables import shipped_tables
from ..types import Audience
from .corrections import CorrectedQuestion, Learned
from .gazetteer import HELPERS, Gazetteer, Spotted, Titles, frequent_spells, titles_of
from .question_classifier import Classifier, Judgement, features
from .shipped_fit import ExampleRows, recipe_of, shipped_fit
from .sources import Lazy
from .types import DOMAINS, Decision, Domain, Question

NAME: Final = "local"
THRESHOLD: Final = 0.38
"""The chance from which on a domain is needed."""
LIKELY: Final = 3
REFIT: Final = 20
"""From so many corrections on, the router is fitted anew with them."""
REFITS: Final = 4
"""The fits of campaigns that stay in memory; each has all examples."""
_PLACEHOLDER: Final = re.compile(r"[{<\[]([A-Za-z_ ]{2,30})[}>\]]")
"""What a question has in place of a name that was not filled in: "{CHARACTER}"."""
_SOMEBODY: Final = "somebody"
_TELLING: Final = frozenset({"rule", "action", "skill", "ability"})
"""Types of names that say more of a question than what they are names of."""
_PERSONS: Final = frozenset(
    {"player_character", "non_player_character", "character", "ally", "enemy"}
)


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A question, and its intention in each domain that it needs; '' in one that has none.

    ``asks`` is what the sheet or the notes are asked for, '' where it is none of the usual things:
    the name of fields or of a list on the sheet, ``status`` (whether what is named can be used),
    ``place`` (where the party is), ``who`` somebody is, what is ``told`` of a name.
    """

    text: str
    needs: Mapping[Domain, str]
    asks: str = ""


@cache
def example_questions() -> tuple[ExampleQuestion, ...]:
    """The definitions of all intentions, and the shipped questions in order of their files."""
    questions = [
        ExampleQuestion(text, {domain: name})
        for domain, helper in HELPERS.items() for name, text in helper.intents.items()
    ]
    files = sorted(shipped.FOLDER.joinpath("questions").iterdir(), key=lambda file: file.name)
    lines = [line for file in files if file.name.endswith(".jsonl")
             for line in map(json.loads, file.read_text("utf-8").splitlines())]
    return (*questions, *(
        ExampleQuestion(line["q"], {domain: "" if line[domain] is True else line[domain]
                            for domain in DOMAINS if line.get(domain)}, line.get("asks", ""))
        for line in lines
    ))


@cache
def cast() -> tuple[KnownName, ...]:
    """The names of the sample campaign, of which many examples are."""
    return msgspec.convert(shipped_tables(shipped.__name__, "cast.toml")["names"],
                           tuple[KnownName, ...])


def example_recipe(encoder: Encoder) -> str:
    """What a fit on the examples over an encoder is named by."""
    return recipe_of(encoder.fingerprint, [
        *([row.text, row.asks, *row.needs.items()] for row in example_questions()),
        *([known.name, known.type] for known in cast())])


def example_rows(settings: Settings, encoder: Encoder, rulebook: Rulebook | None,
                 progress: Progress | None = None) -> ExampleRows:
    """What the examples' rows are made of, with the names of cast and rulebook, each encoded once.

    Questions are asked in campaigns, so examples are read as one of a campaign is.
    """
    gazetteer = Gazetteer(cast(), *_names_of(rulebook))
    spotted = [gazetteer.find(row.text) for row in example_questions()]
    read = [_readings(row.text, names)
            for row, names in zip(example_questions(), spotted, strict=True)]
    places: dict[str, int] = {}
    pairs = [[places.setdefault(text, len(places)) for text in pair] for pair in read]
    cache = VectorCache(encoder)
    encode_texts(settings, [*places], encoder, cache, progress)
    vectors, _ = cache.encode([*places])
    return ExampleRows([*places], vectors, np.asarray(pairs, np.int32),
                       np.asarray([*map(_flags, spotted)]))


@dataclass(frozen=True, slots=True)
class CampaignRouter:
    """The router that decides for a campaign, and what its corrections add to it."""

    classifier: Classifier
    learned: Learned = field(default_factory=lambda: Learned({}, {}, {}))
    corrections: tuple[CorrectedQuestion, ...] = ()
    refitted: bool = False


class LocalRouter:
    """Decides of all domains at once. Thread-safe; open one a process and share it.

    ``open_notes`` gives the campaigns' names. If it fails, only the rules' names are known.
    """

    def __init__(self, encoder: Encoder, classifier: Classifier, *,
                 rulebook: Rulebook | None = None, open_notes: Callable[[], SessionNotes],
                 folder: Path | None = None, cache_size: int = 1024) -> None:
        self._encoder, self._classifier, self._folder = encoder, classifier, folder
        self._learned: SingleFlightCache[tuple[object, ...], CampaignRouter]
        self._learned = SingleFlightCache(CAMPAIGNS)
        self._refits: LRUCache[tuple[object, ...], Classifier] = LRUCache(REFITS)
        self._fitting: set[tuple[object, ...]] = set()
        self._rulebook, self._open_notes = rulebook, open_notes
        self._books: SingleFlightCache[
            str, tuple[Titles, frozenset[str], frozenset[str]]] = SingleFlightCache(1)
        self._gazetteers: SingleFlightCache[tuple[str, tuple[KnownName, ...]], Gazetteer]
        self._gazetteers = SingleFlightCache(CAMPAIGNS)
        self._vectors: SingleFlightCache[tuple[str, str], Vectors] = SingleFlightCache(cache_size)

    @classmethod
    def open(cls, settings: Settings | None = None, *, encoder: Encoder | None = None,
             rulebook: Rulebook | None = None, open_notes: Callable[[], SessionNotes] | None = None,
             progress: Progress | None = None) -> LocalRouter:
        """The router of the settings.

        Its fit is shipped for the shipped encoder; for another it is made once and kept.

        ``rulebook`` and ``open_notes`` are the settings', where one was built; the notes are opened
        by the first question.

        Raises:
            EncoderError: there is no encoder.
        """
        settings = settings_of(settings)
        if rulebook is None:
            with suppress(IndexLoadError, EncoderError):
                rulebook = Rulebook.open(settings, encoder=encoder)
        own, examples = encoder or open_encoder(settings), example_questions()
        classifier = shipped_fit(example_recipe(own))
        if classifier is None:
            rows = example_rows(settings, own, rulebook, progress).rows()
            classifier = Classifier.kept(
                router_folder(settings), rows, [row.needs for row in examples],
                [row.asks for row in examples])
        open_notes = open_notes or Lazy(lambda: SessionNotes.open(settings, encoder=own))
        return cls(own, classifier, rulebook=rulebook, open_notes=open_notes,
                   folder=router_folder(settings), cache_size=settings.prompt_cache_size)

    def decide(self, query: str, character_name: str = "", *, campaign: str | None = None,
               audience: Audience = "player") -> tuple[Decision, ...]:
        """A decision of each domain, in the order of the design; of books where some are bound.

        Without a ``campaign`` it is the character's, or none where nobody knows the name.
        """
        if campaign is None and character_name:
            with suppress(MvpSiteError):
                campaign = self._open_notes().resolve(character_name).campaign
        return self.decide_question(Question(query, character_name, campaign or "", audience))

    def decide_question(self, question: Question) -> tuple[Decision, ...]:
        """As :meth:`decide`; without a campaign only the rulebook's names are known."""
        spotted, row = self._row(question)
        books = bool(question.campaign)
        if books:  # where nobody can say, some may be bound, and it is told that none is asked
            with suppress(MvpSiteError):
                books = bool(self._open_notes().bound(question.campaign))
        taught = self._taught(question.campaign)
        judged = taught.learned.judged(row, taught.classifier.judged(row))
        chances = {domain: judgement.chance
                   for domain, judgement in judged.items() if books or domain != "books"}
        if all(chance < THRESHOLD for chance in chances.values()):
            knowing = [domain for domain in chances if any(
                domain in (row.by or ("session_notes",)) for row in spotted)]
            for domain in sorted(knowing, key=lambda name: -chances[name])[:1]:
                chances[domain] = max(chances[domain], THRESHOLD)
        return tuple(_decision(domain, chance, judged[domain], spotted)
                     for domain, chance in chances.items())

    def corrected(self, question: Question) -> frozenset[Domain]:
        """The domains in which this question, or one near it, was corrected."""
        learned = self._taught(question.campaign).learned
        row = self._row(question)[1] if learned.rows else None
        return frozenset(domain for domain in learned.rows
                         if row is not None and learned.knows(domain, row))

    def taught(self, campaign: str) -> tuple[CampaignRouter, float, float]:
        """What a campaign's corrections taught, and what that is worth.

        The shares in [0, 1] of the corrected questions that are decided rightly by the router as it
        is shipped, and by one that has learned of all corrections but the question's own.
        """
        taught = self._taught(campaign)
        rows = [self._row(row.question)[1] for row in taught.corrections]
        judged = [self._classifier.judged(row) for row in rows]
        before = [correction.right(judgement, THRESHOLD) for correction, judgement
                  in zip(taught.corrections, judged, strict=True)]
        after = []
        for at, correction in enumerate(taught.corrections):
            rest = [other for other in range(len(rows)) if other != at]
            learned = Learned.fit([taught.corrections[other] for other in rest],
                                  [rows[other] for other in rest],
                                  [judged[other] for other in rest])
            after.append(correction.right(learned.judged(rows[at], judged[at]), THRESHOLD))
        most = max(len(rows), 1)
        return taught, sum(before) / most, sum(after) / most

    def _row(self, question: Question) -> tuple[tuple[Spotted, ...], Vectors]:
        """The names of a question, and its features."""
        text = _PLACEHOLDER.sub(lambda match: match[1].lower().replace("_", " "),
                                question.text[:READ_CHARS])
        spotted = self._gazetteer(question).find(text)
        read = _readings(text, spotted)
        vectors, _ = self._vectors.get(read, lambda: self._encoder.encode(read))
        return spotted, features((vectors[:1], vectors[1:]), read[:1], [_flags(spotted)])

    def _taught(self, campaign: str) -> CampaignRouter:
        """What the corrections of a campaign teach now; from :data:`REFIT` on a fit with them."""
        routings: tuple[Routing, ...] = ()
        if campaign:
            with suppress(MvpSiteError):
                routings = self._open_notes().corrections(campaign)
        if not routings:
            return CampaignRouter(self._classifier)
        key = (campaign, *((row.id, json.dumps(row.corrected, sort_keys=True))
                           for row in routings))
        refit = self._refits.get(key)

        def learned() -> CampaignRouter:
            corrections = [CorrectedQuestion.of(row) for row in routings]
            rows = [self._row(row.question)[1] for row in corrections]
            classifier = refit or self._classifier
            if refit is None and len(corrections) >= REFIT and key not in self._fitting:
                self._fitting.add(key)
                threading.Thread(target=self._refit, args=(key, corrections, rows),
                                 name="router-refit", daemon=True).start()
            return CampaignRouter(classifier, Learned.fit(
                corrections, rows, [classifier.judged(row) for row in rows]),
                tuple(corrections), refit is not None)

        return self._learned.get((*key, refit is not None), learned)[0]

    def _refit(self, key: tuple[object, ...], corrections: Sequence[CorrectedQuestion],
               rows: Sequence[Vectors]) -> None:
        """Fit the router anew on its examples and the corrections."""
        try:
            needs = [*(row.needs for row in example_questions()),
                     *(row.example for row in corrections)]
            judged = [self._classifier.judged(row) for row in rows]
            asks = [*(row.asks for row in example_questions()),
                    *(max((judgement.asks for judgement in row.values()), default="")
                      for row in judged)]
            every = np.concatenate([self._classifier.rows, *rows])
            self._refits[key] = Classifier.kept(self._folder, every, needs, asks) \
                if self._folder else Classifier.fit(every, needs, asks)
        finally:
            self._fitting.discard(key)

    def close(self) -> None:
        """Close what was opened for it."""
        if isinstance(self._open_notes, Lazy):
            self._open_notes.close()

    def _gazetteer(self, question: Question) -> Gazetteer:
        """The names of a question's campaign and of the rules; made anew where one of them is."""
        book, release = self._rulebook, self._rulebook.fingerprint if self._rulebook else ""
        entities: tuple[KnownName, ...] = ()
        if question.campaign:
            with suppress(MvpSiteError):
                entities = self._open_notes().known(question.campaign, question.audience)

        def gazetteer() -> Gazetteer:
            return Gazetteer(entities, *self._books.get(release, lambda: _names_of(book))[0])

        return self._gazetteers.get((release, entities), gazetteer)[0]


class DomainRouter:
    """A :class:`LocalRouter` that decides for one domain at a time, as the engine asks.

    It decides once for those that ask at once.
    """

    name = NAME

    def __init__(self, local: LocalRouter) -> None:
        self._local = local
        self._flights: SingleFlightCache[Question, tuple[Decision, ...]] = SingleFlightCache(0)
        # Not the loop's own threads: an answer that is given up would wait for them at its end.
        self._threads = ThreadPoolExecutor(thread_name_prefix="router")

    def taught(self, campaign: str) -> tuple[CampaignRouter, float, float]:
        """As :meth:`LocalRouter.taught`."""
        return self._local.taught(campaign)

    async def decide(self, domain: Domain, question: Question) -> Decision | None:
        """The decision of a domain; one that the campaign has not is not needed."""
        every, _ = await asyncio.get_running_loop().run_in_executor(
            self._threads, copy_context().run, self._flights.get, question,
            partial(self._local.decide_question, question),
        )
        return next((decision for decision in every if decision.domain == domain),
                    Decision(domain, False, 1.0))


class CorrectedRouter(DomainRouter):
    """As :class:`DomainRouter`, for questions near a corrected one alone; others are the next's."""

    def __init__(self, local: LocalRouter) -> None:
        super().__init__(local)
        self._corrected: SingleFlightCache[Question, frozenset[Domain]] = SingleFlightCache(0)

    async def decide(self, domain: Domain, question: Question) -> Decision | None:
        """The decision of a domain in which the question was corrected."""
        corrected, _ = await asyncio.get_running_loop().run_in_executor(
            self._threads, copy_context().run, self._corrected.get, question,
            partial(self._local.corrected, question))
        return await super().decide(domain, question) if domain in corrected else None


def _decision(domain: Domain, chance: float, judgement: Judgement,
              spotted: Sequence[Spotted]) -> Decision:
    if chance < THRESHOLD:
        return Decision(domain, False, 1 - chance)
    named = {entity.name: entity for spot in spotted if (entity := spot.named(domain))}
    likely = judgement.likely[:LIKELY]
    return Decision(domain, True, chance, likely[0] if likely else None, tuple(named.values()),
                    likely=likely, asks=judgement.asks)


def _readings(text: str, spotted: Sequence[Spotted]) -> tuple[str, str]:
    """``text`` with what it is in place of each name: the campaign's, and the rules' as well."""
    plain = text
    for spot in reversed(spotted):
        ruled = spot.types["rulebook"][0] if "rulebook" in spot.by else ""
        own: Domain = "character" if "character" in spot.by else "session_notes"
        type_ = ruled or spot.types[own][0]
        stand_in = type_ if ruled else _SOMEBODY if type_ in _PERSONS else f"that {type_}"
        stand_in = text[spot.start : spot.end] if ruled in _TELLING else stand_in.replace("_", " ")
        text = text[: spot.start] + stand_in + text[spot.end :]
        if not ruled:
            plain = plain[: spot.start] + stand_in + plain[spot.end :]
    return plain, text


def _flags(spotted: Sequence[Spotted]) -> tuple[bool, ...]:
    """Whether a question has names that the rules do not have, and such as they do, by type."""
    types = [spot.types["rulebook"][0] if "rulebook" in spot.by else "" for spot in spotted]
    ruled, kinds = len(types) - types.count(""), HELPERS["rulebook"].get_all_entity_types()
    return "" in types, ruled > 0, ruled > 1, *(kind in types for kind in kinds)


def router_folder(settings: Settings) -> Path:
    """Where a fitted router is kept: beside the encoder's vectors of shipped texts."""
    return settings.cache_dir / "router"


def _names_of(book: Rulebook | None) -> tuple[Titles, frozenset[str], frozenset[str]]:
    """A rulebook's names, the words that are no misspelt names, and those that are none alone."""
    if book is None:
        return {}, said_words(), everyday_words()
    own = frozenset(book.words)
    titles = titles_of(book.sections, own)
    spells = {word for word, title in titles.items() if title[1] == "spell"}
    return titles, own | said_words(), everyday_words() | (everyday_words(0) & spells) | (
        frequent_spells(book.sections, titles))


@cache
def said_words() -> frozenset[str]:
    """Words that people use, at the table and elsewhere; names, in capitals, are none."""
    texts = (text for topic in topic_files.rule_topics() for text in (*topic.says, topic.rules))
    plain = (word for text in (*texts, *topic_files.load_off_topic()) for word in text.split())
    return frozenset(word for text in set(plain) if text.islower() for word in words(text))


@cache
def everyday_words(most: int = 1) -> frozenset[str]:
    """Words that people use, more than ``most`` times, when they speak of anything else."""
    counts = Counter(word for text in topic_files.load_off_topic() for word in set(words(text)))
    return frozenset(word for word, count in counts.items() if count > most)
