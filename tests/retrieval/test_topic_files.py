"""The utterances: what is shipped, and what is refused."""

from __future__ import annotations

import re

import pytest

from mvp_site.errors import ArchiveError
from mvp_site.retrieval.topic_files import load_off_topic, parse_topics, situations


def test_no_probe_is_a_needle() -> None:
    from evaluation.needles import load_needles

    from mvp_site.text.normalising import normalise

    probes = {normalise(probe) for probe in load_off_topic()}
    said = {normalise(text) for one in situations() for text in one.says}
    for split in ("tune", "test"):
        found = [n.id for n in load_needles(split) if normalise(n.query) in probes | said]
        assert not found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[situation]]\nid = ", "Invalid value"),
        ("[[situation]]\nsays = ['a']\nrules = 'b'", "missing required field `id` - at `$.situation[0]`"),
        ("[[situation]]\nid = 'x'\nsays = []\nrules = 'b'", "`$.situation[0].says`"),
        ("situation = 7", "Expected `array`, got `int` - at `$.situation`; see docs/utterances.md for its form"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(ArchiveError, match=re.escape(message)):
        parse_topics(text, "bad.toml")
