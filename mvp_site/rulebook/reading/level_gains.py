"""A section's text to what is gained at which level, each with the sentence that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...retrieval.names import words
from ..sections import Section, Sections
from .levels import gained_levels, tag_level, title_level
from .tables import plain_cell

MAX_QUOTE: Final = 240
MAX_SENTENCE: Final = 1_000
"""A longer one is read up to here; nobody writes a rule in so long a sentence."""

_FENCE: Final = re.compile(r"[ \t>]*(?:`{3}|~{3})")
_MARK: Final = re.compile(r"[ \t>]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?")
_RULE: Final = re.compile(r"[ \t>]*(?:[-*_][ \t]*){3,}$")
_STOP: Final = re.compile(r"(?<=[.!?])[\"'”’)\]*_]*\s+(?=[A-Z“\"'*_(\[])")
_NAME: Final = re.compile(r"([*_]{1,3})([^*_]{2,80})\1[.:]?(?:\s|$)")
_CONDITION: Final = ("prerequisite",)
_LEVEL_WORD: Final = "level"


@dataclass(frozen=True, slots=True)
class Gain:
    """At ``level`` the section gives ``name``; ``quote`` is the sentence that says so."""

    level: int
    name: str
    quote: str


def section_gains(sections: Sections, section: Section) -> tuple[Gain, ...]:
    """What ``section`` itself says is gained at a level, in the order of its text; never raises."""
    headed = title_level(section.title)
    if headed is not None and _of_spells(sections, section):
        headed = None
    if headed is None and _LEVEL_WORD not in section.content.lower():
        return ()
    said = list(_statements(section.content))
    title = (headed[1] if headed else "") or section.title
    found: dict[tuple[int, str], Gain] = {}
    level = headed[0] if headed else None
    if level is None:
        for number, (_, text) in enumerate(said[:2]):
            level = tag_level(text)
            if level is not None:
                del said[number]
                break
    if level:
        found[level, title] = Gain(level, title, _quote(said[0][1]) if said else "")
    for number, (name, text) in enumerate(said):
        run_in = title_level(name) if name else None
        named = ((run_in[1] or title) if run_in else f"{title}: {name}") if name else title
        if run_in and run_in[0]:
            quote = text or (said[number + 1][1] if number + 1 < len(said) else "")
            found.setdefault((run_in[0], named), Gain(run_in[0], named, _quote(quote)))
        for level in gained_levels(text):
            if level:
                found.setdefault((level, named), Gain(level, named, _quote(text)))
    return tuple(found.values())


def _of_spells(sections: Sections, section: Section) -> bool:
    """Whether a level in the title of ``section`` is one of spells: a part of a spell list."""
    above = (section, *sections.ancestors(section)[:2])
    return any("spell" in words(part.title) for part in above)


def _statements(content: str) -> Iterator[tuple[str, str]]:
    """The sentences of ``content``, plain, each with the run-in name of its paragraph or ''.

    A paragraph that is nothing but its name has one statement, with the name and no text.
    """
    for paragraph in _paragraphs(content):
        if tag_level(paragraph) is not None:
            yield "", paragraph
            continue
        named = _NAME.match(paragraph) if paragraph[:1] in "*_" else None
        name = plain_cell(named[2]).rstrip(".: ") if named else ""
        text = paragraph[named.end() :] if named else paragraph
        if words(name)[:1] == _CONDITION:
            name, text = "", paragraph
        said = [plain_cell(part[:MAX_SENTENCE]) for part in _STOP.split(text)]
        for sentence in filter(None, said):
            yield name, sentence
        if name and not any(said):
            yield name, ""


def _paragraphs(content: str) -> Iterator[str]:
    """The paragraphs and list items of ``content``, tables, rules and code left out."""
    held: list[str] = []
    fenced = False
    for line in content.split("\n"):
        mark = _MARK.match(line)
        text = line[mark.end() :].strip() if mark else line.strip()
        fence = _FENCE.match(line) is not None
        fenced ^= fence
        opens = mark is not None and mark.end() > 0 and mark[0].strip(" \t>") != ""
        skipped = fence or fenced or "|" in text or _RULE.match(line) is not None
        broken = opens or not text or text[:2] in {"**", "__"} or skipped
        if broken and held:
            yield " ".join(held)
            held = []
        if text and not skipped:
            held.append(text)
            if line.endswith(("  ", "\\")):
                yield " ".join(held).rstrip("\\")
                held = []
    if held:
        yield " ".join(held)


def _quote(text: str) -> str:
    """``text`` at most :data:`MAX_QUOTE` long, cut between words."""
    if len(text) <= MAX_QUOTE:
        return text
    return f"{text[:MAX_QUOTE].rsplit(' ', 1)[0].rstrip(',;: ')}…"
