"""The values of a YAML text, those of JSON alone, in bounded depth and size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from .schemas import shown

MAX_EXPANDED: Final = 64 * 2**20
"""What a text's values weigh where every alias is written out."""
MAX_DEPTH: Final = 16
WEIGHT: Final = 16
"""What each value weighs beside its text."""
TWICE: Final = "the key {} is there twice in one object; keep one"
_LOADER: Final[type] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER: Final = re.compile("[-+]?(?:0|[1-9][0-9]{0,300})")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: Final = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False,
                 "null": None, "~": None, "": None}
_TAG: Final = "tag:yaml.org,2002:"
_PLAIN: Final = ("str", "int", "float", "bool", "null")


class RefusedError(Exception):
    """A file or a part of one cannot be read; the text says why."""


@dataclass(slots=True)
class _Open:
    """A collection of YAML that is not closed; of a mapping, ``values`` are keys and values."""

    is_mapping: bool
    anchor: str | None
    began: int
    values: list[Any] = field(default_factory=list)

    @property
    def wants_key(self) -> bool:
        return self.is_mapping and len(self.values) % 2 == 0


def read_yaml(text: str) -> Iterator[Any]:
    """The values of a YAML stream, made of JSON's types alone; dates stay the text they are.

    Raises:
        RefusedError: something has no value of JSON, or is too deep or too large.
        yaml.YAMLError: it is no YAML.
    """
    stream = _Stream()
    for event in yaml.parse(text, Loader=_LOADER):
        yield from stream.take(event)


class _Stream:
    """Values built from YAML's events, so that neither depth nor aliases exhaust anything.

    libyaml's own composer crashes on deep nesting, and PyYAML's types read 1:30 as 90.
    """

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._weight = 0

    def take(self, event: Any) -> Iterator[Any]:
        """The value that is complete with ``event``, if one is."""
        line = f"line {event.start_mark.line + 1}:"
        match event:
            case yaml.DocumentStartEvent():
                self._anchors.clear()
            case yaml.CollectionStartEvent():
                self._begin(event, line)
            case yaml.CollectionEndEvent():
                closed = self._open.pop()
                values = _mapping(closed.values, line) if closed.is_mapping else closed.values
                yield from self._add(values, 0, closed.anchor, closed.began)
            case yaml.ScalarEvent():
                is_key = bool(self._open) and self._open[-1].wants_key
                value = event.value if is_key else _scalar(event, line)
                yield from self._add(value, WEIGHT + len(event.value), event.anchor, self._weight)
            case yaml.AliasEvent():
                if event.anchor not in self._anchors:
                    raise RefusedError(f"{line} nothing that is complete has the name of the "
                                        f"alias *{event.anchor}")
                value, weight = self._anchors[event.anchor]
                yield from self._add(value, weight, None, self._weight)

    def _begin(self, event: Any, line: str) -> None:
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in {None, "!", _TAG + ("map" if is_mapping else "seq")}:
            raise RefusedError(_tagged(event, line))
        if len(self._open) > 2 * MAX_DEPTH:
            raise RefusedError(f"{line} nested too deeply")
        self._anchors.pop(event.anchor, None)
        self._open.append(_Open(is_mapping, event.anchor, self._weight))
        self._weight += WEIGHT

    def _add(self, value: Any, weight: int, anchor: str | None, began: int) -> Iterator[Any]:
        self._weight += weight
        if self._weight > MAX_EXPANDED:
            raise RefusedError("is too large once its aliases are written out; use fewer")
        if anchor:
            self._anchors[anchor] = (value, self._weight - began)
        if self._open:
            self._open[-1].values.append(value)
        else:
            yield value


def _mapping(values: Sequence[Any], line: str) -> dict[str, Any]:
    """Keys and values in turn as a mapping; what ``<<`` leads to gives what it does not have."""
    found: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for key, value in zip(values[::2], values[1::2], strict=True):
        several = value if isinstance(value, list) else [value]
        if not isinstance(key, str):
            raise RefusedError(f"{line} a key must be a text")
        if key == "<<" and all(isinstance(one, dict) for one in several):
            for one in several:
                merged = {**one, **merged}
        elif key in found:
            raise RefusedError(f"{line} {TWICE.format(shown(key))}")
        else:
            found[key] = value
    return {**merged, **found}


def _scalar(event: yaml.ScalarEvent, line: str) -> str | float | bool | None:
    """The value of a scalar; numbers are those of JSON, and only plain words are true or false."""
    text = str(event.value)
    if event.tag not in {None, "!", *(f"{_TAG}{one}" for one in _PLAIN)}:
        raise RefusedError(_tagged(event, line))
    if event.tag in {"!", f"{_TAG}str"} or (event.tag is None and event.style):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return _WORDS.get(text.lower(), text)


def _tagged(event: Any, line: str) -> str:
    return f"{line} the tag {str(event.tag)[:80]} is not taken; write plain values"
