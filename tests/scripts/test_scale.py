"""Many entities: made the same every time, filtered as announced, measured and told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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


def test_a_child_that_fails_is_told(tmp_path: Path) -> None:
    from benchmarks import scale

    plan = tmp_path / "plan.json"
    plan.write_text("{}", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"(?s)10,000 entities failed.*KeyError"):
        scale._run(plan, 10_000, lambda _: None)
