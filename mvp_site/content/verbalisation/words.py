"""Small pieces of prose: ordinals, articles, enumerations, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_ORDINALS: Final = {1: "st", 2: "nd", 3: "rd"}
_TURNED: Final = re.compile(r"([^,()]+), ([^,()]*[^\W\d][^,()]*?)( \(.*\))?")


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    ending = "th" if number % 100 in range(11, 14) else _ORDINALS.get(number % 10, "th")
    return f"{number}{ending}"


def enumerated(items: Iterable[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b, and c``; empty for nothing."""
    listed = [item for item in items if item]
    if len(listed) < 3:
        return f" {last} ".join(listed)
    return f"{', '.join(listed[:-1])}, {last} {listed[-1]}"


def joined(*words: str) -> str:
    """The words that are not empty, with a space between them."""
    return " ".join(word for word in words if word)


def a(noun: str) -> str:
    """The noun behind its article: ``a sword``, ``an axe``."""
    return f"{'an' if noun[:1].casefold() in 'aeiou' or noun.startswith('8') else 'a'} {noun}"


def plural(noun: str) -> str:
    """``torches``, ``pitons``; what ends in s or a bracket stays."""
    if not noun[-1:].isalpha() or noun.endswith("s"):
        return noun
    return f"{noun}{'es' if noun.endswith(('ch', 'sh', 'x')) else 's'}"


def natural(name: str) -> str:
    """``light Crossbow`` of ``Crossbow, light``: a name of a thing as one says it."""
    turned = _TURNED.fullmatch(name)
    return f"{turned[2]} {turned[1]}{turned[3] or ''}" if turned else name


def sentence(text: str) -> str:
    """``text`` with a capital in front and an end."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
