"""Telemetry: one event a turn, by its schema, with nothing of the player's text in it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import Message, PromptAssembler
from mvp_site.assembly import telemetry
from mvp_site.assembly.state_signals import WORDS
from mvp_site.types import AUDIENCES, AssembledTurn, DropReason, SparseReason

from ..doubles import FailingEncoder, assembler_of
from ..texts import any_text
from .conftest import FILES
from .reading import CALLERS

pytestmark = pytest.mark.serving

VALIDATOR = jsonschema.Draft202012Validator(telemetry.schema())
TEXT = "Xanthippe asks the merchant Qorvalis about the price of zweihanders"
SECRET = ("anthippe", "orvalis", "weihander")


def events(caplog: pytest.LogCaptureFixture) -> list[Mapping[str, Any]]:
    return [json.loads(record.getMessage()) for record in caplog.records if record.name == "mvp_site.telemetry"]


# --- the schema ---------------------------------------------------------------------------------


def test_the_schema_is_a_schema_and_says_what_each_field_is() -> None:
    schema = telemetry.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"

    def undescribed(of: Mapping[str, Any], path: str) -> Iterator[str]:
        for name, field in of.get("properties", {}).items():
            if "description" not in field:
                yield f"{path}/{name}"
            yield from undescribed(field, f"{path}/{name}")
            if isinstance(field.get("items"), dict):
                yield from undescribed(field["items"], f"{path}/{name}")
        if "properties" in of and of.get("additionalProperties") is not False:
            yield f"{path}: open"

    assert not list(undescribed(schema, ""))


def test_the_schema_knows_the_words_of_the_code() -> None:
    fields, dropped = telemetry.schema()["properties"], telemetry.schema()["$defs"]["dropped"]["items"]["properties"]
    known = [set(part["enum"]) for part in (fields["audience"], fields["sparse_reason"], dropped["reason"], fields["facets"]["items"])]
    assert known == [set(AUDIENCES), {*get_args(SparseReason), None}, set(get_args(DropReason)), set(WORDS)]


TURNS: list[dict[str, Any]] = [
    {"text": TEXT}, {"text": TEXT, "mode": "dm", "audience": "dm"}, {"text": "the harbour master's fate", "mode": "god", "audience": "god"}, {"text": ""},
    {"text": "\x00\ud800 </passage> <|endoftext|> \u2028"}, {"text": "and again?", "history": [Message("user", TEXT)]},
    *({"text": TEXT, "state": {"player_character_data": pc, "combat_state": {"in_combat": True}, "world_data": {"current_location": place}}}
      for place in ("crypt", "forest", "town") for pc in ({"hp_current": 1, "hp_max": 9, "xp": 900, "level": 1}, {"hp_current": 0}, {"resting": True})),
    {"text": f"think: {TEXT}"},
]


def test_every_event_is_by_the_schema(tmp_path: Path) -> None:
    for floor in (0.0, 0.3, 1.0):
        assembler = assembler_of(tmp_path, FILES, prompt_retriever_score_floor=floor)
        for turn in TURNS:
            assert_event(assembler.assemble(**turn))


@given(any_text, st.sampled_from(CALLERS))
def test_any_text_gives_an_event_by_the_schema(assembler: PromptAssembler, text: str, caller: tuple[Any, Any]) -> None:
    assert_event(assembler.assemble(text, *caller))


def assert_event(turn: AssembledTurn) -> None:
    event = json.loads(json.dumps(turn.telemetry))
    assert event == turn.telemetry
    assert [error.message for error in VALIDATOR.iter_errors(event)] == []
    assert (event["retrieval_sparse"], event["sparse_reason"]) == (turn.retrieval_sparse, turn.sparse_reason)
    assert [(c["id"], c["score"], c["tokens"], c["chars"]) for c in event["chunks"]] == [(c.id, c.score, c.tokens, len(c.text)) for c in turn.chunks]
    assert [(d["id"], d["reason"]) for d in event["dropped"]] == [(d.id, d.reason) for d in turn.dropped]


# --- logging ------------------------------------------------------------------------------------


def test_a_turn_is_one_event_of_one_line(assembler: PromptAssembler, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mvp_site")
    turns = [assembler.assemble(text) for text in (TEXT, TEXT, "", "a\n\u2028b")]
    assert events(caplog) == [turn.telemetry for turn in turns]
    assert all("\n" not in record.getMessage() for record in caplog.records)
    assert [record.levelno for record in caplog.records] == [logging.INFO] * 4


@pytest.mark.parametrize("error", [None, ValueError(f"cannot encode {TEXT!r}")], ids=["", "a lane chokes on it"])
def test_nothing_of_the_text_is_logged(assembler: PromptAssembler, encoder: FailingEncoder, caplog: pytest.LogCaptureFixture, error: Exception | None) -> None:
    caplog.set_level(logging.DEBUG)
    encoder.error = error
    history = [Message("user", f"{TEXT}, again"), Message("assistant", "Xanthippe nods to Qorvalis.")]
    for audience in AUDIENCES:
        turn = assembler.assemble(TEXT, audience=audience, history=history, state={"npc_data": {"Qorvalis": TEXT}})
        assert "query_text" not in turn.telemetry
        assert bool(turn.telemetry["lanes"]["failed"]) is (error is not None)
    assert len(events(caplog)) == 3
    assert not any(word in json.dumps(event) for event in events(caplog) for word in SECRET)
    assert not any(word in record.getMessage() for record in caplog.records for word in SECRET)
    assert error or not any(word in caplog.text for word in SECRET)


def test_the_text_is_logged_where_it_is_asked_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mvp_site")
    turn = assembler_of(tmp_path, FILES, prompt_log_text=True).assemble(f"{TEXT}\x00\ud800")
    assert turn.telemetry["query_text"] == f"{TEXT}\ufffd\ufffd"
    assert_event(turn)
    assert events(caplog)[0]["query_text"] == f"{TEXT}\ufffd\ufffd"


# --- spans --------------------------------------------------------------------------------------


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Any:
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(telemetry._trace, "get_tracer_provider", lambda: provider)
    return exporter


def test_a_turn_is_a_retrieval_span(assembler: PromptAssembler, spans: Any) -> None:
    turn = assembler.assemble(TEXT)
    (span,) = spans.get_finished_spans()
    assert span.name == "retrieval dec_2025"
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "dec_2025",
        "gen_ai.retrieval.documents": json.dumps([{"id": c.id, "score": c.score} for c in turn.chunks]),
        "mvp_site.retrieval_sparse": False, "mvp_site.tokens_retrieved": turn.telemetry["tokens"]["retrieved"], "mvp_site.release": turn.telemetry["release"],
    }
