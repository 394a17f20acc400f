"""The command line over the small archive, the encoder's double in the place of the model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mvp_site.retrieval import building as rebuild

from ..doubles import build_quickly
from ..hashing import HashingEncoder
from .invoking import Run, invoke, ok, under


@pytest.fixture
def run(archive: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command over it, nothing built."""
    root = archive.parent
    under(root, monkeypatch)
    monkeypatch.setenv("PROMPT_ARCHIVE_DIR", str(archive))
    monkeypatch.setenv("PROMPT_INDEX_DIR", str(root / "data/prompt_index"))
    monkeypatch.setenv("PROMPT_VERSION", "dec_2025")
    monkeypatch.setattr(rebuild, "open_by_fingerprint", lambda *args: HashingEncoder())
    monkeypatch.setattr(rebuild, "find_bundle", lambda *args: HashingEncoder().fingerprint)
    build_quickly(monkeypatch)
    return invoke


@pytest.fixture
def built(run: Run, archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same, with the default version built."""
    kept = tmp_path_factory.getbasetemp() / "built-by-cli"
    if not kept.exists():
        ok(run("index", "build", "--json"))
        shutil.copytree(archive.parent / "data", kept)
    else:
        shutil.copytree(kept, archive.parent / "data")
    return run
