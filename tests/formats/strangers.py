"""Files by people who have not seen this program: imported as their users would, and what of them is found and shown.

A folder has an author's files and ``expect.jsonl``, an object a file: ``lines`` that must be found again, ``secrets`` that no player may see, ``questions`` with answers, and of sheets what follows (``first``).
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from mvp_site import (
    CentralEngine,
    EntityIndex,
    Library,
    PromptAssembler,
    SessionNotes,
    Settings,
    build_prompt_index,
)
from mvp_site.archive.importing import accept, propose, read_source
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import read_version
from mvp_site.content.own_files import read_folders
from mvp_site.content.stat_block import stat_block
from mvp_site.content.types import EntityType
from mvp_site.library.reading import read_file
from mvp_site.retrieval.encoder import Encoder
from mvp_site.types import AUDIENCES

TOP = 5
_KINDS = {"sheet": r"ddb_|foundry_actor|sheet\.", "entity": r"foundry_|fivetools_|open5e_|own_entities", "note": r"vault|session", "book": r"book"}
_TYPES = {"spell": "spells", "item": "magic-items", "creature": "monsters", "npc": "monsters", "monster": "monsters", "entities": ""}
_MARKUP = re.compile(r"[*_`\\]+|<[^<>]+>|\s+")


@dataclass(frozen=True)
class Stranger:
    """A file, or a folder, of an author, and what is expected of it."""

    path: Path
    lines: tuple[str, ...]
    secrets: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]
    first: dict[str, Any]

    @property
    def id(self) -> str:
        """The author and the file."""
        return f"{self.path.parent.name}-{self.path.name}"

    @property
    def kind(self) -> str:
        """What it is imported as."""
        return next((kind for kind, names in _KINDS.items() if re.match(names, self.path.name)), "prompt")

    @property
    def files(self) -> list[tuple[str, Path]]:
        """Its files by the names that an import is told."""
        return [(path.relative_to(self.path).as_posix(), path) for path in sorted(self.path.rglob("*"))
                if path.is_file() and "/." not in path.as_posix()] if self.path.is_dir() else [(self.path.name, self.path)]


@dataclass(frozen=True)
class Reading:
    """What became of a file: all of its text, what players can see of it, and the texts of the first hits of a question."""

    text: str
    shown: str
    ask: Callable[[str], Sequence[str]]
    refused: tuple[str, ...] = ()
    answer: Callable[[str], str] = lambda _: ""


def strangers(folder: Path) -> list[Stranger]:
    """The files of an author."""
    rows = [json.loads(line) for line in (folder / "expect.jsonl").read_text("utf-8").splitlines() if line.strip()]
    return [Stranger(folder / row["file"].rstrip("/"), tuple(row["lines"]), tuple(row["secrets"]),
                     tuple((pair["q"], pair["answer"]) for pair in row["questions"]), row.get("first", {})) for row in rows]


def plain(text: str) -> str:
    """The words of a text without markup, with single blanks."""
    return " ".join(_MARKUP.sub(lambda mark: " " if mark[0][0] in " \n\t\r<\u00a0" else "", html.unescape(text)).split())


def words(text: str) -> str:
    """The words of a text alone, with single blanks: notes may set the marks between them anew."""
    return " ".join(re.findall(r"\w+", plain(text)))


def read(stranger: Stranger, root: Path, encoder: Encoder) -> Reading:
    """Import a file below ``root``.

    Raises:
        MvpSiteError: it is refused.
    """
    settings = replace(Settings(), prompt_archive_dir=root / "prompt_archive", prompt_index_dir=root / "index", mvp_site_data_dir=root / "data", prompt_version="v1")
    readers: dict[str, Callable[[Stranger, Settings, Encoder], Reading]] = {"prompt": _prompt, "entity": _entity, "book": _book, "sheet": partial(_campaign, kind="character"), "note": partial(_campaign, kind="session")}
    return readers[stranger.kind](stranger, settings, encoder)


def _prompt(stranger: Stranger, settings: Settings, encoder: Encoder) -> Reading:
    source = read_source(stranger.path)
    proposal = propose(source)
    accept(proposal, settings.prompt_archive_dir, "v1")
    chunks = chunk_version(read_version(settings, "v1"))

    @cache
    def assembler() -> PromptAssembler:
        build_prompt_index(settings, encoder=encoder)
        return PromptAssembler.open(settings, encoder=encoder)

    def hits(query: str) -> list[str]:
        return [proposal.header, *(chunk.text for chunk in assembler().retrieve(query).chunks[:TOP])]

    whole = [text.replace("\\n", "\n") for text in proposal.texts.values()]
    shown = [proposal.header, *(chunk.text for chunk in chunks if chunk.audience == "player")]
    return Reading("\n".join(whole), "\n".join(shown), hits, tuple(file.reason for file in source.refused))


def _campaign(stranger: Stranger, settings: Settings, encoder: Encoder, kind: Any) -> Reading:
    notes = SessionNotes.open(settings, encoder=encoder)
    files = [(name, path.read_bytes()) for name, path in stranger.files]
    imported = notes.import_notes("game", files) if kind == "session" else notes.import_characters("game", files)
    pieces = [piece for document in imported for piece in document.pieces]
    names = [f"{known.name} {known.aliases}" for known in notes.known("game", "player")]
    engine = cache(lambda: CentralEngine.open(settings, notes=notes))

    def hits(query: str) -> list[str]:
        return [f"{hit.piece.title}\n{hit.piece.text}" for hit in notes.search("game", query, kind, limit=TOP)]

    def answer(query: str) -> str:
        reply = engine().answer(query, campaign="game")
        return reply.sentences[0].text if reply.sentences else ""

    whole, shown = ("\n".join(f"{piece.title}\n{piece.text}" for piece in pieces if piece.audience in audiences)
                    for audiences in (AUDIENCES, ("player",)))
    return Reading(whole, "\n".join([shown, *names]), hits, tuple(file.reason for file in imported.refused), answer)


def _entity(stranger: Stranger, settings: Settings, encoder: Encoder) -> Reading:
    own = settings.mvp_site_data_dir / "own_entities"
    name = stranger.path.stem.partition("_")[2]
    folder = own / _TYPES[name]
    folder.mkdir(parents=True)
    shutil.copy(stranger.path, folder)
    entities = read_folders([own])
    index = cache(lambda: EntityIndex.from_documents(entities.documents, encoder, settings=settings))
    texts = [_shown(type_, document) for type_, documents in entities.documents.items() for document in documents]

    def hits(query: str) -> list[str]:
        return [_shown(EntityType(result["entity_type"]), result) for result in index().search_types([*entities.documents], query, limit=TOP)]

    return Reading("\n".join(texts), "\n".join(texts), hits if texts else lambda _: [], tuple(file.reason for file in entities.refused))


def _shown(type_: EntityType, document: Any) -> str:
    """An entity as people see it."""
    block = stat_block(type_, document)
    lines = [block.kind, *(line.text for line in (*block.head, *block.lines, *block.facts))]
    return "\n".join([document["name"], *lines, *(f"{entry.name} {entry.text}" for section in block.sections for entry in section.entries)])


def _book(stranger: Stranger, settings: Settings, encoder: Encoder) -> Reading:
    text = read_file(stranger.path)
    shown, secret = ("\n".join(block.text for block in part.blocks) if part else "" for part in (text, text.secret))

    @cache
    def library() -> Library:
        books = settings.mvp_site_data_dir.parent / "books"
        books.mkdir(parents=True)
        shutil.copy(stranger.path, books)
        opened = Library.open(settings, encoder=encoder)
        opened.scan(books, encoder=encoder)
        return opened

    return Reading(f"{shown}\n{secret}", shown if text.audience == "player" else "",
                   lambda query: [f"{result.title}\n{result.text}" for result in library().ask(query, TOP).results])
