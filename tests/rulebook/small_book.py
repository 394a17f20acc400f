"""A small rulebook of our own, and it ready to be asked, for tests that need no real book."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mvp_site.rulebook.rulebook import Rulebook

from ..hashing import HashingEncoder

TEXT: Final = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")


def opened(text: str = TEXT) -> Rulebook:
    """The rulebook of a text, encoded by the double."""
    return Rulebook.from_markdown(text, source="Small Book", encoder=HashingEncoder())
