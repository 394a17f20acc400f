"""A rulebook that is ready to be asked: its sections with everything that was built from them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import msgspec

from ..retrieval import query_expansion, utterances
from ..retrieval.encoder import Encoder
from ..retrieval.index import HybridIndex, Passage, Progress, VectorCache
from ..retrieval.query_expansion import QueryExpansion
from ..text.names import words
from .categories import Assignment, Category
from .name_index import TitleIndex, WordIndex
from .sections import Section, Sections
from .srd_tables import SrdTables
from .srd_things import SrdEntity, dump, load
from .weights import SectionWeights

FORMAT: Final = 5
RULES: Final = 6
"""Raised whenever the same markdown gives other passages, categories or tables."""
SECTIONS: Final = "sections.jsonl"
THINGS: Final = "things.jsonl"
SAID: Final = "said.txt"
TITLE_WEIGHT: Final = 2
_KEPT: Final = tuple(field.name for field in fields(Section) if field.name != "categories")


@dataclass(frozen=True, slots=True)
class RulebookManifest:
    """What a release of a rulebook is; the file is ``manifest.json``."""

    fingerprint: str
    source: str
    attribution: str
    sections: int
    tokens: int
    windows: int
    encoder: str
    model: str
    default: bool
    weights: SectionWeights
    built: bool = False
    encoded: int = 0
    """How many texts this build encoded; ``built`` is False where there was nothing to do."""


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
    said: Sequence[str]
    """Words of the utterances: what people say at the table is not misspelt."""


def passages(sections: Sections) -> list[Passage]:
    """What is indexed of each section: its text under its path, its title counted twice."""
    return [
        Passage(section.id, section.path, section.content,
                stressed=(section.title,) * (TITLE_WEIGHT - 1))
        for section in sections
    ]


def build_files(sections: Sections, things: Sequence[SrdEntity], encoder: Encoder,
                cache: VectorCache,
                progress: Progress | None = None) -> dict[str, bytes]:
    """Everything that :func:`assemble` needs, as files."""
    index = HybridIndex.build(passages(sections), encoder, cache, progress, heading_weight=1)
    table = utterances.rule_topics()
    said = {word for topic in table for text in topic.says for word in words(text)}
    return {
        SAID: "\n".join(sorted(said)).encode(),
        SECTIONS: _dump(sections),
        **index.dump(), **WordIndex.build(sections).dump(), THINGS: dump(things),
        **QueryExpansion.build(
            table, cache.encode(query_expansion.texts(table))[0], index.dense.vectors()
        ).dump(),
    }


def assemble(manifest: RulebookManifest, files: Mapping[str, bytes]) -> LoadedRulebook:
    """The book of those files."""
    rows = [json.loads(line) for line in files[SECTIONS].decode().split("\n")]
    for row in rows:
        row["categories"] = [Assignment(Category(c), why, w) for c, why, w in row["categories"]]
    sections = Sections(msgspec.convert(rows, list[Section]))
    return LoadedRulebook(
        manifest, sections,
        HybridIndex.load(files, len(sections)), TitleIndex(sections), WordIndex.load(files),
        SrdTables(load(files[THINGS]), sections), QueryExpansion.load(files),
        files[SAID].decode().split("\n"),
    )


def manifest_of(name: str, values: Mapping[str, Any]) -> RulebookManifest:
    """The manifest of the release ``name`` from its JSON."""
    own = {"fingerprint": name, "weights": SectionWeights(**values["weights"])}
    return msgspec.convert({**values, **own}, RulebookManifest)


def _dump(sections: Sections) -> bytes:
    lines = []
    for section in sections:
        row = {name: getattr(section, name) for name in _KEPT}
        row["categories"] = [[int(a.category), a.why, a.weight] for a in section.categories]
        lines.append(json.dumps(row, ensure_ascii=False))
    return "\n".join(lines).encode()
