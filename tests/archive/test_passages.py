"""Chunks with their tags, and the passages that are indexed for them."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.chunks import Chunk, ChunkPiece, dump_chunks, load_chunks
from mvp_site.archive.delimiters import escape, opening_tag
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import PromptFile, Version
from mvp_site.errors import FrontMatterError
from mvp_site.text.markdown import split_lines
from mvp_site.text.tokens import count_tokens, printed_tokens

from ..texts import ODD, markdown, paragraphs


def version(files: dict[str, str], name: str = "dec_2025") -> Version:
    return Version(name, b"header", tuple(PromptFile(f, files[f]) for f in sorted(files)), "hash")


def chunks_of(files: dict[str, str] | str, name: str = "dec_2025") -> tuple[Chunk, ...]:
    return chunk_version(version({"rules.md": files} if isinstance(files, str) else files, name))


# --- metadata -----------------------------------------------------------------------------------


def test_a_chunk_says_where_it_is_from_and_what_it_is() -> None:
    text = "# Combat\n\n## Attack rolls\n\nRoll 1d20 and add your bonus.\n\nA hit deals damage."
    (chunk,) = chunks_of({"world/rules.md": text})
    assert (chunk.id, chunk.file, chunk.version) == ("world/rules#1", "world/rules.md", "dec_2025")
    assert chunk.section == ("Combat", "Attack rolls")
    assert (chunk.lines, chunk.overlap_lines) == ((1, 7), 0)
    assert (chunk.audience, chunk.date) == ("player", "2025-12-01")
    assert (chunk.domain, chunk.mode, chunk.inferred) == ("mechanics", None, ("domain",))
    assert chunk.tokens == count_tokens(text)
    assert chunk.preview == " ".join(text.split())
    assert chunk.content_hash == hashlib.sha256(text.encode()).hexdigest()
    assert chunk.text == text


def test_front_matter_goes_before_what_is_inferred() -> None:
    front = "---\ndomain: safety\nmode: dm\naudience: god\ndate: 2024-02-29\nversion: jan_2020\n---\n"
    (chunk,) = chunks_of(f"{front}# Combat\n\nRoll 1d20 for damage.")
    assert (chunk.domain, chunk.mode, chunk.audience) == ("safety", "dm", "god")
    assert (chunk.date, chunk.version) == ("2024-02-29", "jan_2020")
    assert (chunk.inferred, chunk.domain_confidence, chunk.mode_confidence) == ((), 1.0, 1.0)
    assert chunk.lines == (8, 10)
    assert "domain: safety" not in chunk.text


def test_nothing_that_is_inferred_hides_a_passage() -> None:
    (chunk,) = chunks_of("# For the DM only\n\nSecret: in god mode, god:return_story. DM mode, in DM.")
    assert chunk.audience == "player"


# --- near-duplicates ----------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "twin"), [
    (paragraphs(3), True), (paragraphs(3).upper().replace("\n\n", "\n"), True), (f"{paragraphs(3)} A porter.", True),
    (paragraphs(3).replace("lamplighter turns", "porter drops").replace("lock", "cellar"), False), ("Something else entirely.", False),
])
def test_a_near_duplicate_names_the_first_of_its_kind(text: str, twin: bool) -> None:
    first, second, third = chunks_of({"a.md": paragraphs(3), "b.md": text, "c.md": text})
    assert first.duplicate_of == ""
    assert second.duplicate_of == ("a#1" if twin else "")
    assert third.duplicate_of == ("a#1" if twin else "b#1")


def test_tables_that_differ_in_their_numbers_are_no_duplicates() -> None:
    head = "# Budget of a fight\n\n| Level | Easy | Hard |\n| --- | --- | --- |\n"
    rows = [f"| {level} | {level * 25} | {level * 75} |" for level in range(1, 21)]
    chunks = chunks_of({"a.md": head + "\n".join(rows[:10]), "b.md": head + "\n".join(rows[10:])})
    assert [chunk.duplicate_of for chunk in chunks] == ["", ""]


# --- passages -----------------------------------------------------------------------------------


# --- for any text -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ODD)
def test_odd_files_keep_every_line(name: str) -> None:
    assert_accounted({"odd.md": ODD[name]})


@given(st.lists(markdown, min_size=1, max_size=3))
def test_any_version_keeps_every_line(texts: list[str]) -> None:
    try:
        chunks_of({f"{n}.md": text for n, text in enumerate(texts)})
    except FrontMatterError:
        return  # an author is told
    assert_accounted({f"{n}.md": text for n, text in enumerate(texts)})


def assert_accounted(files: dict[str, str]) -> None:
    chunks = chunks_of(files)
    assert load_chunks(dump_chunks(chunks)) == chunks
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for file, text in files.items():
        lines = split_lines(text)
        mine = [chunk for chunk in chunks if chunk.file == file]
        assert [chunk.id for chunk in mine] == [f"{file.removesuffix('.md')}#{n + 1}" for n in range(len(mine))]
        first = mine[0].lines[0] - 1 if mine else len(lines)
        body = {n for n in range(first + 1, len(lines) + 1) if lines[n - 1].strip()}
        head = [line for line in lines[:first] if line.strip()]
        assert not head or head[0].rstrip() == "---"  # front matter and nothing else is left out
        spans = [span for chunk in mine for piece in chunk.pieces for span in piece.lines]
        whole = {n for start, end in spans for n in range(start, end + 1)}
        near = {n for chunk in mine for n in range(chunk.lines[0], chunk.lines[1] + 1)}
        assert body <= near
        for number in body - whole:  # only a line that was split may stand in no span
            assert count_tokens(lines[number - 1]) > 250
        for chunk in mine:
            for piece in chunk.pieces:
                assert_piece(chunk, piece, lines)


def assert_piece(chunk: Chunk, piece: ChunkPiece, lines: list[str]) -> None:
    for spans, text in ((piece.lines, piece.text), (piece.bare_lines, piece.bare)):
        at = 0
        for start, end in spans:
            for line in lines[start - 1 : end]:
                if line.strip():
                    shown = escape(f"{line}.")[:-1]
                    if shown not in text[at:]:  # an angle near its end may lean on the next line
                        shown = escape(line).rpartition("&lt;")[0]
                    at = text.index(shown, at) + len(shown)
    assert escape(piece.text) == piece.text
    assert piece.tokens == printed_tokens(piece.text)
    assert piece.headless_tokens == printed_tokens(piece.headless)
    assert piece.bare_tokens == printed_tokens(piece.bare)
    assert piece.opening_tokens == printed_tokens(opening_tag(chunk.id, piece.path))
    assert piece.text.endswith(piece.headless)
    assert chunk.lines[0] <= min((s for s, _ in piece.lines), default=chunk.lines[0])
    assert max((e for _, e in piece.lines), default=0) <= chunk.lines[1]
