"""Building a rulebook's index: the shipped SRD, or any markdown; one is served, the last built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits

from ..content.srd_documents import srd_documents
from ..releases.bundles import canonical, digest
from ..releases.store import ReleaseStore
from ..retrieval import query_expansion, topic_files
from ..retrieval.building import Content, Progress, build_release, window_count
from ..retrieval.encoder import Encoder, knows
from ..retrieval.index import VectorCache
from ..retrieval.windows import PREFIX_PIECES, WINDOW_PIECES
from ..settings import Settings, settings_of
from ..srd import ATTRIBUTION, load_srd
from ..text.languages import recognised
from .book import FORMAT, RULES, RulebookManifest, build_files, manifest_of
from .markdown import parse_rulebook, read_text
from .sections import Sections
from .srd_book.book import render_srd
from .srd_things import srd_things
from .weights import FOREIGN, SectionWeights


@dataclass(frozen=True, slots=True)
class Manuscript:
    """The text of a rulebook, what it is cited as, and whose it is."""

    text: str
    source: str
    attribution: str = ""
    default: bool = False


def store_of(settings: Settings) -> ReleaseStore:
    """Where the built rulebooks are."""
    return ReleaseStore(settings.mvp_site_data_dir / "rulebook", "the rulebook",
                        "mvp-site rulebook build", FORMAT)


def default_rulebook() -> Manuscript:
    """The SRD, rendered from the installed data package."""
    return Manuscript(render_srd(load_srd()), "SRD 5.1", ATTRIBUTION, default=True)


def read_manuscript(path: Path | str) -> Manuscript:
    """The rulebook of a markdown file, cited by the file's name.

    Raises:
        RulebookError: it cannot be read, is empty, or is no text.
    """
    path = Path(path)
    return Manuscript(read_text(path), path.name)


def build_rulebook(settings: Settings | None = None, markdown: Path | str | None = None, *,
                   source: str | None = None, attribution: str = "", force: bool = False,
                   encoder: Encoder | None = None, progress: Progress | None = None,
                   ) -> RulebookManifest:
    """Build and publish the SRD, or the rulebook of a markdown file; it is then the one served.

    The book of a file is cited as ``source``, by default the file's name, and has ``attribution``.
    With nothing changed there is nothing to do. Only text that no kept build has encoded is
    encoded; ``force`` encodes the book anew. ``progress`` is told (stage, done, of).

    Raises:
        RulebookError: the file cannot be read or has no text.
        EncoderError: there is no encoder.
        BuildError: another build holds the lock, or the index cannot be written.
    """
    settings = settings_of(settings)
    report = progress or (lambda _stage, _done, _of: None)
    report("reading", 0, 1)
    manuscript = read_manuscript(markdown) if markdown else default_rulebook()
    if markdown:
        manuscript = replace(manuscript, source=source or manuscript.source,
                             attribution=attribution)
    report("reading", 1, 1)

    built = build_release(
        settings, store_of(settings), recipe_of(manuscript),
        read=lambda: parse_rulebook(manuscript.text),
        index=partial(content_of, manuscript=manuscript, model=settings.prompt_embed_model,
                      progress=partial(report, "sections")),
        texts=query_expansion.texts(topic_files.rule_topics()), force=force, encoder=encoder,
        progress=report,
    )
    return replace(manifest_of(built.name, built.manifest), built=built.built,
                   encoded=built.encoded)


def content_of(sections: Sections, encoder: Encoder, cache: VectorCache, *,
               manuscript: Manuscript, model: str,
               progress: Callable[[int, int], None] | None = None) -> Content:
    """The manifest and the files of a release."""
    languages = recognised([section.content for section in sections])
    with threadpool_limits(1):
        things = srd_things(load_srd(), sections) if manuscript.default else ()
        files = build_files(sections, things, encoder, cache, languages, progress)
    manifest = {
        "format": FORMAT, "source": manuscript.source, "attribution": manuscript.attribution,
        "default": manuscript.default, "languages": languages, "sections": len(sections),
        "tokens": sum(section.tokens for section in sections),
        "windows": window_count(files), "encoder": encoder.fingerprint,
        "model": model, "recipe": recipe_of(manuscript), "weights": asdict(
            SectionWeights() if knows(encoder.fingerprint, languages) else FOREIGN),
    }
    return manifest, files


def recipe_of(manuscript: Manuscript) -> str:
    """The digest of all that an index's content follows from, but for the encoder."""
    return digest(canonical([
        FORMAT, RULES, digest(manuscript.text.encode("utf-8", "replace")), manuscript.source,
        manuscript.attribution, manuscript.default, asdict(SectionWeights()),
        asdict(FOREIGN), WINDOW_PIECES, PREFIX_PIECES,
        query_expansion.texts(topic_files.rule_topics()),
        *([srd_documents(load_srd())] if manuscript.default else []),  # what its tables are made of
    ]))
