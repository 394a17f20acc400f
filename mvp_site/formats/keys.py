"""The keys of an entry as phrases: plain words, patterns, several at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from .lore import Tally
from .patterns import PatternError, phrases_of

_PATTERN: Final = re.compile(r"/(.+)/[a-z]*", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"\{\{\s*([\w.-]+).*?\}\}|<(USER|BOT|CHAR)>", re.IGNORECASE)
_BOTH: Final = re.compile(r"\s+&\s+")


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
            words[" ".join(_BOTH.sub(" and ", key).split())] = None
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
