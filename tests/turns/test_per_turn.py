"""What a turn asks for itself: a prompt version, and a budget for what is retrieved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.assembly import assemblers
from mvp_site.errors import InvalidTurnError, UnknownVersionError

from ..doubles import write_version
from ..hashing import HashingEncoder
from .conftest import MakeHandler
from .game import Replying, ask, first

OTHER = {"tides.md": "# Tides\n\nA merchant of the tide pays a third of the price at low water."}


@pytest.fixture
def archive(assembler: PromptAssembler, tmp_path: Path, turn_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings over an archive of two versions, both built; they are opened with the encoder double."""
    write_version(tmp_path / "assembled", OTHER, "mar_2026")
    build_prompt_index(turn_settings(), "mar_2026", encoder=HashingEncoder())
    opens = PromptAssembler.open
    monkeypatch.setattr(assemblers.PromptAssembler, "open", lambda settings, **more: opens(settings, encoder=HashingEncoder(), **more))
    return turn_settings()


@pytest.mark.parametrize(("fields", "version", "budget", "printed"), [
    ({}, "dec_2025", 1500, "half of the listed price"),
    ({"version": "dec_2025"}, "dec_2025", 1500, "half of the listed price"),
    ({"version": "mar_2026"}, "mar_2026", 1500, "a third of the price"),
    ({"version": "mar_2026", "max_tokens_retrieved": 900}, "mar_2026", 900, "a third of the price"),
    ({"max_tokens_retrieved": 0}, "dec_2025", 0, ""),
])
def test_a_turn_is_taken_with_what_it_asks_for(archive: Settings, make_handler: MakeHandler, fields: dict[str, Any], version: str, budget: int, printed: str) -> None:
    model = Replying()
    handler = make_handler(model)
    result = handler.handle(first(**fields))
    manifest = handler.store.turn(result.turn_id).manifest
    assert (result.telemetry["version"], result.telemetry["tokens"]["budget"]) == (version, budget)
    assert (manifest["version"], manifest["budget"]) == (version, budget)
    prompt = model.requests[0].messages[-1].content  # type: ignore[union-attr]
    assert printed in prompt
    assert ("<retrieved_context" in prompt) is bool(printed)
    assert handler.replay(result.turn_id).same
    assert handler.handle(ask()).telemetry["version"] == "dec_2025"  # for that turn alone


@pytest.mark.parametrize(("fields", "error", "says"), [
    ({"version": "jan_1999"}, UnknownVersionError, "'jan_1999'; existing versions: dec_2025, mar_2026"),
    ({"version": "../mar_2026"}, UnknownVersionError, "existing versions: dec_2025"), ({"version": ""}, UnknownVersionError, "unknown prompt version ''"),
    ({"max_tokens_retrieved": -1}, InvalidTurnError, "max_tokens_retrieved is -1; give a whole number from 0 to 1000000"),
    ({"max_tokens_retrieved": True}, InvalidTurnError, "is True"), ({"max_tokens_retrieved": "9" * 99}, InvalidTurnError, "is '9999"), ({"max_tokens_retrieved": 1.5}, InvalidTurnError, "is 1.5"),
    ({"max_tokens_retrieved": 40_000}, InvalidTurnError, "the retrieved context 40000"),
])
def test_what_cannot_be_asked_for_is_said(archive: Settings, make_handler: MakeHandler, fields: dict[str, Any], error: type[Exception], says: str) -> None:
    handler = make_handler(Replying())
    with pytest.raises(error) as raised:
        handler.handle(first(**fields))
    assert says in str(raised.value)
    assert handler.store.campaigns() == ()
