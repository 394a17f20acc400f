"""The frame of an answer: one mode line, a newline, one JSON object, and nothing besides.

White space of any kind around the parts is no text; a byte order mark is, and so is a lone full
stop. The work is bounded whatever the text is: nothing longer than ``MAX_CHARS`` is parsed, and
nothing nested deeper than JSON from outside may be gets past here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ...text.strict_json import JsonError, check, parse_at
from ...types import MODES, Mode
from ..types import Hint, Violation
from .context import Context, quoted

MAX_CHARS: Final = 200_000
MODE_LINES: Final = {mode: f"[Mode: {mode.upper()} MODE]" for mode in MODES}

# Alone on its line; one of tildes that names no language may part two scenes.
_FENCE: Final = re.compile(r"^[ \t]{0,3}(?:`{3,}\w*|~{3,}(?P<tag>\w*))[ \t]*$", re.MULTILINE)
# A brace on the line is part of the answer, which is then not to be lost with the fence.
_FENCE_LINE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n{]*$", re.MULTILINE)
_FENCE_MARKS: Final = re.compile(r"`{3,}\w*|~{3,}\w*")
_LONGEST_MODE_LINE: Final = 60
_NEAR: Final = 30


@dataclass(frozen=True, slots=True)
class Split:
    """An answer's object, where it parsed, and what was wrong around it."""

    answer: dict[str, Any] | None
    violations: tuple[Violation, ...]


def split_answer(raw: str, mode: Mode) -> Split:
    """The parts of ``raw``, an answer to a turn of ``mode``, with every breach of the frame."""
    text, expected = raw.strip(), MODE_LINES[mode]
    if len(raw) > MAX_CHARS:
        line = text[: 2 * _LONGEST_MODE_LINE].partition("\n")[0].rstrip()
        long = f"the answer has {len(raw):,} characters, and no more than {MAX_CHARS:,} are read"
        return Split(None, (*mode_line(line, expected), _json(long)))
    fences = [match[0] for match in _FENCE_LINE.finditer(text)]
    text = _FENCE_LINE.sub("", text).strip() if fences else text
    line = text.partition("\n")[0].rstrip()
    answer, start, end, problem = _object(text)
    strays: list[tuple[str, str]] = []
    if start >= 0 and text[:start].rstrip().endswith("["):
        answer, problem = None, "is a list; write exactly one object and no list"
    elif start >= 0:
        strays = [("before", _before(text[:start], expected)),
                  ("after", text[end:].strip() if end >= 0 else "")]
    wrong = [*mode_line(line, expected)]
    wrong += [
        Violation("outside_json", "", f"text {where} the object: {quoted(stray)}; leave it out")
        for where, stray in strays if _FENCE_MARKS.sub("", stray).strip()
    ]
    fences += [stray for _, stray in strays if "```" in stray]
    wrong += [Violation("code_fence", "", f"a code fence, {quoted(fence.strip())}; write the mode "
                        "line and the JSON object without fences") for fence in fences[:1]]
    wrong += [_json(f"a second object follows: {quoted(stray)}; write exactly one")
              for where, stray in strays if where == "after" and stray.startswith("{")]
    wrong += [_json(problem)] if problem else []
    return Split(answer, tuple(dict.fromkeys(wrong)))


def _object(text: str) -> tuple[dict[str, Any] | None, int, int, str]:
    """The object at the first brace of ``text``, its start and end, and what is wrong with it.

    None where it cannot be taken, -1 where start or end are not known.
    """
    start, end = text.find("{"), -1
    if start < 0:
        rest = text.partition("\n")[2].strip()
        actual = f"found {quoted(rest)}" if rest else "nothing follows"
        return None, -1, -1, f"exactly one JSON object must follow the mode line; {actual}"
    try:
        answer, end = parse_at(text, start, "the object")
        check(answer, "the object")
    except JsonError as error:
        where = error.at if error.at is not None else -1
        near = quoted(text[max(start, where - _NEAR) : where + _NEAR])
        return None, start, end, f"{error}, near {near}" if where >= 0 else str(error)
    return answer, start, end, ""


def mode_line(line: str, expected: str) -> Iterator[Violation]:
    """What is wrong with an answer's first line."""
    if line != expected:
        yield Violation("mode_line", "", f"the first line must be exactly {expected}, found "
                        f"{quoted(line) if line else 'nothing'}")


def _before(head: str, expected: str) -> str:
    """What stands before the object besides the mode line, or besides what was meant as one."""
    lines = [line for line in map(str.strip, head.split("\n")) if line]
    if expected in lines:
        lines.remove(expected)
    elif lines and len(lines[0]) <= _LONGEST_MODE_LINE and "mode" in lines[0].casefold():
        del lines[0]
    return "\n".join(lines)


def _json(message: str) -> Violation:
    return Violation("json", "", message)


def fences(context: Context) -> Iterator[Violation]:
    """Code fences within what is read."""
    for field in ("narrative", "god_mode_response"):
        text = context.text(field)
        for match in _FENCE.finditer(text):
            kind = Hint if match["tag"] == "" else Violation
            fence = text[match.start() : match.start() + 40].strip()
            yield kind("code_fence", field, f"holds a code fence, {quoted(fence)}; write plain "
                       "text")
