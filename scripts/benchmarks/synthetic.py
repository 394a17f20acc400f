"""Synthetic entities of any number, made of what a built index of real ones has.

A vector is a mixture of those of two real windows with noise, normalised; a text is words drawn as
often as real entities have them, and a name that two share; the fields are of every kind that
filters know. The same number of entities is the same entities, whoever makes them. And copies of
real documents, where a few more are wanted than there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from mvp_site.content.document import Document
from mvp_site.content.types import EntityType
from mvp_site.retrieval import arrays, lexical
from mvp_site.retrieval.collection import Value
from mvp_site.retrieval.dense import DenseLane
from mvp_site.retrieval.encoder import Vectors
from mvp_site.retrieval.filters import AnyOf, Condition, Range

NOISE: Final = 0.3
"""The length of the noise beside a mixture, whose own length is near 1."""
QUERY_NOISE: Final = 0.6
WORDS: Final = 64
QUERY_WORDS: Final = 6
FILTERS: Final[Mapping[str, Condition]] = {
    "none": (), "50 %": (AnyOf("legendary", (True,)),), "5 %": (AnyOf("kind", ("kind 7",)),),
    "0.1 %": (Range("rank", 500.0, 500.0),),
}
"""What is filtered by, named by how much of everything it lets through."""
_BLOCK: Final = 50_000
_KINDS: Final = 20
_RANKS: Final = 1_000
_TAGS: Final = tuple((f"tag {n}", f"tag {n + 1}", f"tag {n + 3}") for n in range(12))
_VECTORS, _TEXTS, _FIELDS, _QUERIES = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What entities are made of: windows, and words with the part of all text that each is."""

    windows: Vectors
    words: npt.NDArray[np.object_]
    parts: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A query: a unit vector and terms."""

    vector: npt.NDArray[np.float32]
    terms: tuple[str, ...]


def source(files: Mapping[str, bytes], entities: int) -> Source:
    """What the files of a release of ``entities`` give."""
    words: list[str] = json.loads(files[lexical.FILES[3]])
    counts = np.diff(arrays.from_bytes(files[lexical.FILES[2]]))[: len(words)]
    held = np.flatnonzero(counts)
    windows = DenseLane.load(files, entities).vectors()
    return Source(
        windows, np.array(words, object)[held[held < len(words)]], counts[held] / counts.sum()
    )


def vectors(of: Source, count: int) -> Iterator[Vectors]:
    """The vectors of ``count`` entities, one each, in blocks."""
    for number, start in enumerate(range(0, count, _BLOCK)):
        rng = np.random.default_rng((_VECTORS, number))
        yield _mixtures(of, min(_BLOCK, count - start), NOISE, rng)


def texts(of: Source, count: int) -> list[list[str]]:
    """The terms of ``count`` entities."""
    out: list[list[str]] = []
    for number, start in enumerate(range(0, count, _BLOCK)):
        rng = np.random.default_rng((_TEXTS, number))
        size = min(_BLOCK, count - start)
        drawn = rng.choice(len(of.words), (size, WORDS), p=of.parts)
        rows = of.words[drawn].tolist()
        for row, name in zip(rows, rng.integers(0, _names(count), size).tolist(), strict=True):
            row.append(_name(name))
        out += rows
    return out


def fields(count: int) -> list[dict[str, Value]]:
    """The fields of ``count`` entities."""
    rng = np.random.default_rng(_FIELDS)
    columns = [rng.integers(0, high, count).tolist() for high in (2, _KINDS, _RANKS, len(_TAGS))]
    return [
        {"legendary": bool(flag), "kind": f"kind {kind}", "rank": float(rank), "tags": _TAGS[tag]}
        for flag, kind, rank, tag in zip(*columns, strict=True)
    ]


def queries(of: Source, count: int, entities: int) -> list[Asked]:
    """So many queries to ``entities``."""
    rng = np.random.default_rng(_QUERIES)
    drawn = rng.choice(len(of.words), (count, QUERY_WORDS), p=of.parts)
    names = rng.integers(0, _names(entities), count)
    return [
        Asked(vector, (*of.words[words], _name(name)))
        for vector, words, name in zip(
            _mixtures(of, count, QUERY_NOISE, rng), drawn, names.tolist(), strict=True
        )
    ]


def copies(documents: Mapping[EntityType, Sequence[Document]], count: int,
           ) -> dict[EntityType, list[Document]]:
    """``count`` documents of all types: too few are filled up with copies, too many are thinned."""
    every = [(type_, document) for type_, some in documents.items() for document in some]
    if len(every) >= count:
        chosen = [every[number * len(every) // count] for number in range(count)]
    else:
        missing = count - len(every)
        again = (every[number * len(every) // missing] for number in range(missing))
        chosen = [*every, *((type_, _renamed(document)) for type_, document in again)]
    out: dict[EntityType, list[Document]] = {}
    for type_, document in chosen:
        out.setdefault(type_, []).append(document)
    return out


def _renamed(document: Document) -> Document:
    return {**document, "slug": f"{document['slug']}-again", "name": f"{document['name']} Again"}


def _mixtures(of: Source, count: int, noise: float, rng: np.random.Generator) -> Vectors:
    one, other = rng.integers(0, len(of.windows), (2, count))
    part = rng.uniform(0.5, 1, (count, 1)).astype(np.float32)
    mixed = part * of.windows[one] + (1 - part) * of.windows[other]
    mixed += rng.standard_normal(mixed.shape, np.float32) * (noise / mixed.shape[1] ** 0.5)
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return np.asarray(mixed, np.float32)


def _names(entities: int) -> int:
    return max(entities // 2, 1)


def _name(number: int) -> str:
    return f"name{number}"
