"""Chunks: 350–600 tokens along the structure, overlap of whole blocks, no line lost."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mvp_site.archive.chunking import OVERLAP, Span, chunk_file, common_path, text_of
from mvp_site.archive.markdown import Atom
from mvp_site.text.markdown import split_lines
from mvp_site.text.tokens import count_tokens

from ..texts import ODD, markdown, paragraphs, table


def chunks_of(text: str) -> tuple[list[str], list[Atom], list[Span]]:
    parts, spans = chunk_file(split_lines(text))
    return [text_of(parts, span.start - span.overlap, span.end) for span in spans], parts, spans


MIN_TOKENS, MAX_TOKENS = 350, 600  # design 1, corpus and chunking

# --- how a file is cut --------------------------------------------------------------------------


def test_a_cut_goes_before_a_heading_where_sections_are_of_the_right_size() -> None:
    texts, parts, spans = chunks_of("\n\n".join(f"## Section {n}\n\n{paragraphs(8)}" for n in range(6)))
    assert [text.split("\n")[0] for text in texts] == [f"## Section {n}" for n in range(6)]
    assert [common_path(parts[span.start : span.end]) for span in spans] == [(f"Section {n}",) for n in range(6)]


def test_a_chunk_does_not_reach_over_into_another_parent_section() -> None:
    part = "\n\n".join(f"## Part {n}\n\n{paragraphs(4)}" for n in range(2))
    texts, _, _ = chunks_of("\n\n".join(f"# Book {name}\n\n{part}" for name in "ABC"))
    assert [re.findall("^# Book .", text, re.MULTILINE) for text in texts] == [["# Book A"], ["# Book B"], ["# Book C"]]


def test_a_long_section_overlaps_by_whole_blocks_of_it() -> None:
    texts, parts, spans = chunks_of(f"# A\n\n{paragraphs(40, 'A shorter line. ')}")
    assert len(spans) > 1
    for before, (text, span) in itertools.pairwise(zip(texts, spans, strict=True)):
        shared = text_of(parts, span.start - span.overlap, span.start)
        assert shared
        assert before[0].endswith(shared)
        assert text.startswith(shared)


def test_a_long_table_is_cut_between_rows_under_a_repeated_header() -> None:
    texts, _, _ = chunks_of(f"# Prices\n\n{table(320)}")
    assert len(texts) > 5
    for text in texts:
        assert "| name | price | what it is |\n| --- | --- | --- |\n" in text
        assert all(re.fullmatch(r"\|.*\|", line) for line in text.splitlines() if not line.startswith("#") and line)


# --- pieces -------------------------------------------------------------------------------------


def test_the_pieces_of_a_chunk_are_its_sections() -> None:
    _, parts, spans = chunks_of("# A\n\nintro\n\n## B\n\none\n\n### C\n\n#### D\n\ntwo\n\n## E")
    assert [text_of(parts, *piece) for piece in spans[0].pieces] == ["# A\n\nintro", "## B\n\none", "### C\n\n#### D\n\ntwo", "## E"]


# --- for any text -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ODD)
def test_odd_files_keep_the_rules(name: str) -> None:
    assert_rules(ODD[name])


@example("\n\x00\n\u2028")
@given(st.one_of(markdown, st.lists(markdown, min_size=2, max_size=6).map("\n".join)))
def test_any_file_keeps_the_rules(text: str) -> None:
    assert_rules(text)


def assert_rules(text: str) -> None:
    texts, parts, spans = chunks_of(text)
    # No line is lost: the chunks' own parts are the atoms, in order, each once.
    owned = [index for span in spans for index in range(span.start, span.end)]
    assert owned == list(range(len(parts)))
    assert squeezed("".join(part.text for part in parts)) == squeezed("".join(split_lines(text)))
    assert all(count_tokens(chunk) <= MAX_TOKENS for chunk in texts)
    if count_tokens(text) <= MAX_TOKENS - 20:
        assert len(spans) <= 1
    for chunk, span in zip(texts, spans, strict=True):
        begin = span.start - span.overlap
        at = 0  # every atom stands in its chunk, after the one before
        for part in parts[begin : span.end]:
            at = chunk.index(part.text, at) + len(part.text)
        # Overlap: whole blocks of the same section, at most 15 %.
        again = parts[begin : span.start]
        assert all(p.whole_lines and not p.level and p.path == parts[span.start].path for p in again)
        # Tokens of a text are a little fewer than of its lines.
        assert count_tokens(text_of(parts, begin, span.start)) <= 0.155 * count_tokens(chunk)
        # A heading stays with its text, where there is any.
        if span.end < len(parts) and (level := parts[span.end - 1].level):
            beside = 0 < parts[span.end].level <= level  # nothing stands under it
            headed = next((n for n in range(span.end, len(parts)) if not parts[n].level), span.end)
            apart = sum(part.tokens for part in parts[span.end - 1 : headed + 1]) > MAX_TOKENS - 30
            assert beside or apart or all(part.level for part in parts[begin : span.end])
        # Pieces cover their chunk, each under one section.
        assert [n for piece in span.pieces for n in range(*piece)] == list(range(begin, span.end))
        for first, end in span.pieces:
            assert len({part.path for part in parts[max(first, span.start) : end] if not part.level}) <= 1
    # Short neighbours of the same rank join.
    for before, after in itertools.pairwise(spans):
        start = before.start - before.overlap
        together = count_tokens(text_of(parts, start, after.end))
        opens = start == 0 or parts[start].level  # else there is room for overlap
        most = (MAX_TOKENS if opens else MAX_TOKENS * (1 - OVERLAP)) - 60
        if together <= most and not any(p.level for p in parts[start + 1 : after.end]):
            assert max(count_tokens(text_of(parts, s.start, s.end)) for s in (before, after)) >= MIN_TOKENS


def squeezed(text: str) -> str:
    return "".join(text.split())
