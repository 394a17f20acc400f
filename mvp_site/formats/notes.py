"""Notes of sessions and vaults, which :mod:`mvp_site.sessions` reads."""

from __future__ import annotations

import re
from typing import Final

from .types import Format

_VAULT: Final = re.compile(r"\[\[[^\[\]\n]+\]\]|^\s*>\s*\[![^\]\n]+\]|(?<!\S)%%|^[^:\n]{1,40}::\s",
                           re.MULTILINE)
_DRAWING: Final = re.compile(r"\A---\n(?:.*\n){0,20}?excalidraw-plugin:|\A\{\"nodes\":")

FORMATS: Final = (
    Format("a drawing or canvas of Obsidian", "notes",
           lambda sample: _DRAWING.search(sample.text) is not None,
           aside="its texts are no notes; write them into a note", extent="refused"),
    Format("an Obsidian note", "notes",
           lambda sample: sample.value is None and _VAULT.search(sample.text) is not None,
           "links as the words they show, with names, types by folder and aliases; callouts, "
           "fields, front matter; comments and marked callouts for dm",
           "queries (Dataview, Tasks), pictures and recordings, block marks",
           extent="read in part"),
    Format("notes of a session", "notes",
           lambda sample: sample.value is None and bool(sample.text),
           "parts by headings, bold lines and labels; the session by number or date; secrets for "
           "dm; all else is a page of the campaign"),
)
