"""What each part of retrieval is worth: all corpora again with one part off, one after the other.

Prompts are filled without a floor, so that ranking is seen apart from refusal. The difference to
the whole is the mean over all corpora, with its 90 % interval by a paired bootstrap in which
questions are drawn within their corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from mvp_site.archive.release import ArchiveRelease, load_release
from mvp_site.archive.versions import read_version
from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.assembly.serving import Loaded
from mvp_site.releases.reloading import Fixed
from mvp_site.retrieval.building import Progress, open_encoder
from mvp_site.retrieval.encoder import Encoder
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.settings import Settings

from .corpora import METRICS, BookQuestion, archives, books
from .metrics import DEPTH, Answer
from .needles import Needle
from .needles_eval import assembled, judge
from .report import Report, lines
from .sets import Split

WHOLE: Final = "as it is"
PROMPTS: Final[Mapping[str, Mapping[str, float]]] = {
    "dense lane": {"dense": 0.0, "lexical": 1.0}, "lexical lane": {"dense": 1.0, "lexical": 0.0},
    "utterances": {"called": 0.0},
}
"""The weights of turns without a part."""
TURNS: Final[Mapping[str, Mapping[str, Any]]] = {
    "the state's words": {"state": None}, "the turn before": {"history": ()},
}
"""Turns without what a part reads."""
BOOKS: Final[Mapping[str, Mapping[str, float]]] = {
    "dense lane": {"dense": 0.0}, "lexical lane": {"lexical": 0.0}, "utterances": {"talk": 0.0},
    "lift to the best child": {"lift": 0.0}, "given names in the text": {"content": 0.0},
    "section of just a name": {"named": 0.0},
}
"""The weights of sections without a part."""
FLOOR: Final = "with the floor"
DRAWS: Final = 1_000
Values = dict[str, list[float]]
"""The measure of each question, by corpus."""


def run_ablation(settings: Settings, texts: Path, split: Split, *, only: str = "",
                 progress: Progress | None = None) -> Report:
    """A row a part of prompts and of rulebooks that was off.

    Raises:
        SettingsError, IndexLoadError, EncoderError: as for ``run_corpora``.
    """
    encoder = open_encoder(settings)
    prompts: dict[str, Values] = {}
    for name, held, needles in archives(settings, texts, split, only, encoder, progress):
        for part, values in _prompts(held, [one for one in needles if one.gold], encoder):
            prompts.setdefault(part, {})[name] = values
    rulebooks: dict[str, Values] = {}
    for name, book, asked in books(settings, texts, split, only, encoder, progress):
        for part, values in _books(book, [one for one in asked if one.gold]):
            rulebooks.setdefault(part, {})[name] = values
    kinds = (
        (f"prompts, {split}: recall within {settings.prompt_max_tokens_retrieved} tokens", prompts),
        (f"rulebooks, {split}: nDCG@{DEPTH}, words and names", rulebooks),
    )
    rows = {title: _rows(parts) for title, parts in kinds if parts}
    report = {"split": split, "encoder": encoder.fingerprint, **rows}
    return Report(report, tuple(lines(report)))


def _prompts(settings: Settings, needles: Sequence[Needle], encoder: Encoder,
             ) -> Iterator[tuple[str, list[float]]]:
    open_floor = replace(settings, prompt_retriever_score_floor=0.0)
    version = read_version(settings, settings.prompt_version or "")
    release = load_release(settings.prompt_index_dir, version.name)

    def recall(release: ArchiveRelease, asked: Sequence[Needle], with_: Settings) -> list[float]:
        served = Fixed(Loaded(release, encoder))
        assembler = PromptAssembler(with_, served, release.header, version.name)
        found = judge(assembled(assembler), version, asked)
        return [one.measures["recall"] for one in found]

    yield WHOLE, recall(release, needles, open_floor)
    for part, weights in PROMPTS.items():
        changed = replace(release.turn_index.weights, **weights)
        turn_index = replace(release.turn_index, weights=changed)
        yield part, recall(replace(release, turn_index=turn_index), needles, open_floor)
    for part, fields in TURNS.items():
        yield part, recall(release, [replace(one, **fields) for one in needles], open_floor)
    yield FLOOR, recall(release, needles, settings)


def _books(book: Rulebook, asked: Sequence[BookQuestion]) -> Iterator[tuple[str, list[float]]]:
    def answer(book: Rulebook, one: BookQuestion) -> Answer:
        found = book.search(one.user_query, None, one.entities, limit=DEPTH)
        return Answer([hit.id for hit in found])

    for part, weights in {WHOLE: {}, **BOOKS}.items():
        found = METRICS.judge(asked, partial(answer, book.weighing(**weights)))
        yield part, [one.measures["ndcg10"] for one in found]


def _rows(parts: Mapping[str, Values]) -> list[dict[str, Any]]:
    whole, rows = parts[WHOLE], []
    for part, values in parts.items():
        means = {name: float(np.mean(held)) for name, held in values.items()}
        changes = [np.subtract(held, whole[name]) for name, held in values.items()]
        change, low, high = _change(changes)
        rows.append({"part": part, **means, "mean": float(np.mean([*means.values()])),
                     "change": change, "from": low, "to": high})
    return rows


def _change(changes: Sequence[Any]) -> tuple[float, float, float]:
    """The mean over corpora of their mean changes, and its 90 % interval."""
    chance = np.random.default_rng(0)
    drawn = [
        np.mean([chance.choice(held, len(held)).mean() for held in changes]) for _ in range(DRAWS)
    ]
    low, high = np.quantile(drawn, (0.05, 0.95))
    return float(np.mean([held.mean() for held in changes])), float(low), float(high)
