"""How retrieval carries over: the same code on our own texts and on texts that others wrote.

The questions stand in ``sets/``; the texts of others do not belong to the project and are read from
where they are. An archive is indexed and asked as a version of prompts, a folder of Markdown as one
rulebook. Both stand beside a plain recipe over the same pieces or sections: one vector a window
under its heading path, ``.7 × cosine + .3 × BM25``, each between its minimum and maximum.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ir_measures import RR, R, nDCG

from mvp_site.archive.build import build_prompt_index
from mvp_site.archive.release import load_release
from mvp_site.archive.versions import HEADER, list_versions, read_version
from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.errors import SettingsError
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.retrieval.encoder import Encoder
from mvp_site.retrieval.index import Passage
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.rulebook.sections import Sections
from mvp_site.settings import Settings

from .baselines import RECIPE, PlainLanes
from .metrics import DEPTH, Answer, Metrics, Outcome, mean
from .needles import ANY_VERSION, KINDS, Kind, Needle, load_needles
from .needles_eval import archive_without_when, assembled, judge, plain_recipe
from .report import Report, lines
from .sets import Grade, Name, Split, read_set

Row = dict[str, Any]
OURS: Final = "ours"
METRICS: Final = Metrics("questions", {
    "ndcg10": ("nDCG@10", nDCG @ DEPTH), "r10": ("R@10", R(rel=2) @ DEPTH),
    "mrr": ("MRR", RR(rel=2) @ DEPTH),
})
_HEADER: Final = "The rules that every prompt opens with are another file.\n"


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file of a book that answer, from the heading of their section on."""

    file: str
    start: int
    end: int
    grade: Grade


@dataclass(frozen=True, slots=True)
class BookQuestion:
    """A question to a book by others; ``gold`` is empty where the book does not answer.

    ``grades`` are the gold by section id, once the book is read.
    """

    id: Name
    kind: Kind
    entities: tuple[Name, ...]
    user_query: str
    gold: tuple[Place, ...]
    split: Split
    grades: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Its names and its words."""
        return " ".join((*self.entities, self.user_query))


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of texts, the files of it that are read, and the set of questions.

    Without a ``folder`` the texts are by others, and stand where the caller says.
    """

    name: str
    questions: str
    files: str = "*.md"
    folder: Path | None = None


GAMES: Final = tuple(
    Corpus(name, f"sets/games/{name}.jsonl", folder=Path(__file__).parent / "sets" / "games" / name)
    for name in ("freight", "heist")
)
"""Invented games that the encoder has not learnt from."""
ARCHIVES: Final = (Corpus("sinew_steel", "sets/corpora/sinew_steel_needles.jsonl"), *GAMES)
BOOKS: Final = (
    Corpus("sinew_steel", "sets/corpora/sinew_steel_rulebook.jsonl", "[rs][uk]*.md"),
    Corpus("srd_5_2", "sets/corpora/srd_5_2_rulebook.jsonl"),
)


def run_corpora(settings: Settings, texts: Path, split: Split, *, only: str = "",
                progress: Progress | None = None) -> Report:
    """A row a corpus: our own archive with and without ``when:`` lines, and those in ``texts``.

    ``only`` leaves out the corpora whose name does not begin with it.

    Raises:
        SettingsError: ``texts`` lacks a folder, or a question names lines that are not there.
        IndexLoadError, EncoderError: our own archive cannot be served.
    """
    encoder = open_encoder(settings)
    rows: list[Row] = []
    for name, held, needles in archives(settings, texts, split, only, encoder, progress):
        rows += _prompts_rows(name, held, needles, encoder)
    for name, book, asked in books(settings, texts, split, only, encoder, progress):
        rows += _book_rows(name, book, asked, encoder, progress)
    values = {
        "split": split, "budget": settings.prompt_max_tokens_retrieved,
        "encoder": encoder.fingerprint, "corpora": rows,
    }
    head = (
        f"{split}, encoder {encoder.fingerprint}: of prompts the recall within "
        f"{values['budget']} tokens, of rulebooks nDCG@{DEPTH}; "
        "off and on: the share refused of what is off topic and on it"
    )
    return Report(values, (head, *lines({"corpora": rows})))


def archives(settings: Settings, texts: Path, split: Split, only: str, encoder: Encoder,
              progress: Progress | None) -> Iterator[tuple[str, Settings, list[Needle]]]:
    """Each archive's name, settings that serve it, and its questions."""
    own = [*load_needles(split), *_needles("sets/natural_turns.jsonl", split)]
    stray = [one for one in own if one.version == ANY_VERSION]
    versions = [version for version in list_versions(settings) if version.startswith(only)]
    for bare in (False, True) if versions else ():
        opened = archive_without_when(settings, progress) if bare else nullcontext(settings)
        with opened as served:
            for version in versions:
                mine = [one for one in own if one.version == version]
                yield (f"{version}, no when:" if bare else version,
                       replace(served, prompt_version=version), [*mine, *stray])
    for corpus in ARCHIVES:
        if corpus.name.startswith(only):
            with _as_archive(settings, corpus, texts, encoder, progress) as held:
                yield corpus.name, held, _needles(corpus.questions, split)


def _needles(name: str, split: Split) -> list[Needle]:
    natural = name.startswith("sets/natural")
    return [
        replace(one, kind="natural") if natural else one
        for one in read_set(Needle, name, what="needle") if one.split == split
    ]


@contextmanager
def _as_archive(settings: Settings, corpus: Corpus, texts: Path, encoder: Encoder,
                progress: Progress | None) -> Iterator[Settings]:
    """Settings that serve a folder of texts as the one version of an archive of its own."""
    with TemporaryDirectory() as folder:
        version = Path(folder, "archive", corpus.name)
        version.mkdir(parents=True)
        for path in _files(corpus, texts):
            (version / path.name).write_bytes(path.read_bytes())
        (version / HEADER).write_text(_HEADER, encoding="utf-8")
        held = replace(
            settings, prompt_archive_dir=version.parent, prompt_version=corpus.name,
            prompt_index_dir=Path(folder, "index"),
        )
        build_prompt_index(held, encoder=encoder, progress=progress)
        yield held


def _files(corpus: Corpus, texts: Path) -> list[Path]:
    folder = corpus.folder or texts / corpus.name
    found = sorted(folder.glob(corpus.files))
    if not found:
        raise SettingsError(
            f"{folder} has no {corpus.files}: name the folder that holds the corpora "
            "with --texts DIR"
        )
    return found


def _prompts_rows(name: str, settings: Settings, needles: Sequence[Needle], encoder: Encoder,
                  ) -> list[Row]:
    version = read_version(settings, settings.prompt_version or "")
    release = load_release(settings.prompt_index_dir, version.name)
    budget = settings.prompt_max_tokens_retrieved
    assembler = PromptAssembler.open(settings, encoder=encoder)
    on_topic, off_topic = by_topic(judge(assembled(assembler), version, needles))
    plain = judge(
        plain_recipe(release, encoder, budget), version, [one.question for one in on_topic]
    )
    refused = {"off": mean_of(off_topic, "sparse"), "on": mean_of(on_topic, "sparse")}
    return _rows(name, "recall", on_topic, plain, refused)


def _rows(name: str, measure: str, ours: Sequence[Outcome[Any]], plain: Sequence[Outcome[Any]],
          refused: Mapping[str, float]) -> list[Row]:
    """A row for the product, and one for the recipe; a kind that nobody asked is None."""
    return [
        {"corpus": name, "questions": len(found), "system": system, "all": mean_of(found, measure),
         **{kind: mean([one.measures[measure] for one in found if one.question.kind == kind])
            for kind in KINDS}, **refused}
        for system, found in ((OURS, ours), (RECIPE, plain))
    ]


def by_topic(outcomes: Sequence[Outcome[Any]]) -> tuple[list[Outcome[Any]], list[Outcome[Any]]]:
    """Those of questions that the text answers, and the others."""
    return ([one for one in outcomes if one.question.gold],
            [one for one in outcomes if not one.question.gold])


def mean_of(outcomes: Sequence[Outcome[Any]], measure: str) -> float:
    """The mean of a measure, 0 of nothing."""
    return mean([one.measures[measure] for one in outcomes]) or 0.0


def books(settings: Settings, texts: Path, split: Split, only: str, encoder: Encoder,
          progress: Progress | None) -> Iterator[tuple[str, Rulebook, list[BookQuestion]]]:
    """Each book's name, the book, and its questions with their grades."""
    for corpus in BOOKS:
        if not corpus.name.startswith(only):
            continue
        text, starts = _as_book(_files(corpus, texts))
        book = Rulebook.from_markdown(
            text, source=corpus.name, settings=settings, encoder=encoder,
            progress=partial(progress, corpus.name) if progress else None,
        )
        yield corpus.name, book, [
            replace(one, grades=_grades(one, starts, book.sections))
            for one in read_set(BookQuestion, corpus.questions) if one.split == split
        ]


def _book_rows(name: str, book: Rulebook, asked: Sequence[BookQuestion], encoder: Encoder,
               progress: Progress | None) -> Iterator[Row]:
    """A row for the words alone, and one for the words with the names."""
    on_topic = [one for one in asked if one.gold]
    passages = [Passage(one.id, one.path, one.content) for one in book.sections]
    lanes = PlainLanes(passages, encoder, progress)

    def plain(names: bool, one: BookQuestion) -> Answer:
        return Answer(lanes.rank(one.text if names else one.user_query, DEPTH)[RECIPE])

    def refused(one: BookQuestion) -> bool:
        return book.query(None, one.entities, user_query=one.user_query).reason is not None

    refusals = {
        "off": mean([refused(one) for one in asked if not one.gold]) or 0.0,
        "on": mean([refused(one) for one in on_topic]) or 0.0,
    }
    for given, names in (("words", False), ("words and names", True)):
        ours = METRICS.judge(on_topic, partial(found_in, book, names))
        recipe = METRICS.judge(on_topic, partial(plain, names))
        yield from _rows(f"{name}, {given}", "ndcg10", ours, recipe, refusals)


def found_in(book: Rulebook, names: bool, one: BookQuestion) -> Answer:
    """What the book finds for a question: its words, and its names too where they are wanted."""
    found = book.search(one.user_query, None, one.entities if names else (), limit=DEPTH)
    return Answer([hit.id for hit in found])


def _as_book(files: Sequence[Path]) -> tuple[str, dict[str, int]]:
    """The files as one text, and before which of its lines each of them begins."""
    text_lines: list[str] = []
    starts: dict[str, int] = {}
    for path in files:
        starts[path.name] = len(text_lines)
        text_lines += [*path.read_text(encoding="utf-8").split("\n"), ""]
    return "\n".join(text_lines), starts


def _grades(question: BookQuestion, starts: Mapping[str, int], sections: Sections,
            ) -> dict[str, int]:
    """The gold by section: of those that hold its first line, the innermost."""
    begins = [one.lines[0] for one in sections]
    ids = [one.id for one in sections]
    found: dict[str, int] = {}
    for place in question.gold:
        if place.file not in starts:
            raise SettingsError(f"question {question.id}: there is no file {place.file!r}")
        at = max(bisect_right(begins, starts[place.file] + place.start) - 1, 0)
        found[ids[at]] = max(found.get(ids[at], 0), place.grade)
    return found
