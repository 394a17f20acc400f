"""A library of two books and a few entities, with the encoder's double, as operations see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mvp_site.entities.build import build_entities
from mvp_site.operations.services import Services
from tests.cli.invoking import under
from tests.entities.small_stock import stock_as_srd
from tests.library.conftest import ATLAS, SECRETS, Shelf


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Parts over an empty data folder; builds of entities take the small stock for the SRD."""
    under(tmp_path, monkeypatch)
    with stock_as_srd(monkeypatch):
        opened = Services(Shelf(tmp_path).settings)
        yield opened
        opened.close()


@pytest.fixture
def stocked(services: Services, tmp_path: Path) -> Services:
    """The same with an atlas, the game master's secrets, and the entities."""
    (tmp_path / "books/atlas.md").write_text(ATLAS)
    (tmp_path / "books/secrets.md").write_text(SECRETS)
    services.library().scan(tmp_path / "books")
    build_entities(services.settings)
    return services
