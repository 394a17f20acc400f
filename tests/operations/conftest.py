"""A library of two books and a few entities, with the encoder's double, as operations see them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from mvp_site.entities.build import build_entities
from mvp_site.operations.services import Services
from tests.cli.invoking import under
from tests.entities.small_stock import stock_as_srd
from tests.library.conftest import ATLAS, SECRETS, Shelf


@contextmanager
def opened(root: Path) -> Iterator[Services]:
    with pytest.MonkeyPatch.context() as patch:
        under(root, patch)
        with stock_as_srd(patch), closing(Services(Shelf(root).settings)) as services:
            yield services


def stock(services: Services, root: Path) -> Services:
    (root / "books/atlas.md").write_text(ATLAS)
    (root / "books/secrets.md").write_text(SECRETS)
    services.library().scan(root / "books")
    build_entities(services.settings)
    return services


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Parts over an empty data folder; builds of entities take the small stock for the SRD."""
    with opened(tmp_path) as services:
        yield services


@pytest.fixture
def stocked(services: Services, tmp_path: Path) -> Services:
    """The same with an atlas, the game master's secrets, and the entities."""
    return stock(services, tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The same for the tests of a file that change nothing: what it patches would reach other files."""
    root = tmp_path_factory.mktemp("stocked")
    with opened(root) as services:
        yield stock(services, root)
