"""Lorebooks, stories and scenarios of NovelAI."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..text.dm_words import reserved
from .entries import EntryReader, lore_in, read_entries
from .lore import FormatError, Lore, LoreText, Tally, flag
from .types import Format, Sample

_CONTEXT: Final = ("Memory", "Author's note")
"""What the texts of ``context`` are, in their order."""


_PLACE: Final = re.compile(r"\$\{(?:\d+#)?([^\[\]{}:]+)(?:\[([^\]{}]*)\])?(?::[^{}]*)?\}")
"""A place that a player fills: ``${1#name[Ann]:Your name?}``, or ``${name}``."""


def _places(value: Any, names: dict[str, str]) -> Any:
    """The value with ``{{name}}`` for each place; ``names`` gets what stands in it by default."""
    if isinstance(value, Mapping):
        return {key: _places(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [_places(part, names) for part in value]
    if not isinstance(value, str):
        return value
    return _PLACE.sub(lambda place: _place(place, names), value)


def _place(place: re.Match[str], names: dict[str, str]) -> str:
    name = _name(place[1])
    if place[2]:
        names.setdefault(name, place[2])
    return f"{{{{{name}}}}}"


def _name(key: str) -> str:
    name = re.sub(r"\W+", "_", key.strip()).strip("_")
    return name if name and not name[0].isdigit() else f"place_{name}"


def read_lorebook(book: Mapping[str, Any], tally: Tally, place: str = "") -> Lore:
    """The entries of a lorebook; those of a category that is switched off are aside.

    Raises:
        FormatError: something is no entry.
    """
    listed = book.get("categories")
    categories = [category for category in (listed if isinstance(listed, list) else ())
                  if isinstance(category, Mapping)]
    closed = {category.get("id") for category in categories
              if flag(category.get("enabled")) is False}
    raws = book.get("entries", [])
    at = f"{place}.entries".lstrip(".")
    shut = {number: raw for number, raw in enumerate(raws if isinstance(raws, list) else ())
            if isinstance(raw, Mapping) and raw.get("category") in closed}
    if shut:
        raws = {number: raw for number, raw in enumerate(raws) if number not in shut}
        tally.add("categories that are switched off", "used", "kept in imported.yaml alone",
                  len(closed))
    entries, off = read_entries(raws, at, EntryReader(tally, {}))
    secret = {category.get("id") for category in categories
              if reserved(str(category.get("name", "")))}
    if secret:
        entries = tuple(replace(entry, reserved=entry.fields.get("category") in secret)
                        for entry in entries)
        tally.add("categories for the game master", "used", "hidden from players", len(secret))
    off |= {f"{at}.{number}": raw for number, raw in shut.items()}
    rest = {f"{place}.{key}".lstrip("."): value for key, value in book.items() if key != "entries"}
    return Lore(entries, aside={**rest, **off})


def _read_lorebook(sample: Sample) -> Lore:
    tally = Tally()
    lore = read_lorebook(sample.value, tally)
    return Lore(lore.entries, aside=lore.aside, uses=tally.uses())


def _read_tale(sample: Sample) -> Lore:
    """A scenario, or the content of a story: context texts, the opening, the lorebook."""
    tally = Tally()
    outer = dict(sample.value)
    tale = outer.pop("content") if isinstance(outer.get("content"), Mapping) else outer
    names = {_name(key): text for place in tale.get("placeholders") or ()
             if isinstance(place, Mapping) for key, text in [
                 (place.get("key"), place.get("defaultValue"))]
             if isinstance(key, str) and isinstance(text, str) and text.strip()}
    rest = {**tale, **{key: _places(tale[key], names) for key in ("prompt", "context", "lorebook")
                       if key in tale}}
    if names:
        tally.add("placeholders", "used", "`{{name}}`, with the default in placeholders.toml",
                  len(names))
    texts: list[LoreText] = []
    if isinstance(rest.get("prompt"), str) and rest["prompt"].strip():
        texts.append(LoreText("prompt", "Opening", rest.pop("prompt")))
        tally.add("prompt", "used", "a file of its own")
    context = rest.get("context")
    contexts = context if isinstance(context, list) else []
    for number, part in enumerate(contexts):
        if isinstance(part, Mapping) and isinstance(part.get("text"), str) and part["text"].strip():
            title = _CONTEXT[number] if number < len(_CONTEXT) else f"Context {number + 1}"
            texts.append(LoreText(f"context.{number}.text", title, part["text"], 9.7))
            tally.add("context", "used", "in the header while there is room")
    if texts and contexts:
        rest["context"] = [{key: value for key, value in part.items() if key != "text"}
                           if isinstance(part, Mapping) else part for part in contexts]
    if rest.get("ephemeralContext"):
        tally.add("ephemeralContext", "not used", "a prompt depends on its own turn alone")
    if rest.get("story") or rest.get("document"):
        tally.add("story", "not used", "what was played is no prompt: kept in imported.yaml")
    book = rest.pop("lorebook", None)
    lore = read_lorebook(book, tally, "lorebook") if isinstance(book, Mapping) else Lore()
    for at, _ in lore_in({**rest, "placeholders": None}, ""):
        raise FormatError(f"has lore at {at}, where no import reads it")
    before = {} if tale is outer else outer
    return Lore(lore.entries, tuple(texts), {**before, **rest, **lore.aside}, tally.uses(),
                names=names)


_USED: Final = "entries, keys with &, context (memory, author's note) in the header, the opening"
_ASIDE: Final = "the story that was played, ephemeral context, biases, settings"
FORMATS: Final = (
    Format("a NovelAI lorebook", "prompts", lambda sample: sample.has("lorebookVersion"),
           "entries, keys with &, categories that are switched off", "settings, biases",
           read=_read_lorebook),
    Format("a NovelAI scenario", "prompts", lambda sample: sample.has("scenarioVersion"), _USED,
           _ASIDE, read=_read_tale),
    Format("a NovelAI story", "prompts", lambda sample: sample.has("storyContainerVersion"), _USED,
           _ASIDE, "read in part", read=_read_tale),
)
