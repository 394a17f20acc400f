"""Turns of older manifests, which name chunks and tokens and have no text: what they printed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.archive.versions import store_of
from mvp_site.errors import CorruptIndexError, MissingIndexError
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.older_manifests import printed_blocks
from mvp_site.turns.replay import replay

from ..conftest import settings_under
from ..doubles import write_version
from ..hashing import HashingEncoder
from .conftest import MakeHandler
from .game import CAMPAIGN, Replying, answer, first, said

NEWER = ("printed", "look_ups", "dropped")
WORDS = "guard thief horse boat coin road river lantern merchant bridge rope storm".split()  # noqa: SIM905


def older(found: dict[str, Any]) -> dict[str, Any]:
    """A manifest as it was before what is printed was kept."""
    kept = {name: value for name, value in found.items() if name not in NEWER}
    return {**kept, "chunks": [{k: chunk[k] for k in ("id", "score", "tokens")} for chunk in found["chunks"]]}


def book(number: int) -> str:
    """Sections of many lengths, so that chunks have several pieces, some of them cut and overlapping."""
    rolled = random.Random(number)
    parts = [f"# Book {number}\n"]
    for section in range(12):
        length = rolled.choice((6, 25, 60, 140, 300))
        lines = [" ".join(rolled.choices(WORDS, k=12)) + "." for _ in range(length // 12 + 1)]
        parts.append(f"## Part {section}\n\n" + "\n\n".join(lines) + "\n")
    return "\n".join(parts)


def test_what_was_printed_is_found_by_tokens_and_digest(tmp_path: Path) -> None:
    write_version(tmp_path, {f"book_{number}.md": book(number) for number in range(6)})
    settings = settings_under(tmp_path, prompt_retriever_score_floor=0.0)
    build_prompt_index(settings, encoder=HashingEncoder())
    partial = 0
    for budget in (400, 1_000, 1_500, 3_000):
        assembler = PromptAssembler.open(settings_under(tmp_path, prompt_retriever_score_floor=0.0, prompt_max_tokens_retrieved=budget), encoder=HashingEncoder())
        for words in zip(WORDS, WORDS[3:], WORDS[5:], strict=False):
            plan = assembler.retrieve(" ".join(words))
            release = assembler.assemble("x").telemetry["release"]
            named = [(chunk.id, chunk.tokens) for chunk in plan.chunks]
            assert plan.block in list(printed_blocks(store_of(settings.prompt_index_dir, "dec_2025"), release, "dec_2025", named))
            partial += any(chunk.partial for chunk in plan.chunks)
    assert partial > 10


@pytest.fixture
def imported(make_handler: MakeHandler, store: CampaignStore, tmp_path: Path, turn_settings: Callable[..., Settings]) -> Any:
    """A turn with an older manifest: the messages that were sent, and its replay."""
    model = Replying(lambda request: said(answer()))
    result = make_handler(model).handle(first())
    document = store.export(CAMPAIGN)
    document["turns"][0]["manifest"] = older(document["turns"][0]["manifest"])
    with CampaignStore.from_url(f"sqlite:///{tmp_path}/older.sqlite3") as other:
        other.import_document(document)
        yield model.requests[0].messages, lambda: replay(turn_settings(), other, result.turn_id)


def test_an_older_turn_is_rebuilt(imported: Any) -> None:
    messages, again = imported
    found = again()
    assert found.same
    assert found.turn.messages == messages
    assert found.look_ups == ()


def test_after_its_release_is_gone_it_says_so(imported: Any, tmp_path: Path, turn_settings: Callable[..., Settings]) -> None:
    _, again = imported
    for number in range(3):
        (tmp_path / "assembled/prompt_archive/dec_2025/trade.md").write_text(f"# Trade\n\nEdition {number}.", encoding="utf-8")
        build_prompt_index(turn_settings(prompt_releases_kept=1), encoder=HashingEncoder())
    found = again()
    assert (found.turn, found.same) == (None, False)
    assert "of version 'dec_2025' is no longer kept" in found.changes[0]


def test_chunks_that_the_release_does_not_have_are_named(tmp_path: Path) -> None:
    write_version(tmp_path, {"book.md": book(1)})
    settings = settings_under(tmp_path)
    release = build_prompt_index(settings, encoder=HashingEncoder()).fingerprint
    kept = store_of(settings.prompt_index_dir, "dec_2025")
    with pytest.raises(CorruptIndexError, match=r"does not have what the turn printed \(KeyError: 'nowhere#1'\)"):
        printed_blocks(kept, release, "dec_2025", [("nowhere#1", 10)])
    with pytest.raises(MissingIndexError, match="no longer kept"):
        printed_blocks(kept, "../x", "dec_2025", [])
    assert list(printed_blocks(kept, release, "dec_2025", [("book#1", 1)])) == []
