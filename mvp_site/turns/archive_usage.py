"""How an archive is used: what turns made of each section, and which turns it had nothing for.

It is read from the manifests of turns. A section is a chunk of the release in service. What a turn
was told of an earlier release counts for the chunk of today that has most of the same passages,
else of the same headings in the same file.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import msgspec
import numpy as np

from ..archive.chunks import Chunk, load_chunks
from ..archive.release import META
from ..archive.versions import store_of
from ..assembly.assembler import PromptAssembler
from ..errors import MissingIndexError, StoreError
from ..retrieval.encoder import Encoder, Vectors
from ..settings import Settings
from ..store.types import StoredRetrieval
from ..text.normalising import normalise
from .replay import Recorded, recorded

ALIKE: Final = 0.7
"""Turns whose vectors have at least this cosine ask the same; looked at on 28 texts."""
_COMPARED: Final = 2_000
"""The commonest texts, which are compared by meaning; a thousand take about two seconds."""
_TEXTS: Final = 5
"""How many wordings of a group are told."""
_CHARS: Final = 200
_log = logging.getLogger("mvp_site.turns")


@dataclass(frozen=True, slots=True)
class SectionUsage:
    """How often a chunk was a candidate, was printed, and was dropped, by reason.

    ``titles`` are the headings right above its text; ``looked_up`` is how often the model was given
    it for a look-up.
    """

    id: str
    file: str
    titles: tuple[str, ...]
    tokens: int
    candidate: int = 0
    printed: int = 0
    looked_up: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SparseTurns:
    """Turns that asked nearly the same and got nothing: how many, why, and in which words."""

    turns: int
    reasons: Mapping[str, int]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArchiveUsage:
    """What the ``turns`` of a version made of its archive; ``sparse`` of them got nothing.

    ``skipped`` turns are of other versions, or cannot be read. ``sections`` are in the archive's
    order, ``unused`` the ids of those that no turn was ever given. ``gone`` counts what turns were
    told of sections that there are no more. Groups of ``sparse_turns`` are the largest first.
    """

    version: str
    turns: int
    sparse: int
    skipped: int
    sections: tuple[SectionUsage, ...]
    unused: tuple[str, ...]
    gone: int
    sparse_turns: tuple[SparseTurns, ...]


def archive_usage(settings: Settings, assembler: PromptAssembler,
                  retrievals: Iterable[StoredRetrieval]) -> ArchiveUsage:
    """What turns (:meth:`~mvp_site.store.campaigns.CampaignStore.retrievals`) made of an archive.

    Raises:
        MissingIndexError: the assembler has none.
    """
    loaded, version = assembler.loaded, assembler.version
    if loaded is None:
        raise MissingIndexError(assembler.problem)
    chunks = loaded.release.chunks
    fates: dict[str, Counter[str]] = {"": Counter(), **{chunk.id: Counter() for chunk in chunks}}
    sparse: list[tuple[str, str]] = []
    turns = skipped = 0
    renamed: dict[str | None, Mapping[str, str]] = {}
    for retrieval in retrievals:
        try:
            log: Recorded | None = recorded(retrieval.manifest)
        except StoreError:  # a campaign may be imported
            log = None
        if log is None or log.version != version:
            skipped += 1
            continue
        turns += 1
        if log.sparse_reason is not None:
            sparse.append((retrieval.user_input, log.sparse_reason))
        if log.release not in renamed:
            before = _chunks_of(settings, version, log.release)
            renamed[log.release] = _renamed(before, chunks)
        names = renamed[log.release]
        for chunk_id, fate in (
            *((chunk.id, "printed") for chunk in log.chunks),
            *((dropped.id, dropped.reason) for dropped in log.dropped),
            *((chunk.id, "looked_up") for look_up in log.look_ups for chunk in look_up.chunks),
        ):
            name = names.get(chunk_id, chunk_id)
            fates[name if name in fates else ""][fate] += 1
    gone = fates.pop("").total()
    sections = tuple(_section(chunk, fates[chunk.id]) for chunk in chunks)
    return ArchiveUsage(
        version, turns, len(sparse), skipped, sections,
        tuple(row.id for row in sections if not row.printed + row.looked_up), gone,
        _grouped(sparse, loaded.encoder),
    )


def _chunks_of(settings: Settings, version: str, release: str | None) -> tuple[Chunk, ...]:
    """The chunks of a release that is kept; none of one that is not, or cannot be read."""
    store = store_of(settings.prompt_index_dir, version)
    if release in store.names():
        with suppress(OSError, msgspec.DecodeError):
            return load_chunks((store.folder / str(release) / META).read_bytes())
    return ()


def _renamed(before: Sequence[Chunk], chunks: Sequence[Chunk]) -> dict[str, str]:
    """The ids of today of an earlier release's chunks, '' of those that are gone."""
    texts = {piece.text: chunk.id for chunk in reversed(chunks) for piece in chunk.pieces}
    places = {(chunk.file, piece.path): chunk.id
              for chunk in reversed(chunks) for piece in chunk.pieces}
    names: dict[str, str] = {}
    for chunk in before:
        same = [texts[piece.text] for piece in chunk.pieces if piece.text in texts]
        same = same or [places[place] for piece in chunk.pieces
                        if (place := (chunk.file, piece.path)) in places]
        names[chunk.id] = Counter(same or [""]).most_common(1)[0][0]
    return names


def _section(chunk: Chunk, fates: Counter[str]) -> SectionUsage:
    dropped = {fate: count for fate, count in sorted(fates.items())
               if fate not in {"printed", "looked_up"}}
    return SectionUsage(
        chunk.id, chunk.file,
        tuple(dict.fromkeys(piece.path[-1] for piece in chunk.pieces if piece.path)), chunk.tokens,
        fates["printed"] + sum(dropped.values()), fates["printed"], fates["looked_up"], dropped,
    )


def _grouped(sparse: Sequence[tuple[str, str]], encoder: Encoder) -> tuple[SparseTurns, ...]:
    """Sparse turns, texts with their reasons, by what they ask."""
    texts: dict[str, str] = {}
    reasons: dict[str, Counter[str]] = {}
    for text, reason in sparse:
        texts.setdefault(key := normalise(text), text)
        reasons.setdefault(key, Counter())[reason] += 1
    keys = sorted(texts, key=lambda key: (-reasons[key].total(), key))
    alike: list[list[int]] = []
    try:
        alike = _alike(encoder.encode(keys[:_COMPARED])) if keys else []
    except Exception as error:  # noqa: BLE001 - without the encoder the texts alone are compared
        _log.warning("turns are not grouped by meaning (%s)", type(error).__name__)
    alike += [[number] for number in range(sum(map(len, alike)), len(keys))]
    groups = [
        SparseTurns(
            sum(reasons[keys[number]].total() for number in numbers),
            dict(sum((reasons[keys[number]] for number in numbers), Counter())),
            tuple(texts[keys[number]][:_CHARS] for number in numbers[:_TEXTS]),
        ) for numbers in alike
    ]
    return tuple(sorted(groups, key=lambda group: -group.turns))


def _alike(vectors: Vectors) -> list[list[int]]:
    """The numbers of vectors by groups: each joins the nearest first of a group, or begins one."""
    groups: list[list[int]] = []
    for number, vector in enumerate(vectors):
        cosines = vectors[[group[0] for group in groups]] @ vector if groups else np.zeros(1)
        best = int(cosines.argmax())
        if cosines[best] >= ALIKE:
            groups[best].append(number)
        else:
            groups.append([number])
    return groups
