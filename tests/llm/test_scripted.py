"""The scripted model: its file format, its order, its requests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mvp_site.concurrency import events_of
from mvp_site.errors import ModelRequestError, ModelUnavailableError, SettingsError
from mvp_site.llm.protocol import Model, ModelReply, ToolCall, Usage
from mvp_site.llm.scripted import PIECE, ScriptedModel
from tests.llm.asking import REQUEST, WAYS, Way, ask, asked
from tests.scripted import Scripted
from tests.texts import case_text

SCRIPT = case_text("script.jsonl")


def script(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "script.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("way", WAYS)
def test_a_script(tmp_path: Path, way: Way) -> None:
    path = script(tmp_path, SCRIPT)
    model: Model = ScriptedModel.open(path)
    calls, said, refused, cut = [ask(model, way) for _ in range(4)]
    assert calls == ModelReply("", (
        ToolCall("call_2_1", "roll_dice", '{"expression": "1d20+5", "für": "Ä"}'), ToolCall("call_2_2", "roll_dice", "{"),
    ), Usage(), "tools", "scripted")
    assert said == ModelReply("[Mode: STORY MODE]\n{}", (), Usage(3000, 400, 2000), "end", "scripted")
    assert (refused.stop, cut.stop) == ("refused", "length")
    with pytest.raises(ModelUnavailableError, match=r"script\.jsonl, line 7 says that there is no answer \(unavailable\)$"):
        ask(model, way)
    with pytest.raises(ModelRequestError, match=r"line 8 says that there is no answer \(request\)$"):
        ask(model, way)
    for _ in range(2):
        with pytest.raises(ModelUnavailableError, match=r'script\.jsonl is used up after 6 answers: write more, or end it with \{"repeat": true\}'):
            ask(model, way)
    assert model.name == f"scripted:{path}"
    assert model.tools


BAD = [
    ("", "has no answer: write one JSON object a line"),
    ('{"repeat": true}', "has no answer"),
    ("\n\n{", "line 3: it is no JSON object"),
    ("[" * 100_000, "line 1: Expected `object`"),
    ("[1]", "line 1: Expected `object`, got `array`"),
    ('{"usage": {}}', "line 1: it has neither 'text', 'calls' nor 'error'"),
    ('{"text": "a", "txt": 1}', "`txt`; a line may have text, calls, stop, usage, error, repeat"),
    ('{"text": "a"}\n{"text": 3}', "line 2: Expected `str | null`, got `int` - at `$.text`"),
    ('{"text": "a", "stop": "max"}', "at `$.stop`"),
    ('{"text": "a", "stop": "tools"}', "line 1: it calls tools exactly where 'stop' is 'tools'"),
    ('{"calls": [{"name": "f"}], "stop": "end"}', "line 1: it calls tools exactly where"),
    ('{"calls": [{}]}', "at `$.calls[0]`"),
    ('{"calls": {"name": "f"}}', "at `$.calls`"),
    ('{"calls": [{"name": ""}]}', "at `$.calls[0].name`"),
    ('{"calls": [{"name": "f", "arguments": 3}]}', "at `$.calls[0].arguments`"),
    ('{"error": "other"}', "at `$.error`"),
    ('{"text": "a", "usage": {"tokens": 1}}', "in `$.usage`"),
    ('{"text": "a", "usage": {"input_tokens": -1}}', "at `$.usage[...]`"),
    ('{"text": "a", "usage": {"input_tokens": true}}', "at `$.usage[...]`"),
    ('{"text": "a", "repeat": true}', "line 1: write {\"repeat\": true} and nothing"),
    ('{"text": "a"}\n{"repeat": true}\n{"text": "b"}', "line 3: nothing may follow {\"repeat\": true}"),
    (b"\xff\xfe", "cannot be read: it is not UTF-8"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_bad_script_is_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = script(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        ScriptedModel.open(path)
    assert str(caught.value).startswith(f"the script {path}")
    assert message in str(caught.value)


def test_a_stream_comes_in_pieces() -> None:
    text = "x" * (PIECE * 2 + 1)
    pieces, reply = asked(Scripted([text]), "astream")
    assert [len(piece) for piece in pieces] == [PIECE, PIECE, 1]
    assert reply.text == text


def test_a_stream_that_breaks(tmp_path: Path) -> None:
    path = script(tmp_path, '{"text": "The bar gi", "error": "unavailable"}\n{"repeat": true}')
    model = ScriptedModel.open(path)
    stream = events_of(model.astream(REQUEST))
    assert next(stream) == "The bar gi"
    with pytest.raises(ModelUnavailableError):
        next(stream)
    with pytest.raises(ModelUnavailableError):
        model.complete(REQUEST)


def test_the_docstring_is_a_script(tmp_path: Path) -> None:
    import mvp_site.llm.scripted as module

    assert module.__doc__ is not None
    example = "\n".join(line.strip() for line in module.__doc__.splitlines() if line.startswith("    {"))
    model = ScriptedModel.open(script(tmp_path, example))
    assert json.loads(ask(model, "complete").calls[0].arguments) == {"query": "stealth"}
    assert json.loads(ask(model, "complete").calls[0].arguments) == {"expression": "1d20+5"}
    assert ask(model, "complete").usage.total_tokens == 3_400
