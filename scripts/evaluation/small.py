"""Small archives: how the shipped floor serves those that are too small to calibrate one.

Each archive's files are dealt into parts that stay below that size, in an order by lot, and each
part is indexed and asked by itself: what is in it, and what is off topic. Files that are too large
for a part are left out, with what is asked of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from mvp_site.archive.build import build_prompt_index
from mvp_site.archive.floors import FEWEST, SHIPPED
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import HEADER, Version, read_version
from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.retrieval.encoder import Encoder
from mvp_site.settings import Settings

from .corpora import archives, by_topic, mean_of
from .metrics import Outcome
from .needles import Needle
from .needles_eval import assembled, judge
from .report import Report, lines
from .sets import Split

SEED: Final = 1


def run_small(settings: Settings, texts: Path, split: Split, *, only: str = "",
              progress: Progress | None = None) -> Report:
    """A row an archive: what is found of what its parts hold, and what is refused.

    Raises:
        SettingsError, IndexLoadError, EncoderError: as for ``run_corpora``.
    """
    encoder = open_encoder(settings)
    rows: list[dict[str, Any]] = []
    for name, held, needles in archives(settings, texts, split, only, encoder, progress):
        version = read_version(held, held.prompt_version or "")
        parts = [*_parts(version)]
        found = [one for part in parts for one in _asked(held, version, part, needles, encoder)]
        on_topic, off_topic = by_topic(found)
        rows.append({
            "corpus": name, "parts": len(parts), "questions": len(on_topic),
            "found": mean_of(on_topic, "recall"),
            "on_topic_refused": mean_of(on_topic, "sparse"),
            "off_topic_refused": mean_of(off_topic, "sparse"),
        })
    floor = settings.prompt_retriever_score_floor
    floor = SHIPPED.both if floor is None else floor
    head = f"{split}, floor {floor}: parts of under {FEWEST} passages, each asked by itself"
    values = {"split": split, "floor": floor, "corpora": rows}
    return Report(values, (head, *lines({"corpora": rows})))


def _parts(version: Version) -> Iterator[Version]:
    """The files in an order by lot, as many at a time as stay below the size."""
    lot = np.random.default_rng(SEED).permutation(len(version.sources))
    part, passages = replace(version, sources=()), 0
    for source in (version.sources[place] for place in lot):
        own = sum(len(chunk.pieces) for chunk in chunk_version(replace(version, sources=(source,))))
        if own >= FEWEST:
            continue
        if passages + own >= FEWEST:
            yield part
            part, passages = replace(version, sources=()), 0
        part, passages = replace(part, sources=(*part.sources, source)), passages + own
    if part.sources:
        yield part


def _asked(settings: Settings, version: Version, part: Version, needles: Sequence[Needle],
           encoder: Encoder) -> list[Outcome[Needle]]:
    """The outcomes of what the part holds and of what nothing does."""
    files = {source.file for source in part.sources}
    own = [one for one in needles
           if all(any(span.file in files for span in need.any) for need in one.gold)]
    with TemporaryDirectory() as folder:
        for source in part.sources:
            path = Path(folder, "archive", version.name, source.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source.text, encoding="utf-8")
        Path(folder, "archive", version.name, HEADER).write_bytes(version.header)
        held = replace(settings, prompt_archive_dir=Path(folder, "archive"),
                       prompt_index_dir=Path(folder, "index"))
        build_prompt_index(held, encoder=encoder)
        return judge(assembled(PromptAssembler.open(held, encoder=encoder)), version, own)
