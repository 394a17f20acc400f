"""The real encoder where settings look for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvp_site import Settings
from mvp_site.retrieval.encoder import pointer
from mvp_site.settings import DEFAULT_MODEL


@pytest.fixture
def real_settings(settings: Settings, encoder_bundle: tuple[Path, str]) -> Settings:
    """The small archive, with the real encoder in the data folder."""
    shelf, name = encoder_bundle
    settings.encoder_dir.mkdir(parents=True)
    (settings.encoder_dir / name).symlink_to(shelf / name)
    pointer(settings.encoder_dir, DEFAULT_MODEL).write_text(f"{name}\n")
    return settings
