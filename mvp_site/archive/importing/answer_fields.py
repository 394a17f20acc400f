"""The fields of a prompt's answers, read off the examples that it shows, whatever their notation.

An example is an object, a code block, or lines that each begin with a name (``KEY: value``, a tag,
a name in brackets, a prefix). Prompts show other things as well, such as the state that a turn
brings. The main example is the one whose names the prompt's own sentences set as names most often:
in code, in quotes, before a colon. Others of mostly the same names are of the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...content.slugs import slug_of
from ..answer_form import objects
from .structure import SourceSection

_FENCE: Final = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)^[ \t]*\1[^\n]*$",
                           re.MULTILINE | re.DOTALL)
_KEY: Final = re.compile(
    r'^[ \t]*(?:[-*] )?(?:"([\w .-]{1,24})"[ \t]*:|'
    r"([A-Za-z_][\w-]{0,24})(?:[ \t]*[:=](?:[ \t]|$)|=(?!=))|"
    r"<([A-Za-z][\w-]*)[\s>/]|\[{1,2}([A-Za-z][\w-]*)\b|([A-Z][A-Z_]{1,24})\b(?: |$)|"
    r"([@%$§~#&!]{1,2} ?[A-Za-z]\w*))",
    re.MULTILINE)
"""A line of an example that begins with a name."""
_INNER: Final = re.compile(r"\s{2,}\S|\s*[\]\[{}]")
"""A line that goes on with what a name has."""
_SET: Final = re.compile(
    r"[`\"“]([\w.\- @%$§~&!]{1,26})[`\"”]|</?([A-Za-z][\w-]*)|\*\*([\w.\-]+)\*\*|"
    r"^[\W\d]*([A-Za-z_][\w.-]*)[`\"*]*\s*(?:[:|=—–]|[ ]{3,})|\|\s*`?([\w.-]+)`?\s*\||"
    r"\b([A-Z][A-Z_]{1,})\b|([@%$§~&!]{1,2} ?[A-Za-z]\w*)", re.MULTILINE)
"""A word that is set as a name."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_COUNTED: Final = re.compile(r"^\W*(?:part|chapter|section|teil|kapitel)\s+\w+\W+", re.IGNORECASE)
_UNNUMBERED: Final = re.compile(r"^(?:\d+-)+")
_FEWEST: Final = 3
"""Lines that each begin with a name, from which on they are an example without a fence."""
_LONGEST: Final = 5
"""The most words of a title that names fields."""


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """The names of the fields, and the section where the first example of an answer stands."""

    names: frozenset[str]
    shown_in: SourceSection | None = None

    def titled(self, section: SourceSection) -> bool:
        """Whether a section is about fields by its title, and does more than show them."""
        words = [_singular(word) for word in re.findall(r"[^\W\d_]+", _COUNTED.sub(
            "", section.title))]
        # "Modes" is where each is told of, and short names are words of any title.
        keys = {_singular(name) for name in self.names if len(name) > _FEWEST} - {"mode"}
        named = sum(word in keys for word in words)
        lines = [line for line in _SENTENCE.split(_FENCE.sub("", section.text)) if line.strip()]
        speaking = sum(bool(set_as_names(line) & self.names) for line in lines)
        return bool(section.own and named and len(words) <= _LONGEST and speaking < len(lines)
                    and (speaking or named > 1 or len(words) == 1))

    def choices(self, sections: Sequence[SourceSection]) -> set[int]:
        """The sections, by identity, that a line on a field lists as its values, as modes are.

        They are listed by their titles, at least :data:`_FEWEST` in the line. Fields are no values,
        and a table of contents is on no field.
        """
        titled = {_UNNUMBERED.sub("", slug_of(title)): id(part) for part in sections if part.own
                  for title in {part.title, part.title.rpartition(":")[2]} if title}
        for name in self.names:
            titled.pop(slug_of(name), None)
        listed = set[int]()
        for line in (line for part in sections for line in _SENTENCE.split(part.text)):
            if (names := {*re.findall(r"\w+", line), *set_as_names(line)}) & self.names:
                named = {titled[slug] for slug in map(slug_of, names) if slug in titled}
                listed |= named if len(named) >= _FEWEST else set()
        return listed


def answer_fields(sections: Sequence[SourceSection]) -> AnswerFields:
    """The fields of the answers that these sections show examples of."""
    examples = [(section, names) for section in sections for names in _examples(section.text)]
    mentions = [set_as_names(_FENCE.sub("\n", section.text)) for section in sections]
    if not examples:
        return AnswerFields(frozenset())

    def weight(names: set[str]) -> tuple[int, int]:
        return sum(name in words for name in names for words in mentions), len(names)

    main = max((names for _, names in examples), key=weight)
    alike = [(section, names) for section, names in examples if 2 * len(names & main) >= len(names)]
    everywhere = set().union(*mentions)
    return AnswerFields(
        frozenset(name for _, names in alike for name in names if name in everywhere), alike[0][0])


def _examples(text: str) -> Iterator[set[str]]:
    """The names of each example in a text, of two or more."""
    rest = _FENCE.sub("\n", text)
    blocks = [match[2] for match in _FENCE.finditer(text)]
    run: list[str] = []
    for line in [*rest.split("\n"), ""]:
        if _KEY.match(line) or line.strip() in {"{", "["} or (run and _INNER.match(line)):
            run.append(line)
            continue
        if sum(bool(_KEY.match(row)) for row in run) >= _FEWEST:
            blocks.append("\n".join(run))
        run = []
    examples = [{next(filter(None, match)).strip() for match in _KEY.findall(block)}
             | {key for example in objects(block) for key in _keys(example)} for block in blocks]
    examples += [{*_keys(example)} for example in objects(rest)]
    yield from (names for names in examples if len(names) > 1)


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _keys(inner)


def set_as_names(text: str) -> set[str]:
    """The words of a text that are set as names: in code, quotes or capitals, before a colon."""
    names = [next(filter(None, match), "").strip() for match in _SET.findall(text)]
    return {part for name in names for part in (name, *name.split("."))}


def _singular(word: str) -> str:
    return word.lower().rstrip("s")
