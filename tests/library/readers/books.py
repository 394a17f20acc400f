"""Books that the tests build: an EPUB and a DOCX of given parts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
HTML = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
TEXT = "application/xhtml+xml"


def opf(items: str, spine: str, toc: str = "") -> str:
    return f"""<package xmlns="http://www.idpf.org/2007/opf"><metadata
    xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The  Book</dc:title></metadata>
    <manifest>{items}</manifest><spine {toc}>{spine}</spine></package>"""


def page(body: str) -> str:
    return f"<html {HTML}><head><title>unseen</title></head><body>{body}</body></html>"


def zipped(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as held:
        for name, content in parts.items():
            held.writestr(name, content)
    return path


def epub(path: Path, *chapters: str, nav: str = "", ncx: str = "", **more: str | bytes) -> Path:
    """An EPUB with a part for each of ``chapters``; those of ``more`` are added or replaced."""
    items = "".join(f'<item id="c{n}" href="text/a%20chapter{n}.xhtml" media-type="{TEXT}"/>' for n in range(len(chapters)))
    items += f'<item id="nav" href="nav.xhtml" properties="nav" media-type="{TEXT}"/>' * bool(nav)
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' * bool(ncx)
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": opf(items, spine, 'toc="ncx"' if ncx else ""),
    }
    for number, body in enumerate(chapters):
        parts[f"OEBPS/text/a chapter{number}.xhtml"] = body if "<html" in body else page(body)
    if nav:
        parts["OEBPS/nav.xhtml"] = page(nav)
    if ncx:
        parts["OEBPS/toc.ncx"] = ncx
    return zipped(path, parts | more)


def with_parts(path: Path, source: bytes, changed: Mapping[str, bytes]) -> Path:
    """``path`` with the zip file ``source``, some of its parts changed or added."""
    with zipfile.ZipFile(io.BytesIO(source)) as held:
        parts = {name: held.read(name) for name in held.namelist()}
    return zipped(path, parts | changed)
