"""Texts in a PNG picture, where character cards are kept."""

from __future__ import annotations

import struct
from typing import Final

from .lore import FormatError

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def text_chunks(content: bytes, wanted: frozenset[str]) -> dict[str, bytes]:
    """The ``tEXt`` chunks of these keywords, the last of each; nothing is decompressed.

    Raises:
        FormatError: a chunk is longer than the file, as of a picture that was cut short.
    """
    texts: dict[str, bytes] = {}
    at = len(SIGNATURE)
    while at + 8 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        end = at + 8 + length
        if end > len(content):
            raise FormatError(f"is cut short, or damaged: its chunk at byte {at} says that it has "
                              f"{length:,} bytes, and {len(content) - at - 8:,} are there")
        if kind == b"tEXt":
            keyword, _, text = content[at + 8 : end].partition(b"\0")
            if (name := keyword.decode("latin-1").casefold()) in wanted:
                texts[name] = text
        at = end + 4
        if kind == b"IEND":
            break
    return texts
