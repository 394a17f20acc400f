"""A question to the library: read, both lanes asked, entries scored, and what of them shows why."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval import topic_files
from ..retrieval.collection import SearchRequest
from ..retrieval.encoder import Encoder, knows
from ..retrieval.ranking import ParsedQuery, Signal, Understanding, best_of_each, rank, understand
from ..text.languages import ASKING, ENGLISH, STOPWORDS, Language, language, name_of, recognised
from ..text.names import names_of, title_key, words
from ..text.normalising import clean, content_words, terms
from ..text.spelling import Spelling
from ..types import AUDIENCES, Audience
from .book import text_of
from .build import Shelf
from .content_types import WHOLE, chapter_of
from .types import BookResult, ContentsEntry, ContentType, LibraryHits

READ_CHARS: Final = 2_000
"""How much of a question is read."""
EXTRACT_CHARS: Final = 220
LOOKED_CHARS: Final = 4_000
"""How much of a paragraph an extract is looked for in."""
ASKED: Final = 0.5
"""The part of a question's telling words that name types, from which on it asks for these."""
HEADING: Final = 2
"""The blocks of a heading above entries that has at most a paragraph of its own."""
NEAREST: Final = 3
"""How many entries are told where none answers."""
SENTENCE: Final = 6
"""The words from which on it is told in what language a question is."""
REPEATED: Final = 3
"""A title that a book has so often below things of one type is no name but a part of each."""
_CLASSES: Final = frozenset({ContentType.CLASS, ContentType.SUBCLASS})
_KINDS: Final = {type_: number for number, type_ in enumerate(ContentType)}
_SENTENCE: Final = re.compile(r"(?<=[.!?;:])\s+(?=[^\s])|\n+")
_TYPE_WORDS: Final[Mapping[ContentType, str]] = {
    **{type_: str(type_) for type_ in ContentType},
    ContentType.CLASS: "class option character", ContentType.FEAT: "feat option",
    ContentType.SUBCLASS: "subclass archetype option",
    ContentType.RACE: "race species ancestry lineage",
    ContentType.SPELL: "spell cantrip", ContentType.MONSTER: "monster creature enemy foe",
    ContentType.EQUIPMENT: "equipment gear weapon armor armour tool",
    ContentType.ADVENTURE: "adventure encounter", ContentType.LORE: "lore god deity history",
}
_ASKING: Final = ASKING.union(*map(words, STOPWORDS))
"""Words of asking: they say nothing of what is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class LibraryQuery(ParsedQuery):
    """A question to books; its context are the terms that its concepts bring.

    ``types`` are those that it names, ``asks`` the part of its telling words that do, ``tried``
    what is told where nothing is found.
    """

    types: frozenset[ContentType] = frozenset()
    asks: float = 0.0
    tried: tuple[str, ...] = ()


class BookQueryReader:
    """Reads questions to books of a ``vocabulary`` and ``titles``; see :class:`Spelling`."""

    def __init__(self, vocabulary: frozenset[str], titles: Sequence[str],
                 spoken: frozenset[str] = frozenset(), language: Language = ENGLISH) -> None:
        self._language = language
        self._spelling = Spelling(
            vocabulary, sorted({word for title in titles for word in words(title)
                                if word.isalpha()}), spoken.union(*_phrases()))

    def read(self, query: str) -> LibraryQuery:
        """The question of a text."""
        text, corrected = self._spelling.read(clean(query)[:READ_CHARS])
        query_words = words(text)
        concepts = concepts_of(query_words)
        tried = (
            f"the words {text!r}",
            *(f"{typed!r} taken for {mended!r}" for typed, mended in corrected),
            *(f"{id_.replace('_', ' ')}: {rules}" for id_, rules in concepts.items()),
        )
        own = tuple(terms(without_asking(text), self._language))
        concept_terms = dict.fromkeys(term for rules in concepts.values()
                                      for term in terms(rules, self._language))
        types = types_of(query_words)
        names = set(" ".join(_TYPE_WORDS[type_] for type_ in types).split())
        telling = [word for word in query_words if len(word) > 2 and word not in _ASKING]
        return LibraryQuery(text, query_words, own,
                            tuple(term for term in concept_terms if term not in own),
                            corrected=tuple(corrected), types=types,
                            asks=sum(word in names for word in telling) / max(len(telling), 1),
                            tried=tried)


@cache
def _phrases() -> dict[tuple[str, ...], list[topic_files.Topic]]:
    """What the concepts are called, each with those that it may mean."""
    phrases: dict[tuple[str, ...], list[topic_files.Topic]] = {}
    for topic in topic_files.concepts():
        for text in topic.says:
            phrases.setdefault(words(text), []).append(topic)
    return phrases


def without_asking(text: str) -> str:
    """``text`` as the words that it looks for, without those of asking; itself if that is all."""
    return " ".join(word for word in words(text) if word not in _ASKING) or text


def concepts_of(query_words: Sequence[str]) -> dict[str, str]:
    """The concepts that words, as they are compared, name: what books say for each, by its id."""
    longest = max(map(len, _phrases()), default=0)
    return {topic.id: topic.rules for run in _runs(query_words, longest)
            for topic in _phrases().get(run, ())}


def _runs(query_words: Sequence[str], most: int) -> Iterator[tuple[str, ...]]:
    """All runs of up to ``most`` words."""
    for start in range(len(query_words)):
        for end in range(start + 1, min(start + most, len(query_words)) + 1):
            yield tuple(query_words[start:end])


def _readers(shelf: Shelf) -> Iterator[tuple[Audience, BookQueryReader]]:
    """A reader for each audience: nobody's question is mended by words of books that are hidden."""
    reader = BookQueryReader(frozenset(), ())
    titles: list[str] = []
    for audience in AUDIENCES:
        before = len(titles)
        titles += [entry.title for book in shelf.books if book.source.audience == audience
                   for entry in book.entries]
        if len(titles) > before:
            reader = BookQueryReader(shelf.known[audience], titles, shelf.spoken,
                                     language(shelf.manifest.languages))
        yield audience, reader


class LibrarySearcher:
    """Answers from one release. Thread-safe."""

    def __init__(self, shelf: Shelf, encoder: Encoder) -> None:
        self.shelf = shelf
        self._encoder = encoder
        self.weights = shelf.manifest.weights
        self._readers = dict(_readers(shelf))
        self._asking = _ASKING | language(shelf.manifest.languages).stop_words
        # Entries are numbered through all books; each passage has one.
        entries = [entry for book in shelf.books for entry in book.entries]
        self._first = [0, *accumulate(len(book.entries) for book in shelf.books)]
        parts = [_parts(book.entries) for book in shelf.books]
        self._owners = np.array([
            self._first[place.book] + parts[place.book][place.entry] for place in shelf.places
        ], np.int64)
        self._titled: dict[tuple[str, ...], list[int]] = {}
        for number, entry in enumerate(entries):
            for name in names_of(entry.title):
                self._titled.setdefault(name, []).append(number)
        # Where a class is asked for, its features speak for it.
        self._things = np.array([
            self._first[place.book] + _thing(book.entries, parts[place.book][place.entry])
            for place in shelf.places for book in (shelf.books[place.book],)
        ], np.int64)
        self._longest = min(max(map(len, self._titled), default=0), 8)
        self._types = np.array([_KINDS[entry.type] for entry in entries], np.int64)
        self._headings = np.array([
            _is_heading(entry) for book in shelf.books for entry in book.entries
        ], np.float32)

    def ask(self, query: str, limit: int, *, sources: Sequence[str] | None = None,
            audience: Audience = "god", types: Sequence[ContentType] | None = None,
            extracted: Collection[tuple[str, str]] = ()) -> LibraryHits:
        """The entries that answer, at most ``limit``; ``extracted`` are sources with titles."""
        parsed = self._readers[audience].read(query)
        index, expansion = self.shelf.index, self.shelf.expansion
        if index is None or expansion is None or not (parsed.terms or parsed.words):
            return LibraryHits((), parsed.tried)
        owners = self._things if _CLASSES & parsed.types else self._owners
        request = SearchRequest(sources=None if sources is None else tuple(sources),
                                audience=audience)
        foreign = self._foreign(parsed, audience)
        understanding = Understanding(None) if foreign else understand(
            lambda text: self._encoder.encode([text])[0], parsed.text, expansion.topic)
        signals = self._signals(parsed)
        if (vector := understanding.vector) is not None and self.weights.talk:
            called, talk = expansion.called(vector, index, request), np.float32(self.weights.talk)
            signals.append(Signal("talk", lambda numbers: talk * called(numbers), 0.0))
        ranking = best_of_each(
            rank(parsed, understanding, index, self.weights, signals, request=request), owners)
        if not ranking.answers:
            nearest = map(self._cited, owners[ranking.numbers[:NEAREST]].tolist())
            return LibraryHits((), (
                *parsed.tried, foreign or f"nearest, but too far to answer: {', '.join(nearest)}",
            ), ranking.failed)
        allowed = ranking.scores > 0
        if types is not None:
            allowed &= self._are(types)[owners[ranking.numbers]]
        ranking = ranking.take(np.flatnonzero(allowed)[:limit])
        telling = content_words(" ".join((parsed.text, *parsed.context)))
        scored = zip(ranking.numbers.tolist(), ranking.relevance.tolist(), strict=True)
        return LibraryHits(tuple(
            self._result(passage, int(owners[passage]), relevance, telling, extracted)
            for passage, relevance in scored
        ), parsed.tried, ranking.failed)

    def _are(self, types: Collection[ContentType]) -> npt.NDArray[np.bool_]:
        """Which entries are of one of the types."""
        return np.isin(self._types, [_KINDS[type_] for type_ in types])

    def _signals(self, query: LibraryQuery) -> list[Signal]:
        """What an entry gains by its title, which is evidence, and by its type, which is none."""
        titled = self._named(query.words)
        named = np.zeros(len(self._types), np.float32)
        named[list(titled)] = list(titled.values())
        named *= np.float32(self.weights.named)
        # A heading "Spells" is none.
        typed = np.float32(self.weights.typed * min(query.asks / ASKED, 1.0)) * self._are(
            query.types) * (1 - self._headings)
        headings = np.float32(-self.weights.heading) * self._headings
        return [Signal("named", lambda at: named[self._owners[at]]),
                Signal("typed", lambda at: typed[self._owners[at]], 0.0),
                Signal("heading", lambda at: headings[self._owners[at]], 0.0)]

    def _cited(self, owner: int) -> str:
        """An entry by its title, its book and its page."""
        number = bisect(self._first, owner) - 1
        book = self.shelf.books[number]
        entry = book.entries[owner - self._first[number]]
        return f"{entry.title!r} ({book.source.title}{entry.label and f', p. {entry.label}'})"

    def _foreign(self, query: LibraryQuery, audience: Audience) -> str:
        """What is told of a question in a language that neither the books nor the encoder know.

        Its words alone are looked for. '' of any other question.
        """
        known = sum(map(self.shelf.known[audience].__contains__, query.words))
        if len(query.words) < SENTENCE or 2 * known >= len(query.words):
            return ""  # as most are, without a look at the stop words of all languages
        books, (asked, *_) = self.shelf.manifest.languages, recognised((query.text,))
        if asked in books or knows(self._encoder.fingerprint, (asked,)):
            return ""
        return (f"the question reads as {name_of(asked)}, the books are in "
                f"{' and '.join(map(name_of, books))}: ask in that, or see "
                "PROMPT_EMBED_MODEL in docs/encoder.md")

    def _named(self, query_words: tuple[str, ...]) -> dict[int, float]:
        """The entries whose title stands in the question, each with the part of it that it is."""
        shares: dict[int, float] = {}
        telling = max(sum(len(word) > 2 and word not in self._asking for word in query_words), 1)
        for run in _runs(query_words, self._longest):
            share = min(len(run) / telling, 1.0)
            for number in () if self._asking.issuperset(run) else self._titled.get(run, ()):
                shares[number] = max(shares.get(number, 0.0), share)
        return shares

    def _result(self, passage: int, owner: int, relevance: float, telling: set[str],
                extracted: Collection[tuple[str, str]]) -> BookResult:
        place = self.shelf.places[passage]
        book = self.shelf.books[place.book]
        number = owner - self._first[place.book]
        entry, blocks = book.entries[number], book.text.blocks
        extract, block = extract_of([block.text for block in blocks[place.start : place.end]],
                                    telling)
        page = blocks[min(place.start + block, len(blocks) - 1)].page
        return BookResult(
            title=entry.title, source_id=book.source.id, source=book.source.title,
            path=book.path(number)[:-1], type=entry.type, confidence=entry.confidence,
            page=entry.label, end_page=book.text.label(entry.end_page), counted_page=entry.page,
            relevance=round(relevance, 4), extract=extract, extract_page=book.text.label(page),
            text=text_of(book, place), extracted=(book.source.id, entry.title) in extracted,
        )


def extract_of(texts: Sequence[str], query_terms: set[str]) -> tuple[str, int]:
    """The sentences with most of ``query_terms``, cut to size, and the text they stand in."""
    beginnings = {stem[:3] for stem in query_terms}

    def score(sentence: str) -> float:
        plain = sentence.casefold()
        if not any(beginning in plain for beginning in beginnings):
            return min(sentence.count(" "), 5) / 100
        stems = content_words(sentence)
        return len(stems & query_terms) + min(len(stems), 5) / 100  # of equals, one that says more

    highest, best, number = -1.0, "", 0
    for text_number, text in enumerate(texts):
        parts = [part for part in _SENTENCE.split(text[:LOOKED_CHARS]) if part.strip()]
        for at, sentence in enumerate(parts):
            if (points := score(sentence)) > highest:
                highest, best, number = points, " ".join(parts[at : at + 3]), text_number
    best = " ".join(best.split())
    if best.endswith(":") and (rest := " ".join(texts[number + 1 : number + 2]).strip()):
        best = " ".join(f"{best} {rest}".split())  # what it announces is in the next text
    if len(best) > EXTRACT_CHARS:
        best = f"{best[:EXTRACT_CHARS].rsplit(' ', 1)[0]} …"
    return best, number


def _parts(entries: Sequence[ContentsEntry]) -> list[int]:
    """The entry that each counts as: of a thing's own parts, such as a monster's actions, it."""
    titles = Counter(title_key(entry.title) for entry in entries)
    owners: list[int] = []
    for number, entry in enumerate(entries):
        above = entry.parent
        is_part = (entry.type in WHOLE - _CLASSES and titles[title_key(entry.title)] >= REPEATED
                   and above is not None and entries[above].type is entry.type)
        owners.append(number if above is None or not is_part else owners[above])
    return owners


def _thing(entries: Sequence[ContentsEntry], number: int) -> int:
    """The class or subclass that an entry is a feature of, or the entry itself."""
    entry = entries[number]
    while (entry.type in _CLASSES and entry.parent is not None
           and (above := entries[entry.parent]).type in _CLASSES
           and above.parent is not None and chapter_of(above.title) is None):
        number, entry = entry.parent, above
    return number


def _is_heading(entry: ContentsEntry) -> bool:
    """Whether an entry is a heading above others, with at most a paragraph of its own."""
    return bool(entry.children) and entry.own_end - entry.start <= HEADING and (
        entry.type not in WHOLE
        or chapter_of(entry.title) is not None or entry.parent is None
    )


def types_of(query_words: Sequence[str]) -> frozenset[ContentType]:
    """The types that words, as they are compared, name."""
    magic_item = {"magic", "item"}.issubset(query_words)
    return frozenset(
        type_ for type_, names in _TYPE_WORDS.items()
        if (magic_item if type_ is ContentType.MAGIC_ITEM
            else not set(query_words).isdisjoint(names.split()))
    )
