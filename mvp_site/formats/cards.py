"""Character cards V1, V2 and V3, as JSON or in a PNG picture."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Mapping
from typing import Any, Final

from ..text.shipped_tables import shipped_tables
from ..text.strict_json import JsonError
from .entries import lore_in
from .json_text import json_value
from .lore import FormatError, Lore, LoreText, Tally
from .types import Format, Sample
from .world_books import is_book, read_book

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHUNKS: Final = ("ccv3", "chara")
_TEXTS: Final[dict[str, tuple[str, float]]] = shipped_tables(__package__, "lore.toml")["card"]
"""The texts of a card, their titles, and how much each is wanted in every prompt."""
_LAST: Final = frozenset({"post_history_instructions"})
_MARKS: Final = frozenset({"first_mes", "mes_example", "personality", "scenario", "system_prompt",
                           "char_persona", "char_greeting", "character_book"})
_PEOPLE: Final = ("creator_notes", "creator_notes_multilingual", "creatorcomment")


def _card(value: Any) -> Mapping[str, Any] | None:
    """The fields of the card that a value is, or None."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("data")
    card = inner if isinstance(inner, Mapping) else value
    spec = str(value.get("spec", ""))
    if spec.startswith("lorebook") or (is_book(value) and not _MARKS & card.keys()):
        return None
    return card if spec.startswith("chara_card") or (_MARKS & card.keys() and not (
        {"gamestarted", "storyCards", "scenarioVersion"} & value.keys())) else None


def _read_card(value: Any) -> Lore:
    tally = Tally()
    card = dict(_card(value) or {})
    outer = {key: part for key, part in value.items() if part is not value.get("data")} if (
        isinstance(value.get("data"), Mapping)) else {}
    outer = {key: part for key, part in outer.items() if card.get(key) != part}
    name = next((text for key in ("nickname", "name", "char_name")
                 if isinstance(text := card.get(key), str) and text.strip()), "")
    names = {"char": name, "bot": name} if name else {}
    texts: list[LoreText] = []
    for key, (title, always) in _TEXTS.items():
        parts = card.get(key)
        listed = [*enumerate(parts)] if isinstance(parts, list) else [(-1, parts)]
        for number, text in listed:
            if isinstance(text, str) and text.strip():
                place = key if number < 0 else f"{key}.{number}"
                texts.append(LoreText(place, title, text, always, key in _LAST))
                tally.add(key, "used", "in the header while there is room" if always else
                          "a file of its own")
        if any(text.place.partition(".")[0] == key for text in texts) and all(
                isinstance(text, str) for _, text in listed):
            card.pop(key)
    depth = card.get("extensions", {})
    note = depth.get("depth_prompt") if isinstance(depth, Mapping) else None
    if isinstance(note, Mapping) and isinstance(note.get("prompt"), str) and note["prompt"].strip():
        texts.append(LoreText("extensions.depth_prompt.prompt", "Note", note["prompt"], 9.6))
        tally.add("depth_prompt", "used", "in the header while there is room")
        card["extensions"] = {**depth, "depth_prompt": {
            key: part for key, part in note.items() if key != "prompt"}}
    for key in _PEOPLE:
        if card.get(key):
            tally.add(key, "not used", "for people: kept in imported.yaml")
    book = card.pop("character_book", None)
    lore = read_book(book, tally, names, "character_book") if isinstance(book, Mapping) else Lore()
    for at, _ in lore_in([card, outer], ""):
        raise FormatError(f"has lore at {at.partition('.')[2]}, where no import reads it")
    rest = card if book is None or isinstance(book, Mapping) else {**card, "character_book": book}
    return Lore(lore.entries, tuple(texts), {**outer, **rest, **lore.aside}, tally.uses(),
                names=names)


def _read_png(sample: Sample) -> Lore:
    chunks = text_chunks(sample.content, frozenset(_CHUNKS))
    encoded = next((chunks[name] for name in _CHUNKS if name in chunks), None)
    if encoded is None:
        raise FormatError("is a picture without a character card: export the card as JSON or PNG")
    try:
        text = base64.b64decode(encoded, validate=False).decode("utf-8")
        parsed = json_value(text, "its card", stated=True)
    except (binascii.Error, UnicodeDecodeError, JsonError) as error:
        raise FormatError(f"has a character card that cannot be read ({error}): export it as JSON"
                          ) from None
    value, notes = parsed or (None, ())
    if _card(value) is None:
        raise FormatError("has a card of an unknown form: export it as JSON")
    lore = _read_card(value)
    return Lore(lore.entries, lore.texts, lore.aside, lore.uses, notes, lore.names)


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


_USED: Final = ("its texts (system prompt, last words, description, personality and scenario in "
                "the header while there is room), greetings, its book")
_ASIDE: Final = "creator's notes, tags, assets"
FORMATS: Final = (
    Format("a character card, V1 to V3, as JSON", "prompts",
           lambda sample: _card(sample.value) is not None, _USED, _ASIDE,
           read=lambda sample: _read_card(sample.value)),
    Format("a character card, V1 to V3, in a PNG picture", "prompts",
           lambda sample: sample.content.startswith(SIGNATURE), _USED, f"the picture, {_ASIDE}",
           read=_read_png),
)
