"""A small stock of invented entities of every type, and indexes of it that tests share."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mvp_site.content.derived import with_derived
from mvp_site.content.types import EntityType
from mvp_site.entities import build as build_module
from mvp_site.entities.index import EntityIndex
from mvp_site.entities.results import Results
from mvp_site.retrieval.encoder import Vectors
from mvp_site.settings import Settings

from ..hashing import HashingEncoder

T = EntityType
Documents = dict[EntityType, tuple[dict[str, Any], ...]]


_STOCK: Documents = {
    T(type_): tuple(documents) for type_, documents in json.loads((Path(__file__).parent.parent / "cases/entities.json").read_text("utf-8")).items()
}


def stock() -> Documents:
    """The documents, the caller's own copy."""
    return copy.deepcopy(_STOCK)


@cache
def small_index() -> EntityIndex:
    """An index of the stock; tests read it and nothing else."""
    return EntityIndex.from_documents(stock(), HashingEncoder())


def index_of(documents: Documents, encoder: HashingEncoder | None = None, **fields: Any) -> EntityIndex:
    """An index of its own of those documents."""
    return EntityIndex.from_documents(documents, encoder or HashingEncoder(), settings=Settings(**fields))


def slugs(results: Results) -> list[str]:
    """The slugs of results, in order."""
    return [result["slug"] for result in results]


def fields_matching(type_: EntityType, test: Any) -> list[str]:
    """The slugs of the stock's documents of a type that ``test`` takes, by name."""
    held = sorted(_STOCK[type_], key=lambda one: one["name"].casefold())
    return [one["slug"] for one in held if test(one)]


class CountingEncoder(HashingEncoder):
    """The double, which remembers the texts that it was given."""

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().encode(texts)


@contextmanager
def stock_as_srd(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Within it builds take the stock for the SRD's entities."""
    patch.setattr(build_module, "srd_stock", lambda *_: {type_: [with_derived(type_, document) for document in documents] for type_, documents in stock().items()})
    yield


def settings_in(folder: Path, **fields: Any) -> Settings:
    """Settings with every folder below ``folder``."""
    return Settings(**{"mvp_site_data_dir": folder / "data", "mvp_site_cache_dir": folder / "cache", "prompt_index_dir": folder / "data/prompts",
                       **fields})
