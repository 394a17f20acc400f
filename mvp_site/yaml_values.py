"""The values of a YAML text, those of JSON alone: the one reader of all YAML that people write.

A key given twice is refused, and so are tags, aliases, the merge key ``<<`` and deep nesting: what
is read is what stands there, and no larger.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import yaml

MAX_DEPTH: Final = 16
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
    """A collection that is not closed; ``key`` is the one of a mapping that has no value yet."""

    values: dict[str, Any] | list[Any]
    key: str | None = None


def read_yaml(text: str) -> list[Any]:
    """The values of a YAML stream, made of JSON's types alone; dates stay the text they are.

    Raises:
        RefusedError: it is no YAML, or something in it is not taken; says the line.
    """
    try:
        return _values(yaml.parse(text, Loader=_LOADER))
    except (yaml.YAMLError, ValueError) as error:  # half a pair is a ValueError
        raise RefusedError(f"is not YAML: {' '.join(str(error).split())}; quote texts that hold "
                           "a colon or a #") from None


def _values(events: Iterable[Any]) -> list[Any]:
    """The values that a parser's events make.

    Events, because libyaml's composer crashes on deep nesting, and PyYAML's types read 1:30 as 90.
    """
    found = _Open([])
    waiting = [found]
    for event in events:
        line = f"line {event.start_mark.line + 1}:"
        match event:
            case yaml.CollectionStartEvent():
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                _check_tag(event, ("map" if is_mapping else "seq",), line)
                if len(waiting) > 2 * MAX_DEPTH:
                    raise RefusedError(f"{line} nested too deeply")
                waiting.append(_Open({} if is_mapping else []))
            case yaml.CollectionEndEvent():
                closed = waiting.pop()
                _add(waiting[-1], closed.values, line)
            case yaml.ScalarEvent():
                _check_tag(event, _PLAIN, line)
                is_key = isinstance(waiting[-1].values, dict) and waiting[-1].key is None
                _add(waiting[-1], event.value if is_key else _scalar(event), line)
            case yaml.AliasEvent():
                raise RefusedError(f"{line} the alias *{str(event.anchor)[:80]} is not taken; "
                                   "write its value out")
    assert isinstance(found.values, list)
    return found.values


def _add(into: _Open, value: Any, line: str) -> None:
    if isinstance(into.values, list):
        into.values.append(value)
    elif into.key is not None:
        into.values[into.key], into.key = value, None
    elif not isinstance(value, str):
        raise RefusedError(f"{line} a key must be a text")
    elif value == "<<":
        raise RefusedError(f"{line} the merge key << is not taken; write its keys out")
    elif value in into.values:
        raise RefusedError(f"{line} {TWICE.format(json.dumps(value[:80], ensure_ascii=False))}")
    else:
        into.key = value


def _scalar(event: yaml.ScalarEvent) -> str | float | bool | None:
    """The value of a scalar; numbers are those of JSON, and only plain words are true or false."""
    text = str(event.value)
    if event.tag in {"!", f"{_TAG}str"} or (event.tag is None and event.style):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return _WORDS.get(text.lower(), text)


def _check_tag(event: Any, known: tuple[str, ...], line: str) -> None:
    if event.tag not in {None, "!", *(f"{_TAG}{one}" for one in known)}:
        raise RefusedError(f"{line} the tag {str(event.tag)[:80]} is not taken; write plain values")
