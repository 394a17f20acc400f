from __future__ import annotations

from mvp_site.retrieval import utterances


def test_the_shipped_utterances_are_whole() -> None:
    entries = utterances.shipped("rules")
    assert len(entries) > 2_000
    for entry in entries:
        assert len(entry.says) >= 2, entry.id
        assert entry.rules.isascii(), entry.id
        assert 3 <= len(entry.rules.split()) <= 24, entry.id
