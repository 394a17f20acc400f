"""A question to the library: read, both lanes asked, entries scored, and what of them shows why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from rapidfuzz import fuzz, process

from ..retrieval import utterances
from ..retrieval.collection import Query
from ..retrieval.encoder import Encoder
from ..retrieval.ranking import ParsedQuery, Signal, best_of_each, rank, understand
from ..text.names import names_of, title_key, words
from ..text.normalising import clean, content_words, terms
from ..text.spelling import Spelling
from ..types import AUDIENCES, Audience
from .book import text_of
from .build import Shelf
from .types import BookResult, ContentsEntry, ContentType, LibraryHits

READ_CHARS: Final = 2_000
"""How much of a question is read."""
EXTRACT_CHARS: Final = 220
LOOKED_CHARS: Final = 4_000
"""How much of a paragraph an extract is looked for in."""
ALIKE: Final = 78.0
"""How like a word of a title, in percent, a word is that counts as misspelt and not as unknown."""
REPEATED: Final = 3
"""A title that a book has so often below things of one type is no name but a part of each."""
_WHOLE: Final = frozenset({
    ContentType.MONSTER, ContentType.SPELL, ContentType.MAGIC_ITEM, ContentType.FEAT,
    ContentType.BACKGROUND, ContentType.RACE,
})
_SENTENCE: Final = re.compile(r"(?<=[.!?;:])\s+(?=[^\s])|\n+")
_TYPE_WORDS: Final[Mapping[ContentType, str]] = {
    ContentType.CLASS: "class", ContentType.SUBCLASS: "subclass archetype",
    ContentType.RACE: "race species ancestry lineage", ContentType.BACKGROUND: "background",
    ContentType.FEAT: "feat", ContentType.SPELL: "spell cantrip",
    ContentType.MONSTER: "monster creature enemy foe", ContentType.MAGIC_ITEM: "magic item",
    ContentType.EQUIPMENT: "equipment gear weapon armor armour tool", ContentType.RULE: "rule",
    ContentType.ADVENTURE: "adventure encounter", ContentType.LORE: "lore god deity history",
}


@dataclass(frozen=True, slots=True, eq=False)
class LibraryQuery(ParsedQuery):
    """A question to books; its context are the terms that its concepts bring.

    ``types`` are those that it names, ``tried`` what is told where nothing is found.
    """

    types: frozenset[ContentType] = frozenset()
    tried: tuple[str, ...] = ()


class BookQueryReader:
    """Reads questions to books whose words are ``known`` and whose titles have ``titles``."""

    def __init__(self, known: frozenset[str], titles: Sequence[str]) -> None:
        said = {word for topic in utterances.concepts() for text in topic.says
                for word in words(text)}
        self._known = known | said
        self._titles = sorted({
            word for title in titles for word in words(title) if word.isalpha()
        })
        self._spelling = Spelling(self._known, self._titles)

    def read(self, query: str) -> LibraryQuery:
        """The question of a text."""
        text, taken = self._spelling.read(clean(query)[:READ_CHARS])
        said = words(text)
        found = concepts_of(said)
        tried = [f"the words {text!r}"]
        tried += [f"{said!r} taken for {meant!r}" for said, meant in taken]
        tried += [f"{id_.replace('_', ' ')}: {rules}" for id_, rules in found.items()]
        own = tuple(terms(text))
        brought = dict.fromkeys(term for rules in found.values() for term in terms(rules))
        return LibraryQuery(
            text, said, own, tuple(term for term in brought if term not in own),
            unknown=self._unknown(said), corrected=tuple(taken), types=types_of(said),
            tried=tuple(tried),
        )

    def _unknown(self, said: Sequence[str]) -> float:
        telling = {word for word in said if terms(word)}
        strange = [
            word for word in telling - self._known
            if not process.extractOne(word, self._titles, scorer=fuzz.ratio, score_cutoff=ALIKE)
        ]
        return len(strange) / len(telling) if telling else 0.0


@cache
def _phrases() -> dict[tuple[str, ...], list[utterances.Topic]]:
    """What the concepts are called, each with those that it may mean."""
    found: dict[tuple[str, ...], list[utterances.Topic]] = {}
    for topic in utterances.concepts():
        for text in topic.says:
            found.setdefault(words(text), []).append(topic)
    return found


def concepts_of(said: Sequence[str]) -> dict[str, str]:
    """The concepts that words, as they are compared, name: what books say for each, by its id."""
    longest = max(map(len, _phrases()), default=0)
    return {
        topic.id: topic.rules for start in range(len(said))
        for end in range(start + 1, min(start + longest, len(said)) + 1)
        for topic in _phrases().get(tuple(said[start:end]), ())
    }


def _readers(shelf: Shelf) -> Iterator[tuple[Audience, BookQueryReader]]:
    """A reader for each audience: nobody's question is mended by words of books that are hidden."""
    reader = BookQueryReader(frozenset(), ())
    titles: list[str] = []
    for audience in AUDIENCES:
        more = [entry.title for book in shelf.books if book.source.audience == audience
                for entry in book.entries]
        if more:
            titles += more
            reader = BookQueryReader(shelf.known[audience], titles)
        yield audience, reader


class LibrarySearcher:
    """Answers from one release. Thread-safe."""

    def __init__(self, shelf: Shelf, encoder: Encoder) -> None:
        self.shelf = shelf
        self._encoder = encoder
        self.weights = shelf.manifest.weights
        titles: list[str] = []
        self._first: list[int] = []
        for book in shelf.books:
            self._first.append(len(titles))
            titles += [entry.title for entry in book.entries]
        self._readers = dict(_readers(shelf))
        # Entries are numbered through all books; each passage has one.
        parts = [_parts(book.entries) for book in shelf.books]
        self._owners = np.array([
            self._first[place.book] + parts[place.book][place.entry] for place in shelf.places
        ], np.int64)
        self._titled: dict[tuple[str, ...], list[int]] = {}
        for number, title in enumerate(titles):
            for name in names_of(title):
                self._titled.setdefault(name, []).append(number)
        self._longest = min(max(map(len, self._titled), default=0), 8)
        self._kinds = {type_: number for number, type_ in enumerate(ContentType)}
        self._types = np.array([
            self._kinds[entry.type] for book in shelf.books for entry in book.entries
        ], np.int64)

    def ask(self, query: str, limit: int, *, sources: Sequence[str] | None = None,
            audience: Audience | None = None, types: Sequence[ContentType] | None = None,
            extracted: Mapping[tuple[str, str], object] | None = None) -> LibraryHits:
        """The entries that answer, at most ``limit``."""
        parsed = self._readers[audience or "god"].read(query)
        index, domain = self.shelf.index, self.shelf.domain
        if index is None or domain is None or not (parsed.terms or parsed.words):
            return LibraryHits((), parsed.tried)
        ranking = best_of_each(rank(
            parsed,
            understand(lambda text: self._encoder.encode([text])[0], parsed.text, domain.score),
            index, self.weights, self._signals(parsed), look=Query(
                sources=None if sources is None else tuple(sources), audience=audience,
            ),
        ), self._owners)
        if not ranking.answers:
            return LibraryHits((), parsed.tried, ranking.failed)
        allowed = ranking.scores > 0
        if types is not None:
            allowed &= np.isin(self._types[self._owners[ranking.numbers]],
                               [self._kinds[type_] for type_ in types])
        ranking = ranking.take(np.flatnonzero(allowed)[:limit])
        seen = content_words(" ".join((parsed.text, *parsed.context)))
        return LibraryHits(tuple(
            self._result(int(self._owners[passage]), passage, relevance, seen, extracted or {})
            for passage, relevance in zip(
                ranking.numbers.tolist(), ranking.relevance.tolist(), strict=True
            )
        ), parsed.tried, ranking.failed)

    def _signals(self, query: LibraryQuery) -> list[Signal]:
        """What an entry gains by its title, which is evidence, and by its type, which is none."""
        titled, types = self._named(query.words), [self._kinds[type_] for type_ in query.types]
        share = np.zeros(len(self._types), np.float32)
        share[list(titled)] = list(titled.values())
        typed = np.isin(self._types, types).astype(np.float32)
        return [
            Signal("named", lambda at: np.float32(self.weights.named) * share[self._owners[at]]),
            Signal("typed", lambda at: np.float32(self.weights.typed) * typed[self._owners[at]],
                   0.0),
        ]

    def _named(self, said: tuple[str, ...]) -> dict[int, float]:
        """The entries whose title stands in the question, each with the part of it that it is."""
        found: dict[int, float] = {}
        telling = max(sum(len(word) > 2 for word in said), 1)
        for start in range(len(said)):
            for end in range(start + 1, min(start + self._longest, len(said)) + 1):
                for number in self._titled.get(said[start:end], ()):
                    share = min((end - start) / telling, 1.0)
                    found[number] = max(found.get(number, 0.0), share)
        return found

    def _result(self, number: int, passage: int, relevance: float, seen: set[str],
                extracted: Mapping[tuple[str, str], object]) -> BookResult:
        place = self.shelf.places[passage]
        book = self.shelf.books[place.book]
        entry = book.entries[number - self._first[place.book]]
        at = book.text.blocks[min(place.start, len(book.text.blocks) - 1)].page
        extract, block = extract_of(
            [book_block.text for book_block in book.text.blocks[place.start : place.end]], seen
        )
        if extract:
            at = book.text.blocks[place.start + block].page
        return BookResult(
            book.source.id, book.source.title, entry.title,
            book.path(number - self._first[place.book])[:-1],
            entry.type, entry.confidence, entry.label, book.label(entry.end_page), entry.page,
            round(relevance, 4), extract, book.label(at), text_of(book, place),
            (book.source.id, entry.title) in extracted,
        )


def extract_of(texts: Sequence[str], seen: set[str]) -> tuple[str, int]:
    """The sentences with most of the words ``seen``, cut to size, and the text they stand in."""
    sentences = [
        (number, at, parts) for number, text in enumerate(texts)
        if (parts := [one for one in _SENTENCE.split(text[:LOOKED_CHARS]) if one.strip()])
        for at in range(len(parts))
    ]
    if not sentences:
        return "", 0

    beginnings = tuple({stem[:3] for stem in seen})

    def telling(one: tuple[int, int, list[str]]) -> float:
        sentence = one[2][one[1]]
        plain = sentence.casefold()
        if not any(beginning in plain for beginning in beginnings):
            return min(sentence.count(" "), 5) / 100
        said = content_words(sentence)
        return len(said & seen) + min(len(said), 5) / 100  # of equals, one that says more

    number, at, parts = max(sentences, key=telling)
    best = " ".join(" ".join(parts[at : at + 3]).split())
    if len(best) > EXTRACT_CHARS:
        best = f"{best[:EXTRACT_CHARS].rsplit(' ', 1)[0]} …"
    return best, number


def _parts(entries: Sequence[ContentsEntry]) -> list[int]:
    """The entry that each counts as: of a thing's own parts, such as a monster's actions, it."""
    titles = Counter(title_key(entry.title) for entry in entries)
    found: list[int] = []
    for number, entry in enumerate(entries):
        above = entry.parent
        part = (
            above is not None and titles[title_key(entry.title)] >= REPEATED
            and entries[above].type is entry.type and entry.type in _WHOLE
        )
        found.append(found[above] if part and above is not None else number)
    return found


def types_of(said: Sequence[str]) -> frozenset[ContentType]:
    """The types that words, as they are compared, name."""
    held = set(said)
    types = {
        type_ for type_, names in _TYPE_WORDS.items()
        if (held.issuperset(names.split()) if type_ is ContentType.MAGIC_ITEM
            else held.intersection(names.split()))
    }
    return frozenset(types)


