"""Reading: a file or folder as a source, whatever it was written for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...errors import ArchiveError
from ...formats import Sample, recognise
from ...formats.cards import SIGNATURE as PNG
from ...formats.lore import Tally, Use
from ...text.decoding import DecodingError, decoded
from ...text.normalising import binary_kind, too_many_controls
from ...text.obsidian import note_links, note_of, unlinked
from ...types import RefusedFile
from ..versions import HEADER, MAX_FILE_BYTES
from .lorebooks import read_lore, sample_of
from .matter import document, fields, front_values, numbered, quoted
from .types import ALWAYS, ASIDE, ImportSource, Kind, SourceLine, SourceText

_SKILL: Final = "SKILL.md"
_TEXTS: Final = frozenset({".md", ".mdc", ".txt"})
_LORE: Final = frozenset({".json", ".png", ".lorebook", ".scenario", ".story"})
"""Suffixes by which other tools' files in a folder are looked at; their content says the rest."""
_APPLIED: Final = ALWAYS - 0.1
"""How much a rule that always applies is wanted: while there is room."""
_KEYS: Final[Mapping[str, tuple[Use, str]]] = {
    "description": ("used", "a `when:` line"), "audience": ("used", "who may see it"),
    "alwaysApply": ("used", "in the header while there is room"),
    "globs": ("not used", "a turn has no files; its description or words call for it"),
    "paths": ("not used", "a turn has no files; its description or words call for it"),
    "aliases": ("used", "`when:` lines"), "name": ("used", "its file's name serves"),
}
"""What is made of the keys of front matter."""
_SUFFIX: Final = re.compile(rf"(?:/{re.escape(_SKILL)}|\.[^./]*)$")


def read_source(path: Path) -> ImportSource:
    """What stands at ``path``: a prompt, a lorebook, skills, or a folder of prompts.

    JSON and pictures are known by their content (:mod:`mvp_site.formats`); any other file is a
    prompt. A folder with a ``SKILL.md`` in it has skills, any other prompts: its ``*.md``,
    ``*.mdc`` and ``*.txt``, and the lorebooks and cards beside them.
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
    with path.open("rb") as file:
        head = file.read(len(PNG))
    if head == PNG:
        return read_lore(Sample(str(path), _content(path)))
    text = _text(path, path.name, notes)
    sample = sample_of(text, str(path), notes, stated=path.suffix.lower() == ".json")
    if sample is not None:
        return read_lore(sample, notes)
    tally = Tally()
    prompt = _rules(document(path.stem, numbered(text, "")), tally)
    return ImportSource("prompt", path.stem, (prompt,), notes=tuple(notes), uses=tally.uses())


def _folder(path: Path) -> ImportSource:
    notes: list[str] = []
    inside = {name: file for file in sorted(path.rglob("*")) for own in [file.relative_to(path)]
              if not any(part.startswith(".") for part in own.parts) for name in [own.as_posix()]}
    odd = {name: why for name, file in inside.items()
           if file.is_symlink() and (why := _astray(file, path.resolve()))}
    files = {name: path for name, path in inside.items() if name not in odd and path.is_file()}
    skills = any(file.name == _SKILL for file in files.values())
    texts = [name for name, path in files.items() if path.suffix.lower() in _TEXTS]
    tally = Tally()
    documents: dict[str, SourceText] = {}
    lore: dict[str, ImportSource] = {}
    aside: dict[str, str] = {}
    refused = [RefusedFile(name, f"{name}: it is a link that leads {why}")
               for name, why in odd.items()]
    for name in texts:
        stem = path.resolve().name if name == _SKILL else _SUFFIX.sub("", name)
        try:
            text = _text(files[name], name, notes)
            if (sample := sample_of(text, name, notes, stated=False)) is not None:
                lore[name] = read_lore(sample)
                continue
        except ArchiveError as error:
            refused.append(RefusedFile(name, f"{name}: {error}"))
            continue
        if skills and re.search(r"(?:^|/)readme\.\w+$", name, re.IGNORECASE):
            aside |= {name: text}
            notes.append(f"{name} is for people: it is kept in {ASIDE} alone")
        else:
            documents[name] = _rules(document(
                stem, numbered(text, name), wanted=ALWAYS * (name == HEADER)), tally)
    documents = _without_links(documents)
    unread: list[str] = []
    for name, file in files.items():
        if file.suffix.lower() in _LORE:
            try:
                lore[name] = _file(file)
            except ArchiveError as error:  # data of another kind is no prompt
                unread.append(str(error).replace(str(file), name, 1).partition(";")[0])
    if other := [name for name in files if name not in texts and name not in lore]:
        notes.append(f"left out, as no Markdown or plain text: {len(other)} files "
                     f"({', '.join(other[:5])}{', …' * (len(other) > 5)})")
    notes += unread[:5]
    if not documents and not lore:
        raise ArchiveError("\n".join((
            (f"{path} holds no *.md, *.mdc or *.txt file with text, and no lorebook: there is "
             "nothing to import; name a file, or a folder of prompts or skills"),
            *unread[:5], *(file.reason for file in refused),
        )))
    notes += [f"{name}: {note}" for name, source in lore.items() for note in source.notes]
    books = [replace(text, name=f"{_SUFFIX.sub('', name)}/{text.name}")
             for name, source in lore.items() for text in source.documents]
    for source in lore.values():
        for use in source.uses:
            tally.add(use.field, use.use, use.why, use.count)
    aside_lines = [line for name, source in lore.items() if source.aside for line in (
        SourceLine(name, f"{quoted(name)}:"),
        *(replace(line, text=f"  {line.text}") for line in source.aside))]
    kind: Kind = "skills" if skills else "prompt" if documents else "lorebook"
    return ImportSource(
        kind, path.resolve().name, (*_called(documents), *books),
        (*fields(aside, ""), *aside_lines), tuple(notes),
        tuple(refused), tally.uses(),
        {name: text for source in lore.values() for name, text in source.names.items()})


def _without_links(documents: Mapping[str, SourceText]) -> dict[str, SourceText]:
    """The documents; those of a vault, whose links lead to its own notes, with the words shown."""
    notes = {note_of(_SUFFIX.sub("", name))[1].casefold() for name in documents}

    def shown(line: SourceLine) -> SourceLine:
        return replace(line, text=unlinked(line.text)) if "[[" in line.text else line

    if not any(link.name.casefold() in notes for text in documents.values()
               for line in text.lines if "[[" in line.text for link in note_links(line.text)):
        return {**documents}
    return {name: replace(text, lines=tuple(map(shown, text.lines)))
            for name, text in documents.items()}


def _rules(text: SourceText, tally: Tally) -> SourceText:
    """A rule or skill as its front matter says: wanted in every prompt, or only in some."""
    keys = front_values(text.kept)
    for key, value in keys.items():
        use, why = _KEYS.get(key, ("not used", "kept under `imported:`"))
        if value not in (None, "", [], False):
            tally.add(key, use, why)
    wanted = text.wanted or (_APPLIED if keys.get("alwaysApply") is True
                             and text.audience in {"", "player"} else 0.0)
    return replace(text, wanted=wanted)


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


def _content(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ArchiveError(f"{path} is over {MAX_FILE_BYTES // 2**20} MiB: split it")
    return path.read_bytes()


def _text(path: Path, name: str, notes: list[str]) -> str:
    content = _content(path)
    if (format_ := recognise(Sample(name, content), "prompts")) is not None:
        raise ArchiveError(f"{path} is {format_.name}: {format_.aside}")
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
