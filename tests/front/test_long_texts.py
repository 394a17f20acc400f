"""Long sheets and notes: the work grows with the text, and no nesting ends it."""

import inspect
import json
import sys
import threading
from contextlib import closing
from types import FrameType
from typing import Any

import pytest

from mvp_site import CentralEngine, SessionNotes, Settings
from mvp_site.errors import EngineError
from tests.front.conftest import CASES
from tests.hashing import HashingEncoder

LONG = json.loads((CASES / "books" / "long_text" / "long_60k.json").read_text("utf-8"))["notes"]


class Work:
    """Characters that are handed to functions, and calls, while it is entered."""

    def __init__(self) -> None:
        self.done = 0

    def __enter__(self) -> "Work":
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _count(self, frame: FrameType, event: str, _: Any) -> None:
        self.done += 1
        code = frame.f_code
        if event == "call" and not code.co_flags & inspect.CO_GENERATOR:
            given = map(frame.f_locals.get, code.co_varnames[: code.co_argcount])
            self.done += sum(len(text) for text in given if isinstance(text, str))


def sheet(text: str) -> tuple[str, str]:
    return "sheet.json", json.dumps({"name": "Long Probe", "armor_class": 15, "notes": text})


def session(text: str) -> tuple[str, str]:
    return "session-3.md", f"# Session 3\n\n{text}"


def opened() -> closing[SessionNotes]:
    return closing(SessionNotes.open(Settings()))


FORMS = {
    "one paragraph of a sheet": (sheet, LONG[:8_000]), "a sheet's text of marks alone": (sheet, "!? - , : " * 900),
    "one paragraph of notes": (session, LONG[:8_000]),
}


def work(project: Any, form: Any, text: str, campaign: str) -> tuple[int, int]:
    """What an import takes, and what a first question of a new process takes."""
    name, text = form(text)
    kind = "session" if name.endswith(".md") else "character"
    with opened() as notes, Work() as importing:
        (notes.import_notes if kind == "session" else notes.import_characters)(campaign, [(name, text)])
    with opened() as notes, Work() as asking:
        assert notes.search(campaign, "Which ferry left?", kind)
    return importing.done, asking.done


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_twice_the_text_is_twice_the_work(project, form):
    make, text = FORMS[form]
    once, twice, four = (work(project, make, text * times, f"of-{times}") for times in (1, 2, 4))
    for small, middle, large in zip(once, twice, four, strict=True):
        # what each doubling adds doubles, whatever is done once
        assert large - middle < 2.5 * (middle - small)


@pytest.mark.slow
@pytest.mark.parametrize("item", ["NPCs", "item {}", "the {}th lamp"])
def test_nested_lists_are_notes_at_any_depth(project, item):
    nested = "\n".join(f"{'  ' * at}- {item.format(at)}" for at in range(900))
    with opened() as notes:
        (document,) = notes.import_notes("deep", [session(f"{nested}\n\nThe ferry left.")])
    assert document.pieces[-1].text.endswith("The ferry left.")
    assert item.format(899) in "\n".join(piece.text for piece in document.pieces)


def test_a_heading_in_a_hidden_list_hides_nothing_less(project):
    text = "- DM notes\n  - NPCs\n    - Mayor Crane is a vampire\n  - the bell is cursed\n- NPCs\n  - Loot\n    - a silver oar\n  - Tam rows the ferry"
    with opened() as notes:
        (document,) = notes.import_notes("vale", [session(text)])
    shown = {piece.text: piece.part for piece in document.pieces if piece.audience == "player"}
    assert not any("vampire" in text or "cursed" in text for text in shown)
    assert any("a silver oar" in text and "Tam rows the ferry" in text for text in shown)


@pytest.mark.slow
def test_a_campaign_that_is_still_being_read_is_the_cause(project):
    go_on = threading.Event()

    class Slow(HashingEncoder):
        def pieces(self, text: str) -> int:
            go_on.wait(20)
            return super().pieces(text)

    with opened() as notes:
        notes.import_characters("vale", [sheet("The ferry left.")])
    notes = SessionNotes.open(Settings(), encoder=Slow(256))
    engine = CentralEngine.open(Settings(mvp_site_llm_timeout=0.1), notes=notes)
    try:
        with pytest.raises(EngineError) as error:
            engine.answer("Which ferry left?", campaign="vale")
    finally:
        go_on.set()
    assert "no answer within 0.1 s: campaign 'vale' is still being read (sheets and notes: 1," in str(error.value)
    assert notes.search("vale", "Which ferry left?", "character")
    engine.close()
    notes.close()
