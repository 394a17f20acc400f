"""The real encoder where settings look for it."""

from __future__ import annotations

import pytest

from mvp_site import Settings
from mvp_site.retrieval.encoder import OnnxEncoder


@pytest.fixture
def real_settings(settings: Settings, real_encoder: OnnxEncoder) -> Settings:
    """The small archive, for tests with the real encoder."""
    return settings
