"""The scripts are no package: what they import stands beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(autouse=True, scope="session")
def _scripts() -> Iterator[None]:
    """As Python finds them when a script is started, and a child of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(SCRIPTS), str(SCRIPTS / "benchmarks")])
        yield
