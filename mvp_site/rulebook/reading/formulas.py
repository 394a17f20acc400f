"""Which sections tell how a number is worked out: those with an equation, in signs or in words."""

from __future__ import annotations

import re
from typing import Final

from ..sections import Section, Sections

_NUMBER: Final = r"(?:modifier|bonus|score|level|number|half|twice|double|\d)"
_FORMULAS: Final = re.compile(
    rf"""
    =[^\n|]{{0,80}}[+\u2212\u00d7*-]                  # DC = 8 + ...
    | \b\d+\ \+\ (?:your|the|its|one's)\b             # 8 + your ...
    | \+\ (?:your|the|its)\ [^.\n]{{0,40}}{_NUMBER}   # ... + your proficiency bonus
    | \bequals?\b[^.\n]{{0,80}}{_NUMBER}              # equals your Strength score times 15
    | \bequal\ to\b[^.\n]{{0,80}}{_NUMBER}
    | \b(?:multipl(?:y|ied)|times)\b[^.\n]{{0,60}}{_NUMBER}
    | {_NUMBER}[^.\n]{{0,40}}\b(?:multiplied\ by|times)\b
    | \badd(?:ing)?\b[^.\n]{{0,60}}\b(?:modifier|bonus)\b[^.\n]{{0,60}}\bto\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def has_formula(section: Section) -> bool:
    """Whether the text of ``section`` has something like an equation."""
    return _FORMULAS.search(section.content) is not None


def formula_sections(sections: Sections) -> tuple[int, ...]:
    """The numbers of the sections with a formula, ascending."""
    return tuple(number for number, section in enumerate(sections) if has_formula(section))
