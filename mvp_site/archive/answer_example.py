"""A contract made of an example: the answer that a prompt shows in JSON, as ``contract.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..text.strict_json import JsonError, check, parse_at
from .answer_form import asks_for_json

MOST: Final = 200
"""Braces of a text at which an object is looked for."""
FEWEST: Final = 2
"""An object of fewer fields is a part of an answer, or an aside."""
STAND_IN: Final = "There was no usable answer; nothing has changed. Take the turn again."


def contract_of(texts: Mapping[str, str]) -> bytes | None:
    """The ``contract.json`` of prompts that ask for JSON and show it; None where none does.

    The example is the object of most fields, of the texts that ask, else of all; all its fields are
    required, each of the type that it has there. What the player reads is its longest text. Whoever
    plays with it looks at that: an example is no schema.
    """
    asking = [text for text in texts.values() if asks_for_json(text)]
    by_group = ([example for text in group for example in objects(text) if _told(example)]
                for group in (asking, texts.values() if asking else ()))
    examples = next(filter(None, by_group), None)
    if not examples:
        return None
    example = max(examples, key=len)
    narrative = _told(example)
    form = {
        "answer": "json", "narrative": narrative,
        "schema": {
            "type": "object", "required": [*example],
            "properties": {name: _schema(value) for name, value in example.items()},
        },
        "fallback": {name: STAND_IN if name == narrative else _empty(value)
                     for name, value in example.items()},
    }
    return f"{json.dumps(form, indent=1, ensure_ascii=False)}\n".encode()


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that stand in a text, fenced or not, the outermost of each."""
    at = 0
    for _ in range(MOST):
        if (start := text.find("{", at)) < 0:
            return
        at = start + 1
        try:
            example, end = parse_at(text, start)
            check(example)
        except JsonError:
            continue
        at = end
        if len(example) >= FEWEST:
            yield example


def _told(example: Mapping[str, Any]) -> str | None:
    """The field that the player reads: the one with the longest text."""
    texts = {name: len(value) for name, value in example.items() if isinstance(value, str)}
    return max(texts, key=texts.__getitem__) if texts else None


def _schema(value: object) -> dict[str, Any]:
    kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array",
             dict: "object"}
    return {"type": kinds[type(value)]} if type(value) in kinds else {}


def _empty(value: object) -> object:
    """A value of the same type that says nothing."""
    return None if value is None else type(value)()
