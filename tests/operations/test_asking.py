"""A question to everything: who may ask what, what a player is told, and how corrections are kept."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.errors import InvalidRequestError, UnknownCharacterError
from mvp_site.operations.all import operation
from mvp_site.operations.asking import Ask, Correction
from mvp_site.operations.services import Services
from mvp_site.operations.sessions import FileText, ImportFiles
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.store.campaigns import CampaignStore
from tests.cli.invoking import under
from tests.engine_doubles import KeptNotes, TellingEngine


@pytest.fixture
def services() -> Services:
    return Services(Settings(), notes=KeptNotes(), engine=TellingEngine())  # type: ignore[arg-type]


def run(services: Services, name: str, asked: Any, entitled: bool = True) -> Any:
    return operation(name).run(services, asked, entitled)


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
            run(services, "corrections.add", asked)
        return
    assert run(services, "corrections.add", asked).domain == asked.domain
    assert services.session_notes().corrected == {"r": kept}  # type: ignore[attr-defined]


def test_a_campaign_that_was_only_played_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    under(tmp_path, monkeypatch)
    with CampaignStore.open(Settings(mvp_site_data_dir=tmp_path)) as store:
        store.create("gull", {"player_character_data": {"name": "Sable Oort", "armor_class": 13}})
        store.create("empty", {})
    book = Rulebook.from_markdown("# Falling\n\nWho falls takes damage.\n")
    with closing(Services(Settings(mvp_site_data_dir=tmp_path), rulebook=book)) as opened:
        answer = run(opened, "ask", Ask("what's my AC?", "Sable Oort", "gull"), False)
        assert "Armor class: 13" in answer.text.splitlines()[0]
        with pytest.raises(UnknownCharacterError, match="there are: Sable Oort"):
            run(opened, "ask", Ask("what's my AC?", "Bo", "gull"), False)
        notes = [run(opened, "ask", Ask("who falls?", campaign=campaign), False).notes for campaign in ("gull", "empty", "gul")]
    assert [any("is its id right?" in note for note in of) for of in notes] == [False, False, True]


def test_a_routing_of_the_real_engine_is_kept_and_corrected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    under(tmp_path, monkeypatch)
    book = Rulebook.from_markdown("# Falling\n\nWho falls takes damage.\n")
    with closing(Services(Settings(mvp_site_data_dir=tmp_path), rulebook=book)) as opened:
        run(opened, "sessions.import", ImportFiles("road", (FileText("one.md", "# Session 1\n\nCorvin Hale sells lamp oil.\n"),)))
        found = run(opened, "ask", Ask("Who is Corvin Hale?", campaign="road"), False)
        run(opened, "corrections.add", Correction(found.routing, "session_notes", True, "npc_info"))
        kept = opened.store().documents.routings(corrected_only=True)
    assert [(one.id, one.corrected) for one in kept] == [(found.routing, {"session_notes": {"is_needed": True, "intention": "npc_info"}})]
