"""The narrative as it arrives: its pieces join to it, however the answer is cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.turns.narration import NarrativeReader
from mvp_site.types import Mode

from .game import answer

LINES: dict[Mode, str] = {"story": "[Mode: STORY MODE]", "dm": "[Mode: DM MODE]", "god": "[Mode: GOD MODE]"}


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


def told(mode: Mode, parts: list[str]) -> list[str]:
    reader = NarrativeReader(mode)
    return [*(reader.feed(part) for part in parts), reader.finish("".join(parts))]


def written(mode: Mode = "story", *, ascii_only: bool = False, indent: int | None = None, order: list[str] | None = None, **fields: Any) -> str:
    content = json.loads(answer(mode, **fields).partition("\n")[2])
    if order:
        content = {name: content[name] for name in [*order, *(name for name in content if name not in order)]}
    return f"{LINES[mode]}\n{json.dumps(content, ensure_ascii=ascii_only, indent=indent)}"


_texts = st.text(st.sampled_from('ab "\\u/{}[]:,\n\t0dé\u2028\U0001f409') | st.characters(exclude_categories=["Cs"]), max_size=60)


@pytest.mark.slow
@settings(max_examples=400)
@given(_texts, st.lists(st.integers(0, 10**6), max_size=30), st.booleans(), st.sampled_from([None, 1]), st.booleans())
def test_however_the_answer_is_cut(text: str, cuts: list[int], escaped: bool, indent: int | None, last: bool) -> None:
    order = None if last else ["narrative"]
    raw = written(ascii_only=escaped, indent=indent, order=order, narrative=text, session_header=text, location_confirmed=text)
    if last:
        content = json.loads(raw.partition("\n")[2])
        raw = f"{LINES['story']}\n{json.dumps({**{k: v for k, v in content.items() if k != 'narrative'}, 'narrative': text}, indent=indent)}"
    found = told("story", pieces(raw, cuts))
    assert "".join(found) == text


@settings(max_examples=100)
@given(_texts, st.lists(st.integers(0, 10**6), max_size=10), st.integers(0, 10**6))
def test_what_is_told_of_an_answer_that_breaks_off_is_its_beginning(text: str, cuts: list[int], end: int) -> None:
    raw = written(ascii_only=True, narrative=text)
    reader = NarrativeReader("story")
    found = "".join(reader.feed(part) for part in pieces(raw[: end % len(raw)], cuts))
    assert text.startswith(found)


@pytest.mark.parametrize(
    "raw",
    ["", "The bar gives.", "[Mode: STORY MODE]", "[Mode: STORY MODE]\n[1, 2]", "[Mode: STORY MODE]\n{", '[Mode: STORY MODE] {"narrative": "x"}',
     '[Mode: STORY MODE]\n{"narrative": 3}', '[Mode: STORY MODE]\n{"narrative": ["x"]}', '[Mode: STORY MODE]\n{"debug_info": {"narrative": "x"}}',
     '[Mode: STORY MODE]\n{"session_header": "\\"narrative\\": \\"x"', "[Mode: STORY MODE]\n{" + "[" * 10_000, '[Mode: STORY MODE]\n{"a": x, "narrative": "y"}',
     '[Mode: STORY MODE]\n{"god_mode_response": "x"}'],
    ids=range(13),
)
def test_what_is_no_narrative_tells_nothing(raw: str) -> None:
    assert "".join(told("story", list(raw))) == ""
    assert "".join(told("story", [raw])) == ""
