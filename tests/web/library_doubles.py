"""A small library in our own words: a book of pages, one without, one for the DM alone, and one that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from mvp_site import Settings
from mvp_site.library.library import Library
from mvp_site.library.scan import Scanned

from ..hashing import HashingEncoder
from ..library.conftest import ATLAS, SECRETS

EVIL = "<script>alert(1)</script> {{ 7 * 7 }} \"onload='x'"
"""What a book says that is no book's words."""
BEASTS = [
    ("Marsh Heron", "The heron stands still in the reeds and spears fish."), ("Bog Otter", "The otter swims under the ice and steals eels."),
    (f"Lamp Fish {EVIL}", f"The lamp fish {EVIL} glows in the deep."),
]
TALES = "# Tales\n\n## Lamps\n\nA lamp burns all night.\n\n| Oil | Hours |\n|---|---|\n| Whale | 3 |\n"


class HereLibrary(Library):
    """The real library, scanned by the encoder's double."""

    def scan(self, path: Path | str | None = None, **how: Any) -> Scanned:
        return super().scan(path, **{"encoder": HashingEncoder(256), **how})


def open_library(root: Path) -> HereLibrary:
    """The library under ``root``; not made yet, where nothing was scanned there."""
    found = HereLibrary.open(Settings(mvp_site_data_dir=root), encoder=HashingEncoder(256))
    assert isinstance(found, HereLibrary)
    return found


def write_books(folder: Path) -> None:
    """The books' files."""
    folder.mkdir()
    canvas = Canvas(str(folder / "beasts.pdf"), pagesize=A5, invariant=True)
    canvas.setTitle("Beasts of the Fen")
    for name, said in BEASTS:
        canvas.bookmarkPage(name)
        canvas.addOutlineEntry(name, name, 0)
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(40, 520, name)
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(40, 500, said)
        canvas.showPage()
    canvas.save()
    (folder / "atlas.md").write_text(ATLAS, "utf-8")
    (folder / "secrets.md").write_text(SECRETS, "utf-8")
    (folder / "tales.md").write_text(TALES, "utf-8")
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\nnothing")
