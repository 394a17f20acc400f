"""The records of the SRD, the book made of them, and its sections."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Sections
from mvp_site.rulebook.srd_book.book import render_srd
from mvp_site.srd import Srd, load_srd


@pytest.fixture(scope="session")
def srd() -> Srd:
    return load_srd()


@pytest.fixture(scope="session")
def text(srd: Srd) -> str:
    return render_srd(srd)


@pytest.fixture(scope="session")
def sections(text: str) -> Sections:
    return parse_rulebook(text)
