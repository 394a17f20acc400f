"""Prompts that are text: `archive.importing` reads them, whatever their language."""

from __future__ import annotations

from typing import Final

from .types import Format

FORMATS: Final[tuple[Format, ...]] = (
    Format("a prompt in plain text or Markdown", "prompts",
           lambda sample: sample.value is None and bool(sample.text),
           "every line; headings however they are set", "front matter of other tools"),
)
