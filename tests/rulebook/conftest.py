"""The records of the SRD, the book made of them, and its sections."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Sections
from mvp_site.rulebook.srd_book.book import chapters
from mvp_site.rulebook.srd_book.part import BookPart, written
from mvp_site.srd import Srd, load_srd


@pytest.fixture(scope="session")
def srd() -> Srd:
    return load_srd()


@pytest.fixture(scope="session")
def parts(srd: Srd) -> tuple[BookPart, ...]:
    return chapters(srd)


@pytest.fixture(scope="session")
def text(parts: tuple[BookPart, ...]) -> str:
    return written(parts)


@pytest.fixture(scope="session")
def sections(text: str) -> Sections:
    return parse_rulebook(text)
