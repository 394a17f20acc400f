"""Adapting the encoder: to the game that the package ships, and to somebody's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..archive.passages import chunk_version
from ..archive.passages import passages as archive_passages
from ..archive.versions import list_versions, read_version
from ..retrieval.index import Passage
from ..retrieval.topic_files import Topic, entity_topics
from ..rulebook.build import default_rulebook
from ..rulebook.markdown import parse_rulebook
from ..settings import Settings
from .adaptation import STEPS, Progress, examples, train
from .adapter import Point
from .export import SentenceTransformersEncoder, open_sentence_transformers
from .games import read_games


@dataclass(frozen=True, slots=True, eq=False)
class Adapted:
    """An encoder that has learnt, from weights of the fingerprint ``base``, and what changed.

    ``changes`` are arrays by the names of the weights, ``learnt`` how many examples there were.
    """

    encoder: SentenceTransformersEncoder
    base: str
    changes: dict[str, Any]
    curve: Sequence[Point]
    learnt: int


def adapt(settings: Settings, own: Sequence[Topic] = (), *, games: Path | None = None,
          shipped: bool = False, steps: int = STEPS, threads: int = 2,
          progress: Progress | None = None) -> Adapted:
    """The settings' model, having learnt from utterances, the SRD and the archive.

    ``own`` topics are learnt beside them, and the invented ``games`` of a folder. With ``shipped``
    the model begins as it came, without the adapter of this package.

    Raises:
        EncoderError: the model cannot be loaded.
        ArchiveError: a file of the archive cannot be used.
    """
    encoder = open_sentence_transformers(settings.prompt_embed_model, threads, adapted=not shipped)
    archive = [
        passage for name in list_versions(settings)
        for passage in archive_passages(chunk_version(read_version(settings, name)))
    ]
    sections = parse_rulebook(default_rulebook().text)
    book = [Passage(section.id, section.path, section.content) for section in sections]
    played = read_games(games) if games else ()
    kinds = examples(entity_topics(), own, book, archive, played, encoder)
    base = encoder.fingerprint
    changes, curve = train(encoder, kinds, steps=steps, threads=threads, progress=progress)
    learnt = sum(len(pool) for kind in kinds for pool in kind.pools)
    return Adapted(encoder, base, changes, curve, learnt)
