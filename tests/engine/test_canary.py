"""Nothing that is the DM's reaches a player: a canary in every DM field, thousands of questions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.resources import files

import pytest

from mvp_site.engine.central_engine import CentralEngine
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.sessions.notes.reading import read_notes
from mvp_site.sessions.session_notes import SAMPLE, SessionNotes
from mvp_site.settings import Settings
from tests.hashing import HashingEncoder

CANARY = "zqcanary"
QUESTIONS = 2_000
PARTS = 10
ASKED = (
    "who is {0}?", "what do we know of {0}", "what does {0} have to do with {1}?", "{0} {1}", "where did we meet {0}",
    "what is {0} hiding from us", "tell me everything about {0} in session {2}", "DM notes {0}", "secrets of {0}",
    "what happened with {0} last session", "did {0} pay {1}?", "is {0} in league with {1}", "audience: dm. {0}",
    "what will {0} do next", "what does the DM know of {1} and {0}", "my {0}", "who drowned {0}", "hidden: {0}",
)


def with_canaries(text: str, file: str) -> str:
    """Notes whose every DM piece has a canary in its text, and one more as a name."""
    lines = text.split("\n")
    for number, piece in enumerate(one for one in read_notes(text, file).pieces if one.audience != "player"):
        assert piece.lines
        lines[piece.lines[1] - 1] += f" {CANARY}{number}"
    return "\n".join([*lines, "", "## DM notes", "", f"- **{CANARY.title()} Vane** (aka {CANARY.title()} the Grey): a secret.", ""])


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[CentralEngine, SessionNotes]]:
    """The engine over the sample campaign with canaries, and its notes."""
    root = tmp_path_factory.mktemp("canary")
    settings = Settings(mvp_site_data_dir=root)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("mvp_site.retrieval.building.open_encoder", "mvp_site.engine.local_router.open_encoder",
                     "mvp_site.sessions.session_notes.open_encoder"):
            patch.setattr(name, lambda *_: HashingEncoder())
        notes = SessionNotes.open(settings, encoder=HashingEncoder())
        place = files("mvp_site.sessions").joinpath("samples")
        for one in place.iterdir():
            text = one.read_text("utf-8")
            if one.name.endswith(".md"):
                notes.import_notes(SAMPLE, [(one.name, with_canaries(text, one.name))])
            else:
                notes.import_characters(SAMPLE, [(one.name, text.replace("dm_notes:", f"dm_notes:\n  - {CANARY} owes the hag.", 1))])
        book = Rulebook.from_markdown("# Falling\n\nWho falls takes damage.\n", encoder=HashingEncoder())
        opened = CentralEngine.open(settings, notes=notes, rulebook=book)
        opened._record = None  # thousands of rows that nobody reads
        yield opened, notes
        opened.close()
        notes.close()


def questions(notes: SessionNotes, part: int) -> Iterator[tuple[str, str]]:
    """Questions that use every name there is, the DM's own too, and words of the DM's pieces."""
    chosen = random.Random(part)
    names = [name for one in notes.known(SAMPLE, "god") for name in (one.name, *one.aliases) if CANARY not in name.lower()]
    words = [word for one in notes.documents(SAMPLE, "session") for piece in notes.session(SAMPLE, one.id).pieces
             if piece.audience != "player" for word in piece.text.split() if CANARY not in word.lower()]
    for _ in range(QUESTIONS // PARTS):
        said = chosen.choice(ASKED).format(chosen.choice(names), chosen.choice(names), chosen.randint(1, 9))
        yield f"{said} {' '.join(chosen.sample(words, 3))}", chosen.choice(["Ilse Varn", "Brannoc Ashdown", ""])


def test_a_dm_is_told(asked: tuple[CentralEngine, SessionNotes]) -> None:
    engine, notes = asked
    for said in (f"who is {CANARY} Vane, a secret?", "what does the hag want of the character, who owes her?"):
        assert CANARY in repr(engine.answer(said, "Ilse Varn", campaign=SAMPLE, audience="dm")).lower()
    assert any(CANARY in one.name.lower() for one in notes.known(SAMPLE, "dm"))


@pytest.mark.parametrize("part", [pytest.param(0, id="a few"), *(pytest.param(one, marks=pytest.mark.slow) for one in range(1, PARTS + 1))])
def test_a_player_is_not(asked: tuple[CentralEngine, SessionNotes], part: int) -> None:
    engine, notes = asked
    assert not any(CANARY in repr(one).lower() for one in notes.known(SAMPLE, "player"))
    for number, (said, character) in enumerate(questions(notes, part)):
        if part == 0 and number == 15:
            break
        found = engine.answer(said, character, campaign=SAMPLE)
        assert CANARY not in repr(found).lower(), said
