"""Counts that processes share: none is over its limit, whoever counts, and each ends with its time."""

from __future__ import annotations

import datetime
from concurrent.futures import ThreadPoolExecutor

from mvp_site.store.campaigns import CampaignStore


def test_many_who_count_at_once_keep_to_the_limit(store: CampaignStore) -> None:
    counts, key = store.shared_counts, f"requests {store._database.url}"
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda _: counts.add(key, 10, 60), range(30)))
    assert (added.count(True), counts.counts(key, "another")) == (10, (10, 0))
    # Of a window before a part counts.
    assert [counts.add("now", 10, 60, before=key, share=0.85) for _ in range(3)] == [True, True, False]
    assert not counts.add("later", 10, 60, before=key, share=1)
    for name in (key, "now"):
        counts.remove(name)
    assert counts.counts(key, "now") == (0, 0)


def test_a_count_ends_with_its_time_and_goes(store: CampaignStore) -> None:
    counts, start = store.shared_counts, datetime.datetime.now(datetime.UTC)
    assert counts.add("brief", 1, 60)
    counts._clock = lambda: start + datetime.timedelta(minutes=5)
    assert counts.counts("brief") == (0,)
    assert counts.add("other", 1, 60)
    counts._clock = lambda: start
    assert counts.counts("brief", "other") == (0, 1)
    counts.remove("other")
