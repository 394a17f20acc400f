"""An entry of any tool, by the names that tools give its fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from ..text.shipped_tables import shipped_tables
from .json_text import objects_in
from .lore import FormatError, LoreEntry, Tally, flag, folded, objects
from .patterns import PatternError, phrases_of

TEXT: Final = ("content", "text", "value", "entry")
_TITLE: Final = ("comment", "name", "title", "displayname")
KEYS: Final = ("key", "keys", "keywords", "triggers")
_TABLES: Final[dict[str, Any]] = shipped_tables(__package__, "lore.toml")
_SPELLINGS: Final[dict[str, list[str]]] = _TABLES["spellings"]
_WHY: Final[dict[str, str]] = _TABLES["why"]
_DEFAULTS: Final[Mapping[str, tuple[Any, ...]]] = {
    "position": (0, "before_char"), "depth": (4,), "probability": (100,), "useprobability": (True,),
    "groupweight": (100,), "role": (0,), "searchrange": (1000,),
}
"""Values by which a field says nothing of its own."""
_KEPT: Final = "kept under `imported:`"
_PATTERN: Final = re.compile(r"/(.+)/[a-z]*", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"\{\{\s*([\w.-]+).*?\}\}|<(USER|BOT|CHAR)>", re.IGNORECASE)
_NOT: Final = {1: "all", 2: "any", "1": "all", "2": "any", "notall": "all", "notany": "any"}
Off = Literal["switched off", "never drawn", "without text", ""]


class EntryReader:
    """Reads the entries of one file; ``recursive`` says that the book follows names in texts."""

    def __init__(self, tally: Tally, names: Mapping[str, str], *, recursive: bool = False) -> None:
        self.tally, self.names, self.recursive = tally, names, recursive

    def read(self, place: str, raw: Mapping[str, Any]) -> tuple[LoreEntry, Off]:
        """The entry, and why its tool never prints it, or ''.

        Raises:
            FormatError: it has no text where one is read, and one elsewhere.
        """
        entry = _Fields(raw)
        text_key, title_key = entry.first(TEXT), entry.first(_TITLE)
        text = str(raw[text_key]) if text_key else ""
        decorators, text = _decorated(text)
        off: Off = entry.off(decorators)
        if not text.strip() and not off:
            for inner, _ in lore_in(raw, place):
                raise FormatError(f"has lore at {inner}, where no import reads it")
            off = "without text"
        title = str(raw[title_key]).strip() if title_key else ""
        used = {text_key, title_key if len(title.splitlines()) < 2 else ""}
        fields = {key: value for key, value in raw.items() if key not in used}
        if decorators:
            fields["decorators"] = [f"@@{name} {value}".strip() for name, value in decorators]
        if off:
            self.tally.add("switched-off entries" if off != "without text" else "empty entries",
                           "used", "kept in imported.yaml alone")
            return LoreEntry(place, title, text, fields), off
        self.tally.add(text_key, "used", "a file, with its title as heading")
        regex = bool(entry.flag("regex"))
        keys = phrases(entry.value(KEYS), self.tally, self.names, regex=regex)
        keys += tuple(word for name, value in decorators if name == "additional_keys"
                      for word in phrases(value, self.tally, self.names))
        if keys:
            self.tally.add(entry.spelled(KEYS) or "additional_keys", "used",
                           "`when:` lines: evidence, and no condition")
        also, unless = self._conditions(entry, decorators, regex=regex)
        names = {name for name, _ in decorators}
        constant = entry.flag("constant") is True or bool(names & {"activate", "constant"})
        order = entry.value(_SPELLINGS["order"])
        if constant:
            self.tally.add("constant", "used", "in the header while there is room")
            self.tally.add("order", "used", "of what is in the header")
        self._count_rest(entry, decorators)
        return LoreEntry(
            place, title, text, fields, keys, also, unless, constant,
            float(order) if isinstance(order, int | float) else 0.0,
            follows=self.recursive and bool(keys) and not entry.flag("not by others"),
            brings=not entry.flag("brings none"),
        ), ""

    def _conditions(self, entry: _Fields, decorators: list[tuple[str, str]], *, regex: bool,
                    ) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """The second keys that narrow an entry, and the groups of words that keep it out."""
        anti = phrases(entry.value(_SPELLINGS["anti"]), self.tally, self.names, regex=regex)
        anti += tuple(word for name, value in decorators if name == "exclude_keys"
                      for word in phrases(value, self.tally, self.names))
        second = phrases(entry.value(_SPELLINGS["second"]), self.tally, self.names, regex=regex)
        logic = entry.value(_SPELLINGS["logic"])
        kind = _NOT.get(folded(logic) if isinstance(logic, str) else logic)
        active = bool(second) and entry.flag("selective") is not False
        unless: list[tuple[str, ...]] = [(word,) for word in anti]
        if active and kind == "any":
            unless += [(word,) for word in second]
        elif active and kind == "all":
            unless.append(second)
        if unless:
            self.tally.add("NOT conditions", "used", "`unless:`, which keeps an entry out")
        elif active:
            self.tally.add("second keys", "approximated", "they say more of what calls for it")
        return (second if active and not kind else ()), tuple(unless)

    def _count_rest(self, entry: _Fields, decorators: list[tuple[str, str]]) -> None:
        """Count what is approximated or not used."""
        known = {name for names in _SPELLINGS.values() for name in names}
        known |= {*TEXT, *_TITLE, *KEYS, "extensions", *_TABLES["silent"]}
        for name, why in _TABLES["approximated"].items():
            if entry.flag(name):
                self.tally.add(_SPELLINGS[name][0], "approximated", why)
        if self.recursive and entry.flag("brings none"):
            self.tally.add("preventRecursion", "used", "its text brings no others")
        for key, value in entry.values.items():
            if key in known or value in (None, "", False, [], {}, 0, *_DEFAULTS.get(key, ())):
                continue
            self.tally.add(entry.names[key], "not used", _WHY.get(key, _KEPT))
        for name, _ in decorators:
            if name not in {"activate", "constant", "dont_activate", "additional_keys",
                            "exclude_keys"}:
                self.tally.add(f"@@{name}", "not used", _WHY.get(folded(name), _KEPT))


class _Fields:
    """The fields of an entry by their folded names, its extensions behind its own."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        extensions = raw.get("extensions")
        layers = [extensions if isinstance(extensions, Mapping) else {}, raw]
        self.values = {folded(key): value for layer in layers for key, value in layer.items()
                       if value is not None}
        self.names = {folded(key): key for layer in layers for key in layer}

    def value(self, names: Iterable[str]) -> Any:
        return next((self.values[name] for name in names if self.values.get(name) is not None),
                    None)

    def flag(self, name: str) -> bool | None:
        return flag(self.value(_SPELLINGS[name]))

    def spelled(self, names: Iterable[str]) -> str:
        """How the first field of these that is there is spelled; '' for none."""
        return next((self.names[name] for name in names if self.values.get(name)), "")

    def first(self, names: Iterable[str]) -> str:
        """The field of these that holds a text, as it is spelled; '' where none does."""
        return next((self.names[name] for name in names if name in self.values
                     and str(self.values[name] if not isinstance(self.values[name], list | dict)
                             else "").removeprefix("\ufeff").strip()), "")

    def off(self, decorators: list[tuple[str, str]]) -> Off:
        if (self.flag("off") is True or self.flag("on") is False
                or any(name == "dont_activate" for name, _ in decorators)):
            return "switched off"
        drawn = flag(self.values.get("useprobability")) is not False
        probability = self.values.get("probability")
        return "never drawn" if drawn and probability in (0, "0") and (
            not isinstance(probability, bool)) else ""


def raw_keys(value: Any) -> list[str]:
    """The keys of a field as they are: a list of texts, or one text with commas."""
    if isinstance(value, str):
        return [value] if _PATTERN.fullmatch(value.strip()) else value.split(",")
    return [key for key in value if isinstance(key, str)] if isinstance(value, list) else []


def phrases(value: Any, tally: Tally, names: Mapping[str, str], *, regex: bool = False,
            ) -> tuple[str, ...]:
    """What the keys of a field are as phrases, each once; ``tally`` counts what patterns became.

    ``names`` fills placeholders. ``regex`` says that each key is a pattern, not those in slashes
    alone.
    """
    words: dict[str, None] = {}
    for raw in raw_keys(value):
        key = _PLACEHOLDER.sub(lambda match: names.get((match[1] or match[2]).casefold(), " "), raw)
        pattern = _PATTERN.fullmatch(key.strip())
        if not (pattern or regex):
            words[" ".join(re.sub(r"\s+&\s+", " and ", key).split())] = None
            continue
        try:
            matched, cut = phrases_of(pattern[1] if pattern else key)
        except PatternError:
            matched, cut = (), False
        words.update(dict.fromkeys(matched))
        if not matched:
            tally.add("patterns that cannot be said in words", "not used", f"{raw.strip()[:40]!r}")
        else:
            tally.add("patterns as keys", "approximated" if cut or "(?!" in key or "(?<!" in key
                      else "used", "the first phrases that they match, as `when:` lines")
    return tuple(filter(None, words))


def _decorated(text: str) -> tuple[list[tuple[str, str]], str]:
    """The decorators that a text begins with (character card V3), and the text behind them."""
    decorators: list[tuple[str, str]] = []
    lines = text.split("\n")
    while lines and (match := re.fullmatch(r"@@@?([a-z_]+)[ \t]*(.*)", lines[0].strip())):
        decorators.append((match[1], match[2].strip()))
        lines.pop(0)
    return decorators, "\n".join(lines) if decorators else text


def lore_in(value: Any, place: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The objects in a value that have a text and words that call for it."""
    return [(inner, raw) for inner, raw in objects_in(value, place)
            for entry in [_Fields(raw)]
            if entry.first((*TEXT, "description", "body")) and entry.value(KEYS)]


def read_entries(value: Any, place: str, reader: EntryReader,
                 ) -> tuple[tuple[LoreEntry, ...], dict[str, Any]]:
    """The entries of a list or an object that are printed, and the others as they are, by place.

    Raises:
        FormatError: something is no entry.
    """
    entries, aside = list[LoreEntry](), dict[str, Any]()
    for at, raw in objects(value, place):
        entry, off = reader.read(at, raw)
        if off:
            aside[at] = dict(raw)
        else:
            entries.append(entry)
    return tuple(entries), aside
