"""Doubles: archives written in a line, an encoder that fails when told, stand-ins for releases."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.archive.chunks import Chunk
from mvp_site.archive.delimiters import CLOSING_TAG, CONTEXT_END, CUT, context_open
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.retriever import Candidate, Retrieved
from mvp_site.archive.versions import PromptFile, Version
from mvp_site.retrieval.encoder import Vectors
from mvp_site.retrieval.ranking import Ranking
from mvp_site.text.tokens import printed_tokens
from mvp_site.types import AUDIENCES

from .conftest import HEADER, settings_under
from .hashing import HashingEncoder


def write_version(root: Path, files: Mapping[str, str], version: str = "dec_2025", header: str = HEADER,
                  ) -> Path:
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


# --- a release without a build, for what reads chunks and evidence alone --------------------------


def release_of(files: Mapping[str, str], version: str = "dec_2025") -> Any:
    """What ``select`` and ``plan`` read of a release."""
    chunks = chunk_version(
        Version(version, b"header", tuple(PromptFile(f, files[f]) for f in sorted(files)), "hash")
    )
    counts = [len(chunk.pieces) for chunk in chunks]
    around = (context_open(version), CONTEXT_END), (CLOSING_TAG,), (CUT,)
    return SimpleNamespace(
        chunks=chunks, manifest=SimpleNamespace(
            version=version,
            delimiter_tokens=[sum(map(printed_tokens, texts)) for texts in around]
        ),
        first_piece=np.cumsum(counts, dtype=np.int64) - counts,
        spans=tuple(slice(int(end - n), int(end)) for end, n in zip(np.cumsum(counts), counts, strict=True)),
        audience_rank=np.asarray([AUDIENCES.index(c.audience) for c in chunks], np.int8),
        sources=SimpleNamespace(index=SimpleNamespace(passages=sum(counts))),
    )


def evidence_of(scores: Sequence[float], order: Sequence[float] | None = None) -> Ranking:
    """A ranking of this evidence, a piece each, the same in both lanes; ``order`` ranks."""
    evidence = np.asarray(scores, np.float32)
    ranks = evidence if order is None else np.asarray(order, np.float32)
    return Ranking(np.arange(len(scores)), ranks, {}, evidence, evidence, evidence, evidence)


def retrieved_of(release: Any, numbers: Sequence[int], scores: Callable[[Chunk, int], float],
                 floor: float = 0.0) -> Retrieved:
    """Chunks by number as if they had been selected; ``scores`` gives each piece its evidence."""
    candidates = []
    for number in numbers:
        chunk = release.chunks[number]
        pieces = tuple(scores(chunk, n) for n in range(len(chunk.pieces)))
        best = max(pieces)
        candidates.append(Candidate(number, chunk.id, " > ".join(chunk.section), best, best, best, pieces))
    best = max((c.evidence for c in candidates), default=0.0)
    return Retrieved(tuple(candidates), (), None, floor, best)
