"""Design 5's usage example and what it promises around it, over a campaign of its own and a small book."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mvp_site.engine import local_router
from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.evidence_selection import assemble_context
from mvp_site.engine.local_router import example_recipe
from mvp_site.engine.shipped_fit import shipped_fit
from mvp_site.engine.types import Question
from mvp_site.errors import MissingIndexError
from mvp_site.retrieval.encoder import Encoder
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.sessions.session_notes import SessionNotes
from mvp_site.settings import Settings
from tests import few_utterances
from tests.hashing import HashingEncoder
from tests.texts import case_text

from .parts import decision, evidence

REPOSITORY = Path(__file__).parents[2]
ASKED = "What spells can Duskryn cast that would be useful in the underdark?"
LOG = """# Nightwarden log

## Session 1
The Underdark: tunnels of rock without a door, no water for a week. Duskryn's Stone Door saved us.

## Session 2
We hid from hook horrors in the Underdark, and hook horrors hunt by sound.
"""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, SessionNotes, Rulebook]]:
    settings = Settings(mvp_site_data_dir=tmp_path_factory.mktemp("night"))
    with closing(SessionNotes.open(settings, encoder=HashingEncoder())) as notes:
        notes.import_characters("night", [("duskryn.yaml", case_text("duskryn.yaml"))])
        notes.import_notes("night", [("log.md", LOG)])
        yield settings, notes, Rulebook.from_markdown(case_text("steps_book.md"), source="Small Book", encoder=HashingEncoder())


@pytest.mark.requirement("5", "Usage example: the sheet's spells, their rules and the notes of the Underdark are joined")
def test_the_usage_example(game: tuple[Settings, SessionNotes, Rulebook]) -> None:
    settings, notes, book = game
    with closing(CentralEngine.open(settings, notes=notes, rulebook=book)) as engine:
        answer = engine.answer(ASKED, "Duskryn Nightwarden")
        assert engine.process_query(ASKED, "Duskryn Nightwarden") == answer.text
    first = answer.text.splitlines()[0]
    assert "Duskryn Nightwarden's spells for this, by their rules" in first
    assert first.index("Stone Door") < first.index("Float")
    domains = {piece.domain for piece in answer.evidence}
    assert domains == {"character", "rulebook", "session_notes"}
    assert any("Stone Door saved us" in piece.text for piece in answer.evidence)
    assert any(relation.name == "Stone Door" for relation in answer.relations)


@pytest.fixture(scope="module")
def srd_game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("drow")
    settings = Settings(mvp_site_data_dir=REPOSITORY / "data", mvp_site_database_url=f"sqlite:///{folder}/campaigns.sqlite3")
    try:
        Rulebook.open(settings)
    except MissingIndexError as error:
        pytest.skip(f"data/rulebook is not built: {error}")
    with closing(SessionNotes.open(settings)) as notes:
        notes.import_characters("night", [("duskryn.yaml", case_text("duskryn_srd.yaml"))])
        notes.import_notes("night", [("log.md", case_text("duskryn_log.md"))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_router, "example_questions", few_utterances.example_questions)
        yield settings


@pytest.mark.slow
@pytest.mark.requirement("5", "Usage example over the SRD: the sheet's spells, their rules and the notes that mention them")
@pytest.mark.parametrize(("query", "spells", "never"), [
    (ASKED, ("Create Food and Water", "Stone Shape", "Silence"), "Cure Wounds"), ("which of my spells would help in the underdark", ("Create Food and Water", "Stone Shape", "Silence"), "Cure Wounds"),
    ("spells for when i am starving", ("Create Food and Water", "Purify Food and Drink"), "Spiritual Weapon"), ("which of my spells help crossing a river", ("Water Walk",), "Sacred Flame"),
    ("what spells have i got to get through a wall", ("Stone Shape",), "Cure Wounds"), ("which spells of mine are good underwater", ("Create or Destroy Water", "Water Walk"), "Light:"),
])
def test_the_usage_example_over_the_srd(srd_game: Settings, query: str, spells: tuple[str, ...], never: str) -> None:
    with closing(CentralEngine.open(srd_game)) as engine:
        answer = engine.answer(query, "Duskryn Nightwarden")
    first = answer.text.splitlines()[0]
    assert any(spell in first for spell in spells)
    assert never not in first
    assert first.endswith("[1]")
    named = [spell for spell in spells if spell in first]
    for domain in ("character", "rulebook"):
        assert any(piece.domain == domain and piece.title in named for piece in answer.evidence)
    if "underdark" in query:
        assert any(piece.domain == "session_notes" and {*named} & {*piece.names} for piece in answer.evidence)


@pytest.mark.requirement("5", "Synthesis: a model makes a second and a third look-up, and no more")
def test_a_model_looks_up_twice(game: tuple[Settings, SessionNotes, Rulebook], tmp_path: Path) -> None:
    settings, notes, book = game
    calls = [{"calls": [{"name": "look_up", "arguments": {"query": query}}]} for query in ("Glimmer", "Clear Sight", "Fade")]
    lines = [*[{"error": "unavailable"}] * 3, *calls, {"text": "Glimmer and Clear Sight do [1]."}]
    (tmp_path / "script.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with closing(CentralEngine.open(settings, notes=notes, rulebook=book)) as plain:
        alone = plain.answer("how many hit points do I have?", "Duskryn")
    with closing(CentralEngine.open(Settings(mvp_site_data_dir=settings.mvp_site_data_dir, mvp_site_llm=f"scripted:{tmp_path / 'script.jsonl'}"), notes=notes, rulebook=book)) as engine:
        answer = engine.answer("how many hit points do I have?", "Duskryn")
    assert answer.text.startswith("Glimmer and Clear Sight do [1].")
    assert answer.by.startswith("scripted:")
    assert {piece.title for piece in answer.evidence} - {piece.title for piece in alone.evidence} >= {"Glimmer", "Clear Sight"}
    assert (answer.tokens > alone.tokens, answer.confidence) == (True, alone.confidence)
    assert "Fade" not in {piece.title for piece in answer.evidence}


@pytest.mark.requirement("5", "ContentPriority: recent session data has a bonus")
def test_newer_notes_come_first_of_equals() -> None:
    older, newer = evidence("session_notes", 1, session=1), evidence("session_notes", 2, session=2)
    context = assemble_context({"session_notes": [older, newer]}, Question("what of the bridge?", "", "c"), [decision("session_notes")], 4_000, ())
    assert [piece.session for piece in context.evidence] == [2, 1]


def test_the_shipped_fit_is_of_the_shipped_examples_and_encoder(real_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of either: scripts/evaluate routers --fit."""
    monkeypatch.setattr(local_router, "example_questions", few_utterances.example_questions)
    assert shipped_fit(example_recipe(real_encoder)) is not None
