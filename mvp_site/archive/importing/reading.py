"""Reading: a file or folder as a source, whatever it was written for."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Any, Final

from ...errors import ArchiveError
from ...retrieval.markdown import split_lines
from ...retrieval.text import too_many_controls
from ...strict_json import JsonError, read_object
from ...yaml_values import RefusedError, read_yaml
from ..versions import HEADER, MAX_FILE_BYTES
from .lorebooks import lorebook_documents
from .types import Document, Kind, Line, Role, Source, values_of

_LISTED: Final = 5
SKILL: Final = "SKILL.md"
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PLAIN_KEY: Final = re.compile(r"([A-Za-z][\w-]*):[ \t]+(.*)")


def read_source(path: Path) -> Source:
    """What stands at ``path``: a prompt, a lorebook, skills, or a folder of prompts.

    A ``.json`` file is a lorebook or a character card; any other file is a prompt. A folder with a
    ``SKILL.md`` in it has skills; in any other each ``*.md`` is a file as it is, and each
    ``*.txt`` one with headings.

    Raises:
        ArchiveError: it is not there, is no text, or holds nothing to import.
    """
    try:
        return _folder(path) if path.is_dir() else _file(path)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}") from None


def _file(path: Path) -> Source:
    notes: list[str] = []
    text = _text(path, path.name, notes)
    if path.suffix.lower() == ".json" or (not path.suffix and text.lstrip().startswith("{")):
        try:
            value = read_object(text, str(path))
        except JsonError as error:
            raise ArchiveError(f"{error}: a lorebook is a JSON object with `entries`") from None
        documents = lorebook_documents(value, str(path), notes)
        return Source("lorebook", path.stem, documents, tuple(notes))
    return Source("prompt", path.stem, (
        Document(path.stem, _lines(split_lines(text), ""), role="cut"),
    ), tuple(notes))


def _folder(path: Path) -> Source:
    notes: list[str] = []
    other: list[str] = []
    files = [one for one in sorted(path.rglob("*")) if one.is_file()
             and not any(part.startswith(".") for part in one.relative_to(path).parts)]
    kind: Kind = "skills" if any(one.name == SKILL for one in files) else "prompt"
    found: list[Document] = []
    for one in files:
        name = one.relative_to(path).as_posix()
        if one.suffix.lower() not in {".md", ".txt"}:
            other.append(name)
            continue
        try:
            text = _text(one, name, notes)
        except ArchiveError as error:
            notes.append(f"{name} is left out: {error}")
            continue
        lines = split_lines(text)
        if one.name == SKILL:
            found.append(_skill(name, lines, path.name, notes))
        else:
            stem = name.rpartition(".")[0]
            role: Role = "file"
            if kind == "prompt" and one.suffix.lower() == ".md":
                role = "as_is"
            found.append(Document(stem, _lines(lines, name),
                                  role="header" if name == HEADER else role))
    if other:
        listed = ", ".join(other[:_LISTED]) + (", …" if len(other) > _LISTED else "")
        notes.append(f"left out, as no Markdown or plain text: {len(other)} files ({listed})")
    if not any(line.text.strip() for one in found for line in one.lines):
        raise ArchiveError(f"{path} holds no *.md or *.txt file with text: there is nothing to "
                           "import; name a file, or a folder of prompts or skills")
    return Source(kind, path.resolve().name, tuple(found), tuple(notes))


def _text(path: Path, name: str, notes: list[str]) -> str:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ArchiveError(f"{path} is over {MAX_FILE_BYTES // 2**20} MiB: split it")
    content = path.read_bytes()
    encoding = next((code for mark, code in _BOMS if content.startswith(mark)), "utf-8")
    text = ""
    for code in dict.fromkeys((encoding, "cp1252")):
        try:
            text, encoding = content.decode(code).removeprefix("\ufeff"), code
            break
        except UnicodeDecodeError:
            continue
    else:
        raise ArchiveError(f"{path} is neither UTF-8, UTF-16 nor cp1252: save it as UTF-8")
    if too_many_controls(text) or "\x00" in text:
        raise ArchiveError(f"{path} is no text: it has control characters. Save it as UTF-8 text")
    if not text.strip():
        raise ArchiveError(f"{path} is empty: there is nothing to import")
    if encoding != "utf-8":
        notes.append(f"{name} is not UTF-8 and was read as {encoding}: look whether its letters "
                     "are right")
    return text


def _lines(lines: list[str], file: str, first: int = 0) -> tuple[Line, ...]:
    where = f"{file} line" if file else "line"
    return tuple(Line(f"{where} {number}", text)
                 for number, text in enumerate(lines[first:], first + 1))


def _skill(file: str, lines: list[str], folder: str, notes: list[str]) -> Document:
    """A skill: its description calls for it, and its other keys are kept."""
    keys, body = _keys(lines)
    if not body:
        notes.append(f"{file} has no front matter that can be read: all of it is text")
    own = file.rpartition("/")[0] or folder
    name, said = keys.get("name"), keys.get("description")
    titled = next((line for line in lines[body:] if line.strip()), "").startswith("#")
    title = None
    if not titled and isinstance(name, str) and len(name.splitlines()) == 1:
        title = Line(f"{file} name", keys.pop("name"))
    when = (" ".join(said.split()),) if isinstance(said, str) and said.strip() else ()
    values = values_of(keys, f"{file} ")
    if when:
        del keys["description"]
    return Document(own, _lines(lines, file, body), title, when, values, keys)


def _keys(lines: list[str]) -> tuple[dict[str, Any], int]:
    """The keys of a skill's front matter, and the line that its text starts at; 0 for none."""
    if lines[0].rstrip() != "---":
        return {}, 0
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    try:
        found = read_yaml("\n".join(["", *lines[1:end]]))
    except RefusedError:  # most often a colon in a description that nobody quoted
        pairs = [_PLAIN_KEY.fullmatch(line) for line in lines[1:end] if line.strip()]
        keys = {pair[1]: pair[2].strip() for pair in pairs if pair}
        return (keys, end + 1) if end and len(keys) == len(pairs) else ({}, 0)
    whole = end and len(found) == 1 and isinstance(found[0], dict)
    return (found[0], end + 1) if whole else ({}, 0)
