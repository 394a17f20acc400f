"""One line of text to the labels that stand in it, each with its value, and to a run-in trait.

A label is marked ("**Range:** 60 feet", "**Armor Class** 15", "*Prerequisite:* Strength 13") or,
where the table of fields knows it, plain ("Casting Time: 1 action"). A marked name that ends in a
full stop runs into its text and labels nothing: it is a trait ("***Keen Smell.*** The wolf …").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .fields import ABILITIES, is_label, known
from .tables import plain_cell

MAX_VALUE: Final = 300
MAX_LINE: Final = 4_000
"""A longer line is prose, and is not looked at."""

_HTML: Final = re.compile(r"</?(?:b|strong)\s*>", re.IGNORECASE)
_HTML_LIGHT: Final = re.compile(r"</?(?:i|em)\s*>", re.IGNORECASE)
_OPENING: Final = re.compile(r"[ \t>]*(?:(?:[-+•]|\*(?=\s)|\d{1,3}[.)])[ \t]+)?")
_STRONG: Final = re.compile(r"(?<![\w*_])[*_]{2,4}(?=[^\s*_])|(?<=[^\s*_])[*_]{2,4}(?![\w*_])"
                            r"|(?<=[:.])[*_]{2,4}|\*{2,4}")
_LIGHT: Final = re.compile(r"([*_])(?![\s*_])([^*_]{1,60})\1")
_WHOLE: Final = re.compile(r"([*_])(?![\s*_])([^*_]+)\1[.:]?$")
_PLAIN: Final = re.compile(r"([^\W\d_][^:*_|<>\[\]]{1,40}):\s+(\S.*)$")
_PIECES: Final = re.compile(r"\s+(?:\||·|•)\s+")
_MARKUP: Final = re.compile(r"[*_`\[\]<>&\\~]")
_ENDS: Final = " \t;|·•\\"
_VERBS: Final = frozenset(
    """is are was were be can may might must the a an of to in for that which this represent
    represents describe describes mean means determine determines let lets you your when if
    """.split()  # noqa: SIM905 - a word list reads best as text
)
_STAT: Final = re.compile(
    r"(?<![\w(])(Armou?r Class|AC|Hit Points|HP|Speed|Initiative|Challenge Rating|Challenge|CR)"
    r"[ :]+(?=[\d+\u2212½¼⅛-])",
)
_LONGEST_PLAIN: Final = 3


@dataclass(frozen=True, slots=True)
class Line:
    """What one line says: ``labels`` with their values in order, and a ``trait`` with its text.

    ``open_label``: the line ends in a label, and its value stands on the next one.
    """

    labels: tuple[tuple[str, str], ...] = ()
    trait: tuple[str, str] | None = None
    open_label: str = ""


_NOTHING: Final = Line()


def read_line(line: str) -> Line:
    """What ``line`` says; the values are plain text of at most :data:`MAX_VALUE` characters."""
    if len(line) > MAX_LINE or ("*" not in line and "_" not in line and ":" not in line
                                and "<" not in line):
        return _NOTHING
    line = with_marks(line)
    text = _OPENING.sub("", line, count=1).strip(_ENDS)
    parts = _STRONG.split(text)
    if len(parts) > 2 and not parts[0].strip(_ENDS):
        return _marked(parts)
    whole = _WHOLE.match(text)
    if whole:
        return _plain(whole[2])
    light = _LIGHT.match(text)
    if light:
        return _marked(["", light[2], text[light.end() :]])
    return _plain(text)


def with_marks(line: str) -> str:
    """``line`` with the marks of Markdown in place of HTML's strong and light ones."""
    return _HTML_LIGHT.sub("*", _HTML.sub("**", line)) if "<" in line else line


def read_stats(text: str) -> tuple[tuple[str, str], ...]:
    """The stat-block values of a line or cell without marks: "AC 15 HP 52 (8d8 + 16)"."""
    if len(text) > MAX_LINE:
        return ()
    found = list(_STAT.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    return tuple(
        (match[1], value)
        for match, end in zip(found, ends, strict=True)
        if (value := plain_value(text[match.end() : end]).rstrip(" ,;|"))
    )


def read_unmarked(line: str) -> tuple[str, str] | None:
    """A known label that opens ``line`` without any mark: "Senses darkvision 60 ft."."""
    parts = line.split(None, _LONGEST_PLAIN)
    if not parts or not parts[0][:1].isupper():
        return None
    for length in range(min(_LONGEST_PLAIN, len(parts) - 1), 0, -1):
        label = " ".join(parts[:length])
        value = " ".join(parts[length:])
        name = known(label)
        if name in ABILITIES and not any(map(str.isdigit, value)):
            return None
        if name and label[-1] not in ".:" and parts[length].lower() not in _VERBS:
            return label, plain_value(value)
    return None


def plain_value(text: str) -> str:
    """``text`` without marks, on one line, cut where it is longer than :data:`MAX_VALUE`."""
    text = text.strip(_ENDS)
    if _MARKUP.search(text):
        text = plain_cell(text)
    text = " ".join(text.split()).strip(_ENDS)
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 1].rstrip()}…"


def _marked(parts: list[str]) -> Line:
    """``parts`` are by turns outside and inside of strong marks, the first one empty."""
    labels: list[tuple[str, list[str]]] = []
    for at in range(1, len(parts), 2):
        inside = parts[at].strip(" *_\t")
        outside = parts[at + 1] if at + 1 < len(parts) else ""
        name, stop, rest = inside.partition(". ")
        if at == 1 and stop:  # "*Sting. Melee Attack Roll:* +5"
            outside, inside = f" {rest}{outside}", f"{name}."
        found = _label(inside, outside, at + 2 >= len(parts))
        if found is not None:
            labels.append((found[0], [found[1]]))
        elif at == 1 and (inside.endswith(".") or outside.startswith(".")):
            rest = "".join((outside.removeprefix("."), *parts[at + 2 :]))
            name = plain_value(inside.rstrip("."))
            return Line(trait=(name, rest)) if is_label(name) and rest.strip() else _NOTHING
        elif not labels:
            return _NOTHING
        else:
            labels[-1][1].append(inside + outside)
    read = [(label, plain_value("".join(value))) for label, value in labels]
    last = read[-1][0] if read and not read[-1][1] else ""
    return Line(tuple((label, value) for label, value in read if value), open_label=last)


def _label(inside: str, outside: str, last: bool) -> tuple[str, str] | None:
    """The label that ``inside`` is and the value that follows, '' if it may be on the next line."""
    value = outside.strip()
    if inside.endswith(":") or value.startswith((":", "=")):
        label = plain_value(inside.rstrip(": "))
        value = value.lstrip(":= \t*_")
        return (label, value) if is_label(label) and (value or last) else None
    before, colon, behind = inside.partition(":")
    if colon and known(before) and behind.strip():
        return before.strip(), f"{behind} {outside}"
    if not value or inside.endswith(".") or value.startswith(".") or not known(inside):
        return None
    first = value.split(None, 1)[0].lower()
    return None if first in _VERBS or len(value) > MAX_VALUE else (inside, value)


def _plain(text: str) -> Line:
    labels: list[tuple[str, str]] = []
    for piece in _PIECES.split(text):
        found = _PLAIN.match(piece)
        if found and known(found[1]):
            labels.append((found[1].strip(), plain_value(found[2])))
    if not labels and text.endswith(":") and known(text[:-1]):
        return Line(open_label=text[:-1])
    return Line(tuple(labels)) if labels else _NOTHING
