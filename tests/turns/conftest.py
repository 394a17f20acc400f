"""A small archive with its release, a SQLite store, and handlers over both."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.handler import TurnHandler

from ..conftest import settings_under
from ..doubles import assembler_of, build_quickly
from .game import FILES

MakeHandler = Callable[..., TurnHandler]


@pytest.fixture(autouse=True, scope="package")
def _quick_builds() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        build_quickly(patch)
        yield


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the schema and no campaign."""
    path = tmp_path_factory.mktemp("turns") / "migrated.sqlite3"
    CampaignStore.from_url(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def store(tmp_path: Path, migrated_file: Path) -> Iterator[CampaignStore]:
    """A store without a campaign, in ``tmp_path``."""
    (tmp_path / "data").mkdir(exist_ok=True)
    shutil.copy(migrated_file, tmp_path / "campaigns.sqlite3")
    with CampaignStore.from_url(f"sqlite:///{tmp_path}/campaigns.sqlite3") as opened:
        yield opened


@pytest.fixture
def assembler(tmp_path: Path) -> PromptAssembler:
    """An assembler over the small archive, its release built."""
    shelved = tmp_path / "assembled"
    shelved.mkdir()
    return assembler_of(shelved, FILES)


@pytest.fixture
def turn_settings(tmp_path: Path) -> Callable[..., Settings]:
    """Settings over the small archive of ``assembler``, with other fields."""
    return lambda **fields: settings_under(
        tmp_path / "assembled", **{"prompt_retriever_score_floor": 0.0, **fields}
    )


@pytest.fixture
def make_handler(
    assembler: PromptAssembler, store: CampaignStore, turn_settings: Callable[..., Settings]
) -> Iterator[MakeHandler]:
    """A handler with a model, over the small archive and the store."""
    made: list[TurnHandler] = []

    def make(model: Any, assembler: PromptAssembler = assembler, **fields: Any) -> TurnHandler:
        made.append(TurnHandler(turn_settings(**fields), assembler, model, store))
        return made[-1]

    yield make
    for handler in made:
        assert len(handler._locks._queues) == 0, "a lock is still held or waited for"
        handler.close()
