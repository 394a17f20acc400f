"""The whole shelf in a folder, with the truth of where everything stands in it."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path

from . import manuscripts, pageless_books, srd_5_2
from .reportlab_book import Design, print_book, serif


def build_shelf(folder: Path, keys: Collection[str] = (), srd_5_2_folder: Path | None = None) -> None:
    """The books of these ``keys``, or all, in files in ``folder``, and their ``truth.json``.

    The SRD 5.2 is among them if ``srd_5_2_folder`` holds its Markdown files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sides = manuscripts.with_sidebars
    books = {
        "spells": lambda key: print_book(
            key, "Spells of the Realm", sides(manuscripts.spells()),
            Design("Times-Roman", 9.5, 2, 2, hyphens=True, head_font="Times-Bold"), folder),
        "creatures": lambda key: print_book(
            key, "Creatures", manuscripts.creatures(), Design("Helvetica", 8.5, 2, 3, capitals=True), folder),
        "options": lambda key: print_book(
            key, "Player Options", sides(manuscripts.player_options()),
            Design(serif(), 9.5, 1, 2, front=True), folder),
        "treasury": lambda key: print_book(
            key, "Treasury", sides(manuscripts.treasury()), Design("Times-Roman", 10.5, 2, 0), folder),
        "rules": lambda key: pageless_books.zip_epub(key, "How to Play", sides(manuscripts.rules()), folder),
        "kit": lambda key: pageless_books.type_docx(key, "Kit and Conditions", manuscripts.kit(), folder),
        "hollowmere": lambda key: pageless_books.copy_markdown(
            key, "Hollowmere", manuscripts.hollowmere(), manuscripts.HOLLOWMERE, folder),
    }
    if srd_5_2_folder:
        books["srd_5_2"] = lambda key: print_book(
            key, "System Reference Document 5.2", srd_5_2.parts(srd_5_2_folder), Design("Times-Roman", 9.5, 1, 0), folder)
    built = [asdict(make(key)) for key, make in books.items() if not keys or key in keys]
    rows = [{**book, "path": book["path"].name} for book in built]
    (folder / "truth.json").write_text(json.dumps(rows), encoding="utf-8")
