"""Tags that no author set: what headings, names and words say, and how surely."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.tagging import CONFIDENT, infer_tags
from mvp_site.types import DOMAINS, MODES

from ..texts import any_text

SURE = [
    ("rules.md", ("Combat", "Attack rolls"), "Roll 1d20 and add your bonus; a hit deals damage.", "mechanics"),
    ("a.md", ("NPC record fields",), "Required keys: id (string), hp (integer), optional notes.", "schema"),
    ("safety.md", ("Content boundaries",), "Consent comes first; minors are never in danger of it.", "safety"),
    ("a.md", ("Companions", "Loyalty"), "Their motives and secrets shape every scene of the story.", "narrative"),
    ("world/regions.md", ("Settlements",), "Roll the population, the climate and the town's history.", "worldgen"),
    ("examples.md", ("A worked example",), "For instance, a sample transcript follows.", "examples"),
]


@pytest.mark.parametrize(("file", "path", "text", "domain"), SURE, ids=[domain for *_, domain in SURE])
def test_a_clear_text_has_its_domain_and_confidence(file: str, path: tuple[str, ...], text: str, domain: str) -> None:
    tags = infer_tags(file, path, text)
    assert tags.domain == domain
    assert tags.domain_confidence >= CONFIDENT


@pytest.mark.parametrize(
    ("path", "text", "mode"),
    [
        (("God mode",), "Answer in god_mode_response and offer god:return_story.", "god"),
        (("Answering",), "In DM mode speak out of character. In DM nothing moves. DM mode is calm.", "dm"),
        (("Story mode",), "The narrative field holds prose.", "story"),
        (("Complete answers", "God answer - setting a number"), "The purse is filled.", "god"),
        (("Dm answer - why did that fail",), "The total was 11 against DC 13.", "dm"),
        (("The god of war",), "A god of iron, whose temples stand in every port.", None),
        (("Falling",), "A fall deals 1d6 for every ten feet.", None),
        ((), "", None),
    ],
)
def test_a_text_has_a_mode_where_it_speaks_of_one(path: tuple[str, ...], text: str, mode: str | None) -> None:
    assert infer_tags("a.md", path, text).mode == mode


@given(any_text, st.lists(any_text, max_size=3), any_text)
def test_any_text_has_a_domain_a_mode_and_confidences(file: str, path: list[str], text: str) -> None:
    tags = infer_tags(file, path, text)
    assert tags.domain in (None, *DOMAINS)
    assert tags.mode in (None, *MODES)
    assert 0 <= tags.domain_confidence <= 1
    assert 0 <= tags.mode_confidence <= 1
