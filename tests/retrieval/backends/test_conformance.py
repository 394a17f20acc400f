"""What every engine promises: one suite over all, the same records, the same answers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.collection import Collection, Hits, SearchRequest
from mvp_site.retrieval.filters import AnyOf, Condition, Contains, Range

from .passages import HOSTILE, SOURCES, matching, records, scores, unit

ALL = tuple(dict.fromkeys(record.type for record in records()))
SPELLS = ("spells",)
CLOSE = 1e-4

CONDITIONS: dict[str, Condition] = {
    "none": (),
    "one number": (AnyOf("level", (4.0,)),),
    "any of numbers": (AnyOf("level", (-1.5, 0.0, 2.0)),),
    "no such number": (AnyOf("level", (99.0,)),),
    "many numbers": (AnyOf("level", tuple(float(n) for n in range(1000))),),
    "a range": (Range("level", 1.0, 4.0),),
    "from": (Range("level", 3.5, None),),
    "up to below zero": (Range("level", None, -0.25),),
    "a huge range": (Range("level", -1e300, 1e300),),
    "a tiny range": (Range("level", 0.0, 1e-300),),
    "an empty range": (Range("level", 1.25, 1.5),),
    "true": (AnyOf("ritual", (True,)),),
    "false": (AnyOf("ritual", (False,)),),
    "true or false": (AnyOf("ritual", (False, True)),),
    "a text": (AnyOf("school", ("evocation",)),),
    "a text that others start with": (AnyOf("school", ("evo",)),),
    "any of texts": (AnyOf("school", ("illusion", "evo", "nothing")),),
    "many texts": (AnyOf("school", (*(f"school {n}" for n in range(999)), "evo")),),
    "one of several": (AnyOf("classes", ("druid",)),),
    "a part of one of several": (AnyOf("classes", ("paladin",)),),
    "any of several": (AnyOf("classes", ("paladin's oath", "ranger")),),
    "contains in a text": (Contains("school", "vocat"),),
    "contains in several": (Contains("classes", "in's o"),),
    "contains across several": (Contains("classes", "wizardcleric"),),
    "and": (Range("level", 0.0, 6.0), AnyOf("ritual", (True,)), Contains("classes", "wiz")),
    "and nothing": (AnyOf("level", (1.0,)), AnyOf("level", (2.0,))),
    "both ends apart": (Range("level", 1.0, None), AnyOf("level", (1.0, 4.0, -1.5))),
    "no such field": (AnyOf("speed", ("fast",)),),
    "no such field in a range": (Range("speed", 0.0, None),),
    "no such field to contain": (Contains("speed", "a"),),
    "a number asked of a text": (AnyOf("school", (1.0,)),),
    "a text asked of a number": (AnyOf("level", ("4",)),),
    "a flag is no number": (AnyOf("ritual", (1.0,)),),
    "a number is no flag": (AnyOf("level", (True,)),),
    "a range of a text": (Range("school", 0.0, 1.0),),
    "a part of a number": (Contains("level", "4"),),
    "several kinds, text": (AnyOf("kind", ("one",)),),
    "several kinds, number": (AnyOf("kind", (3.0,)),),
    "several kinds, part": (Contains("kind", "o"),),
}
WANTED: dict[str, SearchRequest] = {
    "both lanes": SearchRequest(ALL, unit(1, 99)[0], ("fire", "xorn", "level=3", "unseen")),
    "terms that engines would split": SearchRequest(
        ALL, None, ("1d20+5", "god:return_story", "__delete__", "日本", "cr=1/4", "a'b", "%")
    ),
    "vector alone": SearchRequest(ALL, unit(1, 98)[0]),
    "words alone": SearchRequest(ALL, None, ("goblin", "light", "goblin")),
    "a word that no passage has": SearchRequest(ALL, unit(1, 97)[0], ("unheard",)),
    "no words that engines keep": SearchRequest(ALL, None, (" ", "'", '"')),
    "many words": SearchRequest(ALL, None, (*(f"word{n}" for n in range(300)), "fire")),
    "neither": SearchRequest(ALL, None),
    "one group": SearchRequest(SPELLS, unit(1, 96)[0], ("fire",)),
    "two groups": SearchRequest(("magic-items", "spells"), unit(1, 95)[0], ("fire",)),
    "a group twice": SearchRequest(("spells", "spells"), unit(1, 95)[0], ("fire",)),
    "a hostile group": SearchRequest((ALL[-1],), unit(1, 94)[0], ("fire",)),
    "no such group": SearchRequest(("dragons", "' or 1==1"), unit(1, 94)[0], ("fire",)),
    "no group": SearchRequest((), unit(1, 93)[0], ("fire",)),
    "filtered": SearchRequest(ALL, unit(1, 92)[0], ("fire", "cold"), (Range("level", 1.0, None),)),
}


def check(wanted: SearchRequest, found: Hits) -> None:
    """Sorted, allowed, complete in both lanes, and scored exactly."""
    numbers = found.numbers.tolist()
    assert found.numbers.dtype == np.int64
    assert found.cosine.dtype == found.lexical.dtype == np.float32
    assert numbers == sorted(set(numbers))
    assert len(numbers) == len(found.cosine) == len(found.lexical)
    allowed = set(matching(wanted.types, wanted.where))
    truth = scores(wanted)
    lexical = sorted((n for n in allowed if truth[n][1] > 0), key=lambda n: -truth[n][1])
    expected = allowed & set(wanted.also)
    if wanted.limit >= len(records()):
        expected |= set(lexical)
    if wanted.vector is not None:
        expected |= set(sorted(allowed, key=lambda n: -truth[n][0])[: wanted.limit])
    assert expected <= set(numbers) <= allowed
    assert found.cosine == pytest.approx([truth[n][0] for n in numbers], abs=CLOSE)
    assert found.lexical == pytest.approx([truth[n][1] for n in numbers], abs=CLOSE)
    assert ((found.lexical >= 0) & (found.lexical < 1)).all()


@pytest.mark.parametrize("wanted", WANTED.values(), ids=WANTED)
def test_candidates(backend: Collection, wanted: SearchRequest) -> None:
    check(wanted, backend.search(wanted))


@pytest.mark.parametrize("where", CONDITIONS.values(), ids=CONDITIONS)
def test_filters(backend: Collection, where: Condition) -> None:
    expected = matching(ALL, where)
    assert backend.search(SearchRequest(ALL, where=where)).numbers.tolist() == expected
    assert backend.search(SearchRequest(SPELLS, where=where)).numbers.tolist() == matching(SPELLS, where)
    found = backend.search(SearchRequest(ALL, unit(1, 5)[0], ("fire",), where))
    assert found.numbers.tolist() == expected
    check(SearchRequest(ALL, None, ("fire", "cold"), where),
          backend.search(SearchRequest(ALL, None, ("fire", "cold"), where)))


CHOSEN: dict[str, tuple[SearchRequest, Callable[[int], bool]]] = {
    "everything": (SearchRequest(), lambda n: True),
    "a source": (SearchRequest(sources=SOURCES[:1]), lambda n: n % 6 != 0 and n % 3 == 0),
    "sources": (SearchRequest(sources=SOURCES[1:]), lambda n: n % 3 != 0),
    "no source": (SearchRequest(sources=()), lambda n: False),
    "no such source": (SearchRequest(sources=("' or 1==1", "a boo")), lambda n: False),
    "for players": (SearchRequest(audience="player"), lambda n: n % 6 != 0 and n // 2 % 3 == 0),
    "for the DM": (SearchRequest(audience="dm"), lambda n: n % 6 != 0 and n // 2 % 3 < 2),
    "for gods": (SearchRequest(audience="god"), lambda n: n % 6 != 0),
    "all of it": (
        SearchRequest(SPELLS, where=(Range("level", 0.0, None),), sources=SOURCES[1:], audience="dm"),
        lambda n: n in matching(SPELLS, (Range("level", 0.0, None),)) and n % 3 != 0 and n % 6 != 0 and n // 2 % 3 < 2,
    ),
}


@pytest.mark.parametrize(("query", "chosen"), CHOSEN.values(), ids=CHOSEN)
def test_source_and_audience_choose(backend: Collection, query: SearchRequest, chosen: Callable[[int], bool]) -> None:
    expected = [n for n in range(backend.passages) if chosen(n)]
    assert backend.search(query).numbers.tolist() == expected
    found = backend.search(replace(query, vector=unit(1, 3)[0], terms=("fire", "cold"), also=(0, 1, 2)))
    assert found.numbers.tolist() == expected
    truth = scores(SearchRequest(ALL, unit(1, 3)[0], ("fire", "cold")))
    assert found.cosine == pytest.approx([truth[n][0] for n in expected], abs=CLOSE)
    assert found.lexical == pytest.approx([truth[n][1] for n in expected], abs=CLOSE)


@pytest.mark.slow
def test_hostile_texts_match_themselves_and_nothing_else(backend: Collection) -> None:
    for place, text in enumerate(HOSTILE):
        for field in ("odd", "odds"):
            assert backend.search(SearchRequest(ALL, where=(AnyOf(field, (text,)),))).numbers.tolist() == [place], (field, text)
            part = (Contains(field, text),)
            assert not text or backend.search(SearchRequest(ALL, where=part)).numbers.tolist() == matching(ALL, part), (field, text)
        for field in ("school", "level"):
            assert not len(backend.search(SearchRequest(ALL, where=(AnyOf(field, (text,)),))).numbers), (field, text)


@given(st.text(max_size=30).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)))
def test_any_text_is_safe(backend: Collection, text: str) -> None:
    for where in ((AnyOf("odd", (text,)),), (AnyOf("odds", (text, "x")),)):
        assert backend.search(SearchRequest(ALL, where=where)).numbers.tolist() == matching(ALL, where)
    if text:
        where = (Contains("odds", text),)
        assert backend.search(SearchRequest(ALL, where=where)).numbers.tolist() == matching(ALL, where)
    wanted = SearchRequest((text, "spells"), None, (text or " ", "fire"))
    check(wanted, backend.search(wanted))


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_each_lane_finds_as_many_as_it_is_asked_for(backend: Collection, limit: int) -> None:
    wanted = SearchRequest(ALL, unit(1, 77)[0], ("fire",), (), (), limit)
    found = backend.search(wanted)
    check(wanted, found)
    truth = scores(wanted)
    assert sum(truth[n][1] > 0 for n in found.numbers.tolist()) >= limit


@pytest.mark.parametrize("where", [(), (Range("level", 2.0, None),)], ids=["all", "filtered"])
def test_also_is_scored_where_it_is_allowed(backend: Collection, where: Condition) -> None:
    also = (0, 3, 17, 33, 50, 10_000, 3)
    for groups in (ALL, SPELLS):
        for vector, terms in ((None, ()), (unit(1, 6)[0], ("heal",))):
            wanted = SearchRequest(groups, vector, terms, where, also, 1)
            check(wanted, backend.search(wanted))


def test_vectors_are_those_that_were_written(backend: Collection) -> None:
    for record in records()[:9]:
        held = backend.vectors(record.number)
        assert held.dtype == np.float32
        assert held == pytest.approx(record.vectors, abs=1e-6)


def test_the_same_question_has_the_same_answer(backend: Collection) -> None:
    wanted = WANTED["both lanes"]
    first = backend.search(wanted)
    with ThreadPoolExecutor(4) as pool:
        for again in pool.map(lambda _: backend.search(wanted), range(8)):
            assert np.array_equal(again.numbers, first.numbers)
            assert np.array_equal(again.cosine, first.cosine)
            assert np.array_equal(again.lexical, first.lexical)
