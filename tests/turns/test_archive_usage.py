"""What turns made of an archive: counted from their manifests, over releases, whatever stands in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mvp_site import PromptAssembler, build_prompt_index
from mvp_site.store.types import StoredRetrieval
from mvp_site.turns.archive_usage import archive_usage
from mvp_site.turns.manifests import FORMAT
from tests.scripted import Scripted

from ..hashing import HashingEncoder
from .conftest import MakeHandler
from .game import FILES, answer, ask, calling, first
from .test_model_look_ups import look_up

FALL = "A creature falls and takes damage"


def stored(text: str = "x", **fields: Any) -> StoredRetrieval:
    manifest = {"format": FORMAT, "version": "dec_2025", "release": None, "header_sha256": "", "prompt_sha256": "", "chunks": [], "dropped": [], "seed": 1,
                "tray": False, "history": {"cut": 0, "whole": 0}, "printed": [""] * len(fields.get("chunks", ())), **fields}
    return StoredRetrieval("t", text, manifest)


def test_each_section_is_counted_as_turns_tell_of_it(make_handler: MakeHandler, turn_settings: Any) -> None:
    model = Scripted([calling(look_up()), answer(), answer(), answer()])
    handler = make_handler(model)
    strict = make_handler(model, PromptAssembler.open(turn_settings(prompt_retriever_score_floor=1.0), encoder=HashingEncoder()))
    results = [handler.handle(first("A merchant pays half of the listed price")), handler.handle(ask(FALL)), strict.handle(ask("what of the tide?"))]
    usage = archive_usage(handler.settings, handler.assembler, handler.store.retrievals(100))
    assert (usage.version, usage.turns, usage.skipped, usage.gone) == ("dec_2025", 3, 0, 0)
    assert [row.id for row in usage.sections] == [chunk.id for chunk in handler.assembler.loaded.release.chunks]  # type: ignore[union-attr]
    for row in usage.sections:
        dropped = [d["reason"] for result in results for d in result.telemetry["dropped"] if d["id"] == row.id]
        assert row.printed == sum(row.id in result.chunks for result in results)
        assert row.dropped == {reason: dropped.count(reason) for reason in dropped}
        assert row.candidate == row.printed + len(dropped)
        assert row.looked_up == sum(chunk.id == row.id for made in results[0].look_ups for chunk in made.chunks)
    assert {*usage.unused} == {row.id for row in usage.sections if not row.printed and not row.looked_up}
    assert [(group.turns, group.texts) for group in usage.sparse_turns] == [(1, ("what of the tide?",))]
    assert [retrieval.user_input for retrieval in handler.store.retrievals(1)] == ["what of the tide?"]


def test_sparse_turns_are_grouped_by_what_they_ask(assembler: PromptAssembler, turn_settings: Any) -> None:
    asked = ["what is the capital of France", "I pet the dog", "the capital of France?", "What is the capital  of france", "i pet the dog"]
    usage = archive_usage(turn_settings(), assembler, [stored(text, sparse_reason=reason) for text, reason in zip(
        [*asked, "so"], ["below_floor"] * 4 + ["no_hits"] * 2, strict=True)])
    assert [(group.turns, group.reasons, group.texts) for group in usage.sparse_turns] == [
        (3, {"below_floor": 3}, ("what is the capital of France", "the capital of France?")),
        (2, {"below_floor": 1, "no_hits": 1}, ("I pet the dog",)), (1, {"no_hits": 1}, ("so",)),
    ]
    assert usage.sparse == 6


def test_an_earlier_release_counts_for_the_sections_of_today(assembler: PromptAssembler, turn_settings: Any, tmp_path: Any) -> None:
    before = assembler.loaded.release  # type: ignore[union-attr]
    file = tmp_path / "assembled/prompt_archive/dec_2025/trade.md"
    file.write_text("# Barter\n\nWho has no coin barters, and the other names the price first.\n\n" + "A market day draws a crowd. " * 120 + "\n\n" + FILES["trade.md"])
    (file.parent / "falling.md").unlink()
    settings = turn_settings()
    build_prompt_index(settings, encoder=HashingEncoder())
    after = PromptAssembler.open(settings, encoder=HashingEncoder())
    twin = next(chunk.id for chunk in after.loaded.release.chunks if "half of the listed price" in chunk.text)  # type: ignore[union-attr]
    assert twin != "trade#1"
    told = stored(release=before.manifest.fingerprint, chunks=[{"id": "trade#1"}, {"id": "falling#1"}])
    usage = archive_usage(settings, after, [told, stored(chunks=[{"id": "trade#1"}])])
    assert {row.id: row.printed for row in usage.sections if row.printed} == {twin: 1, "trade#1": 1}
    assert usage.gone == 1


@pytest.mark.parametrize("fields", [
    {"version": "mar_2026"}, {"chunks": "all"}, {"dropped": [{"id": 3}]}, {"version": None}, {"look_ups": [{"chunks": 1}]},
], ids=str)
def test_what_cannot_be_read_is_skipped(assembler: PromptAssembler, turn_settings: Any, fields: dict[str, Any]) -> None:
    usage = archive_usage(turn_settings(), assembler, [stored(**fields), stored(release="../../etc"), replace(stored(), manifest={})])
    assert (usage.turns, usage.skipped) == (1, 2)
