from __future__ import annotations

import numpy as np
import pytest

from mvp_site.errors import ArchiveError
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
    cliff, nap = encoder.encode(["she drops off the cliff!", "nap"])
    hinted = built.intents.scores(built.intents.resembling(cliff, talk.TEMPERATURE))
    assert sections.at(int(hinted.argmax())).title == "Slow Fall"
    assert 0 <= hinted.min() <= hinted.max() <= 1
    again = talk.QueryExpansion.load(built.dump())
    hints = [one.intents.scores(one.intents.resembling(nap, talk.TEMPERATURE)) for one in (built, again)]
    assert np.allclose(*hints, atol=1e-3)
    assert again.topic(nap) == built.topic(nap)


def test_the_shipped_utterances_are_whole() -> None:
    entries = utterances.shipped("rules")
    assert len(entries) > 2_000
    for entry in entries:
        assert len(entry.says) >= 2, entry.id
        assert entry.rules.isascii(), entry.id
        assert 3 <= len(entry.rules.split()) <= 24, entry.id


def entry(name: str, rules: str) -> str:
    return f'[[situation]]\nid = "{name}"\nsays = ["a", "b"]\nrules = "{rules}"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[situation]", "bad.toml: .*docs/situations.md"),
        ("situation = 3", "bad.toml: each situation is a table"),
        ('[[situation]]\nid = "x"\nsays = ["a"]', "bad.toml: situation 'x' needs id"),
        (entry("x", "y") + 'state = ["nowhere"]', "bad.toml: situation 'x': unknown state 'nowhere'"),
    ],
)
def test_a_table_that_is_wrong_is_named(text: str, told: str) -> None:
    with pytest.raises(ArchiveError, match=told):
        utterances.parse_topics(text, "bad.toml")
