"""The parts of a zipped book, EPUB or DOCX, read within bounds: their headers may lie."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any, Final

from lxml import etree

from ...errors import LibraryError

MAX_PARTS: Final = 10_000
MAX_UNPACKED: Final = 512 << 20
MAX_PART: Final = 64 << 20
"""Bytes of one part that is read."""
MAX_RATIO: Final = 200
"""How far a part of a book may be packed, but for small ones; text is by 3 to 20."""
_SMALL: Final = 8 << 20
_DEPTH: Final = "Excessive depth"
"""How the parser says that it has read no further."""
_TOO_DEEP: Final = "is nested more deeply than a book is"
_ENTITY: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]*;")
_DRIVE: Final = re.compile(r"[A-Za-z]:")


class Packed:
    """The parts of an open zip file, by name."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._held = archive
        self._left = MAX_UNPACKED
        self.name = name
        self.parts = {info.filename: info for info in archive.infolist() if not info.is_dir()}

    def read(self, part: str) -> bytes:
        """The bytes of a part.

        Raises:
            LibraryError: there is no such part, it is protected, or larger than is read.
        """
        if part not in self.parts:
            raise LibraryError(f"{self.name} has no part {part[:200]!r}: it is damaged")
        info = self.parts[part]
        if info.flag_bits & 1:
            raise LibraryError(f"{self.name} is protected by a password: save it without one")
        if info.file_size > min(MAX_PART, self._left):
            raise LibraryError(f"{self.name}: its part {part[:200]!r} is larger unpacked than is "
                               "read")
        self._left -= info.file_size
        with self._held.open(info) as stream:  # read() alone would unpack what the header hides
            return stream.read(info.file_size + 1)

    def xml(self, part: str) -> etree._Element:
        """The root of a part that is XML.

        Raises:
            LibraryError: it is damaged, nested too deeply, or declares entities.
        """
        return self._parsed(part, self.read(part), lenient=False)

    def xhtml(self, part: str) -> etree._Element:
        """The root of a part that is XHTML, or of what a browser makes of it.

        Raises:
            LibraryError: it is empty, nested too deeply, or declares entities.
        """
        return self._parsed(part, _ENTITY.sub(_numbered, self.read(part)), lenient=True)

    def _parsed(self, part: str, content: bytes, *, lenient: bool) -> etree._Element:
        """The root of an XML text; nothing that it refers to is fetched or expanded."""
        label = f"{self.name}: its part {part[:200]!r}"
        parser: Any = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
            remove_comments=True, remove_pis=True,
        )
        root: etree._Element | None
        try:
            try:
                root = etree.fromstring(content, parser)
            except etree.XMLSyntaxError as error:
                if not lenient or not content.strip() or _DEPTH in str(error):
                    raise
                parser = etree.HTMLParser(no_network=True, huge_tree=False, remove_comments=True)
                root = etree.fromstring(content, parser)
                if any(_DEPTH in entry.message for entry in parser.error_log):
                    raise LibraryError(f"{label} {_TOO_DEEP}") from None
        except etree.XMLSyntaxError as error:
            why = _TOO_DEEP if _DEPTH in str(error) else f"is damaged: {error}"
            raise LibraryError(f"{label} {why}") from None
        if root is None:
            raise LibraryError(f"{label} is damaged: it has no element")
        declared = root.getroottree().docinfo.internalDTD
        if declared is not None and next(iter(declared.iterentities()), None) is not None:
            raise LibraryError(f"{label} declares entities of its own, which no book needs")
        return root


@contextmanager
def open_packed(path: Path) -> Iterator[Packed]:
    """The parts of a zip file, none of which was read, and which are few and small enough.

    Raises:
        LibraryError: it is no zip file, is damaged, or unpacks to more than a book does.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check(archive.infolist(), path.name)
            yield Packed(archive, path.name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise LibraryError(f"{path.name} is damaged or was cut short: {error or 'it ends early'}; "
                           "copy it again") from None


def _numbered(entity: re.Match[bytes]) -> bytes:
    """An entity of HTML as XML knows it, by number."""
    return "".join(f"&#{ord(char)};" for char in unescape(entity[0].decode())).encode()


def _check(parts: list[zipfile.ZipInfo], name: str) -> None:
    if len(parts) > MAX_PARTS:
        raise LibraryError(f"{name} has {len(parts):,} parts; a book has {MAX_PARTS:,} at most")
    for info in parts:
        place = PurePosixPath(info.filename.replace("\\", "/"))
        if place.is_absolute() or ".." in place.parts or _DRIVE.match(info.filename):
            raise LibraryError(f"{name} has a part that leads out of it, {info.filename[:200]!r}: "
                               "it is no book")
        if info.file_size > max(_SMALL, MAX_RATIO * info.compress_size):
            raise LibraryError(f"{name} is packed more tightly than a book is: "
                               f"{info.filename[:200]!r} unpacks to {info.file_size:,} bytes; pack "
                               "it anew")
    total = sum(info.file_size for info in parts)
    if total > MAX_UNPACKED:
        raise LibraryError(f"{name} unpacks to {total:,} bytes; {MAX_UNPACKED:,} are read at most")
