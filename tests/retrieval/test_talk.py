from __future__ import annotations

import numpy as np
import pytest

from mvp_site.retrieval import talk
from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.retrieval.index import HybridIndex, VectorCache
from mvp_site.rulebook.book import passages
from mvp_site.rulebook.markdown import parse_rulebook

from ..rulebook.small_book import TEXT, opened


@pytest.fixture(scope="module")
def index() -> HybridIndex:
    encoder = HashingEncoder()
    return HybridIndex.build(passages(parse_rulebook(TEXT)), encoder, VectorCache(encoder))


def test_what_is_said_leads_to_the_section_that_the_rules_words_name(index: HybridIndex) -> None:
    encoder = HashingEncoder()
    sections = parse_rulebook(TEXT)
    built = talk.Talk.build(index, talk.sayings(), encoder.encode(talk.texts(talk.sayings())))
    hinted = built.hinted(encoder.encode(["she drops off the cliff!"])[0])
    assert sections.at(int(hinted.argmax())).title == "Slow Fall"
    assert 0 <= hinted.min() <= hinted.max() <= 1
    again = talk.Talk.load(built.dump())
    assert np.allclose(again.hinted(encoder.encode(["nap"])[0]),
                       built.hinted(encoder.encode(["nap"])[0]), atol=1e-3)


def test_a_book_without_the_rule_is_hinted_at_less(index: HybridIndex) -> None:
    encoder = HashingEncoder()
    other = HybridIndex.build(
        passages(parse_rulebook("# Ships\n\nSails and oars.\n\n# Ports\n\nHarbours.")), encoder,
        VectorCache(encoder),
    )
    vectors, said = encoder.encode(talk.texts(talk.sayings())), encoder.encode(["she drops off the cliff!"])[0]
    here, there = (talk.Talk.build(one, talk.sayings(), vectors).hinted(said).max() for one in (index, other))
    assert there < here


def test_its_words_alone_find_the_rule() -> None:
    hits = opened().search("I plummet")
    assert hits[0].title == "Slow Fall"
    assert "talk" in {part.name for part in hits[0].parts}


def test_the_shipped_sayings_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    from importlib import resources

    from mvp_site.retrieval.situations import parse_situations

    folder = resources.files("mvp_site.retrieval").joinpath("sayings")
    entries = [
        entry for file in sorted(folder.iterdir(), key=lambda path: path.name)
        for entry in parse_situations(file.read_text(encoding="utf-8"), file.name)
    ]
    assert len({entry.id for entry in entries}) == len(entries) > 2_000
    for entry in entries:
        assert len(entry.says) >= 2, entry.id
        assert entry.rules.isascii(), entry.id
        assert 3 <= len(entry.rules.split()) <= 24, entry.id
