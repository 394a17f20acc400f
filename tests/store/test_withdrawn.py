"""Turns that are taken back, and campaigns that branch: nothing is lost. The same on both engines."""

from __future__ import annotations

import pytest

from mvp_site.errors import (
    CampaignConflictError,
    CampaignExistsError,
    InvalidTurnError,
    UnknownTurnError,
)
from mvp_site.store.campaign_documents import NewDocument
from mvp_site.store.campaigns import CampaignStore

from .records import STATE, a_turn

NAME = "saltmere"


@pytest.fixture
def played(store: CampaignStore) -> CampaignStore:
    """Three turns, each on the state that the one before left; the second fell back."""
    store.create(NAME, STATE)
    for number in (1, 2, 3):
        was = store.load(NAME).state
        left = was if number == 2 else {"n": number}
        store.commit(a_turn(number, state_before=was, fallback="contract" if number == 2 else None), left, number)
    return store


def said(store: CampaignStore, then: int | None = None, name: str = NAME) -> list[int]:
    return [one.number for one in store.history(name, then=then)]


def test_a_turn_is_taken_back_and_kept(played: CampaignStore) -> None:
    before = played.turn("saltmere-3")
    found = played.withdraw("saltmere-3")
    assert (found.state, found.version, found.turns) == ({"n": 1}, 5, 3)
    assert played.load(NAME) == found
    kept = played.turn("saltmere-3")
    assert (kept.withdrawn, kept.manifest, kept.answer) == (3, before.manifest, before.answer)
    assert said(played) == [1]
    with pytest.raises(CampaignConflictError, match="is not the last one"):
        played.withdraw("saltmere-3")
    played.withdraw("saltmere-2")
    assert played.withdraw("saltmere-1").state == STATE
    assert said(played) == []


def test_the_story_goes_on_and_what_was_said_then_is_known(played: CampaignStore) -> None:
    played.withdraw("saltmere-3")
    played.commit(a_turn(4, state_before={"n": 1}), {"n": 4}, 5)
    assert [said(played, then) for then in (None, 1, 2, 3, 4)] == [[1, 4], [], [1], [1], [1]]
    for number in (4, 2, 1):
        played.withdraw(f"saltmere-{number}")
    # A replay of the fourth has the first, which counted then, and not the third, which did not.
    assert [said(played, then) for then in (None, 4, 5)] == [[], [1], []]


def test_what_is_not_the_last_is_left_alone(played: CampaignStore) -> None:
    for wrong, error in (("saltmere-1", CampaignConflictError), ("nobody", UnknownTurnError)):
        with pytest.raises(error):
            played.withdraw(wrong)
    played.withdraw("saltmere-3")
    with pytest.raises(CampaignConflictError):  # the turn was under way meanwhile
        played.commit(a_turn(4), {}, 4)
    assert played.load(NAME).turns == 3


def test_an_export_has_the_mark(played: CampaignStore) -> None:
    assert all("withdrawn" not in turn for turn in played.export(NAME)["turns"])
    played.withdraw("saltmere-3")
    document = played.export(NAME)
    assert [turn.get("withdrawn") for turn in document["turns"]] == [None, None, 3]
    played.delete(NAME)
    played.import_document(document)
    assert (played.export(NAME), said(played)) == (document, [1])


@pytest.mark.parametrize(("turn", "numbers", "state"), [(1, [1], {"n": 1}), (2, [1, 2], {"n": 1}), (3, [1, 2, 3], {"n": 3})])
def test_a_branch_has_the_turns_up_to_one_and_the_state_after_it(played: CampaignStore, turn: int, numbers: list[int], state: dict[str, int]) -> None:
    played.documents.save(NAME, [NewDocument("session", "first", "The ferry", "They crossed.", 1)])
    played.bind(NAME, ["atlas"])
    before = played.export(NAME)
    made = played.branch(f"saltmere-{turn}", "other")
    assert (made.state, made.turns, made.version) == (state, turn, 1)
    assert played.load("other") == made
    copies = list(reversed(played.turns(campaign_id="other")))
    assert [one.number for one in copies] == numbers
    assert not {one.id for one in copies} & {f"saltmere-{number}" for number in numbers}
    assert copies[0].manifest == played.turn("saltmere-1").manifest
    assert (played.bound("other"), len(played.documents.load("other"))) == (("atlas",), 1)
    played.commit(a_turn(turn + 1, "other"), {}, 1)
    assert played.export(NAME) == before


def test_what_cannot_be_branched(played: CampaignStore) -> None:
    played.withdraw("saltmere-3")
    for turn, name, error in (("saltmere-3", "other", InvalidTurnError), ("saltmere-1", NAME, CampaignExistsError), ("x", "other", UnknownTurnError), ("saltmere-1", "a b", InvalidTurnError)):
        with pytest.raises(error):
            played.branch(turn, name)
    assert [one.id for one in played.campaigns()] == [NAME]
