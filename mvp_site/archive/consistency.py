"""What an archive says twice or shows wrong: tables that differ, examples that break rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal

from ..settings import PACKAGE
from ..text.markdown import MarkdownBlock, blocks, split_lines
from ..text.strict_json import JsonError, parse, short
from .answer_form import AnswerForm, read_form
from .answer_schema import problems
from .chunks import Chunk
from .header_files import CONTRACT
from .state_leaves import LeafTable, built_in_leaves
from .versions import HEADER, Version

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_LABEL: Final = re.compile(r"[^\W\d_]{3}")
_INTRODUCES: Final = re.compile(r".*:\s*|\s*`[^`]+`\s*")
_SHORT: Final = 120
"""Characters of a line that tells what the block behind it is, and no more."""
_SHARED: Final = 2
"""Rows that two tables must share to be of one subject."""
Severity = Literal["error", "warning", "note"]
Texts = Iterable[tuple[str, list[str], list[MarkdownBlock]]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at: file, 1-based line (0: the whole file), what, and how grave."""

    file: str
    line: int
    severity: Severity
    rule: str
    message: str


def inconsistencies(version: Version, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """What of the version's texts contradicts another part of it, or its contract."""
    sources = ((HEADER, version.header.decode()), *((s.file, s.text) for s in version.sources))
    texts = [(file, lines, list(blocks(lines))) for file, text in sources
             for lines in (split_lines(text),)]
    yield from _contradictions(texts)
    yield from _examples(texts, version.beside)
    yield from _cut(texts, chunks)


def _contradictions(texts: Texts) -> Iterator[Finding]:
    """Cells of numbers that differ between two tables of the same rows and the same column.

    Lines such as ``cost: 12`` and sentences such as "it costs 12" are not compared, as they do not
    tell what of. In the shipped archive 29 such lines differ and none contradicts another, and of
    seven contradictions that readers found there neither kind shows one.
    """
    columns: dict[tuple[str, str], list[tuple[str, int, dict[str, str]]]] = {}
    for file, lines, parts in texts:
        for block in (part for part in parts if part.table):
            head, _, *rows = (_cells(line) for line in lines[block.start : block.end])
            for at, column in enumerate(head[1:], 1):
                cells = {row[0]: row[at] for row in rows
                         if len(row) > at and _LABEL.search(row[0]) and _NUMBER.search(row[at])}
                known = columns.setdefault((head[0], column), [])
                for other, line, values in known if head.count(column) == 1 else ():
                    shared = [label for label in cells if label in values]
                    differing = [label for label in shared
                                 if _NUMBER.findall(cells[label]) != _NUMBER.findall(values[label])]
                    if len(shared) >= _SHARED and differing:
                        label = differing[0]
                        yield Finding(
                            file, block.start + 1, "warning", "contradiction",
                            f"{label!r}, {column!r} is {cells[label]!r} here and {values[label]!r} "
                            f"in the table at {other}:{line}: say it once, or alike",
                        )
                        break
                known.append((file, block.start + 1, cells))


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("`*").casefold() for cell in line.strip().strip("|").split("|")]


def _examples(texts: Texts, beside: Mapping[str, bytes]) -> Iterator[Finding]:
    """Examples in JSON that are none, or break the version's contract."""
    form = read_form(beside[CONTRACT], CONTRACT) if CONTRACT in beside else None
    schema, table = _contract(form)
    for file, lines, parts in texts:
        answer: dict[str, Any] = {}  # an example may stand in parts, each some of its fields
        begun = 0
        for line, value, fault in _shown(lines, parts):
            fields = schema.get("properties", {}).keys()
            is_part = isinstance(value, dict) and 2 * len(value.keys() & fields) > len(value)
            if begun and (not is_part or answer.keys() & value.keys()):
                if broken := _fault(answer, schema):
                    yield Finding(file, begun, "warning", "example", broken)
                answer, begun = {}, 0
            if is_part:
                answer, begun = answer | value, begun or line
            if fault := fault or _renamed(value, table):
                yield Finding(file, line, "warning", "example", fault)


def _shown(lines: Sequence[str], parts: Iterable[MarkdownBlock]) -> Iterator[tuple[int, Any, str]]:
    """The line of each JSON example, the example, and why it is none; at last an empty one."""
    for block in (part for part in parts if part.fence):
        info, *body = lines[block.start : block.end]
        if "json" not in info.casefold().split("`")[-1]:
            continue
        if body and not body[-1].strip("`~ "):
            del body[-1]
        try:
            yield block.start + 1, parse("\n".join(body), "the example"), ""
        except JsonError as error:
            yield block.start + 1, None, str(error)
    yield 0, None, ""


def _contract(form: AnswerForm | None) -> tuple[Mapping[str, Any], LeafTable | None]:
    """The schema that whole answers are held to, and the table for their updates, if any."""
    if form is not None and not form.built_in:
        return form.schema, None
    text = (PACKAGE / "turns" / "contract.schema.json").read_text("utf-8")
    schema = {name: part for name, part in json.loads(text).items() if name != "anyOf"}
    leaves = form.leaves if form else ()
    return (schema | {"$ref": "#/$defs/answer", **schema["$defs"]["answer"]},
            LeafTable((*leaves, *built_in_leaves().leaves)))


def _fault(answer: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """What is wrong with an example that has most of an answer's fields; '' where nothing is."""
    required = schema.get("required", ())
    if 2 * sum(name in answer for name in required) <= len(required):
        return ""
    return next((f"the example breaks the contract at {'.'.join(map(str, error.absolute_path))!r} "
                 f"({error.message:.120}): models copy what they are shown"
                 for error in problems(schema, answer)), "")


def _renamed(example: Any, table: LeafTable | None) -> str:
    """A leaf of an example's update that the table has under another name; '' where none is."""
    updates = example.get("state_updates", example) if isinstance(example, dict) else {}
    for path in _paths(updates) if table else ():
        match = table.match(path) if table else None
        if match and match.own != match.written:
            return (f"the example writes {'.'.join(match.written)}, another name for "
                    f"{'.'.join(match.own)}: models copy what they are shown")
    return ""


def _paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, part in value.items() if isinstance(value, dict) else ():
        yield (*path, key)
        yield from _paths(part, (*path, key))


def _introduces(paragraph: Sequence[str]) -> bool:
    """Whether a paragraph introduces the block behind it: it ends in a colon, or is short."""
    *above, last = paragraph
    return bool(_INTRODUCES.fullmatch(last)) or (not above and len(last.strip()) <= _SHORT)


def _cut(texts: Texts, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """Code blocks that no passage prints whole, or only without the line that introduces them."""
    pieces: dict[str, list[set[int]]] = {}
    for chunk in chunks:
        pieces.setdefault(chunk.file, []).extend(
            {*chain(*(range(first, last + 1) for first, last in piece.lines))}
            for piece in chunk.pieces)
    for file, lines, parts in texts:
        for before, block in zip([None, *parts], parts, strict=False):
            if not block.fence or file not in pieces:
                continue
            shown = {number for number in range(block.start + 1, block.end + 1)
                     if lines[number - 1].strip()}
            whole = [piece for piece in pieces[file] if shown <= piece]
            last = before.end if before and not (before.level or before.fence) else 0
            if not whole:
                why = "is longer than a passage, and printed in parts: shorten it"
            elif (last and before and _introduces(lines[before.start : last])
                    and (not any(last in piece for piece in whole)
                         or any(max(piece, default=0) == last for piece in pieces[file]))):
                why = f"is printed without {short(lines[last - 1].strip())}: shorten the section"
            else:
                continue
            yield Finding(file, block.start + 1, "warning", "cut", f"the example {why}")
