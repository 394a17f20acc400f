"""Many entities: made the same every time, filtered as announced, measured and told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvp_site.retrieval.collection import Query
from mvp_site.retrieval.columns import Columns
from mvp_site.retrieval.dense import DenseLane
from mvp_site.retrieval.lexical import LexicalLane

COUNT = 3_000


@pytest.fixture(scope="module")
def source() -> Any:
    """What a release of twenty entities gives."""
    from benchmarks import synthetic

    vectors = np.random.default_rng(1).standard_normal((20, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    lexical = LexicalLane.build([["fire"] * 2 + [f"word{n}", f"word{n % 3}"] for n in range(20)])
    dense = DenseLane.build(vectors, range(20), np.zeros((20, 16), np.uint8), 20)
    return synthetic.source({**lexical.dump(), **dense.dump()}, 20)


def test_words_are_those_of_the_release_and_as_common(source: Any) -> None:
    assert len(source.words) == len(source.parts) == 21
    assert source.parts.sum() == pytest.approx(1)
    assert dict(zip(source.words, source.parts, strict=True))["fire"] == source.parts.max()


def test_filters_let_through_what_their_names_say() -> None:
    from benchmarks import synthetic

    columns = Columns(synthetic.fields(100_000))
    for name, where in synthetic.FILTERS.items():
        part = 1.0 if name == "none" else float(name.removesuffix(" %")) / 100
        assert columns.mask(where).mean() == pytest.approx(part, rel=0.2)


@pytest.mark.parametrize("exact_windows", [50_000, 100], ids=["exact", "graph"])
def test_a_size_is_built_searched_and_told(
    exact_windows: int, source: Any, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import scale_child
    from benchmarks import scale, synthetic

    monkeypatch.setattr(
        DenseLane.build.__func__, "__defaults__", (exact_windows, None)  # type: ignore[attr-defined]
    )
    backend, exact, built = scale_child.build(source, COUNT)
    assert exact is (exact_windows > COUNT)
    asked = synthetic.queries(source, 8, COUNT)
    searches = scale_child.search(backend, asked)
    truth = scale_child.nearest(backend, source, COUNT, asked)
    for name, found in searches.items():
        found["recall"] = scale_child.recall(found.pop("found"), truth[name])
        found["share"] = 0.5
        assert len(found["seconds"]) == len(asked)
        assert found["recall"] == 1.0
    told = json.loads(json.dumps({
        "exact": exact, "resident": 2**20, "peak": 2**21, "searches": searches, **built,
    }))
    size = scale.size_of(COUNT, len(asked), told)
    assert size.recall == 1.0
    assert "step: words" in capsys.readouterr().err


def test_the_truth_is_every_vector_compared(source: Any) -> None:
    import scale_child
    from benchmarks import synthetic

    backend, _, _ = scale_child.build(source, COUNT)
    asked = synthetic.queries(source, 4, COUNT)
    vectors = np.concatenate(list(synthetic.vectors(source, COUNT)))
    truth = scale_child.nearest(backend, source, COUNT, asked)
    for number, one in enumerate(asked):
        for name, where in synthetic.FILTERS.items():
            allowed = backend.search(Query((scale_child.TYPE,), where=where)).numbers
            best = allowed[np.argsort(-(vectors[allowed] @ one.vector))[:10]]
            assert set(truth[name][number]) == set(best)


def test_a_child_that_fails_is_told(tmp_path: Path) -> None:
    from benchmarks import scale

    plan = tmp_path / "plan.json"
    plan.write_text("{}", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"(?s)10,000 entities failed.*KeyError"):
        scale._run(plan, 10_000, lambda _: None)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Any:
    """How the script reads the sizes; what it sets for its children is not set here."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    import benchmark

    return benchmark._numbers


@pytest.mark.parametrize(
    ("text", "expected"), [("10000", (10_000,)), ("1_000_000,10000", (10_000, 1_000_000))]
)
def test_sizes_are_read(text: str, expected: tuple[int, ...], read: Any) -> None:
    assert read(text) == expected
