"""Files: text in UTF-8 is decoded, and anything else is named for what it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import RulebookError
from mvp_site.rulebook.source import checked, decode


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"# A\r\n", "# A\r\n"),
        (b"\xef\xbb\xbf# A", "\ufeff# A"),
        ("Heroes’ Feast 龍".encode(), "Heroes’ Feast 龍"),
        (b"a stray \x00 or \x07", "a stray \x00 or \x07"),
        (b"\x1b[1mbold\x1b[0m " * 40, "\x1b[1mbold\x1b[0m " * 40),
    ],
)
def test_text(content: bytes, text: str) -> None:
    assert decode(content) == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "book.md is empty: give a markdown file with text in it"),
        (b" \n\t", "book.md is empty"),
        (b"\xef\xbb\xbf", "book.md is empty"),
        (b"%PDF-1.7\n%...", "book.md is a PDF: export it as markdown"),
        (b"PK\x03\x04\x14\x00", "book.md is a zip file, as docx, odt and epub are"),
        (b"{\\rtf1 text}", "book.md is an RTF document"),
        (b"\x1f\x8b\x08", "book.md is a gzip file"),
        (b"\x89PNG\r\n\x1a\n", "book.md is a picture"),
        ("# A".encode("utf-16"), "book.md is UTF-16: export it as markdown in UTF-8"),
        (b"# A\n\xff", "book.md is not UTF-8 at byte 4: give a markdown file saved as UTF-8"),
        ("# Größe".encode("latin-1"), "book.md is not UTF-8 at byte 4"),
        (b"\x00\x01\x02", "book.md is not text: 3 of its 3 characters are control characters"),
        (b"\x7fELF\x02\x01\x01" + bytes(9), "book.md is not text: 13 of its 16 characters"),
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xff\xfe", "book.md is not UTF-8 at byte 18"),
        (bytes(range(256)) * 300, "book.md is not UTF-8 at byte "),
        (bytes(range(1, 256)), "book.md is not UTF-8 at byte "),
        ("# Größe".encode("utf-16-le"), "book.md is not UTF-8 at byte "),
        (bytes(range(32)) * 20, "book.md is not text: 520 of its 640 characters are control characters"),
    ],
)
def test_what_is_no_text(content: bytes, message: str) -> None:
    with pytest.raises(RulebookError) as raised:
        decode(content, "book.md")
    assert str(raised.value).startswith(message)


@given(st.one_of(st.binary(max_size=60), st.binary(min_size=200, max_size=400), st.text(max_size=60).map(str.encode)))
def test_any_bytes_are_text_or_refused_by_name(content: bytes) -> None:
    try:
        text = decode(content, "book.md")
    except RulebookError as error:
        refused = str(error)
    else:
        refused = ""
        assert text.encode() == content
    assert not refused or refused.startswith("book.md is ")


def test_checked_gives_the_text_back() -> None:
    text = "rule\x00 " * 15 + "word " * 500
    assert checked(text) is text
