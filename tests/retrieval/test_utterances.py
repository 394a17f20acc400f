"""The utterances: what is shipped, and what is refused."""

from __future__ import annotations

import re

import pytest

from mvp_site.errors import ArchiveError
from mvp_site.retrieval.utterances import (
    load_off_topic,
    parse_topics,
    situations,
)


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
        ("[[situation]]\nid = ", "bad.toml: "),
        ("[[situation]]\nsays = ['a']\nrules = 'b'", "situation None needs id (text), says (list of texts) and rules"),
        ("[[situation]]\nid = 7\nsays = ['a']\nrules = 'b'", "situation 7 needs id (text)"),
        ("[[situation]]\nid = 'x'\nsays = 'a'\nrules = 'b'", "situation 'x' needs id (text), says (list of texts)"),
        ("[[situation]]\nid = 'x'\nsays = [1]\nrules = 'b'", "situation 'x' needs id"),
        ("[[situation]]\nid = 'x'\nsays = ['a']", "situation 'x' needs id (text), says (list of texts) and rules"),
        ("[[situation]]\nid = 'x'\nsays = ['a']\nrules = ['b']", "situation 'x' needs id"),
        ("[[situation]]\nid = 'x'\nrules = 'b'", "situation 'x' needs id"),
        ("situation = 7", "bad.toml: each situation is a table [[situation]]; see docs/utterances.md"),
        ("situation = ['x']", "bad.toml: each situation is a table [[situation]]; see docs/utterances.md"),
        ("[situation]\nid = 'x'\nsays = ['a']\nrules = 'b'", "bad.toml: each situation is a table [[situation]]; see docs/utterances.md"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(ArchiveError, match=re.escape(message)):
        parse_topics(text, "bad.toml")
