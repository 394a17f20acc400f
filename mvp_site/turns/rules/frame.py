"""The frame of an answer: one mode line, a newline, one JSON object, and nothing besides.

White space of any kind around the parts is no text; a byte order mark is, and so is a lone full
stop. The work is bounded whatever the text is: nothing longer than ``MAX_CHARS`` is parsed, and
nothing nested deeper than JSON from outside may be gets past here.

What leaves no doubt about the answer is a :class:`~..types.Hint`: thoughts before it, fences, words
around the one object, the turn's own mode line in other lettering, at another place or nowhere, and
JSON that is read tolerantly. Strict checks refuse these too (:mod:`..checking`).

A tolerant reading takes comments, commas before a bracket, and line breaks within strings. What has
these and nothing else amiss reads in one way alone. That is made sure of: an own reading, which
takes them out and is then as strict as ever, and that of ``json_repair``, which guesses, must give
the same object. ``json_repair`` sees numbers for strings: a comma and a colon within one ("Mirtul
4, 20:41") it takes for its end and another key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from ...text.json_values import same
from ...text.strict_json import JsonError, check, parse_at
from ...types import MODES, Mode
from ..types import Hint, Violation
from .context import Context, quoted

MAX_CHARS: Final = 200_000
FRAME: Final = frozenset({"mode_line", "outside_json", "code_fence", "json"})
"""The rules that look at what stands around an answer."""
MODE_LINES: Final = {mode: f"[Mode: {mode.upper()} MODE]" for mode in MODES}

# Alone on its line; one of tildes that names no language may part two scenes.
_FENCE: Final = re.compile(r"^[ \t]{0,3}(?:`{3,}\w*|~{3,}(?P<tag>\w*))[ \t]*$", re.MULTILINE)
# A brace on the line is part of the answer, which is then not to be lost with the fence.
_FENCE_LINE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n{]*$", re.MULTILINE)
_FENCE_MARKS: Final = re.compile(r"`{3,}\w*|~{3,}\w*")
_THINKING: Final = re.compile(r"<(think|thinking|thoughts?|reasoning)>", re.IGNORECASE)
_THOUGHT: Final = re.compile(r"</think(?:ing)?>\s*(?=[{\[`*#])", re.IGNORECASE)
"""The end of thoughts whose beginning a server keeps to itself, and what an answer begins with."""
_MODE_NAME: Final = re.compile(
    r"\[[^\w\n\[]*mode[^\w\n]+(?P<bracketed>\w+)[^\]\n]{0,40}\]|^[^\w\n]*(?:mode[^\w\n]+(?P<labelled>\w+)"
    r"(?:[^\w\n]+mode)?|(?P<bare>story|dm|god)[^\w\n]+mode)[^\w\n]*$", re.IGNORECASE | re.MULTILINE,
)
_LONGEST_MODE_LINE: Final = 120
_NEAR: Final = 30


@dataclass(frozen=True, slots=True)
class Split:
    """An answer's object, where it parsed, and what was wrong around it."""

    answer: dict[str, Any] | None
    violations: tuple[Violation, ...]


def split_answer(raw: str, mode: Mode) -> Split:
    """The parts of ``raw``, an answer to a turn of ``mode``, with every breach of the frame."""
    if len(raw) > MAX_CHARS:
        line = raw.strip()[:_LONGEST_MODE_LINE].partition("\n")[0].rstrip()
        long = f"the answer has {len(raw):,} characters, and no more than {MAX_CHARS:,} are read"
        return Split(None, (*mode_line(line, MODE_LINES[mode]), _json(long)))
    text, wrong = without_thoughts(raw.strip())
    fences = [match[0] for match in _FENCE_LINE.finditer(text)]
    text = _FENCE_LINE.sub("", text).strip() if fences else text
    answer, start, end, problem = _object(text)
    strays: list[tuple[str, str]] = []
    if start >= 0 and text[:start].rstrip().endswith("["):
        answer, problem = None, _json("is a list; write exactly one object and no list")
    elif start >= 0:
        strays = [("before", text[:start]), ("after", text[end:].strip() if end >= 0 else "")]
    faults = [*wrong, *_mode_faults(text, [stray for _, stray in strays], mode)]
    strays = [(where, _MODE_NAME.sub("", stray).strip()) for where, stray in strays]
    faults += [
        (Violation if "{" in stray else Hint)(
            "outside_json", "", f"text {where} the object: {quoted(stray)}; leave it out")
        for where, stray in strays if _FENCE_MARKS.sub("", stray).strip()
    ]
    fences += [stray for _, stray in strays if "```" in stray]
    faults += [Hint("code_fence", "", f"a code fence, {quoted(fence.strip())}; write the mode "
                    "line and the JSON object without fences") for fence in fences[:1]]
    faults += [_json(f"a second object follows: {quoted(stray)}; write exactly one")
               for where, stray in strays if where == "after" and stray.startswith("{")]
    faults += [problem] if problem else []
    return Split(answer, tuple(dict.fromkeys(faults)))


def without_thoughts(text: str) -> tuple[str, tuple[Hint, ...]]:
    """``text`` without the blocks in which a model thinks, those before an answer."""
    whole, behind = text, 0
    while block := _THINKING.search(text, behind):
        ending = text.casefold().find(f"</{block[1].casefold()}>", block.end())
        if ending < 0 or "{" in text[behind : block.start()]:
            break
        text, behind = f"{text[:block.start()]}{text[text.index('>', ending) + 1 :]}", block.start()
    if (thought := _THOUGHT.search(text)) and not text.startswith(("{", "[")):
        text = text[thought.end() :]
    hint = Hint("outside_json", "", f"thoughts before the answer: {quoted(whole)}; left out")
    return text.strip(), (hint,) if text != whole else ()


def unfenced(text: str) -> tuple[str, tuple[Hint, ...]]:
    """Prose out of a fence that stands around all of it."""
    lines = text.split("\n")
    if len(lines) < 3 or not all(_FENCE_LINE.fullmatch(line) for line in (lines[0], lines[-1])):
        return text, ()
    hint = Hint("code_fence", "", f"a code fence, {quoted(lines[0])}; left out")
    return "\n".join(lines[1:-1]).strip(), (hint,)


def _object(text: str) -> tuple[dict[str, Any] | None, int, int, Violation | None]:
    """The object at the first brace of ``text``, its start and end, and what is wrong with it.

    None where it cannot be taken, -1 where start or end are not known.
    """
    start, end = text.find("{"), -1
    if start < 0:
        rest = text.partition("\n")[2].strip()
        actual = f"found {quoted(rest)}" if rest else "nothing follows"
        return None, -1, -1, _json(f"exactly one JSON object must follow the mode line; {actual}")
    try:
        answer, end = parse_at(text, start, "the object")
        check(answer, "the object")
    except JsonError as error:
        where = error.at if error.at is not None else -1
        near = quoted(text[max(start, where - _NEAR) : where + _NEAR])
        message = f"{error}, near {near}" if where >= 0 else str(error)
        if reading := read_tolerantly(text, start):
            return reading[0], start, reading[1], Hint("json", "", f"{message}; read all the same")
        return None, start, end, _json(message)
    return answer, start, end, None


def mode_line(line: str, expected: str) -> Iterator[Violation]:
    """What is wrong with an answer's first line."""
    if line != expected:
        yield Violation("mode_line", "", f"the first line must be exactly {expected}, found "
                        f"{quoted(line) if line else 'nothing'}")


def modes_named(text: str) -> dict[str, str]:
    """The modes, in small letters, whose mode lines stand in a text, however they are lettered."""
    return {name.casefold(): match[0].strip() for match in _MODE_NAME.finditer(text)
            for name in match.groupdict().values() if name}


def _mode_faults(text: str, strays: list[str], mode: Mode) -> Iterator[Violation]:
    """What is wrong with the mode line; another mode's, wherever it stands, is always a fault."""
    faults = mode_line(text.partition("\n")[0].rstrip(), MODE_LINES[mode])
    for name, line in modes_named("\n".join(strays)).items():
        if name != mode:
            yield Violation("mode_line", "", f"{quoted(line)} is another mode's line; the turn's "
                            f"is {MODE_LINES[mode]}")
            return
    yield from (Hint(fault.rule, "", fault.message) for fault in faults)


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


_STRING: Final = r'"(?:[^"\\]|\\.)*(?:"|\Z)'  # an end in any case: what has none is read once
_PARTS: Final = re.compile(rf"{_STRING}|//[^\n]*|#[^\n]*|/\*(?:.*?\*/|.*)|[{{}}\[\]]", re.DOTALL)
_COMMA: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CONTROL: Final = re.compile(r"[\n\r\t]")


def read_tolerantly(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """The object at ``start``, a brace, and where it ends; None where readings differ."""
    from json_repair import loads  # noqa: PLC0415 - only few answers need it

    end, depth = len(text), 0
    pieces: list[str] = []
    behind = start
    for part in _PARTS.finditer(text, start):
        pieces.append(text[behind : part.start()])
        behind = part.end()
        if part[0] in "{}[]":
            depth += 1 if part[0] in "{[" else -1
            pieces.append(part[0])
        elif part[0][0] == '"':
            pieces.append(_CONTROL.sub(lambda match: _ESCAPES[match[0]], part[0]))
        if not depth:
            end = behind
            break
    cleaned = _COMMA.sub(lambda match: match[0] if match[0] != "," else "", "".join(pieces))
    try:
        answer, stop = parse_at(cleaned, 0)
        check(answer)
        agreed = same(loads(_masked(text[start:end])), json.loads(_masked(cleaned)))
    except (JsonError, ValueError, RecursionError):
        return None
    return (answer, end) if agreed and isinstance(answer, dict) and not cleaned[stop:] else None


def _masked(text: str) -> str:
    """``text`` with the number of each string in its place."""
    numbers = count()
    return _PARTS.sub(
        lambda part: f'"{next(numbers)}"' if part[0][0] == '"' else part[0], text
    )
