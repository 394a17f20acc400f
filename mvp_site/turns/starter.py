"""A state to begin with, for whoever wants to see a turn before writing a campaign."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def starter_state() -> dict[str, Any]:
    """A level 2 ranger at a town gate on a rainy evening, with one quest. A new copy each time."""
    text = resources.files(__package__).joinpath("starter.json").read_text("utf-8")
    state: dict[str, Any] = json.loads(text)
    return state
