"""What a question to a library of 5,000 pages costs, and how fast books are read.

Books of the tests' shelf are read as a scan reads them, and searched many times over: their vectors
are random, since what a search costs does not depend on them. An uncached question is held against
one encoding of its text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from evaluation.library_eval import SETS, LibraryQuestion
from evaluation.sets import Split, read_set

from mvp_site.library.build import LibraryManifest, assemble, content_of
from mvp_site.library.library import Library
from mvp_site.library.search import LibrarySearcher
from mvp_site.library.weights import EntryWeights
from mvp_site.retrieval.encoder import Encoder, Vectors, find_bundle, open_by_fingerprint
from mvp_site.retrieval.index import VectorCache
from mvp_site.settings import Settings

from .turns import Timed, Times, measure

UNIT: Final = "one encoding of a question"
ASK: Final = "uncached ask"
PAGES: Final = 5_000
LIMIT: Final = 10
_BOOKS: Final = ("spells", "creatures", "options")


@dataclass(frozen=True, slots=True)
class LibraryTimes:
    """``pages`` in ``windows`` were asked; ``read`` pages were read in ``read_seconds``."""

    pages: int
    windows: int
    questions: int
    times: Times
    read: int
    read_seconds: float


class _Random:
    """Unit vectors at random, in place of the encoder's."""

    window = 256

    def __init__(self, encoder: Encoder) -> None:
        self.dimension, self.fingerprint = encoder.dimension, encoder.fingerprint
        self.pieces = encoder.pieces
        self._random = np.random.default_rng(0)

    def encode(self, texts: object) -> Vectors:
        """As many as there are texts."""
        shape = len(texts), self.dimension  # type: ignore[arg-type]
        found = self._random.standard_normal(shape).astype(np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def run(settings: Settings, split: Split, work: Path, step: Callable[[str], None],
        ) -> LibraryTimes:
    """Books of the shelf, asked the questions of ``split``.

    Raises:
        EncoderError: there is no encoder.
    """
    step("printing books, and reading them")
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tests.library.shelf.library import build_shelf  # noqa: PLC0415 (of the tests)

    build_shelf(work / "shelf", _BOOKS)
    name = find_bundle(settings.encoder_dir, settings.prompt_embed_model) or ""
    encoder = open_by_fingerprint(settings.encoder_dir, name, settings.prompt_encoder_threads)
    random = _Random(encoder)
    own = replace(settings, mvp_site_data_dir=work / "data")
    scanned = Library.open(own, encoder=random).scan(work / "shelf", encoder=random)
    kept = Library.open(own, encoder=random)
    few = [kept.book(source.id) for source in scanned.sources]
    books = [
        replace(book, source=replace(book.source, id=f"{book.source.id}-{number}"))
        for number in range(-(-PAGES // scanned.read_pages)) for book in few
    ]
    step(f"indexing {PAGES:,} pages")
    manifest, files = content_of(books, random, VectorCache(random), values={"languages": ("en",)},
                                 cache_folder=work / "kept", progress=lambda *_: None)
    shelf = assemble(LibraryManifest(
        **manifest, fingerprint="", roots=(), sources=tuple(book.source for book in books),
        model=settings.prompt_embed_model, weights=EntryWeights(),
    ), files)
    searcher = LibrarySearcher(shelf, encoder)
    questions = list(read_set(LibraryQuestion, SETS[0], split=split))
    times = measure({
        UNIT: lambda one: Timed(lambda: encoder.encode([one.query])),
        ASK: lambda one: Timed(lambda: searcher.ask(one.query, LIMIT, audience="player")),
    }, questions, step, "questions to books")
    return LibraryTimes(
        sum(book.source.pages for book in books), shelf.manifest.windows, len(questions), times,
        scanned.read_pages, scanned.read_seconds,
    )
