"""What was built of a large campaign, as bytes that the database keeps for the next process."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from ..content.wording import whole
from ..retrieval.encoder import Encoder
from ..store.campaign_documents import NewDocument
from .types import CampaignDocument, KnownName

LARGE: Final = 2_000
"""From so many pieces on it is kept: they open in about a second."""
LINKED: Final = "linked"
"""The part with the documents; the others are an engine's, by audience."""
_PACKAGES: Final = ("content", "formats", "retrieval", "sessions", "text")


@dataclass(frozen=True, slots=True)
class LinkedCampaign:
    """A campaign's documents, what they name, and the texts that are encoded of each piece."""

    documents: tuple[CampaignDocument, ...]
    names: tuple[KnownName, ...]
    texts: tuple[tuple[str, ...], ...]

    def dump(self) -> bytes:
        """It without the documents' sources."""
        documents = tuple(replace(document, source="") for document in self.documents)
        return zlib.compress(msgspec.msgpack.encode(replace(self, documents=documents)), 1)

    @classmethod
    def load(cls, content: bytes, stored: Sequence[NewDocument]) -> LinkedCampaign | None:
        """From the bytes of :meth:`dump` and the sources; None where they are not its."""
        try:
            linked = msgspec.msgpack.decode(zlib.decompress(content), type=cls)
            documents = tuple(
                replace(document, source=row.source, number=row.number)
                for document, row in zip(linked.documents, stored, strict=True))
        except (zlib.error, msgspec.DecodeError, ValueError):
            return None
        return replace(linked, documents=documents, names=tuple(
            replace(entity, sessions=tuple(map(whole, entity.sessions)))
            for entity in linked.names))


def packed(files: Mapping[str, bytes]) -> bytes:
    """Files as one."""
    return zlib.compress(msgspec.msgpack.encode(files), 1)


def unpacked(content: bytes | None) -> dict[str, bytes] | None:
    """The files of :func:`packed`; None where they are not."""
    try:
        return (content and msgspec.msgpack.decode(
            zlib.decompress(content), type=dict[str, bytes])) or None
    except (zlib.error, msgspec.DecodeError):
        return None


def recipe(version: str, encoder: Encoder) -> str:
    """A name of what is built of documents of a ``version``, by an encoder and today's code."""
    content = f"{version}-{encoder.fingerprint}-{_code()}"
    return blake2b(content.encode(), digest_size=16).hexdigest()


@cache
def _code() -> str:
    """A name of the code that reads and indexes documents."""
    content = blake2b(digest_size=8)
    for package in _PACKAGES:
        for path in sorted((Path(__file__).parents[1] / package).rglob("*.py")):
            content.update(path.read_bytes())
    return content.hexdigest()
