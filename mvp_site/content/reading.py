"""A document read field by field, each as the kind that is asked for, and what nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..text.normalising import clean
from .captions import label, shown
from .document import NAMED_TEXTS, TEXT, Document
from .wording import enumerated, number

# These speak for themselves, or are no property of the entity.
_NOT_SAID: Final = frozenset({
    *TEXT, *NAMED_TEXTS, "slug", "name", "document", "shadows", "entity_type", "_score",
})

_MOST: Final = 1e15


class Reading:
    """One document; a value of another kind than asked for reads as nothing.

    ``asked`` are the keys that have been asked for, or need not be said.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self.asked = set(_NOT_SAID)

    def __call__(self, key: str, pattern: str = "{}") -> str:
        """What ``key`` holds as people write it, with its unit, within ``pattern``; or ''."""
        text = shown(key, self._value(key))
        return pattern.format(text) if text else ""

    def text(self, key: str, pattern: str = "{}") -> str:
        """The text of ``key``, or its number as text, within ``pattern``; '' for nothing."""
        value = self._value(key)
        if _is_number(value):
            value = number(value)
        text = clean(value) if isinstance(value, str) else ""
        return pattern.format(text) if text else ""

    def lower(self, key: str, pattern: str = "{}") -> str:
        """As :meth:`text`, in lower case."""
        return pattern.format(self.text(key).lower()) if self.text(key) else ""

    def number(self, key: str) -> float | None:
        """The number of ``key``."""
        value = self._value(key)
        return value if _is_number(value) else None

    def has(self, key: str) -> bool:
        """Whether ``key`` is true."""
        return self._value(key) is True

    def is_not(self, key: str) -> bool:
        """Whether ``key`` is false, which is more than missing."""
        return self._value(key) is False

    def texts(self, key: str) -> list[str]:
        """The texts of a list, of the names in it, or of the keys of a mapping; one text alone."""
        value = self._value(key)
        if isinstance(value, str):
            return [clean(value)] if clean(value) else []
        several = value if isinstance(value, Sequence | Mapping) else ()
        names = [entry.get("name") if isinstance(entry, Mapping) else entry for entry in several]
        return [clean(entry) for entry in names if isinstance(entry, str) and clean(entry)]

    def several(self, key: str, pattern: str) -> str:
        """The texts of ``key``, enumerated, within ``pattern``; '' for none."""
        texts = self.texts(key)
        return pattern.format(enumerated(texts)) if texts else ""

    def entries(self, key: str) -> list[Any]:
        """The entries of a list as they are."""
        value = self._value(key)
        return list(value) if isinstance(value, list | tuple) else []

    def mapping(self, key: str) -> Mapping[str, Any]:
        """The mapping of ``key``, or an empty one."""
        value = self._value(key)
        return value if isinstance(value, Mapping) else {}

    def passed(self, *keys: str) -> None:
        """Take ``keys`` as said: other fields say the same, or nobody searches for them."""
        self.asked.update(keys)

    def others(self) -> Iterator[str]:
        """A sentence for each scalar that has not been asked for."""
        for key, value in self._document.items():
            if not isinstance(key, str) or key in self.asked or key.startswith("_"):
                continue
            scalar = isinstance(value, str | bool) or _is_number(value)
            if scalar and clean(shown(key, value)):
                yield f"{label(key)}: {clean(shown(key, value))}"

    def _value(self, key: str) -> Any:
        self.asked.add(key)
        return self._document.get(key)


def _is_number(value: Any) -> bool:
    """Whether it is a number that can be told; NaN is between no bounds."""
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and -_MOST < value < _MOST
    )
