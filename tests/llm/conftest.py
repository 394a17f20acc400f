"""The loopback server, and an environment without anybody's keys."""

from __future__ import annotations

import os

import pytest

from tests.llm.loopback import loopback  # noqa: F401 (a fixture)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith(("OPENAI_", "ANTHROPIC_"))]:
        monkeypatch.delenv(name)
