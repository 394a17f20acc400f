"""Questions in two steps: what counters what, by the rules' texts, and a sheet's spells held against a situation."""

from __future__ import annotations

import pytest

from mvp_site.engine.second_search import WORKED_OUT, Steps
from mvp_site.engine.types import Evidence, Question
from mvp_site.rulebook.rulebook import Rulebook
from tests.texts import case_text

BOOK = case_text("steps_book.md")


@pytest.fixture(scope="module")
def steps() -> Steps:
    book = Rulebook.from_markdown(BOOK, source="Small book")
    return Steps(lambda: book)


@pytest.mark.requirement("5", "Synthesis: what counters what, by the rules' own texts")
@pytest.mark.parametrize(("query", "names"), [
    ("spells to counter invisibility", {"Clear Sight", "Glimmer"}), ("which spells reveal invisible creatures?", {"Clear Sight"}), ("what spell cures blindness", {"Mend Body"}),
    ("what spells can get rid of a curse", {"Lift Curse"}), ("what spells end sleep", set()), ("how does Fade work?", set()), ("", set()),
])
def test_what_counters_what(steps: Steps, query: str, names: set[str]) -> None:
    assert {name for piece in steps.second_look_up({}, Question(query)) for name in piece.names} == names


def test_the_sheets_spells_are_held_against_the_situation(steps: Steps) -> None:
    sheet = [Evidence(f"character/d/spell_list/{n}", "character", name, f"{name}, level 1", f"Duskryn, {name}", 0.5, (name,)) for n, name in enumerate(("Float", "Stone Door"))]
    notes = [Evidence("session_notes/1", "session_notes", "Session 1", "The Underdark: tunnels of rock, no water.", "Session 1", 0.5, ("Underdark",), 1)]
    found = steps.second_look_up({"character": sheet, "session_notes": notes}, Question("What spells can Duskryn cast that would be useful in the underdark?", "Duskryn", "c"))
    assert found[0].id.startswith(WORKED_OUT)
    assert found[0].names[0] == "Stone Door"
    assert [piece.title for piece in found[1:]] == ["Stone Door", "Float"]
    assert steps.second_look_up({"character": sheet}, Question("What spells can Duskryn cast?", "Duskryn", "c")) == ()
