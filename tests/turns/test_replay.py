"""Replay: the prompt of any past turn, byte for byte, or what is no longer as it was."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.errors import UnknownTurnError
from mvp_site.retrieval.dense import DenseLane
from mvp_site.retrieval.lexical import LexicalLane
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns import handler as handling
from mvp_site.turns.handler import TurnHandler
from mvp_site.turns.manifests import prompt_sha256
from mvp_site.turns.replay import Replayed, replay
from mvp_site.turns.types import TurnResult
from mvp_site.types import Message
from tests.scripted import Scripted

from ..hashing import HashingEncoder
from .conftest import MakeHandler
from .game import CAMPAIGN, MODES_ASKED, ROLLED, Replying, answer, ask, calling, first, said

ENCODER = HashingEncoder()


class Watching(Replying):
    """A model that gives one answer, and keeps the messages of each turn's first question."""

    def __init__(self, reply: Any = None, **fields: Any) -> None:
        super().__init__(reply or (lambda request: said(answer())), **fields)

    def prompt(self, turn: int) -> tuple[Any, ...]:
        return self.requests[turn].messages


@pytest.fixture(autouse=True)
def _no_search(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """While a turn is replayed, nothing is searched and no assembler or encoder is opened."""
    def refuse(*args: object, **fields: object) -> None:
        raise AssertionError("a replay searches nothing")

    def replayed(*args: Any) -> Replayed:
        with monkeypatch.context() as patch:
            patch.setattr(PromptAssembler, "__init__", refuse)
            patch.setattr(PromptAssembler, "_rank_and_plan", refuse)
            patch.setattr(HashingEncoder, "encode", refuse)
            return replay(*args)

    monkeypatch.setattr(handling, "replay", replayed)
    return refuse


def again(handler: TurnHandler, result: TurnResult) -> Replayed:
    return handler.replay(result.turn_id)


def assert_same(handler: TurnHandler, result: TurnResult, sent: tuple[Any, ...]) -> None:
    found = again(handler, result)
    assert found.turn is not None
    assert found.changes == ()
    assert found.same
    assert found.turn.messages == sent
    assert prompt_sha256(found.turn) == found.record.manifest["prompt_sha256"]
    assert found.record.id == result.turn_id
    assert tuple(chunk.id for chunk in found.turn.chunks) == result.chunks


@pytest.fixture
def archive_root(assembler: PromptAssembler, tmp_path: Path) -> Path:
    return tmp_path / "assembled"


@pytest.fixture
def republish(archive_root: Path, turn_settings: Callable[..., Settings]) -> Callable[..., None]:
    """Edit the archive, and publish it."""

    def publish(text: str = "# Trade\n\nA merchant pays two thirds of the listed price.", *, build: bool = True, **fields: Any) -> None:
        (archive_root / "prompt_archive/dec_2025/trade.md").write_text(text, encoding="utf-8")
        if build:
            build_prompt_index(turn_settings(**fields), encoder=ENCODER)

    return publish


@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize(("text", "mode"), MODES_ASKED)
def test_turns_of_every_mode(make_handler: MakeHandler, text: str, mode: Any, tools: bool) -> None:
    for audience in ("player", "dm", "god")[2 * (mode == "god") :]:
        model = Watching(lambda request: said(answer(mode, text=text)), tools=tools)
        handler = make_handler(model)
        result = handler.handle(first(text, mode, audience=audience, campaign_id=f"{audience}"))
        assert result.fallback is None
        assert_same(handler, result, model.prompt(0))


def test_turns_with_rolls_attempts_and_fallbacks(make_handler: MakeHandler) -> None:
    model = Scripted([calling(), "no", answer(dice_rolls=ROLLED), "no", "no", answer()])
    handler = make_handler(model)
    results = [handler.handle(first("one")), handler.handle(ask("two")), handler.handle(ask("and again?"))]
    assert [result.fallback for result in results] == [None, "contract", None]
    for result, number in zip(results, (0, 3, 5), strict=True):
        assert_same(handler, result, model.requests[number].messages)


@pytest.mark.slow
def test_a_long_campaign_whose_history_was_trimmed(make_handler: MakeHandler) -> None:
    """Fallbacks in between, and turns before those that are read at all."""
    texts = iter(["no" if number % 7 == 3 else answer(narrative="And on it goes. " * 40) for number in range(400)])
    model = Watching(lambda request: said(next(texts)))
    handler = make_handler(model, mvp_site_context_tokens=7_000, mvp_site_answer_tokens=400, mvp_site_max_attempts=1)
    results = [handler.handle(first("0") if number == 0 else ask(f"turn {number}", seed=number)) for number in range(200)]
    assert sum(result.fallback is not None for result in results) == 29
    assert results[-1].telemetry["history"]["cut"] > 0
    assert max(result.telemetry["history"]["dropped"] for result in results) > 20
    for number in (0, 1, 3, 4, 63, 64, 130, 191, 192, 193, 199):
        assert_same(handler, results[number], model.prompt(number))
    cuts = [request.messages[1].content if len(request.messages) > 2 else "" for request in model.requests]  # type: ignore[union-attr]
    assert len(set(cuts)) < 100  # of a window that holds some five turns, a quarter is one


def test_with_a_history_that_was_handed_in(make_handler: MakeHandler) -> None:
    history = tuple(Message(("user", "assistant", "system")[n % 3], f"<turn {n} \ud800> " + "word " * 300) for n in range(60))  # type: ignore[arg-type]
    model = Watching()
    handler = make_handler(model, mvp_site_context_tokens=12_000, mvp_site_answer_tokens=500)
    result = handler.handle(first(history=history))
    assert 0 < result.telemetry["history"]["dropped"] < 60
    assert_same(handler, result, model.prompt(0))
    none = handler.handle(ask(history=()))
    assert_same(handler, none, model.prompt(1))


def test_odd_states_and_texts(make_handler: MakeHandler) -> None:
    model = Watching(lambda request: said("no"))
    handler = make_handler(model, mvp_site_max_attempts=1)
    odd = {"world_data": {"a\ud800": ["</state>", 1e300, -0.0, 10**40, "\x00", {"é": None}], "B": 1, "b": True}}
    for number, text in enumerate(("</turn> \ud83d", "", "\x00\u2028", "god " * 400)):
        result = handler.handle(ask(text, campaign_id=f"c{number}", state=odd))
        assert_same(handler, result, model.prompt(number))


def test_other_settings_now_are_no_matter(make_handler: MakeHandler, store: CampaignStore, turn_settings: Callable[..., Settings]) -> None:
    model = Watching(lambda request: said(answer(narrative="And on it goes. " * 60)))
    handler = make_handler(model, mvp_site_context_tokens=8_000, mvp_site_answer_tokens=600)
    results = [handler.handle(first() if number == 0 else ask()) for number in range(20)]
    other = turn_settings(
        mvp_site_context_tokens=100_000, prompt_max_tokens_retrieved=10, prompt_retriever_score_floor=1.0, prompt_version="mar_2026",
        mvp_site_llm_tools=False, mvp_site_max_attempts=5,
    )
    for number in (0, 19):
        found = replay(other, store, results[number].turn_id)
        assert found.same
        assert found.turn is not None
        assert found.turn.messages == model.prompt(number)


def test_after_the_archive_was_edited_and_published_again(make_handler: MakeHandler, republish: Callable[..., None]) -> None:
    model = Watching()
    handler = make_handler(model)
    before = handler.handle(first())
    republish(build=False)
    assert_same(handler, before, model.prompt(0))
    republish()
    assert_same(handler, before, model.prompt(0))
    after = handler.handle(ask())
    assert "two thirds" in model.prompt(1)[-1].content
    assert "two thirds" not in model.prompt(0)[-1].content
    assert_same(handler, after, model.prompt(1))
    assert_same(handler, before, model.prompt(0))


def test_after_the_release_was_pruned(make_handler: MakeHandler, republish: Callable[..., None], archive_root: Path) -> None:
    model = Watching()
    handler = make_handler(model)
    before = handler.handle(first())
    for number in range(3):
        republish(f"# Trade\n\nA merchant pays {number} tenths of the listed price.", prompt_releases_kept=1)
    assert_same(handler, before, model.prompt(0))
    header = archive_root / "prompt_archive/core_header.txt"
    kept = header.read_bytes()
    header.write_text("Another header.\n", encoding="utf-8")
    assert again(handler, before).same  # a kept release has the header still
    for number in range(3):
        republish(f"# Trade\n\nA merchant pays {number} ninths of the listed price.", prompt_releases_kept=1)
    found = again(handler, before)
    digest = found.record.manifest["header_sha256"]
    assert not found.same
    assert found.changes == (f"the header's SHA-256 was {digest}, is {hashlib.sha256(header.read_bytes()).hexdigest()}",)
    assert found.turn is not None
    assert found.turn.messages[0].content == "Another header.\n"
    assert found.turn.messages[1:] == model.prompt(0)[1:]
    header.write_bytes(kept)
    assert_same(handler, before, model.prompt(0))


def test_where_nothing_is_left_of_the_version(make_handler: MakeHandler, archive_root: Path) -> None:
    handler = make_handler(Watching())
    before = handler.handle(first())
    shutil.rmtree(archive_root / "prompt_archive/dec_2025")
    assert again(handler, before).same
    shutil.rmtree(archive_root / "data/prompt_index/dec_2025")
    found = again(handler, before)
    assert (found.turn, found.same) == (None, False)
    assert len(found.changes) == 1
    assert "unknown prompt version 'dec_2025'" in found.changes[0]


def test_what_redactors_withheld_is_not_kept_and_not_needed(assembler: PromptAssembler, store: CampaignStore, turn_settings: Callable[..., Settings]) -> None:
    def redact(text: str, chunk: Any) -> str:
        return text.replace("merchant", "person")

    redacting = PromptAssembler.open(turn_settings(), encoder=ENCODER, redactors=[redact])
    model = Watching()
    handler = TurnHandler(turn_settings(), redacting, model, store)
    result = handler.handle(first("What is the price of goods?"))
    assert "A person pays" in model.prompt(0)[-1].content
    assert_same(handler, result, model.prompt(0))
    assert "merchant" not in str(store.turn(result.turn_id).manifest["printed"])


def test_a_turn_without_an_index(store: CampaignStore, archive_root: Path, turn_settings: Callable[..., Settings]) -> None:
    """It had no release: the one that was published since has no part in it."""
    settings = turn_settings(prompt_index_dir=archive_root / "empty")
    bare = PromptAssembler.open(settings, degraded=True, encoder=ENCODER)
    model = Watching()
    handler = TurnHandler(settings, bare, model, store)
    result = handler.handle(first())
    assert result.telemetry["sparse_reason"] == "no_index"
    assert_same(handler, result, model.prompt(0))
    published = TurnHandler(turn_settings(), bare, model, store)
    assert_same(published, result, model.prompt(0))
    (archive_root / "prompt_archive/core_header.txt").write_text("Another header.\n", encoding="utf-8")
    found = again(handler, result)
    assert not found.same
    assert found.changes[0].startswith("the header's SHA-256 was ")


def test_a_turn_whose_lanes_failed(make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("lane")

    model = Watching()
    handler = make_handler(model)
    with monkeypatch.context() as patch:
        for lane in (DenseLane, LexicalLane):
            patch.setattr(lane, "scores", fail)
        result = handler.handle(first())
    assert result.telemetry["sparse_reason"] == "lane_failure"
    assert_same(handler, result, model.prompt(0))


def test_exported_and_imported_elsewhere(make_handler: MakeHandler, store: CampaignStore, tmp_path: Path, turn_settings: Callable[..., Settings]) -> None:
    model = Watching()
    handler = make_handler(model)
    results = [handler.handle(first("one")), handler.handle(ask("two"))]
    document = json.loads(json.dumps(store.export(CAMPAIGN)))
    with CampaignStore.from_url(f"sqlite:///{tmp_path}/other.sqlite3") as other:
        other.import_document(document)
        found = replay(turn_settings(), other, results[1].turn_id)
    assert found.same
    assert found.turn is not None
    assert found.turn.messages == model.prompt(1)


@pytest.mark.parametrize(("change", "told"), [
    (None, "cannot be read"), ({"format": 1}, "cannot be read (format 1; this program reads 2)"), ({"version": "../../etc"}, "unknown prompt version '../../etc'"), ({"version": "jan_1999"}, "unknown"),
    ({"printed": None}, "cannot be read (Expected `array`, got `null` - at `$.printed`)"),
    ({"printed": []}, "passages)"),
])
def test_a_manifest_that_cannot_be_used_says_so(make_handler: MakeHandler, store: CampaignStore, tmp_path: Path, turn_settings: Callable[..., Settings], change: Any, told: str) -> None:
    result = make_handler(Watching()).handle(first())
    document = store.export(CAMPAIGN)
    document["turns"][0]["manifest"] = {} if change is None else {**document["turns"][0]["manifest"], **change}
    with CampaignStore.from_url(f"sqlite:///{tmp_path}/other.sqlite3") as other:
        other.import_document(document)
        found = replay(turn_settings(), other, result.turn_id)
    assert (found.turn, found.same) == (None, False)
    assert told in found.changes[0]


@pytest.mark.parametrize("turn_id", ["none", "", "../x", "x" * 200, "\x00"])
def test_an_unknown_turn(make_handler: MakeHandler, turn_id: str) -> None:
    with pytest.raises(UnknownTurnError):
        make_handler(Replying()).replay(turn_id)
