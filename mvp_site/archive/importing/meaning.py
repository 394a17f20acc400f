"""What a prompt's sections are about, by the meaning and the words of their sentences.

Two discriminants read them: whether a sentence is one that every answer must obey, of form or of
safety, and whether a section that begins so holds in one situation only. Both are linear in the
shipped encoder's vector and in hashed words, pairs of words and parts of words, and are fitted on
lines and prompts of many hands (``scripts/evaluate headers --fit``). A section is judged by its
plainest sentences, and by how situated it, those beside it and the one above it are; a sentence is
judged with its section.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ...retrieval import arrays
from ...retrieval.encoder import SHIPPED, Encoder, Vectors, find_bundle, open_by_fingerprint
from ...settings import DEFAULT_MODEL
from ...utterances import FOLDER
from .answer_fields import set_as_names
from .prohibitions import sentences, statements
from .structure import SourceSection

WEIGHTS: Final = "header.npy"
HOLDS: Final = 0.5
"""A section's margin from which on it belongs in the header."""
SITUATED: Final = 1.0
"""The margin from which on a section that does not so holds in one situation only."""
ALONE: Final = 3.5
"""The same whatever it binds."""
UNTITLED: Final = 2.0
"""How much plainer one must be that has no heading of its own."""
OTHERS: Final = 0.5
"""How much plainer a section must be in another language than English."""
BINDS: Final = 2.0
"""The margin from which on sentences do, of a section that does not."""
_WORDS: Final = 4_096
WIDTH: Final = 384 + _WORDS + 1
"""How many features a text has."""
_SHARE: Final = 0.7
"""How much words weigh beside the vector."""
_GRAM: Final = 4
_WORD: Final = re.compile(r"[^\W_]+|[^\w\s]")
_PLAINEST: Final = 3
_LOWEST: Final = -3.0
"""The margin of a sentence that a short section lacks."""
_REST: Final = 0.2
"""How much a section's mean counts beside its plainest sentences."""
_SITUATED: Final = 0.4
"""How much the situation of a section, of those beside it and of the one above it counts each."""
BEGINNING: Final = 2
"""Sentences that say, with the title, when a section holds."""
READ: Final = 1_000
"""Up to so many sentences a source is read whole, as most prompts are."""
_SOME: Final = 400
"""Sentences that are read of a larger one; the header of a large archive stays the same."""


@dataclass(frozen=True, slots=True)
class SectionPlace:
    """A section in its source: the document's name, and those above it, with itself the last."""

    document: str
    path: Sequence[SourceSection]


@dataclass(frozen=True, slots=True)
class SectionMeaning:
    """How far a section binds every answer and holds in one situation only, as margins.

    ``sentences`` has how far each sentence binds, in this section.
    """

    binds: float
    situated: float
    sentences: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class SectionFeatures:
    """The features of a section's beginning, of its title (none or one row), of its sentences."""

    beginning: npt.NDArray[np.float32]
    title: Vectors
    sentences: Vectors


@dataclass(frozen=True, slots=True, eq=False)
class SectionReader:
    """Judges sections by two discriminants, each a direction of features and a constant."""

    encoder: Encoder
    weights: npt.NDArray[np.float64]

    def read(self, places: Sequence[SectionPlace], names: Collection[str],
             ) -> dict[int, SectionMeaning]:
        """What each section means, by its identity; ``names`` are fields of answers."""
        binding, situated = self.weights
        rows = [*features_of(self.encoder, places, names)]
        own = {id(place.path[-1]): float(row.beginning @ situated[:-1] + situated[-1])
               for place, row in zip(places, rows, strict=True)}
        beside = defaultdict[tuple[str, int, int], list[float]](list)
        for place in places:
            beside[_group(place)].append(own[id(place.path[-1])])
        meanings: dict[int, SectionMeaning] = {}
        for place, row in zip(places, rows, strict=True):
            section = place.path[-1]
            margin = own[id(section)]
            others = beside[_group(place)]
            near = (sum(others) - margin) / (len(others) - 1) if others[1:] else margin
            above = next((own[id(part)] for part in place.path[-2:-1] if id(part) in own), margin)
            margins = row.sentences @ binding[:-1] + binding[-1]
            titled = row.title @ binding[:-1] + binding[-1]
            plainest = float(np.sort(np.concatenate(
                [margins, titled, [_LOWEST] * _PLAINEST]))[-_PLAINEST:].mean())
            mean = float(margins.mean()) if len(margins) else _LOWEST
            meanings[id(section)] = SectionMeaning(
                plainest + _REST * mean - _SITUATED * (margin + near + above),
                margin + near + above,
                {text: float(margin) + mean + plainest
                 for text, margin in zip(sentences(section), margins, strict=True)})
        return meanings


def _group(place: SectionPlace) -> tuple[str, int, int]:
    """What sections beside each other have in common."""
    return place.document, id(place.path[-2]) if place.path[1:] else 0, place.path[-1].level


def binding_rows(section: SourceSection, meaning: SectionMeaning) -> Iterator[tuple[int, int, str]]:
    """What of a section binds every answer: rows ``[start, end)``, and the sentence that does.

    A table is never torn apart.
    """
    for start, end, texts in statements(section):
        margin, text = max(((meaning.sentences[text], text) for text in texts),
                           default=(_LOWEST, ""))
        if text and margin >= BINDS and not text.startswith("|"):
            yield start, end, text


def likeliest(places: Sequence[SectionPlace], first: Collection[int]) -> list[SectionPlace]:
    """The sections that are read, in order: all, or of much text :data:`_SOME` sentences.

    Those that are ``first``, by identity, come before what stands nearer to the beginning.
    """
    order = sorted(range(len(places)), key=lambda at: (id(places[at].path[-1]) not in first, at))
    counts = np.cumsum([len(sentences(places[at].path[-1])) for at in order])
    if not len(counts) or counts[-1] <= READ:
        return [*places]
    return [places[at] for at in sorted(order[: int(np.searchsorted(counts, _SOME, "right"))])]


def features_of(encoder: Encoder, places: Sequence[SectionPlace], names: Collection[str],
                ) -> Iterator[SectionFeatures]:
    """The features of each section; ``names`` are fields of answers."""
    several = len({place.document for place in places}) > 1
    texts = [sentences(place.path[-1]) for place in places]
    wanted = [*dict.fromkeys(text for place, rows in zip(places, texts, strict=True) for text in (
        *rows, place.document, place.path[-1].title))]
    vectors = dict(zip(wanted, encoder.encode(wanted), strict=True))

    for place, rows in zip(places, texts, strict=True):
        section = place.path[-1]
        title = [section.title] * (section.own and section.title != "")
        beginning = [*[place.document] * (several and section.level < 2), *title, *rows[:BEGINNING]]
        yield SectionFeatures(
            beginning_features([vectors[text] for text in beginning], beginning),
            np.array([features(vectors[text], text) for text in title],
                     np.float32).reshape(-1, WIDTH),
            np.array([features(vectors[text], text, bool(set_as_names(text) & {*names}))
                      for text in rows], np.float32).reshape(-1, WIDTH))


def beginning_features(vectors: Sequence[npt.NDArray[np.float32]], texts: Sequence[str],
                       ) -> npt.NDArray[np.float32]:
    """The features of texts that say when a section holds: the direction of all their vectors."""
    total = np.sum([np.zeros(WIDTH - _WORDS - 1, np.float32), *vectors], axis=0)
    return features(total / (np.linalg.norm(total) or 1), " . ".join(texts))


def features(vector: npt.NDArray[np.float32], text: str, named: bool = False,
             ) -> npt.NDArray[np.float32]:
    """A text's vector, its hashed words, and whether it names a field, in one row."""
    words = [match.lower() for match in _WORD.findall(text)]
    terms = {*(f"w{word}" for word in words),
             *(f"b{word} {after}" for word, after in zip(["^", *words], words, strict=False)),
             *(f"c{gram}" for word in words for gram in _grams(f"<{word}>"))}
    hashed = np.zeros(_WORDS, np.float32)
    for term in terms:
        hashed[zlib.crc32(term.encode()) % _WORDS] += _SHARE / np.sqrt(len(terms))
    return np.concatenate([vector, hashed, [np.float32(named)]])


def _grams(word: str) -> Iterator[str]:
    return (word[at : at + _GRAM] for at in range(max(len(word) - _GRAM + 1, 1)))


@cache
def section_reader() -> SectionReader:
    """The shipped discriminants, opened once a process."""
    encoder = open_by_fingerprint(SHIPPED, find_bundle(SHIPPED, DEFAULT_MODEL) or "", 1)
    return SectionReader(encoder, arrays.from_bytes((FOLDER / WEIGHTS).read_bytes()))
