"""What can be done with sheets and notes: list what a campaign has, import, print the template."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from pydantic import Field

from ..errors import SessionsError
from ..sessions.notes.reading import HIDDEN
from ..sessions.notes.template import template
from ..sessions.types import KINDS, ImportedDocuments, Kind
from ..store.campaign_documents import DocumentStamp
from ..types import RefusedFile
from .operation import Operation, declared
from .requests import CampaignId, Nothing, OperationRequest, view
from .services import Services

MAX_FILES: Final = 10_000
_WRITES: Final = "changes to a campaign"


@dataclass(frozen=True, slots=True)
class ListDocuments(OperationRequest):
    """Of which campaign."""

    campaign: CampaignId | None = None
    """Only of this campaign."""


@dataclass(frozen=True, slots=True)
class FileText(OperationRequest):
    """A file by its name, and what it says: its text, or its bytes."""

    name: Annotated[str, Field(min_length=1, max_length=4_096)]
    """The file's name, in a vault with its folders."""
    text: str = ""
    """Its text."""
    base64: str = ""
    """Its bytes in base64 in place of its text, for a form in PDF or a text that is not UTF-8."""

    @property
    def content(self) -> str | bytes:
        """The text, or the bytes."""
        try:
            return b64decode(self.base64, validate=True) if self.base64 else self.text
        except ValueError:
            raise SessionsError(f"{self.name}: `base64` is no base64") from None


@dataclass(frozen=True, slots=True)
class ImportFiles(OperationRequest):
    """Files for a campaign; what they replace is replaced."""

    campaign: CampaignId
    files: Annotated[tuple[FileText, ...], Field(min_length=1, max_length=MAX_FILES)]
    """The files, each with name and text."""

    @property
    def contents(self) -> list[tuple[str, str | bytes]]:
        """The names, each with the text or the bytes."""
        return [(file.name, file.content) for file in self.files]


@dataclass(frozen=True, slots=True)
class ForgetDocument(OperationRequest):
    """Which document of which campaign."""

    campaign: CampaignId
    id: Annotated[str, Field(min_length=1, max_length=100)]
    """The document's id, as the list has it."""


@dataclass(frozen=True, slots=True)
class KeptDocuments:
    """What there is, by campaign."""

    documents: tuple[DocumentStamp, ...]


@dataclass(frozen=True, slots=True)
class ImportedDocument:
    """What was read of a file, into how many pieces, and what one should know of it."""

    id: str
    title: str
    pieces: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What a campaign was given, and the files that were left out."""

    campaign: str
    documents: tuple[ImportedDocument, ...]
    refused: tuple[RefusedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A document that a campaign no longer has."""

    campaign: str
    id: str


@dataclass(frozen=True, slots=True)
class Template:
    """A session's notes to fill in, as Markdown."""

    text: str


def _list(kind: Kind, services: Services, request: ListDocuments, entitled: bool) -> KeptDocuments:
    return KeptDocuments(tuple(
        document for document in services.session_notes().documents(request.campaign, kind)
        if entitled or not document.id.endswith(HIDDEN)
    ) if services.has_campaigns() else ())


def _forget(kind: Kind, services: Services, request: ForgetDocument, _: bool) -> Forgotten:
    services.session_notes().forget(request.campaign, kind, request.id)
    return Forgotten(request.campaign, request.id)


@declared("sessions.import", needs=_WRITES)
def _import_notes(services: Services, request: ImportFiles, _: bool) -> Imported:
    """Import the notes of sessions, or a vault; what cannot be read is left out."""
    return imported(request.campaign, services.session_notes().import_notes(
        request.campaign, request.contents, services.progress))


@declared("sessions.template")
def _template(_: Services, __: Nothing, ___: bool) -> Template:
    """Give a form for the notes of a session, as Markdown."""
    return Template(template())


@declared("characters.import", needs=_WRITES)
def _import_characters(services: Services, request: ImportFiles, _: bool) -> Imported:
    """Import characters (own JSON or YAML, D&D Beyond, Foundry, PDF forms); what cannot be read is
    left out.
    """  # noqa: D205 - one line about it, in two
    return imported(request.campaign, services.session_notes().import_characters(
        request.campaign, request.contents))


def imported(campaign: str, documents: ImportedDocuments) -> Imported:
    """What was read, told."""
    return Imported(campaign, tuple(
        view(ImportedDocument, document, pieces=len(document.pieces)) for document in documents
    ), documents.refused)


OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    *(Operation(
        name=f"{kind}s.list", run=partial(_list, kind), request=ListDocuments,
        response=KeptDocuments, about=f"List the {kind}s that there are.",
        needs=lambda documents: () if documents.campaign else ("the list of all campaigns",),
    ) for kind in KINDS),
    *(Operation(
        name=f"{kind}s.forget", run=partial(_forget, kind), request=ForgetDocument,
        response=Forgotten, needs=lambda _: (_WRITES,),
        about=f"Delete a {kind} of a campaign, in every engine too.",
    ) for kind in KINDS),
)
