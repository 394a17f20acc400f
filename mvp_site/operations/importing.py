"""The import of prompts of any tool as a version of the archive; of the CLI alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from ..archive.importing import HEADER_TOKENS, PlacedLine, accept, propose, read_source
from ..formats.lore import FieldUse
from ..text.tokens import count_tokens
from ..types import RefusedFile
from .operation import CLI, declared
from .requests import Flag, OperationRequest, Whole
from .services import Services

Headings = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=200)], ...],
                     Field(max_length=100)]
_ODD: Final = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class ImportRequest(OperationRequest):
    """What to import, and as what."""

    path: Annotated[str, Field(min_length=1, max_length=4_096)]
    """A prompt, a file of another tool, or a folder of prompts."""
    version: Annotated[str | None, Field(max_length=64)] = None
    """The version's name (default: made of the source's)."""
    into: Annotated[str | None, Field(max_length=4_096)] = None
    """The archive (default: PROMPT_ARCHIVE_DIR)."""
    header_tokens: Annotated[Whole, Field(ge=0, le=20_000)] = HEADER_TOKENS
    """At most so many tokens are proposed for the header."""
    pin: Headings = ()
    """What stands under such a heading is in the header in any case."""
    unpin: Headings = ()
    """What stands under such a heading is never there."""
    replace: Flag = False
    """Replace a version that is there; it is kept beside."""
    write: Flag = False
    """Write it. Without, nothing changes."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was proposed, or written; ``tokens`` are the header's, and those of each file.

    ``refused`` are files of a folder that were left out.
    """

    kind: str
    version: str
    folder: str
    header: str
    tokens: dict[str, int]
    notes: tuple[str, ...]
    lines: tuple[PlacedLine, ...]
    diff: str
    written: bool
    refused: tuple[RefusedFile, ...]
    fields: tuple[FieldUse, ...] = ()
    """What is made of the source's own fields, and how often each says anything."""


@declared("archive.import", surfaces=CLI)
def _import(services: Services, request: ImportRequest, _: bool) -> ImportReport:
    """Import prompts of any tool: a file, or a folder of them, as a diff to accept."""
    source = read_source(Path(request.path))
    into = Path(request.into) if request.into else services.settings.prompt_archive_dir
    version = request.version or _ODD.sub("_", source.name).strip("_.-")[:64] or "imported"
    services.progress("reading and cutting", 0, 1)
    proposal = propose(source, header_tokens=request.header_tokens, pin=request.pin,
                       unpin=request.unpin)
    diff = proposal.diff(into / version)
    if request.write:
        accept(proposal, into, version, replace=request.replace)
    tokens = {name: count_tokens(text) for name, text in proposal.texts.items()}
    return ImportReport(
        source.kind, version, str(into / version), proposal.header, tokens, proposal.notes,
        proposal.placed, diff, request.write, source.refused, proposal.uses,
    )
