"""Which session notes are of: half sessions, session zero, dates that are no numbers; none takes another's place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from mvp_site.errors import SessionsError
from mvp_site.operations.asking import Ask
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments

from .conftest import CASES, Operate

ZERO = CASES / "books" / "session_zero"


@dataclass(frozen=True)
class Notes:
    """The session notes of one campaign."""

    operate: Operate
    campaign: str

    def imported(self, *files: tuple[str, str]) -> Any:
        return self.operate("sessions.import", ImportFiles(self.campaign, tuple(FileText(*file) for file in files)))

    def listed(self) -> Any:
        return self.operate("sessions.list", ListDocuments(self.campaign)).documents

    def ask(self, query: str) -> Any:
        return self.operate("ask", Ask(query, campaign=self.campaign))


@pytest.fixture
def notes(shared: Operate, campaign: str) -> Notes:
    return Notes(shared, campaign)


@pytest.mark.parametrize("together", [True, False])
def test_session_zero_and_half_a_session_stand_beside_session_five(notes: Notes, together: bool) -> None:
    files = [(path.name, path.read_text("utf-8")) for path in sorted(ZERO.glob("*.md"), reverse=True)]
    for some in ([files] if together else [[file] for file in files]):
        notes.imported(*some)
    assert [(document.id, document.number, document.title) for document in notes.listed()] == [
        ("session-0", 0, "Session 0: Making the party"), ("session-0.5", 0.5, "Session 0.5: Prologue"), ("session-5", 5, "Session 5: The Toll Bridge")]


@pytest.mark.parametrize(("file", "text", "id_"), [
    ("Session 0.md", "We met.", "session-0"), ("S00.md", "We met.", "session-0"), ("S00 - Before.md", "We met.", "session-0"),
    ("Session Zero.md", "We met.", "session-0"), ("a.md", "# Session Zero: Making the party\nWe met.", "session-0"),
    ("a.md", "---\nsession: 0\n---\nWe met.", "session-0"), ("a.md", "---\nsession: S00\n---\nWe met.", "session-0"),
    ("a.md", "# S00 - Before\nWe met.", "session-0"), ("Sessie 0.md", "We met.", "session-0"), ("00 Prologue.md", "We met.", "session-0"),
    ("Session 0.5", "We met.", "session-0.5"), ("session-0.5.md", "We met.", "session-0.5"), ("0.5.txt", "We met.", "session-0.5"),
    ("a.md", "---\nsession: 0.5\n---\nWe met.", "session-0.5"), ("a.md", "# Session 12.5 - Interlude\nWe met.", "session-12.5"),
    ("Session 5.0.md", "We met.", "session-5"), ("Session 005.md", "We met.", "session-5"),
    ("a.md", "---\nsession: 0.5\naudience: dm\n---\nWe met.", "session-0.5-dm"),
    ("a.md", "# Session 3 - 24 hours in the mine\nWe met.", "session-3"), ("a.md", "# Session 3, 4 goblins\nWe met.", "session-3"),
    ("Session 3.md", "---\nweather: rain\n---\n", "session-3"), ("Session 3 2031-05-04.md", "We met.", "session-3"),
    ("2031-05-04 Session 3.md", "We met.", "session-3"), ("Session 3 - 2031-05-04.md", "We met.", "session-3"),
])
def test_a_number_is_read_as_people_write_it(notes: Notes, file: str, text: str, id_: str) -> None:
    notes.imported((file, text))
    assert [document.id for document in notes.listed()] == [id_]


@pytest.mark.parametrize(("file", "text"), [
    ("Session 1.10.md", "We met."), ("a.md", "# Session 2.1.3\nWe met."), ("Session 2031-05-04.md", "We met."),
    ("Session 04.05.2031.md", "We met."), ("a.md", "# Session -2\nWe met."), ("2031-05-04.md", "We met."),
    ("a.md", "# Session 5/6\nWe met."), ("Session 1,5.md", "We met."), ("a.md", "# Session 1,5\nWe met."), ("Session -1.md", "We met."),
    ("Session_-1.md", "We met."), ("Session \u22121.md", "We met."), ("Session 25-26.md", "We met."), ("Session 25\u201326.md", "We met."),
    ("Session 23 and 24.md", "We met."), ("a.md", "# Sessions 23 & 24\nWe met."), ("a.md", "# Session 3, 4 and 5\nWe met."),
    ("a.md", "---\nsession: 1,5\n---\nWe met."), ("Session 15a.md", "We met."), ("a.md", "# Session 25 - 26\nWe met."),
    ("Session 3.md", ""), ("Session 3.md", " \n"), ("Session 3.md", "---\ntitle: The Mill\n---\n"), ("Session 3.md", "# Session 3\n"),
])
def test_what_could_be_taken_for_another_session_is_refused(notes: Notes, file: str, text: str) -> None:
    with pytest.raises(SessionsError, match="session"):
        notes.imported((file, text))
    assert notes.listed() == ()



def test_notes_that_take_the_place_of_others_are_told(notes: Notes) -> None:
    first = notes.imported(("Session 3 part 1.md", "# Session 3: The Mill\nWe met."))
    same = notes.imported(("Session 3 part 1.md", "# Session 3: The Mill\nWe met."))
    second = notes.imported(("Session 3 part 2.md", "# Session 3: The Rest\nWe left."))
    assert [one.documents[0].warnings for one in (first, same)] == [(), ()]
    assert "Session 3: The Mill" in second.documents[0].warnings[0]


def test_a_question_names_half_a_session(notes: Notes) -> None:
    for path in ZERO.glob("*.md"):
        notes.imported((path.name, path.read_text("utf-8")))
    for query, number in (("What of the mule in session 0.5?", "Session 0.5"), ("What of the mule in session 5?", "Session 5"),
                          ("What happened in session zero?", "Session 0,"), ("What happened in session 0.", "Session 0,")):
        assert notes.ask(query).evidence[0].title.startswith(number), query


@pytest.mark.parametrize(("query", "told"), [("What happened in session 99?", True), ("What happened in session 5?", False)])
def test_a_session_that_is_not_there_is_told(notes: Notes, query: str, told: bool) -> None:
    notes.imported(("Session 5.md", "We crossed the toll bridge."))
    text = notes.ask(query).text
    assert ("Nothing was found of session 99" in text.splitlines()[0]) is told
