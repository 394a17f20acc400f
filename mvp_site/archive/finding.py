"""A finding of lint: a place of a version, and what stands out there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at: file, 1-based line (0: the whole file), what, and how grave."""

    file: str
    line: int
    severity: Severity
    rule: str
    message: str
