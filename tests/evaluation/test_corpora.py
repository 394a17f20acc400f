"""The questions to texts by others, asked of texts that stand in for theirs."""

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from evaluation import corpora
from evaluation.corpora import ARCHIVES, BOOKS, BookQuestion, run_corpora
from evaluation.needles import Needle
from evaluation.sets import read_set

from mvp_site import Settings
from mvp_site.errors import SettingsError

from ..hashing import HashingEncoder

HARBOUR = "# Harbour\n\nIntro.\n\n## Mooring\n\nA ship pays two silver for a night at the pier.\n"
WEATHER = "# Weather\n\n## Storms\n\nA storm halves the distance a crew sails in a day.\n"
NEEDLES = (
    {"id": "1", "version": "v", "kind": "lookup", "mode": "story", "query": "pay silver at the pier",
     "gold": [{"any": [{"file": "harbour.md", "start": 7, "end": 7}]}], "split": "tune"},
    {"id": "2", "version": "v", "kind": "turn", "mode": "story", "query": "never used here",
     "gold": [{"any": [{"file": "weather.md", "start": 5, "end": 5}]}], "split": "test"},
    {"id": "3", "version": "v", "kind": "off_topic", "mode": "story", "query": "tax return",
     "gold": [], "split": "tune"},
)
QUESTIONS = (
    {"id": "1", "kind": "lookup", "entities": ["storms"], "user_query": "distance a crew sails",
     "gold": [{"file": "weather.md", "start": 3, "end": 5, "grade": 3}], "split": "tune"},
    {"id": "2", "kind": "off_topic", "entities": [], "user_query": "zzz", "gold": [],
     "split": "tune"},
)


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one corpus, ``port``, and the sets that ask it."""
    folder = tmp_path / "texts/port"
    folder.mkdir(parents=True)
    (folder / "harbour.md").write_text(HARBOUR)
    (folder / "weather.md").write_text(WEATHER)
    for name, lines in (("needles", NEEDLES), ("questions", QUESTIONS)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
    sets = {"n": tmp_path / "needles", "b": tmp_path / "questions"}

    def read(of: type, name: str, **more: object) -> object:
        return read_set(of, name, sets.get(name), **more)  # type: ignore[arg-type]

    monkeypatch.setattr(corpora, "read_set", read)
    monkeypatch.setattr(corpora, "ARCHIVES", (corpora.Corpus("port", "n"),))
    monkeypatch.setattr(corpora, "BOOKS", (corpora.Corpus("port", "b"),))
    return folder.parent


@pytest.fixture
def run(settings: Settings, texts: Path, encoder: HashingEncoder) -> Callable[..., corpora.Report]:
    """The run over the corpus ``port``."""
    return partial(run_corpora, settings, texts, "tune", only="port", encoder=encoder)


def test_a_row_a_corpus_with_the_plain_recipe_beside_it(run: Callable[..., corpora.Report]) -> None:
    report = run()
    prompts, words, names = report.values["corpora"]
    assert prompts["questions"] == 1, "the untouched part is left out"
    assert prompts["ours"]["lookup"] == prompts["plain recipe"]["lookup"] == 1
    assert (words["corpus"], names["corpus"]) == ("port, words", "port, words and names")
    assert names["ours"]["all"] == names["plain recipe"]["all"] == 1
    assert {"off_topic_refused", "on_topic_refused"} <= prompts.keys() & words.keys()
    json.dumps(report.values)


def test_texts_that_are_not_there_are_named(run: Callable[..., corpora.Report], texts: Path) -> None:
    (texts / "port").rename(texts / "elsewhere")
    with pytest.raises(SettingsError, match=r"port has no \*\.md: .* --texts DIR"):
        run()


@pytest.mark.parametrize(("name", "of", "least"), [
    *((corpus.questions, Needle, {"lookup": 30, "reworded": 30, "turn": 30, "off_topic": 30})
      for corpus in ARCHIVES),
    (BOOKS[0].questions, BookQuestion, {"lookup": 20, "reworded": 20, "turn": 20}),
    (BOOKS[1].questions, BookQuestion, {"lookup": 50, "reworded": 50, "turn": 50, "off_topic": 20}),
    ("sets/natural_turns.jsonl", Needle, {"turn": 60}),
])
def test_the_shipped_sets_have_enough_of_each_kind_and_a_third_untouched(
    name: str, of: type[Needle | BookQuestion], least: dict[str, int],
) -> None:
    found = read_set(of, name)
    kinds = Counter(one.kind for one in found)
    assert all(kinds[kind] >= count for kind, count in least.items())
    for kind, count in kinds.items():
        held = sum(one.kind == kind and one.split == "test" for one in found)
        assert abs(held - count / 3) < 1, kind
