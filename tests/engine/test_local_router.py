"""The router without a model: decisions of each domain, with and without a campaign."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mvp_site.engine import local_router
from mvp_site.engine.gazetteer import HELPERS
from mvp_site.engine.local_router import REFIT, LocalRouter, example_questions
from mvp_site.engine.types import DOMAINS, Decision, Question
from mvp_site.errors import UnknownCharacterError
from mvp_site.sessions.types import KnownName
from mvp_site.store.campaign_documents import Routing
from mvp_site.types import Audience

from ..conftest import settings_under
from ..hashing import HashingEncoder

NEVER = datetime(2026, 1, 1, tzinfo=UTC)


class Remembers:
    """A campaign that knows one name, and another for the DM alone."""

    def resolve(self, name: str, campaign: str | None = None) -> Question:
        if name != "Ilse":
            raise UnknownCharacterError(name)
        return Question("", name, "ours")

    def known(self, campaign: str, audience: Audience) -> tuple[KnownName, ...]:
        held = (KnownName("Edda Crane", "non_player_character", sessions=(1,)),
                KnownName("Mother Rime", "creature", audience="dm", sessions=(1,)))
        return tuple(one for one in held if campaign == "ours" and audience in {"dm", one.audience})

    def version(self, campaign: str) -> str:
        return campaign

    def corrections(self, campaign: str) -> tuple[()]:
        return ()

    def bound(self, campaign: str) -> tuple[str, ...]:
        return ("a-book",) if campaign == "ours" else ()


def memory() -> Any:
    return Remembers()


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> LocalRouter:
    settings = settings_under(tmp_path_factory.mktemp("router"))
    return LocalRouter.open(settings, encoder=HashingEncoder(), open_notes=memory)


@pytest.mark.parametrize(("question", "domain", "intention"), [
    ("which spells do I have prepared", "character", "magic_info"),
    ("what happened last session", "session_notes", "event_sequence"),
    ("how much does a longsword cost", "rulebook", "cost_lookup"),
])
def test_a_question_calls_for_its_domain(router: LocalRouter, question: str, domain: str, intention: str) -> None:
    decisions = router.decide(question, "Nobody Known")
    assert [one.domain for one in decisions] == ["character", "rulebook", "session_notes"]
    one = max((one for one in decisions if one.is_needed), key=lambda one: one.confidence)
    assert one.domain == domain  # another may be near the threshold: the encoder is a double
    assert (one.intention, one.likely[0], len(one.likely)) == (intention, intention, 3)
    assert all(0 <= one.confidence <= 1 and one.by == "local" for one in decisions)
    assert all(not (one.intention or one.entities) for one in decisions if not one.is_needed)
    assert decisions == router.decide(question, "Nobody Known")


def test_a_campaigns_names_are_known_to_whom_they_may_be(router: LocalRouter) -> None:
    def names(question: str, audience: Audience = "player", campaign: str | None = "ours") -> list[tuple[str, float]]:
        [notes] = [row for row in router.decide(question, "Ilse", campaign=campaign, audience=audience)
                   if row.domain == "session_notes"]
        return [(entity.name, entity.confidence) for entity in notes.entities]

    assert ("Edda Crane", 1.0) in names("what did edda say last session")
    assert names("what did edda say last session", campaign="theirs") == []
    assert ("Edda Crane", 1.0) in names("what did edda say last session", campaign=None)  # Ilse's
    assert ("Mother Rime", 1.0) in names("what did mother rime say last session", "dm")
    assert names("what did mother rime say last session") == []


def test_books_are_asked_where_a_campaign_has_some(router: LocalRouter) -> None:
    asked = [[one.domain for one in router.decide("?", campaign=of)] for of in ("ours", "theirs")]
    assert asked == [list(DOMAINS), list(DOMAINS[:3])]


def test_a_long_question_and_an_empty_one_are_decided(router: LocalRouter) -> None:
    assert len(router.decide("", "")) == len(router.decide("why " * 100_000)) == 3


@pytest.mark.requirement("5", "Query learning: twenty corrections are fitted with the examples in the background")
def test_twenty_corrections_are_fitted_in_the_background(router: LocalRouter, monkeypatch: pytest.MonkeyPatch) -> None:
    no, yes = ({"character": {"is_needed": needed, "intention": "combat_info"}} for needed in (False, True))
    rows = tuple(Routing(str(number), "ours", NEVER, {"query": f"how tall is tower {number}"}, no, yes) for number in range(REFIT))
    monkeypatch.setattr(Remembers, "corrections", lambda self, campaign: rows)
    assert not router.taught("ours")[0].refitted
    for thread in [thread for thread in threading.enumerate() if thread.name == "router-refit"]:
        thread.join()
    taught, before, after = router.taught("ours")
    assert taught.refitted
    assert after > before
    assert router.decide("how tall is tower 99", campaign="ours")[0].is_needed


def test_examples_name_intentions_that_exist() -> None:
    for one in example_questions():
        for domain, name in one.needs.items():
            assert name in HELPERS[domain].intents if domain in HELPERS else not name, one.text
    named = [(domain, name) for one in example_questions() for domain, name in one.needs.items()]
    for domain, helper in HELPERS.items():
        assert all(named.count((domain, name)) > 15 for name in helper.intents)


def test_what_was_fitted_is_kept_and_made_anew_where_it_is_damaged(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    monkeypatch.setattr(local_router, "router_folder", lambda settings: folder)
    monkeypatch.setattr(local_router, "example_questions", lambda: example_questions()[::20])

    counts: list[int] = []

    def opened() -> tuple[Decision, ...]:
        encoder = HashingEncoder()
        again = LocalRouter.open(settings_under(tmp_path), encoder=encoder, open_notes=memory)
        counts.append(encoder.encoded)
        return again.decide("how much does a longsword cost", "Nobody Known")

    first = opened()
    [file] = folder.iterdir()
    whole = file.read_bytes()
    assert opened() == first
    assert counts[0] > counts[1] == 0  # vectors of the examples are kept
    for damaged in (b"", whole[: len(whole) // 2], whole[:-900] + b"\xff" * 900):
        file.write_bytes(damaged)
        assert opened() == first
        assert file.read_bytes() == whole
    folder = file  # a file where a folder should be: nothing can be kept
    assert opened() == first


def test_fits_of_older_examples_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "fits"
    monkeypatch.setattr(local_router, "router_folder", lambda settings: folder)
    for start in range(10):
        monkeypatch.setattr(local_router, "example_questions", lambda: example_questions()[start::40])  # noqa: B023
        LocalRouter.open(settings_under(tmp_path), encoder=HashingEncoder(), open_notes=memory)
    assert len(list(folder.iterdir())) == 8
