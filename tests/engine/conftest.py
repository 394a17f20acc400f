"""A site on real files: the sample campaign, a built rulebook and a scanned book; the encoder alone is a double."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings
from mvp_site.engine.central_engine import CentralEngine
from mvp_site.library.library import Library
from mvp_site.rulebook.build import build_rulebook
from mvp_site.sessions.session_notes import SAMPLE, SessionNotes
from mvp_site.store.campaigns import CampaignStore
from tests.cli.invoking import under
from tests.library.conftest import ATLAS, SECRETS
from tests.rulebook.small_book import TEXT

ASKED = "What does my sheet say of Emberburst, what do the core rules say about it, who cast it in session 2, and does any of my books mention Emberburst in the Marches?"
"""It needs all four domains."""
EMBERS = "# Emberburst in the Marches\n\nThe reed cutters forbid the spell Emberburst from the first frost on."


@dataclass(frozen=True, slots=True)
class Site:
    """The site's folder; ``settings`` are those of its engines."""

    root: Path

    def settings(self, **fields: Any) -> Settings:
        return Settings(**{"mvp_site_data_dir": self.root / "data", **fields})

    def open(self, **fields: Any) -> CentralEngine:
        return CentralEngine.open(self.settings(**fields))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site as it was built; nothing of it may be changed."""
    site = Site(tmp_path_factory.mktemp("site"))
    with pytest.MonkeyPatch.context() as patch:
        under(site.root, patch)
        (site.root / "small.md").write_text(TEXT)
        build_rulebook(site.settings(), site.root / "small.md")
        (site.root / "books").mkdir()
        for name, text in (("atlas.md", f"{ATLAS}\n{EMBERS}"), ("secrets.md", SECRETS)):
            (site.root / "books" / name).write_text(text)
        with closing(Library.open(site.settings())) as library:
            library.scan(site.root / "books")
        with closing(SessionNotes.open(site.settings())) as notes, CampaignStore.open(site.settings()) as store:
            notes.import_samples()
            store.bind(SAMPLE, ["atlas"])
        site.open().close()
        yield site


@pytest.fixture
def site(built: Site, tmp_path: Path) -> Site:
    """A copy of the site, to be damaged."""
    shutil.copytree(built.root / "data", tmp_path / "data")
    return Site(tmp_path)
