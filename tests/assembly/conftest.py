"""Builds of these tests are many and of no interest themselves: few probes, no wait for the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mvp_site import PromptAssembler

from ..doubles import FailingEncoder, assembler_of, build_quickly

FILES = {
    "falling.md": "# Falling\n\nA creature that falls takes 1d6 bludgeoning damage for every ten feet.",
    "trade.md": "# Trade\n\nA merchant pays half of the listed price for goods in fair order.",
    "god.md": "---\nmode: god\n---\n# Returning\n\nThe command god:return_story takes the tale up again.",
    "ledger.md": "---\naudience: dm\n---\n# The ledger\n\nThe harbour master keeps the true ledger under a stone.",
    "fate.md": "---\naudience: god\n---\n# Fate\n\nThe harbour master dies on the last night, whatever they do.",
}


@pytest.fixture(autouse=True, scope="package")
def _quick_builds() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        build_quickly(patch)
        yield


@pytest.fixture
def encoder() -> FailingEncoder:
    """An encoder that fails when it is told to."""
    return FailingEncoder()


@pytest.fixture
def assembler(tmp_path: Path, encoder: FailingEncoder) -> PromptAssembler:
    """Over the small archive ``FILES``, with that encoder and no floor."""
    return assembler_of(tmp_path, FILES, encoder=encoder)
