"""Books that tests write, and a library of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvp_site import Settings
from mvp_site.library.library import Library
from mvp_site.library.scan import Scanned
from tests.hashing import HashingEncoder

ATLAS = """\
---
title: Atlas of the Low Marches
---
# Places

## Brackwater

A fishing town on stilts. Its ferryman knows every smuggler of the coast.

## The Drowned Chapel

Bells ring below the tide. A wraith keeps the silver bowl of the drowned saint.

# Spells of the Marches

## Lantern of Reeds

*1st-level conjuration*

**Casting Time:** 1 action
**Range:** 60 feet
**Components:** V, S
**Duration:** Concentration, up to 1 hour

A green light walks over the water and shows where it is shallow.

## Mud Grasp

*2nd-level transmutation*

**Casting Time:** 1 action
**Range:** 30 feet
**Components:** V, S, M (a handful of silt)
**Duration:** 1 minute

Hands of mud hold what stands in the marsh.
"""
SECRETS = """\
---
title: What the Ferryman Hides
audience: dm
---
# The truth about Brackwater

The ferryman is the smuggler king, and sells the drowned to the wraith.
"""


class Shelf:
    """A folder of books and the library over it."""

    def __init__(self, root: Path) -> None:
        self.settings = Settings(mvp_site_data_dir=root / "data")
        self.books = root / "books"
        self.books.mkdir()
        self.encoder = HashingEncoder(256)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.books / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def open(self) -> Library:
        return Library.open(self.settings, encoder=self.encoder)

    def scan(self, path: Path | None = None, **how: object) -> Scanned:
        with_encoder = {"encoder": self.encoder, **how}
        return self.open().scan(path, **with_encoder)  # type: ignore[arg-type]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def marches(shelf: Shelf) -> Shelf:
    """A library of an atlas and of the game master's secrets."""
    shelf.write("atlas.md", ATLAS)
    shelf.write("secrets.md", SECRETS)
    shelf.scan(shelf.books)
    return shelf
