"""What a response gives at once, and what waits behind its continuation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from mvp_site.rulebook import continuation as continued
from mvp_site.rulebook.answer_table import AnswerTable, Promise
from mvp_site.rulebook.response import respond
from mvp_site.rulebook.results import RulebookQuery
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.rulebook.section_ranking import PARTS, SectionRanking

from .small_book import opened

TITLES = ("Amber", "Basalt", "Chalk", "Dolomite", "Epidote")
TEXT = "\n\n".join(f"# {title}\n\nA stone that is called {title.lower()}." for title in TITLES)
TABLE = AnswerTable("Stones", ("stone",), (("epidote",),), ("epidote",))


@pytest.fixture(scope="module")
def book() -> Rulebook:
    return opened(TEXT)


def ranking_of(book: Rulebook, relevance: Sequence[float], names: Sequence[str] = ()) -> SectionRanking:
    """The ranking in which the sections, in their order, have these relevances."""
    asked = book._opened._reader.read(RulebookQuery(query="which stone", entities=tuple(names)))
    found = np.array(relevance, np.float32)
    return SectionRanking(asked, np.arange(5), found, found, np.zeros((5, len(PARTS)), np.float32))


@pytest.mark.parametrize(("relevance", "names", "promise", "at_once", "later"), [
    ((.5, .4, .3, .2, .1), (), (), "ABCDE", ""),
    ((.5, .2, .11, .09, .03), (), (), "ABC", "DE"),
    ((.18, .1, .04, .03, .021), (), (), "ABC", "DE"),
    ((.18, .1, .04, .03, .019), (), (), "ABC", "D"),
    ((.14, .13, .12, .11, .1), (), (), "", ""),
    ((.5, .2, .11, .09, .03), ("epidote",), (), "ABCE", "D"),
    ((.5, .09, .08, .04, .03), ("dolomites", "amber"), (), "AD", "BCE"),
    ((.5, .2, .11, .09, .03), (), (4,), "EABC", "D"),
], ids=["all alike", "a fifth", "a weak best", "two in a hundred", "nothing answers", "named", "two named", "of a table"])
def test_what_hardly_answers_beside_the_best_is_counted_and_waits(
    book: Rulebook, relevance: Sequence[float], names: Sequence[str], promise: tuple[int, ...], at_once: str, later: str
) -> None:
    ranking = ranking_of(book, relevance, names)
    ranking = replace(ranking, promise=Promise((TABLE,) if promise else (), promise))
    first = respond(book._opened.book, ranking, 8000, None)
    assert "".join(found.section.title[0] for found in first.sections) == at_once
    assert first.left == len(later)
    assert first.as_dict()["left"] == len(later)
    assert (first.continuation is None) is (not later)
    if first.continuation:
        given = continued.read(first.continuation, book.fingerprint, ranking.query, len(book.sections))
        rest = respond(book._opened.book, ranking, 8000, given)
        assert "".join(found.section.title[0] for found in rest.sections) == later
        assert (rest.left, rest.continuation) == (0, None)
