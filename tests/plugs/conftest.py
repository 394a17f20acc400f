"""Frameworks with their telemetry switched off, by their own switches, before they are imported."""

from __future__ import annotations

import os

import pytest

from mvp_site import PromptAssembler

from ..doubles import assembler_of
from ..web.conftest import (  # noqa: F401 (fixtures)
    book,
    compiled,
    dm_headers,
    handler,
    loopback,
    make_app,
    site_assemblers,
    site_settings,
)

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "false"
os.environ["LANGSMITH_TRACING"] = "false"

MARKET = {
    "trade.md": "# Trade\n\nA merchant pays half of the listed price for goods in fair order.",
    "haggling.md": "# Haggling\n\n## With a merchant\n\nA merchant who is pressed adds a tenth to the price.",
    "fairs.md": "# Fairs\n\nAt a fair a merchant pays a higher price in the morning.",
    "ledger.md": "---\naudience: dm\n---\n# The ledger\n\nThe true price that a merchant pays lies under a stone.",
}
ASKED = "What price does a merchant pay?"


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> PromptAssembler:
    """An assembler over a small archive of prices."""
    return assembler_of(tmp_path_factory.mktemp("market"), MARKET)
