"""Prompts, rulebook and entities: what users may count on of releases is the same for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mvp_site import EntityIndex, PromptAssembler, Rulebook, Settings, build_prompt_index
from mvp_site.entities.build import build_entities, own_folder
from mvp_site.errors import CorruptIndexError, MissingIndexError
from mvp_site.rulebook.build import build_rulebook

from .conftest import settings_under
from .doubles import FailingEncoder, write_version
from .entities.small_stock import stock_as_srd
from .hashing import HashingEncoder

OUT = MemoryError("no more memory")


@dataclass(frozen=True)
class Part:
    """A part: where its releases are, how it is written, built, opened and asked of trade."""

    folder: str
    command: str
    write: Callable[[Settings, int], object]
    build: Callable[[Settings, HashingEncoder], Any]
    open: Callable[[Settings, HashingEncoder], Any]
    ask: Callable[[Any], str]
    failed: Callable[[Any], Mapping[str, str]]


def text(edition: int) -> str:
    return f"# Trade\n\nMerchants trade in edition{edition}.\n\n# Sleep\n\nYou sleep at night.\n"


def write_prompts(settings: Settings, edition: int) -> None:
    write_version(settings.prompt_archive_dir.parent, {"a.md": text(edition)})


def write_book(settings: Settings, edition: int) -> None:
    (settings.prompt_archive_dir.parent / "book.md").write_text(text(edition))


def write_entity(settings: Settings, edition: int) -> None:
    folder = own_folder(settings) / "spells"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trade.json").write_text(f'{{"name": "Trade", "level": 1, "desc": "Merchants trade in edition{edition}."}}')


PARTS = {
    "prompts": Part(
        "data/prompt_index/dec_2025", "mvp-site index build --version dec_2025", write_prompts,
        lambda settings, encoder: build_prompt_index(settings, encoder=encoder),
        lambda settings, encoder: PromptAssembler.open(settings, encoder=encoder),
        lambda assembler: assembler.assemble("merchants trade").prompt,
        lambda assembler: assembler.assemble("merchants trade anew").telemetry["lanes"]["failed"],
    ),
    "rulebook": Part(
        "data/rulebook", "mvp-site rulebook build", write_book,
        lambda settings, encoder: build_rulebook(settings, settings.prompt_archive_dir.parent / "book.md", encoder=encoder),
        lambda settings, encoder: Rulebook.open(settings, encoder=encoder),
        lambda book: book.query(user_query="merchants trade").text,
        lambda book: book.search("merchants trade anew").lanes_failed
        and book.query(user_query="merchants trade anew").lanes_failed,
    ),
    "entities": Part(
        "data/entities", "mvp-site entities build", write_entity,
        lambda settings, encoder: build_entities(settings, encoder=encoder),
        lambda settings, encoder: EntityIndex.open(settings, encoder=encoder),
        lambda index: str(index.search_entities("spells", "merchants trade")),
        lambda index: index.search_entities("spells", "merchants trade anew").lanes_failed,
    ),
}


@pytest.fixture(params=PARTS.values(), ids=PARTS)
def part(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Part]:
    with stock_as_srd(monkeypatch):
        yield request.param


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_under(tmp_path, prompt_retriever_score_floor=0.0)


def test_what_is_built_is_served_from_the_next_question_on(part: Part, settings: Settings) -> None:
    part.write(settings, 1)
    write_prompts(settings, 1)
    with pytest.raises(MissingIndexError, match=f"build it: {part.command}"):
        part.open(settings, HashingEncoder())
    part.build(settings, HashingEncoder())
    opened = part.open(settings, HashingEncoder())
    assert "edition1" in part.ask(opened)
    part.write(settings, 2)
    part.build(settings, HashingEncoder())
    assert "edition2" in part.ask(opened)


@pytest.mark.parametrize("pointer", [b"\xff", b"0123456789abcdef\n"])
def test_a_damaged_pointer_names_the_command_and_the_command_mends_it(part: Part, settings: Settings, pointer: bytes) -> None:
    part.write(settings, 1)
    name = part.build(settings, HashingEncoder()).fingerprint
    (settings.prompt_archive_dir.parent / part.folder / "CURRENT").write_bytes(pointer)
    with pytest.raises(CorruptIndexError, match=f"build again: {part.command} --force"):
        part.open(settings, HashingEncoder())
    assert part.build(settings, HashingEncoder()).fingerprint == name
    assert "edition1" in part.ask(part.open(settings, HashingEncoder()))


def test_a_build_that_fails_leaves_nothing_new(part: Part, settings: Settings) -> None:
    part.write(settings, 1)
    encoder = FailingEncoder()
    encoder.error = OUT
    with pytest.raises(MemoryError):
        part.build(settings, encoder)
    assert not (settings.prompt_archive_dir.parent / part.folder).exists()
    encoder.error = None
    assert part.build(settings, encoder).built
    assert not part.build(settings, encoder).built
    opened = part.open(settings, encoder)
    part.write(settings, 2)
    encoder.error = OUT
    with pytest.raises(MemoryError):
        part.build(settings, encoder)
    encoder.error = None
    assert "edition1" in part.ask(opened)
    part.write(settings, 1)  # an archive that was edited since its build is stale
    assert "edition1" in part.ask(part.open(settings, encoder))


def test_where_the_encoder_fails_the_lexical_lane_goes_on_and_says_so(part: Part, settings: Settings) -> None:
    encoder = FailingEncoder()
    part.write(settings, 1)
    part.build(settings, encoder)
    opened = part.open(settings, encoder)
    encoder.error = OUT
    assert "edition1" in part.ask(opened)
    assert part.failed(opened) == {"dense": "MemoryError: no more memory"}
    encoder.error = None
    assert "edition1" in part.ask(opened)
    assert part.failed(opened) == {}  # what was found without it is not kept
