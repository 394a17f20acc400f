"""What a file is, is read off its content; each is of one format, and an unknown one is described."""

from __future__ import annotations

from typing import Any

import pytest

from mvp_site.formats import Sample, formats, likeness, recognise, refusal
from mvp_site.formats.json_text import json_value
from mvp_site.text.strict_json import JsonError

from .files import FORMATS, WORLDS, is_folder


def sample(value: Any) -> Sample:
    return Sample("file", value=value)


def test_what_is_unknown_is_refused_with_what_it_looks_like_and_what_is_read() -> None:
    said = refusal(sample({"title": "x", "pages": []}), "prompts")
    assert "an object with the keys title, pages" in said
    assert "prompts may be " in said
    assert likeness(sample([{"a": 1}])) == "a list of objects with the keys a"
    assert likeness(sample({})) == "an empty object"


def test_names_are_there_once_and_every_format_says_what_becomes_of_a_file() -> None:
    names = [format_.name for format_ in formats()]
    assert len({*names}) == len(names)
    assert all(format_.aside if format_.extent == "refused" else format_.used for format_ in formats())
    assert recognise(Sample("x", text="Tell the story."), "prompts") is not None


@pytest.mark.parametrize("name", FORMATS)
def test_each_file_is_of_one_format_of_its_kind(name: str) -> None:
    for hand, world in enumerate(WORLDS):
        content = FORMATS[name](world, hand)
        texts = [content] if isinstance(content, str) else [text for file, text in content.items() if file.endswith((".md", ".mdc"))] if is_folder(content) else []
        samples = [Sample("x", text=text) for text in texts] or [Sample("x", content, value=None) if isinstance(content, bytes) else sample(content)]
        for one in samples:
            assert len([format_ for format_ in formats("prompts") if format_.recognised(one)]) == 1


def test_careless_json_is_read_and_what_no_text_holds_is_replaced_where_it_stands() -> None:
    text = '{"entries":{"0":{"content":"Elves sing \\ud83d at\ndawn."},"1":{"content":"\\ud83d\\ude00 whole"}}}'
    value, notes = json_value(text, "book") or (None, ())
    assert value["entries"]["0"]["content"] == "Elves sing \ufffd at\ndawn."
    assert value["entries"]["1"]["content"] == "😀 whole"
    assert notes == ("book: entries.0.content has a character that is no text: it was replaced",)


@pytest.mark.parametrize("text", ['{"a": }', "[" * 100_000 + "]" * 100_000, '{"a":' * 3_000 + "1" + "}" * 3_000, "[" * 70 + "1" + "]" * 70, '{"a":1,"a":2}'])
def test_damaged_or_deep_json_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        json_value(text, "it", stated=True)
