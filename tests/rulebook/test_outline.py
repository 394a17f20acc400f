from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.outline import outline
from mvp_site.rulebook.sections import Sections
from tests.rulebook.small_book import TEXT


@pytest.fixture(scope="module")
def sections() -> Sections:
    return parse_rulebook(TEXT)


def test_the_arrays_agree_with_the_sections(sections: Sections) -> None:
    tree = outline(sections)
    for number, section in enumerate(sections):
        below = sections.descendants(section)
        parent = sections.parent(section)
        assert sections.below(number) == range(number + 1, number + 1 + len(below))
        assert tree.parent[number] == (-1 if parent is None else sections.number(parent.id))
        assert tree.leaf[number] == (not below)
        assert tree.subtree_tokens[number] == section.tokens + sum(s.tokens for s in below)
        for found in section.categories:
            assert tree.weight[number, found.category] == np.float32(found.weight)


levels = st.lists(st.integers(1, 6), min_size=1, max_size=30)


@given(levels, st.data())
def test_evidence_climbs_to_the_top(found: list[int], data: st.DataObject) -> None:
    book = "\n\n".join(f"{'#' * level} T{n}\n\ntext" for n, level in enumerate(found))
    parsed = parse_rulebook(book)
    tree = outline(parsed)
    numbers = st.floats(0, 1, width=32)
    scores = np.asarray(data.draw(st.lists(numbers, min_size=len(found), max_size=len(found))),
                        np.float32)
    lifted = tree.lifted(scores, 0.95)
    assert (lifted >= scores).all()
    for number in range(len(found)):
        children = np.flatnonzero(tree.parent == number)
        wanted = max([scores[number], *(np.float32(0.95) * lifted[children])])
        assert lifted[number] == pytest.approx(wanted)
