"""Story cards and scenarios of AI Dungeon, lists and saves of KoboldAI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..text.shipped_tables import shipped_tables
from .entries import KEYS, TEXT, EntryReader, read_entries
from .lore import Lore, LoreEntry, LoreText, Tally, folded
from .types import Format, Sample

_BOOKS: Final = ("worldinfo", "storycards", "worldinfov2")
_TEXTS: Final[dict[str, tuple[str, float]]] = shipped_tables(__package__, "lore.toml")["story"]


def _is_list(sample: Sample) -> bool:
    first: Any = sample.value[0] if isinstance(sample.value, list) and sample.value else None
    return isinstance(first, Mapping) and all(
        {folded(key) for key in first} & {*names} for names in (TEXT, KEYS))


def _is_save(sample: Sample) -> bool:
    keys = {folded(key) for key in sample.value} if isinstance(sample.value, Mapping) else set()
    return "gamestarted" in keys or (bool(keys & {*_BOOKS}) and not keys & {"firstmes", "spec"})


def _read_list(sample: Sample) -> Lore:
    tally = Tally()
    entries, off = read_entries(sample.value, "", EntryReader(tally, {}))
    return Lore(entries, aside=off, uses=tally.uses())


def _read_save(sample: Sample) -> Lore:
    tally, rest = Tally(), dict(sample.value)
    texts, entries = list[LoreText](), list[LoreEntry]()
    aside: dict[str, Any] = {}
    for key, value in sample.value.items():
        name = folded(key)
        if name in _TEXTS and isinstance(value, str) and value.strip():
            title, always = _TEXTS[name]
            texts.append(LoreText(key, title, value, always))
            tally.add(key, "used", "in the header while there is room" if always else
                      "a file of its own")
            rest.pop(key)
        elif name in _BOOKS and isinstance(value, list | Mapping):
            book = dict(value) if isinstance(value, Mapping) else {"entries": value}
            listed, off = read_entries(book.pop("entries", book), key, EntryReader(tally, {}))
            entries += listed
            aside |= off
            rest[key] = book
        elif name in ("actions", "actionsmetadata", "savedactions") and value:
            tally.add(key, "not used", "what was played is no prompt: kept in imported.yaml")
    return Lore(tuple(entries), tuple(texts), {**rest, **aside}, tally.uses())


FORMATS: Final = (
    Format("a list of story cards or world info (AI Dungeon, KoboldAI)", "prompts", _is_list,
           "an entry each, title as heading", "type, description", read=_read_list),
    Format("a save of KoboldAI, or a scenario of AI Dungeon", "prompts", _is_save,
           "memory, author's note and instructions in the header, the opening, world info",
           "what was played, settings", "read in part", read=_read_save),
)
