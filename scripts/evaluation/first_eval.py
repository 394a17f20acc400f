"""Whether a player's first ten questions are answered in the first sentence, with its source.

They are asked of the two sample characters, of a campaign that has a state and no sheet, and of
sheets and notes by three authors who had not seen the program: six times ten. The authors' other
twelve sheets are asked what a sheet alone can answer. An answer is right where its first sentence
has all that the set wants and cites evidence of the right domain, and at most five pieces are
quoted, numbered as they come. ``table`` asks a hundred more of three of them, as players do at a
table; where a question asks for two things, the first two sentences answer.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.types import Answer, Domain
from mvp_site.retrieval.building import Progress
from mvp_site.sessions.session_notes import SAMPLE, SessionNotes
from mvp_site.settings import Settings
from mvp_site.store.campaigns import CampaignStore

from .report import Goal, Report, Table
from .sets import Name, Split, read_set

Part = Literal["plain", "tune", "test", "table-tune", "table-test"]
QUESTIONS: Final = "sets/first/questions.jsonl"
AT_A_TABLE: Final = "sets/first/table.jsonl"
SUBJECTS: Final = "sets/first/subjects.jsonl"
STRANGERS: Final = Path(__file__).parents[2] / "tests" / "cases" / "strangers"
WANTED: Final = 57
MOST: Final = 5
_CITED: Final = re.compile(r"\[(\d+)\]")
_DOMAINS: Final[Mapping[str, Domain]] = {
    "learned": "session_notes", "who": "session_notes", "where": "session_notes",
    "rule": "rulebook"}
"""Where the answers to a kind of questions stand, of others on the sheet."""


@dataclass(frozen=True, slots=True)
class FirstQuestion:
    """A question of a kind; what it names stands in it as ``{spell}``, in capitals too."""

    id: Name
    kind: Name
    query: Name
    split: Part


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose questions they are, and for each kind the texts that the first sentence must have.

    Of a text with bars one part is enough. ``other`` are asked about beside the sixty.
    """

    id: Name
    fill: Mapping[str, str]
    wants: Mapping[str, tuple[Name, ...]]
    character: str = ""
    sample: bool = False
    files: tuple[Name, ...] = ()
    notes: tuple[Name, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    other: bool = False


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question of a subject, what the first ``sentences`` must have and nothing may have.

    They cite one of the ``domains``, where there are any.
    """

    id: Name
    subject: Name
    query: Name
    wants: tuple[Name, ...]
    domains: tuple[Domain, ...]
    split: Split
    sentences: int = 1
    never: tuple[Name, ...] = ()


def run_first(settings: Settings, split: Part = "plain", *, progress: Progress | None = None,
              ) -> Report:
    """The report: of sixty, and of the other sheets, those that are answered.

    Raises:
        SettingsError: a set cannot be read.
        IndexLoadError, EncoderError: the rulebook or the encoder is missing.
    """
    if split.startswith("table-"):
        return _run_table(settings, "test" if split == "table-test" else "tune", progress)
    questions = read_set(FirstQuestion, QUESTIONS, asks=lambda one: one.query)
    asked = [row for row in questions if row.split == split]
    right: defaultdict[bool, Counter[str]] = defaultdict(Counter)
    count: defaultdict[bool, Counter[str]] = defaultdict(Counter)
    missed: list[dict[str, Any]] = []
    with _campaigns(settings) as own, closing(CentralEngine.open(own, progress=progress)) as engine:
        for subject in read_set(Subject, SUBJECTS, what="subject"):
            for question in asked:
                if (wants := subject.wants.get(question.kind)) is None:
                    continue
                query = _filled(question.query, subject.fill)
                answer = engine.answer(query, subject.character, campaign=_campaign(subject))
                lacks = _lacks(answer, wants, (_DOMAINS.get(question.kind, "character"),))
                right[subject.other][question.kind] += not lacks
                count[subject.other][question.kind] += 1
                if lacks:
                    missed.append({"id": f"{subject.id}/{question.id}", "query": query,
                                   "lacks": lacks, "came": answer.text[:300]})
    table = Table(("kind", "six campaigns", "other sheets"), tuple(
        (kind, *(f"{right[other][kind]} of {count[other][kind]}" if count[other][kind] else "–"
                 for other in (False, True))) for kind in dict.fromkeys(row.kind for row in asked)))
    whole, of_others = right[False].total(), right[True].total()
    shown = missed if split != "test" else []
    goals = [Goal.of("of sixty", f"≥ {WANTED}", whole)] if split == "plain" else []
    values = {"split": split, "right": whole, "questions": count[False].total(),
              "other_right": of_others, "other_questions": count[True].total(),
              "missed": shown, "goals": [*map(asdict, goals)]}
    head = (f"{whole} of {count[False].total()} answered in the first sentence, of other sheets "
            f"{of_others} of {count[True].total()}")
    return Report(values, (head, table, *(
        f"{row['id']}: {row['query']} lacks {row['lacks']}; came: {row['came']}"
        for row in shown), *goals))


def _run_table(settings: Settings, split: Split, progress: Progress | None) -> Report:
    """The report on a part of the questions at a table; what was missed is shown of ``tune``."""
    subjects = {row.id: row for row in read_set(Subject, SUBJECTS, what="subject")}
    questions = read_set(TableQuestion, AT_A_TABLE, split=split,
                         asks=lambda row: (row.subject, row.query))
    missed: list[dict[str, Any]] = []
    with _campaigns(settings) as own, closing(CentralEngine.open(own, progress=progress)) as engine:
        for question in questions:
            subject = subjects[question.subject]
            answer = engine.answer(question.query, subject.character, campaign=_campaign(subject))
            lacks = _lacks(answer, question.wants, question.domains, question.sentences)
            lacks += [f"no {text}" for text in question.never
                      if text.casefold() in answer.text.casefold()]
            if lacks:
                missed.append({"id": question.id, "query": question.query, "lacks": lacks,
                               "came": answer.text[:300]})
    head = f"{len(questions) - len(missed)} of {len(questions)} answered first, with a source"
    shown = missed if split == "tune" else []
    return Report({"split": split, "right": len(questions) - len(missed),
                   "questions": len(questions), "missed": shown}, (head, *(
        f"{row['id']}: {row['query']} lacks {row['lacks']}; came: {row['came']}"
        for row in shown)))


def _lacks(answer: Answer, wants: tuple[str, ...], domains: tuple[Domain, ...],
           sentences: int = 1) -> list[str]:
    """What the first sentences of an answer lack, in words."""
    first = [row for row in answer.sentences if row.text.strip()][:sentences]
    text = " ".join(row.text for row in first).casefold()
    cited = {piece_id for row in first for piece_id in row.evidence}
    lacks = [want for want in wants
             if not any(part.casefold() in text for part in want.split("|"))]
    if domains and not any(piece.id in cited and piece.domain in domains
                           for piece in answer.evidence):
        lacks.append(f"a source of {' or '.join(domains)}")
    order = [*dict.fromkeys(map(int, _CITED.findall(answer.text)))]
    if order != [*range(1, len(order) + 1)][:MOST]:
        lacks.append(f"citations in order, but {order}")
    return lacks


def _filled(query: str, fill: Mapping[str, str]) -> str:
    """The question with what this subject's names are."""
    for name, text in fill.items():
        query = query.replace(f"{{{name}}}", text).replace(f"{{{name.upper()}}}", text.upper())
    return query


def _campaign(subject: Subject) -> str:
    return SAMPLE if subject.sample else subject.id


@contextmanager
def _campaigns(settings: Settings) -> Iterator[Settings]:
    """The settings with a database of the subjects' campaigns, and no model."""
    with tempfile.TemporaryDirectory(prefix="mvp-site-") as folder:
        own = replace(settings, mvp_site_database_url=f"sqlite:///{folder}/campaigns.sqlite3",
                      mvp_site_milvus_uri=None, mvp_site_llm="offline")
        with closing(SessionNotes.open(own)) as notes, CampaignStore.open(own) as store:
            notes.import_samples()
            for subject in read_set(Subject, SUBJECTS, what="subject"):
                if subject.state:
                    store.create(subject.id, dict(subject.state))
                sheets, pages = ([(name, (STRANGERS / name).read_bytes()) for name in files]
                                 for files in (subject.files, subject.notes))
                if sheets:
                    notes.import_characters(subject.id, sheets)
                if pages:
                    notes.import_notes(subject.id, pages)
        yield own
