"""Selection: the twelve best, one floor a turn; every chunk that was considered is accounted for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.retriever import CANDIDATES, Retrieved, select
from mvp_site.types import AUDIENCES

from ..doubles import evidence_of, release_of

pytestmark = pytest.mark.serving

TOPICS = (
    "harbour ledger tithe cargo", "lantern oil wick flame", "bridge toll miller grain", "wolf winter forest howl",
    "crown heir regent oath", "smith anvil iron hammer", "monk bell cloister silence", "storm mast rope sail",
)


def files(count: int, **front: str) -> dict[str, str]:
    """``count`` files of one short chunk, no two alike, named in order of their numbers."""
    head = "".join(f"{key}: {value}\n" for key, value in {"domain": "worldgen", "mode": "general", **front}.items())
    return {f"{n:02}.md": f"---\n{head}---\nentry {chr(97 + n % 26) * 5} {TOPICS[n % 8]} {'x' * n}y" for n in range(count)}


def ids(found: Retrieved) -> list[str]:
    return [candidate.id for candidate in found.selected]


def test_the_best_twelve_are_selected() -> None:
    release = release_of(files(40))
    found = select(release, evidence_of([0.9 - n / 100 for n in range(40)]), "player", 0.5)
    assert ids(found) == [f"{n:02}#1" for n in range(CANDIDATES)]
    assert found.dropped == ()
    assert (found.sparse_reason, found.floor, found.best) == (None, 0.5, pytest.approx(0.9))


def test_a_near_duplicate_gives_way_to_the_better_of_its_kind() -> None:
    text = "the harbour master skims a tenth of every cargo"
    release = release_of({"a.md": text, "b.md": text, "c.md": "wolves come down in winter"})
    found = select(release, evidence_of([0.6, 0.7, 0.5]), "player", 0.1)
    assert ids(found) == ["b#1", "c#1"]
    assert [(d.id, d.reason, d.score) for d in found.dropped] == [("a#1", "duplicate", 0.6)]


@pytest.mark.parametrize(("floor", "kept"), [(0.6, ["02#1", "01#1", "00#1"]), (0.61, [])])
def test_the_floor_is_held_once_against_the_best_evidence_and_the_order_ranks(floor: float, kept: list[str]) -> None:
    found = select(release_of(files(3)), evidence_of([0.6, 0.5, 0.1], [0.6, 0.9, 1.0]), "player", floor)
    assert ids(found) == kept
    assert found.best == pytest.approx(0.6)
    assert {(d.id, d.reason) for d in found.dropped} == {(f"0{n}#1", "below_floor") for n in range(3) if not kept}


# --- who may see what ---------------------------------------------------------------------------

SECRETS = {**files(2), "s.md": "---\naudience: dm\n---\nthe ledger lies under a stone", "t.md": "---\naudience: god\n---\nfate"}


@pytest.mark.parametrize(("audience", "seen"), [
    ("player", ["00#1", "01#1"]), ("dm", ["00#1", "01#1", "s#1"]), ("god", ["00#1", "01#1", "s#1", "t#1"]),
])
def test_an_audience_sees_its_own_and_what_is_below(audience: str, seen: list[str]) -> None:
    found = select(release_of(SECRETS), evidence_of([0.8, 0.7, 0.6, 0.5]), audience, 0.1)
    assert ids(found) == seen
    assert {d.id for d in found.dropped if d.reason == "audience"} == {"00#1", "01#1", "s#1", "t#1"} - set(seen)


def test_hidden_chunks_do_not_push_visible_ones_out() -> None:
    hidden = {f"h{n}": text for n, text in files(40, audience="god").items()}
    release = release_of({**hidden, **{f"v{n}": text for n, text in files(3).items()}})
    order = [0.9 if chunk.audience == "god" else 0.3 for chunk in release.chunks]
    assert ids(select(release, evidence_of(order), "player", 0.2)) == ["v00#1", "v01#1", "v02#1"]


@pytest.mark.parametrize(("scores", "audience", "floor", "reason"), [
    ([0, 0, 0, 0], "god", 0.25, "no_hits"), ([0, 0, 0, 0], "god", 0.0, "no_hits"), ([0.2, 0.1, 0, 0], "god", 0.25, "below_floor"),
    ([0.1, 0.1, 0.6, 0], "player", 0.25, "filtered"), ([0.1, 0.1, 0.2, 0.2], "player", 0.25, "below_floor"),
    ([0.25, 0, 0, 0], "player", 0.25, None), ([0.01, 0, 0, 0], "player", 0.0, None),
])
def test_a_sparse_turn_has_its_reason(scores: list[float], audience: str, floor: float, reason: str | None) -> None:
    found = select(release_of(SECRETS), evidence_of(scores), audience, floor)
    assert found.sparse_reason == reason
    assert bool(found.selected) is (reason is None)


# --- for any scores -----------------------------------------------------------------------------

LARGE = release_of({**files(20), **{f"d{n}": t for n, t in files(8, audience="dm").items()},
                    **{f"g{n}": t for n, t in files(8, audience="god", mode="god").items()}, "twin.md": files(1)["00.md"]})


@given(st.lists(st.floats(0, 1, width=16), min_size=len(LARGE.chunks), max_size=len(LARGE.chunks)), st.sampled_from(AUDIENCES), st.floats(0, 1))
def test_any_scores_give_a_total_order_and_a_whole_account(scores: list[float], audience: str, floor: float) -> None:
    found = select(LARGE, evidence_of(scores), audience, floor)
    chunks = {chunk.id: chunk for chunk in LARGE.chunks}
    kept = found.selected
    assert [(-c.evidence, c.id) for c in kept] == sorted((-c.evidence, c.id) for c in kept)
    assert len(kept) <= CANDIDATES
    named = [*(c.id for c in kept), *(d.id for d in found.dropped)]
    assert len(named) == len(set(named)) >= CANDIDATES  # each once, none of the best missing
    for candidate in kept:
        assert found.best >= floor
        assert AUDIENCES.index(chunks[candidate.id].audience) <= AUDIENCES.index(audience)
    best = dict(zip(chunks, (float(s) for s in evidence_of(scores).evidence), strict=True))
    for dropped in found.dropped:
        name, reason, score = dropped.id, dropped.reason, best[dropped.id]
        assert dropped.score == pytest.approx(score, abs=5.001e-5)
        hidden = AUDIENCES.index(chunks[name].audience) > AUDIENCES.index(audience)
        assert (reason == "audience") is hidden
        if not hidden:
            assert (reason == "below_floor") is (found.best < floor or found.best == 0)
    assert (found.sparse_reason is None) is bool(kept)
    if found.sparse_reason == "filtered":
        assert any(d.reason == "audience" and best[d.id] >= floor for d in found.dropped)
