"""The SRD of the installed package, and folders of data that differ from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mvp_site.srd import Srd, load_srd
from mvp_site.srd.raw import data_folder


@pytest.fixture(scope="session")
def srd() -> Srd:
    return load_srd()


@pytest.fixture
def data_with(tmp_path: Path) -> Callable[[str, dict[str, str]], Path]:
    """A folder of data in which files of a subfolder differ: ``data_with("spells", {…})``."""

    def make(name: str, files: dict[str, str]) -> Path:
        folder = tmp_path / "data"
        (folder / "monsters").mkdir(parents=True)
        for source in (*data_folder().iterdir(), *(data_folder() / "monsters").iterdir()):
            place = folder / source.relative_to(data_folder())
            if str(source.relative_to(data_folder())) == name:
                place.mkdir()
                for file in source.iterdir():
                    (place / file.name).symlink_to(file)
            elif source.name != "monsters":
                place.symlink_to(source)
        (folder / name).mkdir(exist_ok=True)
        for file, text in files.items():
            (folder / name / file).unlink(missing_ok=True)
            (folder / name / file).write_text(text, encoding="utf-8")
        return folder

    return make
