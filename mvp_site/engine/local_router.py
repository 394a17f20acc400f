"""The router that needs no model: what a question calls for, by examples; what it names, by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

import numpy as np

from ..errors import IndexLoadError, SessionsError
from ..retrieval import utterances
from ..retrieval.cache import SingleFlightCache
from ..retrieval.encoder import Encoder, Vector
from ..retrieval.index import VectorCache
from ..retrieval.names import words
from ..retrieval.releases.build import Progress, encode_texts, open_encoder
from ..rulebook.rulebook import Rulebook
from ..sessions.types import KINDS, Kind, Known
from ..settings import Settings
from ..types import Audience
from .examples import Example, example_questions
from .gazetteer import Gazetteer, Spotted
from .question_classifier import Choice, Matrix, Need, features
from .titles import Titles
from .types import DOMAINS, Decision, Domain, Question

NAME: Final = "local"
THRESHOLD: Final = 0.5
"""The chance from which on a domain is needed."""
LIKELY: Final = 3
_MASK: Final = "somebody"
_CAMPAIGNS: Final = 64
_READ_CHARS: Final = 2_000


class Memory(Protocol):
    """What a campaign knows by name, as the session notes tell it."""

    def known(self, campaign: str, audience: Audience) -> tuple[Known, ...]:
        """The names of sheets and notes that ``audience`` may know."""

    def version(self, campaign: str, kind: Kind) -> str:
        """What those of one kind follow from."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned of the examples: a domain's need, and its intentions where it has some."""

    needs: Mapping[Domain, Need]
    choices: Mapping[Domain, Choice]

    @classmethod
    def of(cls, examples: Sequence[Example], rows: Matrix) -> Learned:
        """Learned of examples, each with its row of features."""
        needs, choices = {}, {}
        for domain in DOMAINS:
            wanted = np.asarray([domain in one.needs for one in examples])
            if wanted.any() and not wanted.all():
                needs[domain] = Need.fit(rows, wanted)
            if names := [one.needs[domain] for one in examples if one.needs.get(domain)]:
                choices[domain] = Choice.fit(rows[wanted], names)
        return cls(needs, choices)


class LocalRouter:
    """Decides of all domains at once. Thread-safe; open one a process and share it."""

    name = NAME

    def __init__(self, encoder: Encoder, learned: Learned, *, rulebook: Rulebook | None = None,
                 memory: Memory | None = None, bound: Callable[[str], bool] | None = None,
                 cache_size: int = 256) -> None:
        self._encoder, self._learned = encoder, learned
        self._rulebook, self._memory, self._bound = rulebook, memory, bound
        self._titles: SingleFlightCache[str, Titles] = SingleFlightCache(1)
        self._gazetteers: SingleFlightCache[tuple[str, ...], Gazetteer] = SingleFlightCache(_CAMPAIGNS)
        self._vectors: SingleFlightCache[str, Vector] = SingleFlightCache(cache_size)

    @classmethod
    def open(cls, settings: Settings | None = None, *, encoder: Encoder | None = None,
             rulebook: Rulebook | None = None, memory: Memory | None = None,
             bound: Callable[[str], bool] | None = None, progress: Progress | None = None,
             ) -> LocalRouter:
        """The router of the settings; the vectors of its examples are made once and kept.

        ``rulebook`` is the settings', where one was built. ``bound`` tells whether a campaign has
        books; without it none has.

        Raises:
            EncoderError: there is no encoder.
        """
        settings = settings or Settings()
        if rulebook is None:
            with suppress(IndexLoadError):
                rulebook = Rulebook.open(settings, encoder=encoder)
        own = encoder or open_encoder(settings)
        examples = example_questions()
        plain = Gazetteer(said=said_words(), everyday=everyday_words())
        spotted = [plain.find(one.text) for one in examples]
        texts = [masked(one.text, names) for one, names in zip(examples, spotted, strict=True)]
        vectors = encode_texts(settings, texts, own, VectorCache(own), progress)
        rows = features(vectors, texts, [flags(names) for names in spotted])
        return cls(own, Learned.of(examples, rows), rulebook=rulebook, memory=memory, bound=bound,
                   cache_size=settings.prompt_cache_size)

    def decide(self, query: str, character_name: str = "", *, campaign: str | None = None,
               audience: Audience = "player") -> tuple[Decision, ...]:
        """A decision of each domain, in the order of the design; of books where some are bound.

        A campaign or a character that nobody knows is none: its names are then not known.
        """
        return self.decided(Question(query, character_name, campaign or "", audience))

    def decided(self, question: Question) -> tuple[Decision, ...]:
        """The same of a question."""
        text = question.text[:_READ_CHARS]
        spotted = self._gazetteer(question).find(text)
        plain = masked(text, spotted)
        vector, _ = self._vectors.get(plain, lambda: self._encoder.encode([plain])[0])
        row = features(vector[None], [plain], [flags(spotted)])[0]
        bound = bool(self._bound and question.campaign and self._bound(question.campaign))
        return tuple(
            self._decision(domain, row, spotted)
            for domain in self._learned.needs if domain != "books" or bound
        )

    def router(self) -> Router:
        """This router as one that decides for a domain at a time."""
        return Router(self)

    def _decision(self, domain: Domain, row: Matrix, spotted: Sequence[Spotted]) -> Decision:
        chance = self._learned.needs[domain].chance(row)
        if chance < THRESHOLD:
            return Decision(domain, False, 1 - chance)
        likely: tuple[str, ...] = ()
        if choice := self._learned.choices.get(domain):
            likely = tuple(choice.chances(row))[:LIKELY]
        named = [held for one in spotted if (held := one.named(domain))]
        return Decision(
            domain, True, chance, likely[0] if likely else None,
            tuple({one.name: one for one in reversed(named)}.values())[::-1], (), likely,
        )

    def _gazetteer(self, question: Question) -> Gazetteer:
        book, memory, campaign = self._rulebook, self._memory, question.campaign
        versions: tuple[str, ...] = ()
        if memory and campaign:
            versions = tuple(memory.version(campaign, kind) for kind in KINDS)
        release = book.fingerprint if book else ""

        def made() -> Gazetteer:
            titles, _ = self._titles.get(
                release, lambda: Titles.of(book.sections, book.words) if book else Titles.of()
            )
            known = memory.known(campaign, question.audience) if memory and campaign else ()
            return Gazetteer(known, titles, said_words(), everyday_words())

        return self._gazetteers.get((campaign, question.audience, release, *versions), made)[0]


class Router:
    """:class:`LocalRouter` for one domain at a time (:class:`mvp_site.engine.types.Router`)."""

    name = NAME

    def __init__(self, local: LocalRouter) -> None:
        self._local = local

    async def decide(self, domain: Domain, question: Question) -> Decision:
        """The decision of a domain; one that is not there is not needed."""
        found = await asyncio.to_thread(self._local.decided, question)
        return next((one for one in found if one.domain == domain), Decision(domain, False, 1.0))


def masked(text: str, spotted: Sequence[Spotted]) -> str:
    """``text`` with a word in place of each name that the rules do not have."""
    for one in reversed(spotted):
        if "rulebook" not in one.by:
            text = text[: one.start] + _MASK + text[one.end :]
    return text


def flags(spotted: Sequence[Spotted]) -> tuple[bool, ...]:
    """Whether names stand in a question that the rules do not have, and whether such as they do."""
    return any("rulebook" not in one.by for one in spotted), any("rulebook" in one.by for one in spotted)


@cache
def said_words() -> Container[str]:
    """Words that people use at the table, and elsewhere."""
    said = (text for one in utterances.rule_topics() for text in (*one.says, one.rules))
    return frozenset(word for text in said for word in words(text)) | everyday_words()


@cache
def everyday_words() -> frozenset[str]:
    """Words that people use when they speak of anything else."""
    return frozenset(word for text in utterances.load_off_topic() for word in words(text))
