"""What the front matter of notes says is kept: each key a piece, and those of the DM for the DM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from mvp_site.operations.asking import Ask
from mvp_site.operations.sessions import FileText, ImportFiles

from .conftest import CASES, Operate

LOST = CASES / "books" / "front_matter_lost" / "Session 7.md"


@dataclass(frozen=True)
class Told:
    """A campaign of which session 7 alone is told."""

    operate: Operate
    campaign: str

    def __call__(self, text: str) -> None:
        self.operate("sessions.import", ImportFiles(self.campaign, (FileText("Session 7.md", text),)))

    def asked(self, query: str, audience: Any = "player") -> Any:
        return self.operate("ask", Ask(query, campaign=self.campaign, audience=audience), audience != "player")


@pytest.fixture
def tell(shared: Operate, campaign: str) -> Told:
    return Told(shared, campaign)


def texts(found: Any) -> str:
    return "\n".join(one.text for one in found.evidence if one.domain == "session_notes")


@pytest.mark.parametrize(("query", "names"), [
    ("Where were we in session 7?", ("Gullhaven", "Kettle Rock")), ("Which location was it in session 7?", ("Gullhaven", "Kettle Rock")),
    ("Who of the party played in session 7?", ("Mossa", "Derry")),
])
def test_where_and_who_are_answered(tell: Told, query: str, names: tuple[str, ...]) -> None:
    tell(LOST.read_text("utf-8"))
    found = tell.asked(query)
    first = "\n".join(one.text for one in found.evidence[:3])
    assert [name for name in names if name not in first] == []


@pytest.mark.parametrize("line", [
    "weather: rain of frogs", "Ort: Frogs", "in_world: the night of frogs", "players:\n  - {name: Ann, plays: Frogs}", "xp: {each: 300, why: frogs}",
    "aliases: [frogs]", "notes: |\n  We ate.\n  Then came frogs.", "5: frogs",
])
def test_no_key_is_lost(tell: Told, line: str) -> None:
    tell(f"---\nsession: 7\n{line}\n---\nWe went.")
    assert "frogs" in texts(tell.asked("What of the frogs in session 7?")).lower()


@pytest.mark.parametrize("line", ["dm_notes: zanzibar", "gmNotes: zanzibar", "DM: zanzibar", "GM secrets:\n  - zanzibar"])
def test_a_key_of_the_dm_is_for_the_dm(tell: Told, line: str) -> None:
    tell(f"---\nsession: 7\n{line}\n---\nWe went to Gullhaven.")
    assert "zanzibar" not in str(tell.asked("What happened in session 7, and what of the secret?"))
    assert "zanzibar" in texts(tell.asked("What happened in session 7, and what of the secret?", "dm"))


def test_flags_say_nothing(tell: Told) -> None:
    tell("---\nsession: 7\npublish: true\ndone:\n---\nWe went.")
    assert "publish" not in texts(tell.asked("What happened in session 7? publish done"))



@pytest.mark.parametrize(("front", "query", "text"), [
    ("date: 2031-05-04", "When did we play session 7?", "2031-05-04"), ("date: 2031-05-04", "When was session 7?", "2031-05-04"),
    ("attendance: {Tess: yes, Joan: no}", "What was the attendance in session 7?", "Tess: yes; Joan: no"),
    ("safety:\n  lines: {gore: true}", "What of safety lines in session 7?", "gore: yes"),
])
def test_dates_and_flags_of_a_list_are_kept(tell: Told, front: str, query: str, text: str) -> None:
    tell(f"---\nsession: 7\n{front}\n---\nWe went.")
    assert text in texts(tell.asked(query))
