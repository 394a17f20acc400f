"""The data package as it stands, the same repaired, and the records made of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mvp_site.srd import Repair, Srd, load_srd
from mvp_site.srd.raw import Tables, data_folder, read_tables
from mvp_site.srd.repairs import repair


class Repaired(NamedTuple):
    """Tables before and after, and the repairs between."""

    before: Tables
    after: Tables
    report: tuple[Repair, ...]


@pytest.fixture(scope="session")
def srd() -> Srd:
    return load_srd()


@pytest.fixture(scope="session")
def repaired() -> Repaired:
    before = read_tables(data_folder())
    after = copy.deepcopy(before)
    return Repaired(before, after, repair(after))


@pytest.fixture
def data_with(tmp_path: Path) -> Callable[[str, dict[str, str]], Path]:
    """A folder of data in which one subfolder holds other files: ``data_with("spells", {…})``."""

    def make(name: str, files: dict[str, str]) -> Path:
        folder = tmp_path / "data"
        first, _, second = name.partition("/")
        for source in data_folder().iterdir():
            (folder / source.name).parent.mkdir(parents=True, exist_ok=True)
            if source.name != first:
                (folder / source.name).symlink_to(source)
        (folder / name).mkdir(parents=True)
        if second:
            for source in (data_folder() / first).iterdir():
                if source.name != second:
                    (folder / first / source.name).symlink_to(source)
        for file, text in files.items():
            (folder / name / file).write_text(text, encoding="utf-8")
        return folder

    return make
