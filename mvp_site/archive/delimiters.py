"""The delimiters of a prompt, and the escaping that keeps text from forging them.

A prompt is the header followed by elements::

    <contents> … </contents>
    <history>          <message role="…"> …
    <retrieved_context version="…">
    <passage id="…" section="…"> … </passage>
    <state> … </state>
    <state_changes> … </state_changes>
    <secret_notes> … </secret_notes>
    <dice_tray> … </dice_tray>
    <turn mode="…" audience="…"> … </turn>

In any text that is not the product's own, the ``<`` of a tag of one of these names is written
``&lt;``, whatever its case, spacing, letter forms, look-alikes or invisible characters. So is the
``<`` of a control token of chat templates, by its form: ``<|…|>``, ``<…|>``, ``<start_of_turn>``,
``<s>``, ``<think>``, ``<tool_call>`` and their kin; and the ``[`` of one in brackets (``[INST]``,
upper case as tokenizers have it) is written ``&#91;``. The same text always escapes to the same
bytes, and escaping twice changes nothing more.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from ..text.lookalikes import folding
from ..text.normalising import clean

GIVEN: Final = ("state", "state_changes", "secret_notes", "dice_tray")
"""Elements that the caller of a turn may give, in their order: the game's facts, not rules."""
NAMES: Final = ("contents", "retrieved_context", "passage", "history", "message", "turn", *GIVEN)
CLOSING_TAG: Final = "</passage>"
CUT: Final = "[...]"
CONTEXT_END: Final = "</retrieved_context>"

_NAME: Final = "|".join(name.replace("_", r"(?:\s++|[_-])?") for name in NAMES)
_CONTROL: Final = (
    r"s|bos|eo[a-z]|unk|pad|mask|cls|sep|sop|[gs]mask|sys|inst|system|user|assistant|thinks?|thinking|"
    r"(?:start|begin|end)_?of_?\w{1,40}|tools?|(?:tool|fim|im)_\w{1,40}|functions?|function_\w{1,40}|"
    r"(?:unused|extra|reserved|special)\w{0,40}\d"
)
_BRACKETED: Final = (
    r"INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]{1,40}|IMG(?:_[A-Z]{1,40})?|ARGS|CALL_ID|THINK|"
    r"BOS|EOS|CLS|SEP|PAD|UNK|[gs]?MASK|PREFIX|MIDDLE|SUFFIX|control_\d+|\|\w{1,40}\|"
)
_HARMFUL: Final = re.compile(
    rf"(?i:<\s*+(?:\||/?+\s*+(?:\Z|(?=\w)(?:(?:{_NAME})(?![^\W_])|[\w:.-]{{1,40}}\|>|"
    rf"(?:\w{{1,20}}:)?(?:{_CONTROL})(?:=|\s*+/?\s*+>)))))|\[/?(?:{_BRACKETED})\]"
)
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_SECTION_CHARS: Final = 120


def escape(text: str) -> str:
    """``text`` with all that could pass for a tag of the prompt's own or a control token harmless.

    So is a ``<`` that ends the text: what is printed behind it might finish the tag. Takes time in
    proportion to the text's length: it is folded whole, and brackets are counted off.
    """
    if not _opening().search(text):
        return text
    folded = text.replace("\\", "/")  # the one look-alike in ASCII, whose characters stay in place
    if not (plain := text.isascii()):
        folded = _BEYOND_ASCII.sub(lambda match: match[0].translate(folding()), folded)
    harmful = [match.start() for match in _HARMFUL.finditer(folded)]
    if not harmful:
        return text
    places = harmful if plain else _counted_off(text, folded, harmful)
    pieces: list[str] = []
    behind = 0
    for place, start in zip(places, harmful, strict=True):
        pieces += text[behind:place], "&lt;" if folded[start] == "<" else "&#91;"
        behind = place + 1
    return "".join([*pieces, text[behind:]])


@lru_cache(maxsize=2048)
def printable(text: str) -> str:
    """``text`` as a prompt has it: without what shows nothing, and harmless; histories repeat."""
    return escape(clean(text))


def _counted_off(text: str, folded: str, starts: Sequence[int]) -> list[int]:
    """The places in ``text`` of the brackets at ``starts`` of its folded form."""
    brackets = [match.start() for match in _opening().finditer(text)]
    places: list[int] = []
    number = last = 0
    for start in starts:
        number += folded.count("<", last, start) + folded.count("[", last, start)
        places.append(brackets[number])
        last = start
    return places


@cache
def _opening() -> re.Pattern[str]:
    """Finds each bracket that opens, or passes for one that does."""
    alike = (re.escape(chr(code)) for code, read in folding().items() if read in {"<", "["})
    return re.compile(rf"[<\[{''.join(alike)}]")


def attribute(value: str) -> str:
    """``value`` as the inside of a double-quoted attribute on one line."""
    value = html.escape(" ".join(value.split()), quote=False)
    return escape(value.replace('"', "&quot;"))


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
