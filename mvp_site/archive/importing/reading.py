"""Reading: a file or folder as a source, whatever it was written for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...errors import ArchiveError
from ...text.decoding import DecodingError, decoded
from ...text.normalising import binary_kind, too_many_controls
from ...types import RefusedFile
from ..versions import HEADER, MAX_FILE_BYTES
from .json_kinds import read_json
from .lorebooks import read_lorebook
from .matter import document, fields, numbered
from .types import ASIDE, ImportSource, SourceText

_SKILL: Final = "SKILL.md"
_SUFFIX: Final = re.compile(rf"(?:/{re.escape(_SKILL)}|\.[^./]*)$")


def read_source(path: Path) -> ImportSource:
    """What stands at ``path``: a prompt, a lorebook, skills, or a folder of prompts.

    JSON is a lorebook or a character card, whatever the file is called; any other file is a prompt.
    A folder with a ``SKILL.md`` in it has skills, any other prompts: its ``*.md`` and ``*.txt``.
    Links that lead out of a folder are not followed.

    Raises:
        ArchiveError: it is not there, is no text, holds nothing to import, or is JSON of another
            kind.
    """
    try:
        return _folder(path) if path.is_dir() else _file(path)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}") from None


def _file(path: Path) -> ImportSource:
    notes: list[str] = []
    text = _text(path, path.name, notes)
    value = read_json(text, str(path), path.suffix.lower() == ".json")
    if value is not None:
        return read_lorebook(value, path, notes)
    lines = numbered(text, "")
    return ImportSource("prompt", path.stem, (document(path.stem, lines),), notes=tuple(notes))


def _folder(path: Path) -> ImportSource:
    notes: list[str] = []
    inside = {name: file for file in sorted(path.rglob("*")) for own in [file.relative_to(path)]
              if not any(part.startswith(".") for part in own.parts) for name in [own.as_posix()]}
    odd = {name: why for name, file in inside.items()
           if file.is_symlink() and (why := _astray(file, path.resolve()))}
    files = {name: path for name, path in inside.items() if name not in odd and path.is_file()}
    skills = any(file.name == _SKILL for file in files.values())
    texts = [name for name, path in files.items() if path.suffix.lower() in {".md", ".txt"}]
    documents: dict[str, SourceText] = {}
    aside: dict[str, str] = {}
    refused = [RefusedFile(name, f"{name}: it is a link that leads {why}")
               for name, why in odd.items()]
    for name in texts:
        stem = path.resolve().name if name == _SKILL else _SUFFIX.sub("", name)
        try:
            text = _text(files[name], name, notes)
            if read_json(text, name, stated=False) is not None:
                raise ArchiveError("it is a lorebook or a character card: import it by itself")
        except ArchiveError as error:
            refused.append(RefusedFile(name, f"{name}: {error}"))
            continue
        if skills and re.search(r"(?:^|/)readme\.\w+$", name, re.IGNORECASE):
            aside |= {name: text}
            notes.append(f"{name} is for people: it is kept in {ASIDE} alone")
        else:
            documents[name] = document(stem, numbered(text, name), wanted=name == HEADER)
    if other := [name for name in files if name not in texts]:
        notes.append(f"left out, as no Markdown or plain text: {len(other)} files "
                     f"({', '.join(other[:5])}{', …' * (len(other) > 5)})")
    if not documents:
        raise ArchiveError("\n".join((
            (f"{path} holds no *.md or *.txt file with text: there is nothing to import; name a "
             "file, or a folder of prompts or skills"), *(file.reason for file in refused),
        )))
    return ImportSource("skills" if skills else "prompt", path.resolve().name,
                        tuple(_called(documents)),
                  fields(aside, ""), tuple(notes), tuple(refused))


def _astray(link: Path, folder: Path) -> str:
    """Where a link leads that is not followed, or ''."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # a loop is a RuntimeError
        return "nowhere"
    return "" if target.is_relative_to(folder) else "out of the folder"


def _called(documents: Mapping[str, SourceText]) -> Iterator[SourceText]:
    """The documents; those beside a skill's are for whom it is."""
    skills = {name.removesuffix(_SKILL): text for name, text in documents.items()
              if name.rpartition("/")[2] == _SKILL}
    for name, text in documents.items():
        skill = skills.get(max(filter(name.startswith, skills), key=len, default="/"), text)
        yield replace(text, audience=text.audience or skill.audience)


def _text(path: Path, name: str, notes: list[str]) -> str:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ArchiveError(f"{path} is over {MAX_FILE_BYTES // 2**20} MiB: split it")
    content = path.read_bytes()
    if kind := binary_kind(content):
        raise ArchiveError(f"{path} is {kind}: save its text as .txt or .md; for books there is "
                           "`mvp-site library scan`")
    try:
        text, note = decoded(content)
    except DecodingError as error:
        raise ArchiveError(f"{path}: {error}") from None
    if too_many_controls(text) or "\x00" in text:
        raise ArchiveError(f"{path} is no text: it has control characters. Save it as UTF-8 text")
    if not text.strip():
        raise ArchiveError(f"{path} is empty: there is nothing to import")
    if note:
        notes.append(f"{name}: {note}")
    return text.removeprefix("\ufeff")
