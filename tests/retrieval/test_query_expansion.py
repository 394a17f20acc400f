from __future__ import annotations

import numpy as np
import pytest

from mvp_site.retrieval import nearest_utterances as echoes
from mvp_site.retrieval import query_expansion as talk
from mvp_site.retrieval import utterances
from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.retrieval.index import HybridIndex, VectorCache
from mvp_site.rulebook.book import passages
from mvp_site.rulebook.markdown import parse_rulebook

from ..rulebook.small_book import TEXT


@pytest.fixture(scope="module")
def index() -> HybridIndex:
    encoder = HashingEncoder()
    return HybridIndex.build(passages(parse_rulebook(TEXT)), encoder, VectorCache(encoder))


def test_what_is_said_leads_to_the_section_that_the_rules_words_name(index: HybridIndex) -> None:
    encoder = HashingEncoder()
    sections = parse_rulebook(TEXT)
    built = talk.QueryExpansion.build(index, utterances.rule_topics(), encoder.encode(talk.texts(utterances.rule_topics())))
    hinted = built.hinted(encoder.encode(["she drops off the cliff!"])[0])
    assert sections.at(int(hinted.argmax())).title == "Slow Fall"
    assert 0 <= hinted.min() <= hinted.max() <= 1
    again = talk.QueryExpansion.load(built.dump())
    assert np.allclose(again.hinted(encoder.encode(["nap"])[0]),
                       built.hinted(encoder.encode(["nap"])[0]), atol=1e-3)


def test_the_shipped_utterances_are_whole() -> None:
    entries = utterances.shipped("rules")
    assert len(entries) > 2_000
    for entry in entries:
        assert len(entry.says) >= 2, entry.id
        assert entry.rules.isascii(), entry.id
        assert 3 <= len(entry.rules.split()) <= 24, entry.id


def test_what_is_nearly_said_again_echoes(index: HybridIndex) -> None:
    encoder, table = HashingEncoder(), utterances.rule_topics()
    vectors, said = encoder.encode(talk.texts(table)), encoder.encode([table[1].says[1]])[0]
    plain = talk.QueryExpansion.build(index, table, vectors)
    echoing = talk.QueryExpansion.build(index, table, vectors, nearest=True)
    assert not set(echoes.FILES) & set(plain.dump())
    assert set(echoes.FILES) <= set(echoing.dump())
    assert {name: content for name, content in echoing.dump().items() if name not in echoes.FILES} == plain.dump()
    assert np.array_equal(plain.hinted_and_heard(said)[0], plain.hinted(said))
    assert plain.hinted_and_heard(said)[1].tolist() == [0.0] * index.passages
    assert plain.hinted_and_heard(said)[2] == 0
    hinted, echoed, nearness = echoing.hinted_and_heard(said)
    assert np.array_equal(hinted, plain.hinted(said))
    assert nearness == pytest.approx(1.0)
    assert parse_rulebook(TEXT).at(int(echoed.argmax())).title == "Slow Fall"
    assert echoed == pytest.approx(echoing.intents.highest([(1, 1.0)]))
    _, none, far = echoing.hinted_and_heard(encoder.encode(["quite another matter"])[0])
    assert not none.any()
    assert far == 0
    for one in (plain, echoing):
        again = talk.QueryExpansion.load(one.dump())
        assert again.dump() == one.dump()
        for first, second in zip(again.hinted_and_heard(said), one.hinted_and_heard(said), strict=True):
            assert np.allclose(first, second, atol=2e-3)


@pytest.mark.parametrize("rows", [[], [0], [1], [1, 0]], ids=str)
@pytest.mark.parametrize("nearest", [True, False], ids=["nearest", "plain"])
def test_some_sayings_of_some_passages(index: HybridIndex, rows: list[int], nearest: bool) -> None:
    encoder, table = HashingEncoder(), utterances.rule_topics()
    whole = talk.QueryExpansion.build(index, table, encoder.encode(talk.texts(table)), nearest=nearest)
    some = whole.only(rows, 1, 3)
    assert some.intents.ids == tuple(table[row].id for row in rows)
    for text in (table[0].says[0], table[1].says[1], "quite another matter"):
        said = encoder.encode([text])[0]
        hinted, echoed, nearness = some.hinted_and_heard(said)
        assert hinted.shape == echoed.shape == (2,)
        assert 0 <= nearness <= 1
        assert some.topic(said) == whole.topic(said)
        if sorted(rows) == [0, 1]:
            expected = whole.hinted_and_heard(said)
            assert hinted == pytest.approx(expected[0][1:3])
            assert echoed == pytest.approx(expected[1][1:3])
            assert nearness == pytest.approx(expected[2])
        elif not rows:
            assert not hinted.any()
            assert nearness == 0
