"""What a response gives at once, and what waits behind its continuation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from mvp_site.rulebook import continuation as continued
from mvp_site.rulebook.answer_table import AnswerTable, Promise
from mvp_site.rulebook.response import respond
from mvp_site.rulebook.results import RulebookQuery
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.rulebook.scoring import PARTS, Ranking

from .small_book import opened

TITLES = ("Amber", "Basalt", "Chalk", "Dolomite", "Epidote")
TEXT = "\n\n".join(f"# {title}\n\nA stone that is called {title.lower()}." for title in TITLES)
TABLE = AnswerTable("Stones", ("stone",), (("epidote",),), ("epidote",))


@pytest.fixture(scope="module")
def book() -> Rulebook:
    return opened(TEXT)


def ranking_of(book: Rulebook, relevance: Sequence[float], names: Sequence[str] = ()) -> Ranking:
    """The ranking in which the sections, in their order, have these relevances."""
    weights = book._opened.book.manifest.weights
    totals = np.array([weights.middle + math.log(r / (1 - r)) / weights.slope for r in relevance], np.float32)
    asked = book._opened._reader.read(RulebookQuery(query="which stone", entities=tuple(names)))
    return Ranking(asked, np.arange(5), np.ones(5, np.float32), totals, np.zeros((5, len(PARTS)), np.float32))


@pytest.mark.parametrize(("relevance", "names", "promise", "at_once", "later"), [
    ((.5, .4, .3, .2, .1), (), (), "ABCDE", ""),
    ((.5, .2, .06, .04, .03), (), (), "ABC", "DE"),
    ((.14, .03, .015, .013, .012), (), (), "ABC", "DE"),
    ((.05, .02, .011, .009, .008), (), (), "ABC", "DE"),
    ((.009, .008, .007, .006, .005), (), (), "A", "BCDE"),
    ((.5, .2, .06, .04, .03), ("epidote",), (), "ABCE", "D"),
    ((.5, .04, .03, .02, .02), ("dolomites", "amber"), (), "AD", "BCE"),
    ((.5, .2, .06, .04, .03), (), (4,), "EABC", "D"),
], ids=["all alike", "a tenth", "a weak best", "one in a hundred", "none likely", "named", "two named", "of a table"])
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
        given = continued.read(first.continuation, book.fingerprint, ranking.asked, len(book.sections))
        rest = respond(book._opened.book, ranking, 8000, given)
        assert "".join(found.section.title[0] for found in rest.sections) == later
        assert (rest.left, rest.continuation) == (0, None)
