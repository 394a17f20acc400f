"""What the shipped encoder costs: the same questions asked with it and with its model in fp32."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mvp_site.archive.build import build_prompt_index
from mvp_site.archive.versions import read_version
from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.retrieval.encoder import Encoder, OnnxEncoder
from mvp_site.settings import Settings
from mvp_site.training.export import export_bundle

from .corpora import METRICS, archives, books, found_in
from .metrics import Outcome, difference, mean
from .needles_eval import assembled, judge
from .report import Report, lines
from .sets import Split

Judged = dict[str, tuple[str, list[Outcome[Any]]]]
"""By corpus: the measure that is compared, and the outcome of each question on topic."""


def run_encoders(settings: Settings, texts: Path, split: Split, *, only: str = "",
                 progress: Progress | None = None) -> Report:
    """A row a corpus: the mean with each encoder, and the paired difference with its interval.

    Raises:
        SettingsError, IndexLoadError, EncoderError: as for ``run_corpora``.
    """
    with TemporaryDirectory() as folder:
        shelf = Path(folder)
        whole = OnnxEncoder.open(shelf, export_bundle(shelf, precision="fp32"))
        shipped, reference = (
            dict(_judged(settings, texts, split, only, encoder, progress))
            for encoder in (open_encoder(settings), whole)
        )
    rows = []
    for name, (measure, outcomes) in shipped.items():
        ours, other = ([one.measures[measure] for one in held]
                       for held in (outcomes, reference[name][1]))
        gain = difference(ours, other)
        rows.append({"corpus": name, "measure": measure, "questions": len(ours),
                     "shipped": mean(ours), "fp32": mean(other), "gain": gain.mean,
                     "low": gain.low, "high": gain.high})
    head = f"{split}: shipped encoder and fp32; the gain with its 95 % interval (paired)"
    return Report({"split": split, "corpora": rows}, (head, *lines({"corpora": rows})))


def _judged(settings: Settings, texts: Path, split: Split, only: str, encoder: Encoder,
            progress: Progress | None) -> Iterator[tuple[str, tuple[str, list[Outcome[Any]]]]]:
    for name, held, needles in archives(settings, texts, split, only, encoder, progress):
        with TemporaryDirectory() as index:
            own = replace(held, prompt_index_dir=Path(index))
            build_prompt_index(own, encoder=encoder, progress=progress)
            printer = assembled(PromptAssembler.open(own, encoder=encoder))
            version = read_version(own, own.prompt_version or "")
            yield name, ("recall", judge(printer, version, [one for one in needles if one.gold]))
    for name, book, asked in books(settings, texts, split, only, encoder, progress):
        on_topic = [one for one in asked if one.gold]
        yield (f"{name}, a rulebook",
               ("ndcg10", METRICS.judge(on_topic, partial(found_in, book, True))))
