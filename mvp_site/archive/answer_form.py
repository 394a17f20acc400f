"""The form of a version's answers, as its ``contract.json`` states it: plain prose, or JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..text.strict_json import JsonError, named, read_object, short
from ..text.typos import near
from .answer_schema import check_schema, problems

MAX_BYTES: Final = 64 * 1024
RULE_FIELDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("mode_line", "outside_json", "code_fence", "json", "schema",
                     "internal_terms", "narrative_debug"), ""),
    **dict.fromkeys((
        "time_forward", "deep_think", "state_branch", "state_delete", "state_type",
        "state_reference", "state_player", "state_range", "entity_ids", "travel_time",
        "rest_time"), "state_updates"),
    **dict.fromkeys(("session_header", "status_line"), "session_header"),
    "half_caster": "resources",
    **dict.fromkeys(("roll_made", "roll_shown", "roll_target", "roll_dice"), "dice_rolls"),
}
"""The rules that a contract may name, each with the field that it looks at; '' for any answer."""
_KEYS: Final = {
    "text": ("answer", "rules"),
    "json": ("answer", "rules", "schema", "narrative", "shown", "fallback"),
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

    For JSON ``narrative`` is the path to what the player reads, ``shown`` are the other fields that
    players may have, and ``fallback`` is an answer that keeps the schema.
    """

    json: bool
    rules: frozenset[str]
    schema: Mapping[str, Any] = field(default_factory=dict)
    narrative: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    fallback: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the schema names at its top."""
        return frozenset(self.schema.get("properties", ()))


def asks_for_json(text: str) -> int:
    """The first line of a prompt, from 1, that asks for answers in JSON; 0 where none does."""
    for at, line in enumerate(text.splitlines(), 1):
        for match in _ASKS.finditer(line):
            # The 80 characters before such words may say "never".
            before = re.split(r"[.!?]", line[max(match.start() - 80, 0) : match.start()])[-1]
            if not _ASKS_NOT.search(before + match[0]):
                return at
    return 0


def read_form(content: bytes, what: str) -> AnswerForm:
    """The form that the file ``what`` states.

    Raises:
        JsonError: names the place, what is wrong there, and what to write.
    """
    if len(content) > MAX_BYTES:
        raise JsonError(f"{what} has {len(content):,} bytes, more than {MAX_BYTES:,}: shorten it")
    found = read_object(content, what)
    answer = found.get("answer")
    if answer not in ("text", "json"):
        raise JsonError(f'{what}: answer is {short(answer)}; write "text" or "json"')
    for key in found:
        _known(what, "key", key, _KEYS[answer])
    rules = _names(found, "rules", what)
    for rule in rules:
        _known(what, "rule", rule, RULE_FIELDS)
    if answer == "text":
        form = AnswerForm(False, frozenset({"schema", *rules}))
    else:
        form = _json_form(found, what)
    for rule in rules:
        if (wanted := RULE_FIELDS[rule]) and wanted not in form.fields:
            raise JsonError(f"{what}: the rule {rule} looks at {wanted}, and the schema names no "
                            "such field at its top: add it, or leave the rule out")
    return form


def _json_form(found: Mapping[str, Any], what: str) -> AnswerForm:
    for key in ("schema", "fallback"):
        if not isinstance(value := found.get(key), dict):
            raise JsonError(f"{what}: {key} is {named(value)}; write an object")
    schema, fallback, narrative = found["schema"], found["fallback"], found.get("narrative")
    check_schema(schema, f"{what}: schema")
    path = tuple(narrative.split(".")) if isinstance(narrative, str) else ("",)
    rules = {"json", "schema", *_names(found, "rules", what)}
    if "state_updates" in schema.get("properties", ()):
        rules |= {"state_branch", "state_delete", "state_type"}  # else they could not be merged
        held = schema["properties"]["state_updates"]
        if not isinstance(held, dict) or held.get("type") != "object":
            raise JsonError(f'{what}: schema.properties.state_updates: write {{"type": "object"}}')
    shown = _names(found, "shown", what)
    form = AnswerForm(True, frozenset(rules), schema, path, shown, fallback)
    for name in shown:
        _known(what, "field", name, sorted(form.fields))
    for error in problems(schema, fallback):
        place = ".".join(map(str, ["fallback", *error.absolute_path]))
        raise JsonError(f"{what}: {place}: {error.message:.300}; the fallback must keep the schema")
    told = text_at(fallback, path)
    if told is None or not told.strip():
        raise JsonError(f"{what}: narrative must name the field that the player reads, as "
                        f"reply.text, and the fallback has no text at {short(narrative)}")
    return form


def text_at(answer: object, path: tuple[str, ...]) -> str | None:
    """The text at a path of an answer; None where there is none."""
    for key in path:
        answer = answer.get(key) if isinstance(answer, Mapping) else None
    return answer if isinstance(answer, str) else None


def _known(what: str, kind: str, name: str, known: Any) -> None:
    if name not in known:
        nearest = near(name, known, 1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(known)}"
        raise JsonError(f"{what}: unknown {kind} {short(name)}: {hint}")


def _names(found: Mapping[str, Any], key: str, what: str) -> tuple[str, ...]:
    value = found.get(key, [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise JsonError(f"{what}: {key} must be a list of names")
    return tuple(value)
