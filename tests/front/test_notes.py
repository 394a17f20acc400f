"""Session notes: which session they are of, none takes another's place, and what their front matter says is kept."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site.errors import SessionsError

from .conftest import CASES, Notes

ZERO = CASES / "books" / "session_zero"


@pytest.mark.parametrize("together", [True, False])
def test_session_zero_and_half_a_session_stand_beside_session_five(notes: Notes, together: bool) -> None:
    files = [(path.name, path.read_text("utf-8")) for path in sorted(ZERO.glob("*.md"), reverse=True)]
    for some in ([files] if together else [[file] for file in files]):
        notes.keep(*some)
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
    notes.keep((file, text))
    assert [document.id for document in notes.listed()] == [id_]


@pytest.mark.parametrize(("file", "text"), [
    ("Session 1.10.md", "We met."), ("a.md", "# Session 2.1.3\nWe met."),
    ("a.md", "# Session -2\nWe met."),
    ("a.md", "# Session 5/6\nWe met."), ("Session 1,5.md", "We met."), ("a.md", "# Session 1,5\nWe met."), ("Session -1.md", "We met."),
    ("Session_-1.md", "We met."), ("Session \u22121.md", "We met."), ("Session 25-26.md", "We met."), ("Session 25\u201326.md", "We met."),
    ("Session 23 and 24.md", "We met."), ("a.md", "# Sessions 23 & 24\nWe met."), ("a.md", "# Session 3, 4 and 5\nWe met."),
    ("a.md", "---\nsession: 1,5\n---\nWe met."), ("Session 15a.md", "We met."), ("a.md", "# Session 25 - 26\nWe met."),
    ("Session 3.md", ""), ("Session 3.md", " \n"), ("Session 3.md", "---\ntitle: The Mill\n---\n"), ("Session 3.md", "# Session 3\n"),
])
def test_what_could_be_taken_for_another_session_is_refused(notes: Notes, file: str, text: str) -> None:
    with pytest.raises(SessionsError, match="session"):
        notes.keep((file, text))
    assert notes.listed() == ()


def test_notes_that_take_the_place_of_others_are_told(notes: Notes) -> None:
    first = notes.keep(("Session 3 part 1.md", "# Session 3: The Mill\nWe met."))
    same = notes.keep(("Session 3 part 1.md", "# Session 3: The Mill\nWe met."))
    second = notes.keep(("Session 3 part 2.md", "# Session 3: The Rest\nWe left."))
    assert [one.documents[0].warnings for one in (first, same)] == [(), ()]
    assert "Session 3: The Mill" in second.documents[0].warnings[0]


def test_a_question_names_half_a_session(notes: Notes) -> None:
    for path in ZERO.glob("*.md"):
        notes.keep((path.name, path.read_text("utf-8")))
    for query, number in (("What of the mule in session 0.5?", "Session 0.5"), ("What of the mule in session 5?", "Session 5"),
                          ("What happened in session zero?", "Session 0,"), ("What happened in session 0.", "Session 0,")):
        assert notes.ask(query).evidence[0].title.startswith(number), query


@pytest.mark.parametrize(("query", "told"), [("What happened in session 99?", True), ("What happened in session 5?", False)])
def test_a_session_that_is_not_there_is_told(notes: Notes, query: str, told: bool) -> None:
    notes.keep(("Session 5.md", "We crossed the toll bridge."))
    text = notes.ask(query).text
    assert ("Nothing was found of session 99" in text.splitlines()[0]) is told


LOST = CASES / "books" / "front_matter_lost" / "Session 7.md"


def texts(found: Any) -> str:
    return "\n".join(one.text for one in found.evidence if one.domain == "session_notes")


@pytest.mark.parametrize(("query", "names"), [
    ("Where were we in session 7?", ("Gullhaven", "Kettle Rock")), ("Which location was it in session 7?", ("Gullhaven", "Kettle Rock")),
    ("Who of the party played in session 7?", ("Mossa", "Derry")),
])
def test_where_and_who_are_answered(notes: Notes, query: str, names: tuple[str, ...]) -> None:
    notes.keep(("Session 7.md", LOST.read_text("utf-8")))
    found = notes.ask(query)
    first = "\n".join(one.text for one in found.evidence[:3])
    assert [name for name in names if name not in first] == []


@pytest.mark.parametrize("line", [
    "weather: rain of frogs", "Ort: Frogs", "in_world: the night of frogs", "players:\n  - {name: Ann, plays: Frogs}", "xp: {each: 300, why: frogs}",
    "aliases: [frogs]", "notes: |\n  We ate.\n  Then came frogs.", "5: frogs",
])
def test_no_key_is_lost(notes: Notes, line: str) -> None:
    notes.keep(("Session 7.md", f"---\nsession: 7\n{line}\n---\nWe went."))
    assert "frogs" in texts(notes.ask("What of the frogs in session 7?")).lower()


@pytest.mark.parametrize("line", ["dm_notes: zanzibar", "gmNotes: zanzibar", "DM: zanzibar", "GM secrets:\n  - zanzibar"])
def test_a_key_of_the_dm_is_for_the_dm(notes: Notes, line: str) -> None:
    notes.keep(("Session 7.md", f"---\nsession: 7\n{line}\n---\nWe went to Gullhaven."))
    assert "zanzibar" not in str(notes.ask("What happened in session 7, and what of the secret?"))
    assert "zanzibar" in texts(notes.ask("What happened in session 7, and what of the secret?", "dm"))


def test_flags_say_nothing(notes: Notes) -> None:
    notes.keep(("Session 7.md", "---\nsession: 7\npublish: true\ndone:\n---\nWe went."))
    assert "publish" not in texts(notes.ask("What happened in session 7? publish done"))


@pytest.mark.parametrize(("front", "query", "text"), [
    ("date: 2031-05-04", "When did we play session 7?", "2031-05-04"), ("date: 2031-05-04", "When was session 7?", "2031-05-04"),
    ("attendance: {Tess: yes, Joan: no}", "What was the attendance in session 7?", "Tess: yes; Joan: no"),
    ("safety:\n  lines: {gore: true}", "What of safety lines in session 7?", "gore: yes"),
])
def test_dates_and_flags_of_a_list_are_kept(notes: Notes, front: str, query: str, text: str) -> None:
    notes.keep(("Session 7.md", f"---\nsession: 7\n{front}\n---\nWe went."))
    assert text in texts(notes.ask(query))
