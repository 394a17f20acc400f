"""A question to everything: who may ask what, what a player is told, and how corrections are kept."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.errors import InvalidRequestError, UnknownCharacterError
from mvp_site.operations.all import operation
from mvp_site.operations.asking import Ask, Correction
from mvp_site.operations.services import Services
from mvp_site.operations.sessions import FileText, ImportFiles, ListDocuments
from tests.engine_doubles import SECRET, WHY, KeptNotes, TellingEngine


@pytest.fixture
def services() -> Services:
    return Services(Settings(), notes=KeptNotes(), engine=TellingEngine())  # type: ignore[arg-type]


def run(services: Services, name: str, asked: Any, entitled: bool = True) -> Any:
    return operation(name).run(services, asked, entitled)


FILES = (FileText("a.md", "Session 4\nrain"), FileText("b.md", "Session 5\nsun"))


@pytest.mark.parametrize(("name", "asked", "needed"), [
    ("ask", Ask("x"), False), ("ask", Ask("x", audience="dm"), True), ("ask", Ask("x", audience="god"), True), ("ask.correct", Correction("r", "books"), True),
    ("sessions.list", ListDocuments(), True), ("sessions.list", ListDocuments("lantern_road"), False), ("characters.list", ListDocuments(), True),
    ("characters.list", ListDocuments("lantern_road"), False), ("sessions.import", ImportFiles("c", FILES), True), ("characters.import", ImportFiles("c", FILES), True),
])
def test_what_needs_the_token(name: str, asked: Any, needed: bool) -> None:
    assert bool(list(operation(name).needs(asked))) is needed


@pytest.mark.parametrize("entitled", [True, False])
def test_why_something_failed_is_for_the_entitled(services: Services, entitled: bool) -> None:
    found = run(services, "ask", Ask("x"), entitled)
    assert [(one.where, one.told, one.why) for one in found.errors] == [("books", "the books were not asked", WHY if entitled else "")]
    said = str(asdict(found))
    assert (WHY in said) is entitled
    assert SECRET not in said
    assert SECRET in str(run(services, "ask", Ask("x", audience="dm")))


@pytest.mark.parametrize(("campaign", "says"), [(None, "say of which campaign"), ("lantern_road", "there are: Ilse Varn, Brannoc Ashdown"), ("nowhere", "there are: none")])
def test_a_player_hears_of_no_other_campaign(services: Services, campaign: str | None, says: str) -> None:
    with pytest.raises(UnknownCharacterError, match=says) as told:
        run(services, "ask", Ask("x", "Mordin", campaign), False)
    assert "Mordan" not in str(told.value)
    with pytest.raises(UnknownCharacterError, match="Mordan in secret_campaign"):
        run(services, "ask", Ask("x", "Mordin", campaign))


@pytest.mark.parametrize(("asked", "kept"), [
    (Correction("r", "character", True, "magic_info"), {"character": {"is_needed": True, "intention": "magic_info"}}),
    (Correction("r", "books", True), {"books": {"is_needed": True, "intention": None}}),
    (Correction("r", "rulebook", False, "spell_details"), {"rulebook": {"is_needed": False, "intention": None}}),
    (Correction("r", "character", True, "magic_inof"), "there are magic_info"), (Correction("r", "books", True, "magic_info"), "it has no intentions"),
    (Correction("r", "session_notes", True, "xyz"), "there are character_status, event_sequence"),
])
def test_corrections_are_of_the_domains_own_intentions(services: Services, asked: Correction, kept: Any) -> None:
    if isinstance(kept, str):
        with pytest.raises(InvalidRequestError, match=kept):
            run(services, "ask.correct", asked)
        return
    assert run(services, "ask.correct", asked).domain == asked.domain
    assert services.session_notes().corrected == {"r": kept}  # type: ignore[attr-defined]
