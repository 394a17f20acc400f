"""Files of a folder, and what hostile ones come to."""

from __future__ import annotations

import io
import os
import re
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from docx import Document

from mvp_site.errors import LibraryError
from mvp_site.library import reading
from mvp_site.library.readers import pdf
from mvp_site.library.reading import SUFFIXES, files_of, read_file
from mvp_site.library.types import Text

from .readers.books import epub, page, with_parts, zipped

BOMB = bytes(20 << 20)
LAUGHS = '<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def docx() -> bytes:
    Document().save(copy := io.BytesIO())
    return copy.getvalue()


def with_docx(path: Path, part: str, content: bytes) -> Path:
    return with_parts(path, docx(), {part: content})


def sparse(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(1 << 30)
    return path


def lying(path: Path) -> Path:
    """An EPUB whose package says that it is smaller than it is, in both of its headers."""
    content = bytearray(epub(path, "<p>a</p>", **{"OEBPS/book.opf": BOMB}).read_bytes())
    with zipfile.ZipFile(path) as held:
        info = held.getinfo("OEBPS/book.opf")
    for start in (info.header_offset + 22, content.rfind(b"OEBPS/book.opf") - 46 + 24):
        assert struct.unpack_from("<I", content, start)[0] == info.file_size
        struct.pack_into("<I", content, start, 10)
    path.write_bytes(content)
    return path


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def encrypted_zip(path: Path) -> Path:
    content = bytearray(epub(path, "<p>a</p>").read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + place] |= 1
            at = content.find(mark, at + 4)
    return written(path, bytes(content))


Make = Callable[[Path], Path]
HOSTILE: list[tuple[str, Make, str]] = [
    ("a.exe", lambda p: written(p, b"x"), "is of no format that is read: .pdf, .epub"),
    ("no.md", lambda p: p, "cannot be read: no such file"),
    ("a\x00.md", lambda p: p, "cannot be read: "),
    ("a.md", folder, "is no file with content, but a folder"),
    ("a.txt", fifo, "is no file with content, but a device, pipe or socket"),
    ("a.txt", lambda p: written(p, b""), "is empty"),
    ("a.txt", lambda p: written(p, b" \n\n"), "has no text"),
    ("a.txt", sparse, "has 1,073,741,824 bytes; of its format 67,108,864 are read"),
    ("a.md", sparse, "of its format 16,777,216 are read"),
    ("a.pdf", sparse, "has 1,073,741,824 bytes; of its format 536,870,912 are read"),
    ("a.txt", lambda p: written(p, b"text" + bytes(100)), "is no text"),
    ("a.md", lambda p: written(p, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4), "is no text"),
    ("a.txt", lambda p: written(p, bytes(range(1, 256)) * 9), "is no text"),
    ("a.txt", lambda p: written(p, b"a\n" * 500_002), "has more than 500,000 lines"),
    ("a.epub", lambda p: written(p, b"no zip"), "is damaged or was cut short"),
    ("a.epub", lambda p: written(p, epub(p, "<p>a</p>" * 99).read_bytes()[:-300]), "is damaged or was cut short"),
    ("a.docx", lambda p: written(p, docx()[:-300]), "is damaged or was cut short"),
    ("a.epub", lambda p: epub(p, "<p>a</p>", bomb=BOMB), "packed more tightly than a book is: 'bomb'"),
    ("a.docx", lambda p: with_docx(p, "word/media/a.png", BOMB), "packed more tightly than a book is"),
    ("a.epub", lying, "is damaged or was cut short"),
    ("a.epub", lambda p: zipped(p, {f"{n}": "" for n in range(10_001)}), "has 10,001 parts"),
    ("a.epub", lambda p: epub(p, "<p>a</p>", **{"../x": ""}), "leads out of it, '../x'"),
    ("a.docx", lambda p: with_docx(p, "/etc/x", b""), "leads out of it, '/etc/x'"),
    ("a.epub", lambda p: epub(p, "<p>a</p>", **{"a\\..\\..\\x": ""}), "leads out of it"),
    ("a.epub", lambda p: epub(p, "<p>a</p>", **{"C:/x": ""}), "leads out of it"),
    ("a.epub", encrypted_zip, "is protected by a password"),
    ("a.epub", lambda p: zipped(p, {"a": "b"}), "is no EPUB: it has no META-INF/container.xml"),
    ("a.epub", lambda p: epub(p, "<p>a</p>", **{"META-INF/container.xml": "<container/>"}), "names no package"),
    ("a.epub", lambda p: epub(p, "<p>a</p>", **{"OEBPS/book.opf": "<package"}), "its part 'OEBPS/book.opf' is damaged"),
    ("a.epub", epub, "its spine, the order of it, is empty"),
    ("a.epub", lambda p: epub(p, LAUGHS + page("<p>&b;</p>")), "declares entities of its own"),
    ("a.epub", lambda p: epub(p, '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + page("<p>&x;</p>")), "declares entities"),
    ("a.epub", lambda p: epub(p, page("<div>" * 10_000 + "x" + "</div>" * 10_000)), "is nested more deeply"),
    ("a.epub", lambda p: epub(p, page("<p>&</p>" + "<div>" * 10_000 + "x")), "is nested more deeply"),
    ("a.epub", lambda p: epub(p, page("<img/>")), "has no text"),
    ("a.epub", lambda p: epub(p, "<p>a</p>", **{"OEBPS/text/a chapter0.xhtml": "<!-- <html> -->"}), "is damaged: it has no element"),
    ("a.docx", lambda p: written(p, OLE), "is a document of Word 97 or older"),
    ("a.docx", lambda p: written(p, OLE + "EncryptedPackage".encode("utf-16-le")), "is protected by a password"),
    ("a.docx", lambda p: with_docx(p, "word/styles.xml", (LAUGHS + "<html>&b;</html>").encode()), "declares entities"),
    ("a.docx", lambda p: with_docx(p, "word/document.xml", b"<!DOCTYPE a><a/>"), "has a DOCTYPE"),
    ("a.docx", lambda p: with_docx(p, "word/document.xml", ("<!DOCTYPE a><a/>").encode("utf-16")), "has a DOCTYPE"),
    ("a.docx", lambda p: with_docx(p, "word/document.xml", b"<a>" * 10_000), "is nested more deeply"),
    ("a.docx", lambda p: zipped(p, {"a.xml": "<a/>"}), "is no Word document"),
    ("a.docx", lambda p: epub(p, "<p>a</p>"), "is no Word document"),
]


@pytest.mark.parametrize(("name", "make", "message"), HOSTILE, ids=[f"{n}-{m[:40]}" for n, _, m in HOSTILE])
def test_hostile_files_are_refused(tmp_path: Path, name: str, make: Make, message: str) -> None:
    path = make(tmp_path / name)
    with pytest.raises(LibraryError, match=re.escape(message)) as error:
        read_file(path)
    assert path.name in str(error.value)


def test_what_a_header_hides_is_not_unpacked(tmp_path: Path) -> None:
    path = lying(tmp_path / "a.epub")
    tracemalloc.start()
    try:
        with pytest.raises(LibraryError, match="is damaged"):
            read_file(path)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_suffixes_choose_the_reader(tmp_path: Path) -> None:
    assert SUFFIXES == (".pdf", ".epub", ".docx", ".md", ".markdown", ".txt")
    paths = [written(tmp_path / "a.MD", b"# text"), written(tmp_path / "a.markdown", b"# text"),
             written(tmp_path / "a.TXT", b"text"), epub(tmp_path / "a.EPUB", "<p>text</p>")]
    assert [read_file(path).blocks[0].text for path in paths] == ["text"] * 4


def test_what_a_reader_stumbles_over_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_pdf(_: Path) -> Text:
        raise IndexError("odd")

    monkeypatch.setattr(pdf, "read_pdf", read_pdf)
    with pytest.raises(LibraryError, match=r"a\.pdf cannot be read as pdf: .*IndexError: odd"):
        read_file(written(tmp_path / "a.pdf", b"%PDF-"))


def test_files_of_a_folder(tmp_path: Path) -> None:
    root, outside = tmp_path / "books", tmp_path / "outside"
    for name in ("b/z.md", "a.txt", "b/A.PDF", "README.md", "x.jpg", "y.JPG", "LICENSE",
                 ".git/c.md", ".hidden.md", "b/~$open.docx"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    outside.mkdir()
    (outside / "secret.md").write_bytes(b"x")
    for name, target in (("link.md", outside / "secret.md"), ("away", outside), ("gone.md", root / "no"),
                         ("own.md", root / "a.txt"), ("same", root / "b")):
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe.txt")
    files, refused, ignored = files_of(root)
    assert [path.relative_to(root).as_posix() for path in files] == [
        "README.md", "a.txt", "b/A.PDF", "b/z.md", "own.md"]
    assert {path.name: why for path, why in refused.items()} == {
        "away": "it is a link that leads out of the folder", "gone.md": "it is a link that leads nowhere",
        "link.md": "it is a link that leads out of the folder", "pipe.txt": "it is no file with content"}
    assert ignored == {".jpg": 2, "": 1}


def test_depth_and_count_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_DEPTH", 2)
    monkeypatch.setattr(reading, "MAX_FILES", 2)
    (tmp_path / "a/b/c").mkdir(parents=True)
    for name in ("a/1.md", "a/b/2.md", "a/b/c/3.md"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(LibraryError, match="has more than 2 files"):
        files_of(tmp_path)
    monkeypatch.setattr(reading, "MAX_FILES", 3)
    files, refused, _ = files_of(tmp_path)
    assert [path.name for path in files] == ["1.md", "2.md"]
    assert refused == {tmp_path / "a/b/c": "it is more than 2 folders deep"}
    with pytest.raises(LibraryError, match="is no folder"):
        files_of(tmp_path / "a/1.md")
