"""Prompts that are text: `archive.importing` reads them, alone or in folders."""

from __future__ import annotations

import re
from typing import Final

from .types import Format, Sample

_MATTER: Final = re.compile(r"\ufeff?---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY: Final = re.compile(r"^([A-Za-z][\w-]*)[ \t]*:", re.MULTILINE)


def _keys(sample: Sample) -> set[str]:
    """The keys of the front matter."""
    head = _MATTER.match(sample.text)
    return {*_KEY.findall(head[1])} if head else set()


def _kind(sample: Sample) -> str:
    if sample.value is not None or not sample.text:
        return ""
    keys = _keys(sample)
    return ("rule" if keys & {"alwaysApply", "globs", "paths"} else
            "skill" if keys >= {"name", "description"} else
            "note" if re.search(r"\[\[[^\[\]\n]+\]\]", sample.text) else "prompt")


FORMATS: Final = (
    Format("a prompt in plain text or Markdown", "prompts",
           lambda sample: _kind(sample) == "prompt",
           "every line, in any language; headings however they are set",
           "front matter that is not the archive's own"),
    Format("a skill (`SKILL.md`)", "prompts", lambda sample: _kind(sample) == "skill",
           "its text; its description calls for it", "license, tools, scripts; `README`"),
    Format("a rule of Cursor or Claude (`.mdc`, `.md`)", "prompts",
           lambda sample: _kind(sample) == "rule",
           "its text; its description calls for it, `alwaysApply` puts it into the header",
           "globs and paths: a turn has no files"),
    Format("a note of an Obsidian vault", "prompts", lambda sample: _kind(sample) == "note",
           "every line, links as the words they show; aliases call for it; what is marked for the "
           "game master is hidden", "tags, embedded pictures"),
)
