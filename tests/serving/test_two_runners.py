"""Two game runners by others, integrated in some twenty lines: what fifteen turns send, and what they lack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dustline", "quorum"])
def test_fifteen_turns_have_what_they_need_in_fewer_tokens(name: str, tmp_path: Path) -> None:
    environment = os.environ | {"PROMPT_INDEX_DIR": str(tmp_path / "index"), "MVP_SITE_DATA_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment.pop("PROMPT_VERSION", None)
    played = subprocess.run([sys.executable, ROOT / "tests/cases/runners/play.py", name], env=environment, capture_output=True, text=True, check=True)
    report = json.loads(played.stdout.splitlines()[-1])
    assert (report["turns"], report["always_missing"]) == (15, [])
    assert len(report["missing"]) <= report["needed"] / 10, report["missing"]
    assert report["after"] < 0.92 * report["before"]
    diff = (ROOT / f"tests/cases/runners/{name}/integration.diff").read_text("utf-8").splitlines()
    runner = (ROOT / f"tests/cases/runners/{name}/runner.py").read_text("utf-8").splitlines()
    added = [line[1:] for line in diff if line.startswith("+") and not line.startswith("+++")]
    assert set(added) <= set(runner)
    assert 0 < len(added) <= 20
