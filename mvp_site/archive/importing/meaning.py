"""What a prompt's sections are about, by the meaning and the words of their sentences.

Two discriminants read them: whether a sentence is one that every answer must obey, of form or of
safety, and whether it holds in one situation only. Both are linear in the shipped encoder's vector
and in hashed words, pairs of words and parts of words, and are fitted on lines and prompts of many
hands (``scripts/evaluate headers --fit``). Where a sentence holds is judged by its section too: by
how that begins, and by the mean of its sentences. A section is judged by its plainest sentences,
and by how situated it is.
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
HOLDS: Final = 0.75
"""A section's margin from which on it belongs in the header."""
SITUATED: Final = 0.5
"""The margin from which on a sentence, or a section that does not belong there, holds in one
situation only."""
UNTITLED: Final = 2.0
"""How much plainer one must be that has no heading of its own."""
OTHERS: Final = 0.5
"""How much plainer a section must be in another language than English."""
BINDS: Final = 0.0
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
_SITUATED: Final = 0.7
"""How much the situation of a section counts."""
_NEAR: Final = 0.3
"""How much the sections right before and after one count beside its own situation."""
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

    ``binding`` and ``situations`` have the same of each sentence, in this section.
    """

    binds: float
    situated: float
    binding: Mapping[str, float]
    situations: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class SectionFeatures:
    """The features of a section's beginning, of its title (none or one row), of its sentences."""

    beginning: npt.NDArray[np.float32]
    title: Vectors
    sentences: Vectors

    @property
    def whole(self) -> npt.NDArray[np.float32]:
        """The mean of its sentences, with a vector of length 1."""
        if not len(self.sentences):
            return np.zeros(WIDTH, np.float32)
        mean = self.sentences.mean(0)
        return np.asarray(mean / (np.linalg.norm(mean[: WIDTH - _WORDS - 1]) or 1), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class SectionReader:
    """Judges sections by directions of features, each with a constant.

    The first is of sentences that bind, the others of a situated sentence, of the beginning of its
    section and of the whole of it.
    """

    encoder: Encoder
    weights: npt.NDArray[np.float64]

    def read(self, places: Sequence[SectionPlace], names: Collection[str],
             ) -> dict[int, SectionMeaning]:
        """What each section means, by its identity; ``names`` are fields of answers."""
        directions, (binding, *constants) = self.weights[:, :-1].T, self.weights[:, -1]
        rows = [*features_of(self.encoder, places, names)]
        around = [float(row.beginning @ directions[:, 2] + row.whole @ directions[:, 3]
                        + sum(constants)) for row in rows]
        margins = [row.sentences @ directions[:, :2] for row in rows]
        own = [constant + float(margin[:, 1].mean()) if len(margin) else constant
               for constant, margin in zip(around, margins, strict=True)]
        beside = defaultdict[tuple[str, int, int], list[int]](list)
        for at, place in enumerate(places):
            beside[_group(place)].append(at)
        meanings: dict[int, SectionMeaning] = {}
        for at, (place, row) in enumerate(zip(places, rows, strict=True)):
            section = place.path[-1]
            group = beside[_group(place)]
            where = group.index(at)
            near = [own[other] for other in group[max(where - 1, 0) : where + 2] if other != at]
            lift = _NEAR * (float(np.mean(near)) - own[at]) if near else 0.0
            bound = margins[at][:, 0] + binding
            plainest = float(np.sort(np.concatenate(
                [bound, row.title @ directions[:, 0] + binding, [_LOWEST] * _PLAINEST],
            ))[-_PLAINEST:].mean())
            mean = float(bound.mean()) if len(bound) else _LOWEST
            situated = own[at] + lift
            texts = sentences(section)
            meanings[id(section)] = SectionMeaning(
                plainest + _REST * mean - _SITUATED * situated, situated,
                dict(zip(texts, (bound + mean + plainest).tolist(), strict=True)),
                dict(zip(texts, (margins[at][:, 1] + around[at] + lift).tolist(), strict=True)))
        return meanings


def _group(place: SectionPlace) -> tuple[str, int, int]:
    """What sections beside each other have in common."""
    return place.document, id(place.path[-2]) if place.path[1:] else 0, place.path[-1].level


def binding_rows(section: SourceSection, meaning: SectionMeaning) -> Iterator[tuple[int, int, str]]:
    """What of a section binds every answer: rows ``[start, end)``, and the sentence that does.

    A table is never torn apart.
    """
    for start, end, texts in statements(section):
        margin, text = max(((meaning.binding[text], text) for text in texts),
                           default=(_LOWEST, ""))
        if text and margin >= BINDS and not text.startswith("|"):
            yield start, end, text


def situated_rows(section: SourceSection, meaning: SectionMeaning) -> set[int]:
    """The rows of a section that hold in one situation only; no row of a table is one."""
    return {row for start, end, texts in statements(section)
            if texts and not texts[0].startswith("|")
            and sum(meaning.situations[text] for text in texts) >= SITUATED * len(texts)
            for row in range(start, end)}


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
