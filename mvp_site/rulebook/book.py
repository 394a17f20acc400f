"""A rulebook that is ready to be asked: its sections with everything that was built from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from ..releases.store import ReleaseManifest
from ..retrieval import arrays, query_expansion, topic_files
from ..retrieval.collection import Numbers
from ..retrieval.encoder import Encoder
from ..retrieval.index import HybridIndex, Passage, Progress, VectorCache
from ..retrieval.query_expansion import QueryExpansion
from ..text.languages import ENGLISH, language
from .name_index import TitleIndex, WordIndex
from .sections import Section, Sections
from .srd_tables import SrdTables
from .srd_things import SrdEntity
from .weights import SectionWeights

FORMAT: Final = 7
RULES: Final = 8
"""Raised whenever the same markdown gives other passages, categories or tables."""
SECTIONS: Final = "sections.json"
THINGS: Final = "things.json"
SPOKEN: Final = "said.txt"
HOMES: Final = "talk_homes.npy"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookManifest(ReleaseManifest):
    """What a release of a rulebook is."""

    source: str
    attribution: str
    sections: int
    tokens: int
    default: bool
    weights: SectionWeights
    languages: tuple[str, ...] = ENGLISH.codes


@dataclass(frozen=True, slots=True, eq=False)
class LoadedRulebook:
    """A loaded rulebook; nothing of it changes."""

    manifest: RulebookManifest
    sections: Sections
    index: HybridIndex
    titles: TitleIndex
    mentions: WordIndex
    tables: SrdTables
    expansion: QueryExpansion
    homes: Numbers
    """The section where each topic of the utterances is at home, -1 for none."""
    said: Sequence[str]
    """Words of the utterances: what people say at the table is not misspelt."""


def build_files(sections: Sections, things: Sequence[SrdEntity], encoder: Encoder,
                cache: VectorCache, languages: tuple[str, ...],
                progress: Progress | None = None) -> dict[str, bytes]:
    """Everything that :func:`assemble` needs, as files."""
    # The title counts twice, once of them as the end of the path.
    passages = [Passage(section.id, section.path, section.content, stressed=(section.title,))
                for section in sections]
    index = HybridIndex.build(passages, encoder, cache, progress, heading_weight=1,
                              language=language(languages))
    table = topic_files.rule_topics()
    expansion = QueryExpansion.build(
        table, cache.encode(query_expansion.texts(table))[0], index.dense.vectors())
    return {
        SPOKEN: "\n".join(topic_files.spoken_words(table)).encode(),
        SECTIONS: msgspec.json.encode(tuple(sections)), THINGS: msgspec.json.encode(things),
        **index.dump(), **WordIndex.build(sections).dump(), **expansion.dump(),
        HOMES: arrays.to_bytes(expansion.homes(index)),
    }


def assemble(manifest: RulebookManifest, files: Mapping[str, bytes]) -> LoadedRulebook:
    """The book of those files."""
    sections = Sections(msgspec.json.decode(files[SECTIONS], type=list[Section]))
    things = msgspec.json.decode(files[THINGS], type=list[SrdEntity])
    return LoadedRulebook(manifest, sections, HybridIndex.load(files, len(sections)),
                          TitleIndex(sections), WordIndex.load(files), SrdTables(things, sections),
                          QueryExpansion.load(files), arrays.from_bytes(files[HOMES]),
                          files[SPOKEN].decode().split("\n"))


def manifest_of(name: str, values: Mapping[str, Any]) -> RulebookManifest:
    """The manifest of the release ``name`` from its JSON."""
    return msgspec.convert({**values, "fingerprint": name}, RulebookManifest)
