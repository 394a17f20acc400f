"""Doubles: archives written in a line, an encoder that fails when told."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.archive import build, turn_classifiers
from mvp_site.retrieval.encoder import Vectors
from mvp_site.retrieval.topic_files import load_off_topic

from .conftest import HEADER, settings_under
from .few_utterances import LEANING
from .hashing import HashingEncoder


def build_quickly(patch: pytest.MonkeyPatch) -> None:
    """Make builds quick that are of no interest themselves: few probes, no wait for the disk."""
    probes = load_off_topic()[::40]
    patch.setattr(build, "load_off_topic", lambda *of: probes)
    patch.setattr(turn_classifiers, "groups", lambda: LEANING)
    patch.setattr(os, "fsync", lambda descriptor: None)


def write_version(root: Path, files: Mapping[str, str], version: str = "dec_2025", header: str = HEADER) -> Path:
    """An archive under ``root`` with ``files`` as its version."""
    archive = root / "prompt_archive"
    for name, text in files.items():
        path = archive / version / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "replace"))
    (archive / "core_header.txt").write_bytes(header.encode())
    return archive


def build_under(root: Path, encoder: HashingEncoder | None = None, **fields: Any) -> Settings:
    """Settings over the archive under ``root``, its index built."""
    settings = settings_under(root, **fields)
    build_prompt_index(settings, encoder=encoder or HashingEncoder())
    return settings


def assembler_of(root: Path, files: Mapping[str, str], *, redactors: Sequence[Callable[..., str]] = (),
                 encoder: HashingEncoder | None = None, **fields: Any,
                 ) -> PromptAssembler:
    """An assembler over ``files``; floor 0 unless said otherwise, so that every word finds something."""
    write_version(root, files)
    settings = settings_under(root, **{"prompt_retriever_score_floor": 0.0, **fields})
    recipe = hashlib.sha256(repr(sorted(files.items())).encode("utf-8", "replace")).hexdigest()
    kept = _shelf() / recipe
    if not (root / "data").exists() and kept.is_dir():
        shutil.copytree(kept, root / "data")
    else:
        build_prompt_index(settings, encoder=HashingEncoder())
        if not kept.exists():
            shutil.copytree(root / "data", kept)
    return PromptAssembler.open(settings, encoder=encoder or HashingEncoder(), redactors=redactors)


@cache
def _shelf() -> Path:
    """Where one build of each archive is kept while the tests run."""
    folder = Path(tempfile.mkdtemp(prefix="mvp-site-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class FailingEncoder(HashingEncoder):
    """Raises ``error`` while it is set, for texts that hold ``where``."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None
        self.where = ""

    def encode(self, texts: Sequence[str]) -> Vectors:
        if self.error is not None and any(self.where in text for text in texts):
            raise self.error
        return super().encode(texts)
