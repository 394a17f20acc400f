"""Tables that are shipped beside the modules that read them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def shipped_tables(package: str, file: str) -> dict[str, Any]:
    """The tables of a TOML file in the folder of ``package``."""
    return tomllib.loads(files(package).joinpath(file).read_text("utf-8"))
