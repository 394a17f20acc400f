"""The delimiters of a prompt, and the escaping that keeps text from forging them.

A prompt is the header followed by elements::

    <history>          <message role="…"> …
    <retrieved_context version="…">
    <passage id="…" section="…"> … </passage>
    <state> … </state>
    <dice_tray> … </dice_tray>
    <turn mode="…" audience="…"> … </turn>

In any text that is not the product's own, the ``<`` of a tag of one of these names is written
``&lt;``, whatever its case, spacing, letter forms or invisible characters, and so is the ``<`` of
chat templates' control tokens (``<|…|>``). The same text always escapes to the same bytes, and
escaping twice changes nothing more.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

GIVEN: Final = ("state", "dice_tray")
"""Elements that the caller of a turn may give, in their order: the game's facts, not rules."""
NAMES: Final = ("retrieved_context", "passage", "history", "message", "turn", *GIVEN)
CLOSING_TAG: Final = "</passage>"
CUT: Final = "[...]"
CONTEXT_END: Final = "</retrieved_context>"

_ANGLE: Final = re.compile("[<\uff1c\ufe64\u2039\u3008\u27e8\u276e\u02c2]")
_IGNORED: Final = re.compile(  # Unicode's Default_Ignorable_Code_Point
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_SPACE: Final = re.compile(r"\s+")
_NAME: Final = "|".join(name.replace("_", "[ _-]?") for name in NAMES)
_TAG: Final = re.compile(rf" ?(?:[/\\]? ?(?:{_NAME})(?![^\W_])|\||[/\\]? ?\Z)")
_LONGEST: Final = 32
_SECTION_CHARS: Final = 120


def escape(text: str) -> str:
    """``text`` with every tag that could pass for one of the prompt's own made harmless.

    So is a ``<`` that ends the text: what is printed behind it might finish the tag.
    """
    if not _ANGLE.search(text):
        return text
    return _ANGLE.sub(lambda found: "&lt;" if _opens_tag(text, found.end()) else found[0], text)


def _opens_tag(text: str, start: int) -> bool:
    """Whether what follows an angle bracket reads as one of the prompt's own tags.

    Letters are compared in their compatibility forms and without case (NFKC, case folded).
    """
    read, size = "", 64
    while len(read) < _LONGEST and start < len(text):
        part = unicodedata.normalize("NFKC", _IGNORED.sub("", text[start : start + size]))
        read = _SPACE.sub(" ", read + _IGNORED.sub("", part).casefold())
        start += size
    return bool(_TAG.match(read))


def attribute(value: str) -> str:
    """``value`` as the inside of a double-quoted attribute on one line."""
    value = " ".join(value.split())
    for char, entity in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        value = value.replace(char, entity)
    return value


def context_open(version: str) -> str:
    """The line that opens the retrieved context."""
    return f'<retrieved_context version="{attribute(version)}">'


@lru_cache(maxsize=4096)
def opening_tag(chunk_id: str, section: tuple[str, ...]) -> str:
    """The line that opens a passage and names its chunk and heading."""
    path = " / ".join(section)
    if len(path) > _SECTION_CHARS:
        path = "…" + path[1 - _SECTION_CHARS :]
    return f'<passage id="{attribute(chunk_id)}" section="{attribute(path)}">'
