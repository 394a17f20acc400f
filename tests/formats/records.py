"""Records of other tools, written after their public descriptions, of invented creatures and things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ENTITIES: dict[str, tuple[str, Any, dict[str, Any]]] = json.loads((Path(__file__).parent.parent / "cases/records.json").read_text("utf-8"))
"""Folder, file and the fields that it must give, by what it is."""
