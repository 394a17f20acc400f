"""Chunks and their pieces as values, their form in ``meta.jsonl``, and their conditions. Pure.

``unless`` and ``follows`` are words that keep a text out of a turn, or bring it in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from ..text.names import stands_in, words

Lines = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ChunkPiece:
    """Blocks of one section in a chunk, printed whole or not at all.

    ``text`` opens with its own heading where that stands in it; ``headless`` is the text without
    that heading line, ``bare`` the text without what the piece before also holds ('' where the
    form does not apply). Tokens are o200k tokens of the form and a line end. ``lines`` are 1-based
    inclusive spans of the source, those of ``bare`` in ``bare_lines``.
    """

    path: tuple[str, ...]
    text: str
    tokens: int
    lines: Lines
    headless: str = ""
    headless_tokens: int = 0
    bare: str = ""
    bare_tokens: int = 0
    bare_lines: Lines = ()
    opening_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a version with its tags (design 1, corpus and chunking).

    ``lines`` is its first and last source line, 1-based, the first ``overlap_lines`` of them
    shared with the chunk before. ``duplicate_of`` is the id of an earlier chunk of nearly the
    same words, or ''. ``when`` holds the situations its author named, ``unless``, ``follows`` and
    ``brings`` the conditions of its file. ``domain`` and ``mode``
    are None where neither the author nor the text says them; ``inferred`` names those that the text
    said.
    """

    id: str
    file: str
    version: str
    section: tuple[str, ...]
    domain: str | None
    mode: str | None
    audience: str
    date: str | None
    lines: tuple[int, int]
    overlap_lines: int
    tokens: int
    preview: str
    content_hash: str
    pieces: tuple[ChunkPiece, ...]
    duplicate_of: str = ""
    inferred: tuple[str, ...] = ()
    domain_confidence: float = 1.0
    mode_confidence: float = 1.0
    when: tuple[str, ...] = ()
    unless: tuple[tuple[str, ...], ...] = ()
    follows: tuple[str, ...] = ()
    brings: bool = True

    @property
    def text(self) -> str:
        """The chunk's own text."""
        return "\n\n".join(piece.text for piece in self.pieces)


def dump_chunks(chunks: Iterable[Chunk]) -> bytes:
    """``chunks`` as JSON lines."""
    return b"".join(msgspec.json.encode(chunk, order="sorted") + b"\n" for chunk in chunks)


def load_chunks(content: bytes) -> tuple[Chunk, ...]:
    """The chunks of :func:`dump_chunks`."""
    return tuple(msgspec.json.decode(line, type=Chunk) for line in content.splitlines() if line)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The chunks of a release that have conditions, by number, with their phrases."""

    unless: tuple[tuple[int, tuple[tuple[str, ...], ...]], ...] = ()
    follows: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def barred(self, texts: Sequence[str]) -> frozenset[int]:
        """The chunks that what was said keeps out: it names all phrases of one group."""
        if not self.unless:
            return frozenset()
        turn = words("\n".join(texts))
        return frozenset(number for number, groups in self.unless
                         if any(all(_stands(phrase, turn) for phrase in group)
                                for group in groups))

    def brought(self, texts: Sequence[str], there: Collection[int]) -> Iterator[int]:
        """The chunks beside those ``there`` that a printed text names, in the archive's order."""
        if self.follows and texts:
            printed = words("\n".join(texts))
            yield from (number for number, phrases in self.follows if number not in there
                        and any(_stands(phrase, printed) for phrase in phrases))


def conditions(chunks: Sequence[Chunk]) -> Conditions:
    """The conditions of a release's chunks."""
    return Conditions(
        tuple((number, chunk.unless) for number, chunk in enumerate(chunks) if chunk.unless),
        tuple((number, chunk.follows) for number, chunk in enumerate(chunks) if chunk.follows),
    )


def _stands(phrase: str, text: Sequence[str]) -> bool:
    """Whether a phrase stands in the words of a text, of scripts without spaces anywhere."""
    return stands_in(words(phrase), text)
