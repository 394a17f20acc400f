"""Front matter: what a source says above its text, and what is written above a file's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any, Final

from ...errors import FrontMatterError
from ...text.audience import KEY, is_audience_key, says_audience
from ...text.front_matter import read_keys
from ...text.hiding_keys import hiding_line
from ...text.markdown import split_lines
from ...text.yaml_values import YamlError, read_yaml, write_yaml
from ...types import AUDIENCES
from ..front_matter import IMPORTED, read_front_matter
from .structure import OutputLine, made
from .types import SourceLine, SourceText

_TOP_KEY: Final = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
_ANY_KEY: Final = re.compile(r"[\s-]*[\"']?([\w -]+?)[\"']?\s*[:=]\s*(.*)")
_IN_JSON: Final = re.compile(r"[{,]\s*(\"[^\"]*\"\s*:\s*[^,}\]]*)")
_EVERY: Final = {"all", "any", "every", "always", "*"}
_UNREAD: Final = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def document(name: str, lines: Sequence[SourceLine], matter: Sequence[SourceLine] = (),
             when: Iterable[str] = (), wanted: float = 0.0, **conditions: Any) -> SourceText:
    """A document, with the front matter that its lines may begin with read.

    A ``description`` in it is a sentence that calls for the text, as that of an agent skill, and
    so is a question about each of its ``aliases``.
    ``conditions`` are the document's ``unless``, ``follows``, ``brings`` and ``lore``.
    """
    head = lines[: _head(lines)]
    front = (*matter, *head)
    keys = front_values(head)
    description, listed = keys.get("description"), keys.get("aliases")
    aliases = listed.split(",") if isinstance(listed, str) else listed or ()
    texts = [*when, " ".join(str(description or "").split()), *(
        f"what do I know of {' '.join(alias.split())}?" for alias in aliases
        if isinstance(alias, str) and alias.strip())]
    read, why = _audience(matter, head)
    levels = {*_levels(front), *filter(None, [read])}
    audience = (levels.pop() if len(levels) == 1 else "dm") if levels else ""
    return SourceText(name, tuple(lines[len(head) :]), front, tuple(filter(None, texts)), audience,
                    wanted if audience in {"", "player"} else 0.0, why, **conditions)


def numbered(text: str, place: str) -> list[SourceLine]:
    """The lines of a text, each with its number and the text's own place."""
    return [SourceLine(f"{place} line {at}".strip(), line)
            for at, line in enumerate(split_lines(text), 1)]


def fields(values: Mapping[str, Any], place: str) -> tuple[SourceLine, ...]:
    """The fields of an object as lines of YAML, one each; those that hold nothing are left out."""
    return tuple(SourceLine(f"{place}{key}",
                            f"{key if _TOP_KEY.fullmatch(f'{key}:') else quoted(key)}: "
                                       f"{quoted(value)}")
                 for key, value in values.items() if value not in (None, "", [], {}))


def quoted(value: object) -> str:
    """A value on one line, as JSON and YAML both read it."""
    return _UNREAD.sub(lambda match: f"\\u{ord(match[0]):04x}",
                       json.dumps(value, ensure_ascii=False))


def with_matter(document: SourceText, matter: Sequence[SourceLine], body: Sequence[OutputLine],
                title: str,
                ) -> tuple[OutputLine, ...]:
    """The rows of a file: ``body`` below front matter with ``matter``, as the archive reads it.

    A body that would pass for front matter gets a heading, and what would pass for a word on who
    may see it is escaped. Front matter that is the archive's own stands as it is.
    """
    bare = not next((row.text for row in body if row.text.strip()), "").startswith("#")

    def escaped() -> list[OutputLine]:
        return [*(made(1, title).rows if bare else ()), *(
            replace(row, text=re.sub(KEY, r"\g<0>\\", row.text, flags=re.IGNORECASE),
                    how="escaped") if says_audience(row.text) else row for row in body)]

    lines: tuple[OutputLine, ...] = ()
    for audience, safe in product((document.audience, "dm"), (False, True)):
        for front in _fronts(document, matter, audience):
            lines = (*front, *(escaped() if safe else body))
            if _reads(lines, audience, sum(row.how != "mark" for row in front)):
                return lines
    return lines


def _fronts(document: SourceText, matter: Sequence[SourceLine],
            audience: str) -> Iterator[list[OutputLine]]:
    fences = [line for line in matter if line.text.rstrip() in {"---", "..."}]
    keys = [line for line in matter if line not in fences and line.text.strip()]
    front = _conditions(document, audience)
    if fences and front.keys() <= {KEY} and matter[0] == fences[0]:
        yield [OutputLine(line.text, line, "kept") for line in matter]
    rows = [OutputLine(line) for line in (write_yaml(front).splitlines() if front else [])]
    for form in ("  {}", "- {}"):
        block = [OutputLine(form.format(line.text if form[0] == " " else quoted(line.text)), line,
                            "kept")
                 for line in keys]
        if rows or block:
            yield [OutputLine("---"), *(OutputLine(line.text, line, "mark") for line in fences),
                   *rows,
                   *([OutputLine(f"{IMPORTED}:")] if block else []), *block, OutputLine("---")]
        else:
            yield [OutputLine(line.text, line, "mark") for line in fences]


def _conditions(document: SourceText, audience: str) -> dict[str, Any]:
    """The front matter of the archive's own keys."""
    unless = [group[0] if len(group) == 1 else [*group] for group in document.unless]
    values = {KEY: audience, "when": [*document.when], "unless": unless,
              "follows": [*document.follows], "brings": "" if document.brings else False}
    return {key: value for key, value in values.items() if value not in ("", [])}


def _reads(rows: Iterable[OutputLine], audience: str, above: int) -> bool:
    try:
        front = read_front_matter([row.text for row in rows if row.how != "mark"], "")
    except FrontMatterError:
        return False
    return (front.body, front.audience or "", front.unknown) == (above, audience, ())


def _audience(matter: Sequence[SourceLine], head: Sequence[SourceLine]) -> tuple[str, str]:
    """Who may see a text by its fields and front matter, as a build reads it, or ''; and why.

    What a build refuses, since it may hide the text, is the DM's.
    """
    fence = SourceLine("", "---")
    audience = ""
    for block in (head, [fence, *matter, fence]):
        try:
            values, _ = read_keys([line.text for line in block], "", {KEY})
        except FrontMatterError as error:
            return "dm", str(error).removeprefix(": ")
        audience = values.get(KEY, audience)
    return audience, ""


def _head(lines: Sequence[SourceLine]) -> int:
    """How many lines are front matter: what says who may see the text, or keys of one word."""
    if not lines or lines[0].text.rstrip() != "---":
        return 0
    end = next((at for at, line in enumerate(lines) if at and line.text.rstrip() in {"---", "..."}),
               0)
    if end and _audience((), lines[: end + 1])[0]:
        return end + 1
    inner = [line.text for line in lines[1:end]]
    keys = [line for line in inner if line.strip() and line[0] not in " \t#-"]
    return end + 1 if keys and all(map(_TOP_KEY.fullmatch, keys)) else 0


def front_values(matter: Sequence[SourceLine]) -> dict[str, Any]:
    """The values of front matter in lines; by its lines where it is no YAML.

    Other tools write what YAML refuses: a colon that nobody quoted, ``globs: *.md``.
    """
    block = [line.text for line in matter if line.text.rstrip() not in {"---", "..."}]
    try:
        values: Any = (read_yaml("\n".join(block)) or [{}])[0]
        return values if isinstance(values, dict) else {}
    except YamlError:
        return {key: _lone(value) for key, value in _blocks(block)}


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The top keys of lines with the text of each, indented lines below included."""
    starts = [at for at, line in enumerate(lines) if _TOP_KEY.fullmatch(line.rstrip())]
    for start, end in pairwise([*starts, len(lines)]):
        match = _TOP_KEY.fullmatch(lines[start].rstrip())
        if match:
            yield match[1], "\n".join([match[2] or "", *lines[start + 1 : end]])


def _lone(value: str) -> Any:
    """One value as YAML reads it alone; its text where that is none."""
    try:
        return (read_yaml(f"value: {value}") or [{}])[0].get("value")
    except YamlError:
        return " ".join(value.split())


def limited(documents: Iterable[SourceText]) -> set[str]:
    """The documents whose front matter names those that they are for, where others' says all."""
    scopes = [(document.name, key[1], (key[2] or "").strip(" \"'[]").casefold())
              for document in documents for line in document.kept
              if (key := _TOP_KEY.fullmatch(line.text.rstrip()))]
    keys = {key for _, key, scope in scopes if scope in _EVERY}
    return {name for name, key, scope in scopes if key in keys and scope and scope not in _EVERY}


def unread(matter: Sequence[SourceLine]) -> str:
    """Why the front matter in kept lines is no YAML; '' where it is, or there is none."""
    fences = [at for at, line in enumerate(matter) if line.text.rstrip() in {"---", "..."}]
    try:
        read_yaml("\n".join(line.text for line in matter[min(fences, default=0) :][1:-1]))
    except YamlError as error:
        return str(error).partition(" in \"<")[0] if fences else ""
    return ""


def _levels(matter: Iterable[SourceLine]) -> Iterator[str]:
    """The audiences that keys name; one that is none of ours is the DM's."""
    for line in matter:
        for level_text in (line.text, *_IN_JSON.findall(line.text)):
            match = _ANY_KEY.match(level_text)
            if match and is_audience_key(match[1]):
                level = match[2].strip(" \"'").lower()
                yield level if level in AUDIENCES else "dm"
            elif hiding_line(level_text):
                yield "dm"
