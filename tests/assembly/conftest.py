"""Builds of these tests are many and of no interest themselves: few probes, no wait for the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from mvp_site.archive import build
from mvp_site.retrieval.utterances import load_off_topic


@pytest.fixture(autouse=True, scope="package")
def _quick_builds() -> Iterator[None]:
    probes = load_off_topic()[::40]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "load_off_topic", lambda: probes)
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield
