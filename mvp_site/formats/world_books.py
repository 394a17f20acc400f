"""World books of SillyTavern, Chub and others: an object whose ``entries`` have texts and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .entries import KEYS, TEXT, EntryReader, lore_in, read_entries
from .lore import FormatError, Lore, Tally, flag, folded
from .types import Format, Sample

_NOT_USED: Final = {"scandepth": "scan depth of the book",
                    "tokenbudget": "token budget of the book"}
_RECURSIVE: Final = "recursivescanning"


def is_book(value: Any) -> bool:
    """Whether a value has entries, or will have some."""
    if not isinstance(value, Mapping) or not isinstance(value.get("entries"), Mapping | list):
        return False
    entries = value["entries"]
    first = next(iter(entries.values() if isinstance(entries, Mapping) else entries), None)
    return first is None or (isinstance(first, Mapping) and bool(
        {folded(key) for key in first} & {*TEXT, *KEYS}))


def _recognised(sample: Sample) -> bool:
    value = sample.value.get("data") if sample.has("spec", "data") else sample.value
    others = {"lorebookVersion", "gamestarted", "kind", "character_book"}
    return is_book(value) and not others & sample.value.keys() and not (
        sample.has("spec") and not str(sample.value["spec"]).startswith("lorebook"))


def read_book(book: Mapping[str, Any], tally: Tally, names: Mapping[str, str], place: str = "",
              ) -> Lore:
    """The entries of a book; its settings are aside.

    Raises:
        FormatError: it has lore where none is read, or something in it is no entry.
    """
    settings = {key: value for key, value in book.items() if key != "entries"}
    for at, _ in lore_in(settings, place):
        raise FormatError(f"has lore at {at}, where no import reads it")
    folds = {folded(key): value for key, value in settings.items()}
    raws = book.get("entries") or []
    recursive = bool(flag(folds.get(_RECURSIVE))) or any(
        flag(value) for raw in (raws.values() if isinstance(raws, Mapping) else raws)
        if isinstance(raw, Mapping) for key, value in raw.items()
        if folded(key) == "delayuntilrecursion")
    reader = EntryReader(tally, names, recursive=recursive)
    entries, off = read_entries(raws, f"{place}.entries".lstrip("."), reader)
    if recursive:
        tally.add("recursion", "used", "`follows:`: a printed text that names an entry brings it")
    for key, why in _NOT_USED.items():
        if folds.get(key):
            tally.add(why, "not used", "PROMPT_MAX_TOKENS_RETRIEVED is the budget"
                      if "budget" in why else "the turn, and what it leans on, is searched with")
    return Lore(entries, aside={**{f"{place}.{key}".lstrip("."): value
                                   for key, value in settings.items()}, **off})


def _read(sample: Sample) -> Lore:
    tally = Tally()
    value = dict(sample.value)
    inner = value.pop("data") if isinstance(value.get("data"), Mapping) else value
    lore = read_book(inner, tally, {})
    outer = {} if inner is value else value
    return Lore(lore.entries, aside={**outer, **lore.aside}, uses=tally.uses())


FORMATS: Final = (
    Format("a world book of SillyTavern, Chub or like them", "prompts", _recognised,
           "entries, keys, constants, NOT conditions, recursion, in any spelling of the fields",
           "position, probability, sticky, cooldown, groups", read=_read),
)
