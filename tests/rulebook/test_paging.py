from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.book import LoadedRulebook
from mvp_site.rulebook.paging import Delivered, SectionCandidate, SectionSpan, select
from mvp_site.rulebook.results import Citation
from mvp_site.rulebook.sections import Section
from mvp_site.text.tokens import count_tokens

from .small_book import opened

WORDS = "stone river lantern marsh "


def given_of(section: Section, piece: SectionSpan) -> str:
    return section.content if piece.span is None else section.content[slice(*piece.span)].strip("\n")


def sized(*sizes: tuple[int, int]) -> LoadedRulebook:
    """Headings of these levels, each with about so many tokens of text."""
    return opened("\n\n".join(f"{'#' * level} T{n}\n\n{(WORDS * size)[: 6 * size]}"
                             for n, (level, size) in enumerate(sizes)))._opened.book


levels = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 60)), min_size=1, max_size=12)


@given(levels, st.integers(200, 600), st.randoms(use_true_random=False))
def test_pages_keep_the_budget_and_give_everything_once(book: list[tuple[int, int]], budget: int, random: object) -> None:
    held = sized(*book)
    count = len(held.sections)
    order = list(range(count))
    random.shuffle(order)  # type: ignore[attr-defined]
    scores = np.asarray([order.index(n) for n in range(count)], np.float32)
    candidates = [SectionCandidate(n, whole=rank == 0) for rank, n in enumerate(order)]
    given_ = Delivered()
    seen: list[int] = []
    for _ in range(4 * count):
        page = select(held, candidates, scores, budget, given_)
        printed = []
        for piece in page.pieces:
            section = held.sections.at(piece.number)
            printed += [f"{section.heading}\n[{Citation.of(section, 'Small Book')}]", given_of(section, piece)]
            for number in piece.below:
                below = held.sections.at(number)
                printed += [below.heading, below.content]
            seen += [*([piece.number] if piece.span is None else []), *piece.below]
        assert count_tokens("\n\n".join(part for part in printed if part)) <= page.tokens <= budget
        given_ = page.given
        if not page.left:
            break
    else:
        pytest.fail("the pages do not end")
    assert len(seen) == len(set(seen))
    everything = {n for n in range(count) if held.sections.at(n).content}
    assert everything <= set(seen)
