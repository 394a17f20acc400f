"""Books that tests write, and a library of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvp_site import Settings
from mvp_site.library.library import Library
from mvp_site.library.scan import Scanned
from tests.hashing import HashingEncoder

ATLAS, SECRETS = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("atlas.md", "secrets.md"))


class Shelf:
    """A folder of books and the library over it."""

    def __init__(self, root: Path) -> None:
        self.settings = Settings(mvp_site_data_dir=root / "data")
        self.books = root / "books"
        self.books.mkdir(parents=True)
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
