"""The adapter's file, and what it does to a model's weights."""

from __future__ import annotations

import numpy as np
import pytest

from mvp_site.errors import EncoderError
from mvp_site.settings import DEFAULT_MODEL
from mvp_site.training import adapter
from mvp_site.training.adaptation import Point

CURVE = (Point(0, 2.5, 2.5), Point(50, 1.5, 2.0))


def test_a_change_comes_back_to_a_step_of_its_row() -> None:
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(6, 9)).astype(np.float32) * np.logspace(-4, 0, 6)[:, None]
    held = adapter.load(adapter.dump({"w": matrix, "b": matrix[:, 0]}, "base", CURVE))
    back = held["w"] * held["w" + adapter.SCALE]
    assert (np.abs(back - matrix) <= np.abs(matrix).max(axis=1, keepdims=True) / 250).all()
    assert adapter.load(adapter.dump({"w": np.zeros_like(matrix)}, "base", CURVE)).keys() == {adapter.BASE, adapter.CURVE}
    assert held["b"].tolist() == matrix[:, 0].astype(np.float32).tolist()
    assert held[adapter.CURVE].tolist() == [[0, 2.5, 2.5], [50, 1.5, 2.0]]


def test_it_is_added_to_the_weights_that_it_was_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    change = np.array([[1.0, -2.0], [0.5, 0.0]], np.float32)
    content = adapter.dump({"w": change}, "base", CURVE)
    monkeypatch.setattr(adapter, "_bytes", lambda: content)
    weights = {"w": torch.ones(2, 2), "other": torch.ones(1)}
    adapter.apply(weights, "base")
    assert weights["w"].numpy() == pytest.approx(1 + change, abs=0.01)
    assert weights["other"].item() == 1
    with pytest.raises(EncoderError, match=r"weights are another, and the adapter .* for base"):
        adapter.apply(weights, "another")


def test_the_shipped_one_is_small_and_learnt_something() -> None:
    held = adapter.load()
    steps, learnt, unseen = held[adapter.CURVE].T
    assert len(adapter._bytes()) < 24 * 2**20
    assert steps[0] == 0
    assert unseen[-1] < 0.8 * unseen[0]
    assert learnt[-1] < unseen[0]


@pytest.mark.slow
@pytest.mark.encoder
def test_it_brings_what_players_say_nearer_to_its_rules() -> None:
    pytest.importorskip("torch")
    from mvp_site.training.export import open_sentence_transformers

    said, rules, other = "I'm bleeding out on the floor", "death saving throws", "buying a horse"
    before, after = (
        open_sentence_transformers(DEFAULT_MODEL, adapted=adapted).encode([said, rules, other])
        for adapted in (False, True)
    )
    margins = [float(v[0] @ v[1] - v[0] @ v[2]) for v in (before, after)]
    assert margins[1] > margins[0] + 0.05
