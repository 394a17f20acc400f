"""The frame of an answer: one mode line, a newline, one JSON object, and nothing besides.

White space of any kind around the parts is no text; a byte order mark is, and so is a lone full
stop. The work is bounded whatever the text is: nothing longer than ``MAX_CHARS`` is parsed, and
nothing nested deeper than ``MAX_DEPTH`` gets past here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ...types import MODES, Mode
from ..types import Hint, Violation
from .context import Context, Rule, quoted
from .parsing import parsed

MAX_CHARS: Final = 500_000
MODE_LINES: Final = {mode: f"[Mode: {mode.upper()} MODE]" for mode in MODES}

# Alone on its line; one of tildes that names no language may part two scenes.
_FENCE: Final = re.compile(r"^[ \t]{0,3}(?:`{3,}\w*|~{3,}(?P<tag>\w*))[ \t]*$", re.MULTILINE)
# A brace on the line is part of the answer, which is then not to be lost with the fence.
_FENCE_LINE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n{]*$", re.MULTILINE)
_OPENING_LINE: Final = re.compile(r"^[ \t]*\{", re.MULTILINE)
_FENCE_MARKS: Final = re.compile(r"`{3,}\w*|~{3,}\w*")
_MARKS: Final = "`*_.:#> \t"
_LONGEST_MODE_LINE: Final = 60


@dataclass(frozen=True, slots=True)
class Split:
    """An answer's parts: its first line, its object where that parsed, and what was wrong."""

    mode_line: str
    answer: dict[str, Any] | None
    violations: tuple[Violation, ...]


def split_answer(raw: str, mode: Mode) -> Split:
    """The parts of ``raw``, an answer to a turn of ``mode``, with every breach of the frame."""
    text = raw.strip()
    wrong: list[Violation] = []
    if len(raw) > MAX_CHARS:
        line = text[: 2 * _LONGEST_MODE_LINE].partition("\n")[0].rstrip()
        wrong += _mode_line(line, MODE_LINES[mode])
        wrong.append(_json(f"the answer has {len(raw):,} characters, and no more than "
                           f"{MAX_CHARS:,} are read"))
        return Split(line, None, tuple(wrong))
    if fence := _FENCE_LINE.search(text):
        wrong.append(_code_fence(fence[0]))
        text = _FENCE_LINE.sub("", text).strip()
    line = text.partition("\n")[0].rstrip()
    answer, start, end, problem = _object(text)
    wrong += _mode_line(line, MODE_LINES[mode])
    listed = start >= 0 and text[:start].rstrip().endswith("[")
    if listed:
        answer, problem = None, "is a list; write exactly one object and no list"
    elif start >= 0:
        wrong += _before(text[:start], MODE_LINES[mode])
        wrong += _behind(text[end:].strip()) if end >= 0 else ()
    if problem:
        wrong.append(_json(problem))
    return Split(line, answer, _ordered(wrong))


def _object(text: str) -> tuple[dict[str, Any] | None, int, int, str]:
    """The object in ``text``, its start, its end (-1 where they are not known), what is wrong.

    It begins at the first brace; or, where nothing parses there because an introduction has a
    brace too, at the first one that opens a line.
    """
    first = text.find("{")
    if first < 0:
        rest = text.partition("\n")[2].strip()
        found = f"found {quoted(rest)}" if rest else "nothing follows"
        return None, -1, -1, f"exactly one JSON object must follow the mode line; {found}"
    opening = _OPENING_LINE.search(text)
    answer, end, problem = parsed(text, first)
    if end < 0 and opening and opening.end() - 1 != first:
        again, its_end, its_problem = parsed(text, opening.end() - 1)
        if its_end >= 0:
            return again, opening.end() - 1, its_end, its_problem
    return answer, first, end, problem


def _mode_line(found: str, expected: str) -> Iterator[Violation]:
    if found != expected:
        yield Violation("mode_line", "", f"the first line must be exactly {expected}, found "
                        f"{quoted(found) if found else 'nothing'}")


def _before(head: str, expected: str) -> Iterator[Violation]:
    """What stands before the object besides the mode line, or besides what was meant as one."""
    lines = [line for line in map(str.strip, head.split("\n")) if line]
    at = lines.index(expected) if expected in lines else -1
    strays = [("before the mode line", lines[: max(at, 0)]),
              ("between the mode line and the object", lines[at + 1 :])]
    if at < 0 and lines and lines[0].startswith(expected):
        behind = lines[0].removeprefix(expected).strip(_MARKS)  # marks alone misspell the line
        strays = [("behind the mode line", [behind, *lines[1:]])]
    elif at < 0 and lines and len(lines[0]) <= _LONGEST_MODE_LINE and "mode" in lines[0].casefold():
        strays = [("between the mode line and the object", lines[1:])]
    elif at < 0:
        strays = [("before the object", lines)]
    for where, stray in strays:
        yield from _outside("\n".join(stray).strip(), where)


def _behind(tail: str) -> Iterator[Violation]:
    yield from _outside(tail, "after the object")
    if tail.startswith("{"):
        yield _json(f"a second object follows: {quoted(tail)}; write exactly one")


def _outside(stray: str, where: str) -> Iterator[Violation]:
    if "```" in stray:
        yield _code_fence(stray)
    if _FENCE_MARKS.sub("", stray).strip():
        yield Violation("outside_json", "", f"text {where}: {quoted(stray)}; leave it out")


def _code_fence(found: str) -> Violation:
    return Violation("code_fence", "", f"a code fence, {quoted(found.strip())}; write the mode "
                     "line and the JSON object without fences")


def _json(message: str) -> Violation:
    return Violation("json", "", message)


def _ordered(wrong: list[Violation]) -> tuple[Violation, ...]:
    """The violations in the order of the rules; a fence is one, however many lines it has."""
    names = [rule.name for rule in FRAME_RULES]
    kept: dict[tuple[str, str], Violation] = {}
    for found in sorted(wrong, key=lambda found: names.index(found.rule)):
        kept.setdefault((found.rule, "" if found.rule == "code_fence" else found.message), found)
    return tuple(kept.values())


def _named(name: str, context: Context) -> Iterator[Violation]:
    return (violation for violation in context.frame if violation.rule == name)


def _fences(context: Context) -> Iterator[Violation]:
    yield from _named("code_fence", context)
    for field in ("narrative", "god_mode_response"):
        text = context.text(field)
        for found in _FENCE.finditer(text):
            kind = Hint if found["tag"] == "" else Violation
            fence = text[found.start() : found.start() + 40].strip()
            yield kind("code_fence", field, f"holds a code fence, {quoted(fence)}; write plain "
                       "text")


FRAME_RULES: Final = (
    Rule("mode_line", "The mode line is `[Mode: STORY MODE]`", partial(_named, "mode_line")),
    Rule("outside_json", "text before, between or after these two",
         partial(_named, "outside_json")),
    Rule("code_fence", "markdown code fences", _fences),
    Rule("json", "then exactly one JSON object", partial(_named, "json")),
)
