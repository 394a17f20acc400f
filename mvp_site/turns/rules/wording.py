"""Wording of keys: the words of a field's name, however it joins them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST: Final = 60


@lru_cache(maxsize=4096)
def key_words(key: str) -> tuple[str, ...]:
    """The words of ``hit_dice``, ``hitDice`` or ``Hit Dice`` in small letters; ``L1`` has two.

    Of a key that is longer than a field's name only the beginning is read.
    """
    return tuple(word.lower() for word in _WORD.findall(key[:_LONGEST]))


def path_words(place: Iterable[str]) -> str:
    """The words of all names on a path: ``hp current`` of ``hp_current`` and of ``hp.current``."""
    return " ".join(word for key in place for word in key_words(key))
