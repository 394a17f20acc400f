"""How well a library is read and asked: contents, pages and types by the truth, and questions.

A shelf is a folder of books with ``truth.json``, which tells where everything stands in them, and
so which pages are right. Questions stand in ``sets/``; an entry of a book answers one if its title
is the gold's, or it stands below the gold.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ir_measures import RR, nDCG

from mvp_site.errors import SettingsError
from mvp_site.library.book import LibraryBook
from mvp_site.library.library import Library
from mvp_site.library.types import BookResult
from mvp_site.releases.bundles import digest
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.settings import Settings
from mvp_site.text.names import title_key

from .metrics import DEPTH, Answer, Metrics
from .report import Goal, Report, ranking_report, worst
from .sets import Grade, Name, Split, read_set

TRUTH: Final = "truth.json"
SETS: Final = ("sets/library.jsonl", "sets/corpora/library_srd_5_2.jsonl")
TOP: Final = 5
KEPT: Final = "evaluated"
"""The folder in the data folder that keeps what was encoded of a shelf for the next run."""
METRICS: Final = Metrics("questions", {
    "s5": ("recall@5 of a right entry", None), "r5": ("part of the right ones in five", None),
    "mrr": ("MRR", RR @ DEPTH), "ndcg10": ("nDCG@10", nDCG @ DEPTH),
    "page": ("page of the first right one", None),
})


@dataclass(frozen=True, slots=True)
class LibraryQuestion:
    """A question; ``relevant`` are books, titles and grades, none where the shelf has no answer."""

    id: Name
    kind: Name
    query: Name
    relevant: tuple[tuple[Name, Name, Grade], ...]
    split: Split

    @property
    def text(self) -> str:
        """What is asked."""
        return self.query

    @property
    def grades(self) -> Mapping[str, int]:
        """The grades by book and title, as :func:`_key` names them."""
        return {_key(book, title): grade for book, title, grade in self.relevant}


@dataclass(frozen=True, slots=True)
class _Place:
    title: str
    type: str
    page: int | None
    printed: str


def run_library(settings: Settings, shelf: Path, split: Split | None = "tune", *,
                questions: Path | None = None, progress: Progress | None = None,
                worst_shown: int = 0) -> Report:
    """Scan the shelf into a library of its own and hold it against its truth and the questions.

    Raises:
        SettingsError: the folder has no truth, or a set cannot be read.
        EncoderError: there is no encoder.
    """
    truth = _truth(shelf)
    encoder = open_encoder(settings, progress)
    own = replace(settings, mvp_site_data_dir=(
        settings.mvp_site_data_dir / KEPT / digest(str(shelf.resolve()).encode())[:8]
    ))
    library = Library.open(own, encoder=encoder)
    scanned = library.scan(shelf, encoder=encoder, progress=progress)
    keys = {one.id: Path(one.file).stem for one in scanned.sources}
    library = Library.open(own, encoder=encoder)
    read = [_read(library.book(id_), truth[key]) for id_, key in keys.items() if key in truth]
    asked, books = _questions(questions, split, frozenset(truth))
    ids = {key: id_ for id_, key in keys.items()}
    pages: dict[tuple[str, str], set[int | None]] = defaultdict(set)
    for key, places in truth.items():
        for place in places:
            pages[key, title_key(place.title)].add(place.page)

    def found(question: LibraryQuestion, limit: int) -> Sequence[BookResult]:
        sources = [ids[key] for key in books[question.id]]
        return library.ask(question.query, limit, sources=sources).results

    def ask(one: LibraryQuestion) -> Answer:
        hits = found(one, DEPTH)
        ranking = [_best(one, keys[hit.source_id], (*hit.path, hit.title)) for hit in hits]
        right = [key in one.grades for key in ranking]
        first = right.index(True) if True in right else None
        held = set(ranking[:TOP]) & set(one.grades)
        return Answer(list(dict.fromkeys(ranking)), {
            "s5": float(any(right[:TOP])),
            "r5": len(held) / max(min(len(one.grades), TOP), 1),
            "page": float(first is None or _on_page(hits[first], keys, pages)),
        })

    outcomes = METRICS.judge([one for one in asked if one.relevant], ask, progress)
    empty = [one for one in asked if not one.relevant]
    groups = METRICS.grouped(outcomes, kind=lambda one: one.kind)
    total = {name: sum(one[name] for one in read) for name in ("found", "page", "type")}
    measures = groups["all"].measures
    goals = [
        Goal.of("recall@5", "≥ .85", measures["s5"]), Goal.of("MRR", "≥ .75", measures["mrr"]),
        Goal.of("content types", "≥ .95", total["type"] / max(total["found"], 1)),
        Goal.of("pages", "1", total["page"] / max(total["found"], 1)),
    ]
    values = {
        "split": split, "unanswerable": len(empty),
        "refused": sum(not found(one, 1) for one in empty),
        "pages_per_second": scanned.read_pages / max(scanned.read_seconds, 1e-9),
        "texts_per_second": scanned.encoded / max(scanned.encode_seconds, 1e-9),
        "books": read, "worst": worst(outcomes, METRICS, worst_shown),
    }
    return ranking_report(f"{len(asked)} questions to {len(read)} books", METRICS, values,
                          {"library": groups}, goals)


def _on_page(hit: BookResult, keys: Mapping[str, str],
             pages: Mapping[tuple[str, str], set[int | None]]) -> bool:
    """Whether a result is on a page that the truth has its title on, or it has no such title."""
    known = pages.get((keys[hit.source_id], title_key(hit.title)))
    return not known or hit.counted_page in known


def _truth(shelf: Path) -> dict[str, list[_Place]]:
    try:
        rows = json.loads((shelf / TRUTH).read_bytes())
        return {
            Path(row["path"]).stem: [
                _Place(one["title"], one["type"], one["page"], one["printed"])
                for one in row["places"]
            ] for row in rows
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{shelf / TRUTH} does not tell where things stand: {error}") from None


def _questions(file: Path | None, split: Split | None, there: frozenset[str],
               ) -> tuple[list[LibraryQuestion], dict[str, list[str]]]:
    """The questions that these books can answer, each with the books of its set by its id."""
    names = SETS if file is None else ("",)
    asked: list[LibraryQuestion] = []
    books: dict[str, list[str]] = {}
    for name in names:
        found = read_set(LibraryQuestion, name, file)
        named = {book for one in found for book, _, _ in one.relevant}
        if named <= there:
            asked += [one for one in found if split in {None, one.split}]
            books |= dict.fromkeys((one.id for one in found), sorted(named))
    return asked, books


def _read(book: LibraryBook, truth: Sequence[_Place]) -> dict[str, Any]:
    """How many of a book's things are entries, on the right page, of the right type."""
    found: dict[str, list[Any]] = defaultdict(list)
    for entry in book.entries:
        found[title_key(entry.title)].append(entry)
    counts = Counter[str]()
    named = Counter(title_key(place.title) for place in truth)
    for place in truth:
        counts["things"] += 1
        entries = found.get(title_key(place.title), [])
        on_page = [one for one in entries if one.page == place.page]
        # Of a title that stands in several places one may be no entry.
        if not on_page and len(entries) < named[title_key(place.title)]:
            continue
        counts["found"] += 1
        counts["page"] += bool(on_page)
        counts["printed"] += any(not place.printed or one.label == place.printed
                                 for one in on_page)
        counts["type"] += any(one.type == place.type for one in on_page or entries)
    names = ("things", "found", "page", "printed", "type")
    return {"source": book.source.title, "pages": book.source.pages,
            **{name: counts[name] for name in names}}


def _key(book: str, title: str) -> str:
    """What names an entry: its book, its title, and before it the titles above that it needs."""
    return f"{book}/{' > '.join(title_key(one) for one in title.split(' > '))}"


def _best(question: LibraryQuestion, book: str, path: Sequence[str]) -> str:
    """What an entry counts as: the best-graded of what it is or stands below, or itself."""
    plain = [title_key(title) for title in path]
    graded = [key for key in question.grades if key.startswith(f"{book}/")
              and _leads_to(plain, key.removeprefix(f"{book}/").split(" > "))]
    return max(graded, key=lambda key: (question.grades[key], key),
               default=f"{book}/{' > '.join(plain)}")


def _leads_to(path: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the titles of a path have the wanted ones among them, in order."""
    rest = iter(path)
    return all(one in rest for one in wanted)
