"""Files: text in UTF-8 is decoded, and anything else is named for what it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import RulebookError
from mvp_site.rulebook.source import decode


@pytest.mark.parametrize("content", [
    b"# A\r\n", b"\xef\xbb\xbf# A", "Heroes’ Feast 龍".encode(), b"a stray \x00 or \x07",
    b"\x1b[1mbold\x1b[0m " * 40, b"rule\x00 " * 15 + b"word " * 500,
])
def test_text(content: bytes) -> None:
    assert decode(content) == content.decode()


@pytest.mark.parametrize(("content", "message"), [
    (b"", "book.md is empty: give a markdown file with text in it"),
    (b"\xef\xbb\xbf \n\t", "book.md is empty"),
    (b"%PDF-1.7\n%...", "book.md is a PDF: export it as markdown"),
    (b"PK\x03\x04\x14\x00", "book.md is a zip file, as docx, odt and epub are"),
    ("# A".encode("utf-16"), "book.md is UTF-16: export it as markdown in UTF-8"),
    ("# Größe".encode("latin-1"), "book.md is not UTF-8 at byte 4: give a markdown file saved as UTF-8"),
    (b"\x00\x01\x02", "book.md is not text: 3 of its 3 characters are control characters"),
    (b"\x7fELF\x02\x01\x01" + bytes(9), "book.md is not text: 13 of its 16 characters"),
    (bytes(range(32)) * 20, "book.md is not text: 520 of its 640 characters are control characters"),
])
def test_what_is_no_text(content: bytes, message: str) -> None:
    with pytest.raises(RulebookError) as raised:
        decode(content, "book.md")
    assert str(raised.value).startswith(message)


@given(st.one_of(st.binary(max_size=60), st.binary(min_size=200, max_size=400), st.text(max_size=60).map(str.encode)))
def test_any_bytes_are_text_or_refused_by_name(content: bytes) -> None:
    try:
        assert decode(content, "book.md").encode() == content
    except RulebookError as error:
        assert str(error).startswith("book.md is ")  # noqa: PT017
