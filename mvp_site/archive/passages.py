"""A version's files as tagged chunks, near-duplicates marked, and the passages of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ..retrieval.index import Passage
from ..text.markdown import split_lines
from ..text.normalising import clean
from ..text.tokens import count_tokens, printed_tokens
from .chunking import Span, chunk_file, common_path, text_of
from .chunks import Chunk, ChunkPiece, Lines
from .delimiters import escape, opening_tag
from .duplicates import near_duplicates
from .front_matter import WHOLE_FILE, FrontMatter, read_front_matter
from .markdown import Atom, atoms
from .tagging import infer_tags
from .versions import PromptFile, Version, version_date

DUPLICATE: Final = 0.85
"""Chunks whose runs of three words have at least this Jaccard similarity are near-duplicates."""
_WHOLE: Final = 1_000_000
"""No block is cut."""


def chunk_version(version: Version) -> tuple[Chunk, ...]:
    """The chunks of a version in the order of its files, near-duplicates marked.

    Raises:
        FrontMatterError: a file's front matter cannot be used.
    """
    chunks: list[Chunk] = []
    for source in version.sources:
        lines = split_lines(clean(source.text))
        matter = read_front_matter(lines, source.file)
        parts, spans = chunk_file(lines, matter.body)
        for number, span in enumerate(spans, 1):
            chunks.append(_chunk(version.name, source.file, number, matter, parts, span))
    return tuple(_marked_duplicates(chunks))


def body_of(source: PromptFile) -> str:
    """A file's text without its front matter: what would be sent if the archive went whole."""
    lines = split_lines(source.text)
    return "\n".join(lines[read_front_matter(lines, source.file).body :])


def section_texts(source: PromptFile) -> dict[tuple[str, ...], list[str]]:
    """A file's sections: the blocks right under each heading that has some, by heading path."""
    lines = split_lines(clean(source.text))
    parts = atoms(lines, _WHOLE, read_front_matter(lines, source.file).body)
    texts: dict[tuple[str, ...], list[str]] = {}
    for index, part in enumerate(parts):
        if not part.level:
            texts.setdefault(part.path, []).append(text_of(parts, index, index + 1))
    return texts


def passages(chunks: Sequence[Chunk]) -> list[Passage]:
    """One passage a piece.

    A passage's heading path opens with the file's name as words; situations that an author named
    for a heading stand with every passage right under it.
    """
    all_passages: list[Passage] = []
    for chunk in chunks:
        title = re.sub(r"[_\-]+", " ", chunk.file.rsplit("/", 1)[-1].removesuffix(".md"))
        named = [entry.partition("\t") for entry in chunk.when]
        for index, piece in enumerate(chunk.pieces):
            path = piece.path
            if not path or path[0].casefold() != title.casefold():
                path = (title, *path)
            keys = {WHOLE_FILE, *piece.path[-1:]}
            also = tuple(situation for key, _, situation in named if key in keys)
            text = piece.headless or piece.text
            all_passages.append(Passage(f"{chunk.id}/{index}", path, text, also))
    return all_passages


def _chunk(version: str, file: str, number: int, matter: FrontMatter, parts: Sequence[Atom],
           span: Span) -> Chunk:
    start = span.start - span.overlap
    text = text_of(parts, start, span.end)
    path = common_path(parts[span.start : span.end])
    tags = infer_tags(file, path, text)
    stated = {key: (value, 1.0) for key in tags if (value := getattr(matter, key))}
    (domain, domain_confidence), (mode, mode_confidence) = (tags | stated).values()
    chunk_id = f"{file.removesuffix('.md')}#{number}"
    pieces = tuple(
        _piece(chunk_id, parts, begin, end, max(span.start - begin, 0))
        for begin, end in span.pieces
    )
    headings = {WHOLE_FILE} | {name for piece in pieces for name in piece.path[-1:]}
    first, own = parts[start], parts[span.start]
    return Chunk(
        id=chunk_id, file=file, version=matter.version or version, section=path,
        domain=domain, mode=mode,
        audience=matter.audience or "player", date=matter.date or version_date(version),
        lines=(first.start + 1, parts[span.end - 1].end), overlap_lines=own.start - first.start,
        tokens=count_tokens(text), preview=" ".join(text.split())[:200],
        content_hash=hashlib.sha256(text.encode()).hexdigest(), pieces=pieces,
        inferred=tuple(key for key, (tag, _) in tags.items() if tag and key not in stated),
        domain_confidence=round(domain_confidence, 3), mode_confidence=round(mode_confidence, 3),
        when=tuple(
            f"{key}\t{situation}" for key in sorted(headings)
            for situation in matter.when.get(key, ())
        ),
        unless=matter.unless, follows=matter.follows, brings=matter.brings,
    )


def _piece(chunk_id: str, parts: Sequence[Atom], begin: int, end: int, overlap: int,
           ) -> ChunkPiece:
    """The piece of atoms ``begin`` to ``end``, of which another has the first ``overlap`` too."""
    path, own = parts[end - 1].path, begin + overlap
    text = escape(text_of(parts, begin, end))
    headless = escape(text_of(parts, begin + 1, end)) if parts[begin].level else ""
    bare = escape(text_of(parts, own, end)) if overlap else ""
    return ChunkPiece(
        path=path, text=text, tokens=printed_tokens(text), lines=_line_spans(parts, begin, end),
        headless=headless, headless_tokens=printed_tokens(headless),
        bare=bare, bare_tokens=printed_tokens(bare),
        bare_lines=_line_spans(parts, own, end) if overlap else (),
        opening_tokens=printed_tokens(opening_tag(chunk_id, path)),
    )


def _line_spans(parts: Sequence[Atom], begin: int, end: int) -> Lines:
    """The 1-based inclusive spans of lines that atoms ``begin`` to ``end`` print whole."""
    # The lines of which a part stands before or behind these atoms.
    cut = {atom.start for atom in (*parts[:begin][-1:], *parts[end : end + 1])
           if not atom.whole_lines}
    spans: list[tuple[int, int]] = []
    for index in range(begin, end):
        atom = parts[index]
        if atom.start in cut:
            continue
        if spans and atom.start + 1 <= spans[-1][1] + 1 + atom.gap:
            spans[-1] = (spans[-1][0], max(spans[-1][1], atom.end))
        else:
            spans.append((atom.start + 1, atom.end))
    return tuple(spans)


def _marked_duplicates(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """``chunks`` with ``duplicate_of`` set where an earlier chunk has nearly the same words."""
    firsts = near_duplicates(
        [chunk.text for chunk in chunks], [chunk.content_hash for chunk in chunks], DUPLICATE)
    for chunk, first in zip(chunks, firsts, strict=True):
        yield chunk if first < 0 else replace(chunk, duplicate_of=chunks[first].id)
