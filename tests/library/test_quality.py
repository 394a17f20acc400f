"""The whole shelf, read and asked with the real encoder: what the library promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .shelf.library import build_shelf

SCRIPTS = Path(__file__).parents[2] / "scripts"
pytestmark = [pytest.mark.slow, pytest.mark.encoder, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, encoder_bundle: tuple[Path, str]) -> Path:
    """A data folder with the encoder, in which the shelf is encoded once."""
    folder = tmp_path_factory.mktemp("quality")
    (folder / "encoder").symlink_to(encoder_bundle[0].absolute())
    return folder


def test_contents_pages_types_and_questions(kept: Path) -> None:
    """By the third of the questions that nothing was tuned by."""
    shelf = kept / "shelf"
    build_shelf(shelf)
    done = subprocess.run(
        [sys.executable, "-m", "evaluation", "library", "--shelf", str(shelf), "--split", "test",
         "--json"],
        capture_output=True, check=True,
        env={**os.environ, "MVP_SITE_DATA_DIR": str(kept), "PYTHONPATH": str(SCRIPTS)},
    )
    report: dict[str, Any] = json.loads(done.stdout)
    found = report["systems"]["library"]["all"]["measures"]
    assert found["s5"] >= 0.85
    assert found["mrr"] >= 0.75
    assert found["page"] == 1
    counts = {name: sum(book[name] for book in report["books"])
              for name in ("things", "found", "page", "type")}
    assert counts["found"] >= 0.97 * counts["things"]
    assert counts["page"] == counts["found"]
    assert counts["type"] >= 0.95 * counts["found"]
