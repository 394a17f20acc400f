"""The form of a version's answers: plain prose, or JSON.

``contract.json`` states it. One can be made of an example, the answer that a prompt shows in JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..text.json_values import at
from ..text.strict_json import JsonError, check, named, parse_at, read_object, short
from ..text.typos import near
from .answer_schema import check_schema, problems
from .state_leaves import StateLeaf, read_leaves

MAX_BYTES: Final = 64 * 1024
RULE_FIELDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("mode_line", "outside_json", "code_fence", "json", "schema",
                     "internal_terms", "narrative_debug"), ""),
    **dict.fromkeys((
        "time_forward", "deep_think", "state_branch", "state_delete", "state_type", "state_name",
        "state_reference", "state_player", "state_range", "entity_ids", "travel_time",
        "rest_time"), "state_updates"),
    **dict.fromkeys(("session_header", "status_line"), "session_header"),
    "half_caster": "resources",
    **dict.fromkeys(("roll_made", "roll_shown", "roll_target", "roll_dice"), "dice_rolls"),
}
"""The rules that a contract may name, each with the field that it looks at; '' for any answer."""
_KEYS: Final = {
    "text": ("answer", "rules"),
    "json": ("answer", "rules", "schema", "narrative", "shown", "notes", "fallback", "leaves"),
    "built-in": ("answer", "leaves"),
}
_ASKS: Final = re.compile(
    r"\b(?:respon[ds]\w*|repl(?:y|ies)|answers?|outputs?|returns?|write|emit|produce|antwort\w*|"
    r"ausgabe\w*|répon\w*|respuestas?|responde\w*)\b[^.!?\n]{0,100}\bjson\b|"
    r"\bjson\b[^.!?\n]{0,40}\b(?:only|objects?|format|responses?|repl(?:y|ies)|answers?|outputs?)\b",
    re.IGNORECASE)
_ASKS_NOT: Final = re.compile(
    r"\b(?:never|not|no|avoid|n['’]t|nie|niemals|kein\w*|nicht)\b(?!.*\b(?:but|except|outside|"
    r"other than)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What a contract states; ``rules`` are those of :data:`RULE_FIELDS` that hold.

    ``built_in``: the answer is the built-in contract's. ``leaves`` are more leaves of a state. For
    JSON ``narrative`` is the path to what the player reads, ``shown`` are the other fields that
    players may have, ``notes`` those that keep the game master's notes, and ``fallback`` is an
    answer that keeps the schema.
    """

    json: bool
    rules: frozenset[str]
    schema: Mapping[str, Any] = field(default_factory=dict)
    narrative: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fallback: Mapping[str, Any] = field(default_factory=dict)
    leaves: tuple[StateLeaf, ...] = ()
    built_in: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the schema names at its top."""
        return frozenset(self.schema.get("properties", ()))


def asks_for_json(text: str) -> int:
    """The first line of a prompt, from 1, that asks for answers in JSON; 0 where none does."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _ASKS.finditer(line):
            # The 80 characters before such words may say "never".
            before = re.split(r"[.!?]", line[max(match.start() - 80, 0) : match.start()])[-1]
            if not _ASKS_NOT.search(before + match[0]):
                return number
    return 0


def read_form(content: bytes, label: str) -> AnswerForm:
    """The form that the file ``label`` states.

    Raises:
        JsonError: names the place, what is wrong there, and what to write.
    """
    if len(content) > MAX_BYTES:
        raise JsonError(f"{label} has {len(content):,} bytes, more than {MAX_BYTES:,}: shorten it")
    raw = read_object(content, label)
    answer = raw.get("answer")
    if not isinstance(answer, str) or answer not in _KEYS:
        raise JsonError(f'{label}: answer is {short(answer)}; write "text" or "json", or '
                        '"built-in" to add leaves to the state')
    for key in raw:
        _known(label, "key", key, _KEYS[answer])
    rules = _names(raw, "rules", label)
    for rule in rules:
        _known(label, "rule", rule, RULE_FIELDS)
    leaves = read_leaves(raw.get("leaves", []), f"{label}: leaves")
    if answer == "built-in":
        return AnswerForm(True, frozenset(), leaves=leaves, built_in=True)
    if answer == "text":
        form = AnswerForm(False, frozenset({"schema", *rules}))
    else:
        form = replace(_json_form(raw, label), leaves=leaves)
    for rule in rules:
        if (needed := RULE_FIELDS[rule]) and needed not in form.fields:
            raise JsonError(f"{label}: the rule {rule} looks at {needed}, and the schema names no "
                            "such field at its top: add it, or leave the rule out")
    return form


def _json_form(raw: Mapping[str, Any], label: str) -> AnswerForm:
    for key in ("schema", "fallback"):
        if not isinstance(value := raw.get(key), dict):
            raise JsonError(f"{label}: {key} is {named(value)}; write an object")
    schema, fallback, narrative = raw["schema"], raw["fallback"], raw.get("narrative")
    check_schema(schema, f"{label}: schema")
    path = tuple(narrative.split(".")) if isinstance(narrative, str) else ("",)
    rules = {"json", "schema", *_names(raw, "rules", label)}
    if "state_updates" in schema.get("properties", ()):
        rules |= {"state_branch", "state_delete", "state_type"}  # else they could not be merged
        updates_schema = schema["properties"]["state_updates"]
        if not isinstance(updates_schema, dict) or updates_schema.get("type") != "object":
            raise JsonError(f'{label}: schema.properties.state_updates: write {{"type": "object"}}')
    shown_fields, notes = _names(raw, "shown", label), _names(raw, "notes", label)
    form = AnswerForm(True, frozenset(rules), schema, path, shown_fields, notes, fallback)
    for name in (*shown_fields, *notes):
        _known(label, "field", name, sorted(form.fields))
    for name in notes:
        if name in (*shown_fields, path[0]):
            raise JsonError(f"{label}: notes names {name}, which players may read: take it out of "
                            "the one or the other")
    for error in problems(schema, fallback):
        place = ".".join(map(str, ["fallback", *error.absolute_path]))
        raise JsonError(
            f"{label}: {place}: {error.message:.300}; the fallback must keep the schema")
    fallback_text = text_at(fallback, path)
    if fallback_text is None or not fallback_text.strip():
        raise JsonError(f"{label}: narrative must name the field that the player reads, as "
                        f"reply.text, and the fallback has no text at {short(narrative)}")
    return form


def text_at(answer: object, path: tuple[str, ...]) -> str | None:
    """The text at a path of an answer; None where there is none."""
    text = at(answer, *path)
    return text if isinstance(text, str) else None


def _known(label: str, kind: str, name: str, choices: Any) -> None:
    if name not in choices:
        nearest = near(name, choices, 1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(choices)}"
        raise JsonError(f"{label}: unknown {kind} {short(name)}: {hint}")


def _names(raw: Mapping[str, Any], key: str, label: str) -> tuple[str, ...]:
    value = raw.get(key, [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise JsonError(f"{label}: {key} must be a list of names")
    return tuple(value)


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
    behind = 0
    for _ in range(MOST):
        if (start := text.find("{", behind)) < 0:
            return
        behind = start + 1
        try:
            example, end = parse_at(text, start)
            check(example)
        except JsonError:
            continue
        behind = end
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
