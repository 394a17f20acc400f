"""What a turn's answer is held to: the built-in contract, or a version's own ``contract.json``.

All that goes by the form of answers stands in one value, a :class:`Contract`;
:func:`~mvp_site.turns.checking.check_answer` holds an answer to any of them. A model that takes a
schema gives an object alone, of an :class:`ObjectForm`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from ..archive.answer_form import AnswerForm, read_form, text_at
from ..archive.answer_schema import problems
from ..archive.header_files import CONTRACT
from ..archive.state_leaves import LeafTable, built_in_leaves
from ..archive.versions import default_version, read_beside, store_of
from ..settings import Settings
from ..text.json_values import at
from ..text.strict_json import JsonError
from ..text.strict_json import check as check_json
from ..types import Mode
from .draft import NO_ANSWER, SIGNED, fallback_answer, object_of, text_of
from .narration import NarrativeReader, ProseReader, Reader
from .reask import MEND, OPENING
from .routing import TurnRoute
from .rules import RULES, Context, Facts
from .rules.context import path
from .rules.frame import (
    MAX_CHARS,
    MODE_LINES,
    Split,
    mode_line,
    modes_named,
    split_answer,
    unfenced,
    without_thoughts,
)
from .rules.shape import mode_schema, schema, schema_violations, worded
from .types import Hint, Violation

Json = Mapping[str, Any]
PROSE: Final = ("narrative",)
"""Where an object has the prose that is the whole answer."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What an answer is held to.

    ``rules`` are the names of the rules that hold, ``schema`` gives the JSON Schema, and
    ``turn_schema`` that of one turn. ``split`` finds the answer in a raw one, with what is wrong
    with it and around it (a :class:`Hint` where that leaves no doubt), and
    ``written`` is an answer as a model is asked to write it. ``read`` gives its fields by the names
    under which rules look for them, and ``shape`` what a mode's schema finds.
    ``told`` is what the player reads, and ``reader`` reads that as it arrives. ``fallback`` stands
    in for an answer; ``offline`` is the offline narrator's, who would give that built-in one.
    ``opening`` begins the request for another answer. Where rolls are shown in the answer
    (``rolls``) a model has the tool for dice, or a tray without tools.

    ``leaves`` are those of its state. ``notes`` are an answer's notes for later turns, which no
    player sees: texts, and lists of them. ``digest`` is the SHA-256 of the contract's file, and
    ``public`` what of an answer players may have; '' and None for the built-in contract, whose
    fields are known.
    """

    rules: frozenset[str]
    schema: Callable[[], dict[str, Any]]
    split: Callable[[str, Mode], Split]
    written: Callable[[Mode, Json], str]
    read: Callable[[Json], Json]
    told: Callable[[Json], str]
    reader: Callable[[Mode], Reader]
    fallback: Callable[[TurnRoute, Json], tuple[dict[str, Any], str]]
    offline: Callable[[Mode, Json], str]
    opening: str
    rolls: bool
    turn_schema: Callable[[Facts], Json] | None = None
    leaves: LeafTable = field(default_factory=built_in_leaves)
    notes: Callable[[Json], object] = lambda _: None
    shape: Callable[[Context], Iterable[Violation]] = lambda _: ()
    public: Callable[[Json], dict[str, Any]] | None = None
    digest: str = ""


BUILT_IN: Final = Contract(
    rules=frozenset(RULES), schema=schema, turn_schema=mode_schema, split=split_answer,
    written=text_of, read=lambda answer: answer, shape=schema_violations, reader=NarrativeReader,
    told=lambda answer: str(answer["narrative"] or answer["god_mode_response"]),
    notes=lambda answer: at(answer, "debug_info", "dm_notes"),
    fallback=fallback_answer, offline=text_of, opening=OPENING, rolls=True,
)


def contract_of(beside: Mapping[str, bytes]) -> Contract:
    """The contract among what stands beside a header; else the built-in one.

    Raises:
        JsonError: it cannot be used; what was built is checked.
    """
    return _read(beside[CONTRACT]) if CONTRACT in beside else BUILT_IN


def contract_in_force(settings: Settings) -> Contract:
    """The contract of the settings' version: as it is served, or as authored until it is built.

    Raises:
        ArchiveError: the archive's cannot be used.
    """
    version = default_version(settings)
    if version is None:
        return BUILT_IN
    store = store_of(settings.prompt_index_dir, version)
    if (release := store.current()) is None:
        return contract_of(read_beside(settings, version))
    file = store.folder / release / CONTRACT
    return _read(file.read_bytes()) if file.is_file() else BUILT_IN


@lru_cache(maxsize=8)
def _read(content: bytes) -> Contract:
    form, digest = read_form(content, CONTRACT), hashlib.sha256(content).hexdigest()
    leaves = LeafTable((*form.leaves, *built_in_leaves().leaves))
    if form.built_in:
        return replace(BUILT_IN, leaves=leaves)
    return replace((_json if form.json else _prose)(form, digest), leaves=leaves)


def _prose(form: AnswerForm, digest: str) -> Contract:
    """Plain prose; as an object it is ``{"narrative": prose}``."""
    framed = "mode_line" in form.rules

    def split(raw: str, mode: Mode) -> Split:
        text = raw.strip()
        wrong: list[Violation] = []
        if len(raw) <= MAX_CHARS:
            text, hints = without_thoughts(text)
            text, fence = unfenced(text)
            wrong += [*hints, *fence]
        if framed:
            line, _, rest = text.partition("\n")
            faults = [*mode_line(line.rstrip(), MODE_LINES[mode])]
            named = modes_named(line)
            mild = not {*named} - {mode}
            wrong += [Hint(fault.rule, "", fault.message) if mild else fault for fault in faults]
            text = text if mild and not named else rest
        try:
            check_json(raw, "the answer")
            if not text.strip() or len(raw) > MAX_CHARS:
                raise JsonError(f"the answer has {len(text.strip()):,} characters of prose; write "
                                f"1 to {MAX_CHARS:,}")
        except JsonError as error:
            return Split(None, (*wrong, Violation("schema", "", str(error))))
        return Split({"narrative": text.strip()}, tuple(wrong))

    def said(mode: Mode, prose: str) -> str:
        return f"{MODE_LINES[mode]}\n{prose}" if framed else prose

    return Contract(
        rules=form.rules, split=split, rolls=False,
        written=lambda mode, answer: said(mode, answer["narrative"]), digest=digest, public=dict,
        schema=lambda: {"description": "Plain prose.", "type": "string", "pattern": r"\S"},
        read=lambda answer: {**answer, "state_updates": {}},
        told=lambda answer: str(answer["narrative"]),
        reader=lambda _: ProseReader(mode_line=framed),
        fallback=lambda turn_route, _: ({"narrative": NO_ANSWER}, said(turn_route.mode, NO_ANSWER)),
        offline=lambda mode, answer: said(
            mode, answer["narrative"] or answer["god_mode_response"] or SIGNED),
        opening=f"{MEND} The answer is plain prose.",
    )


def _json(form: AnswerForm, digest: str) -> Contract:
    """One JSON object of the version's own schema."""
    stateful, rolls = ("state_updates" in form.fields), ("dice_rolls" in form.fields)

    def split(raw: str, mode: Mode) -> Split:
        parts = split_answer(raw, mode)
        if parts.answer is None:
            return parts
        wrong = [fault for fault in parts.violations if fault.rule in form.rules]
        wrong += _broken(form.schema, parts.answer)
        if text_at(parts.answer, form.narrative) is None:
            wrong.append(Violation("schema", path(*form.narrative), "must be the text that the "
                                   "player reads"))
        return Split(parts.answer, tuple(wrong))

    def read(answer: Json) -> Json:
        updates = answer.get("state_updates", {}) if stateful else {}
        return {**answer, "narrative": text_at(answer, form.narrative), "state_updates": updates}

    def public(answer: Json) -> dict[str, Any]:
        visible = {key: answer[key] for key in form.shown if key in answer}
        return _with(visible, form.narrative, text_at(answer, form.narrative))

    def said(mode: Mode, answer: Json) -> str:
        written = object_of(answer)
        return f"{MODE_LINES[mode]}\n{written}" if "mode_line" in form.rules else written

    def offline(mode: Mode, answer: Json) -> str:
        """The fallback with what the narrator tells and rolls, as far as the schema takes them."""
        narrative = answer.get("narrative") or answer.get("god_mode_response") or SIGNED
        marked = _with(form.fallback, form.narrative, narrative)
        rolled = {**marked, **({"dice_rolls": answer["dice_rolls"]} if rolls else {})}
        valid = (draft for draft in (rolled, marked) if not problems(form.schema, draft))
        return said(mode, next(valid, form.fallback))

    return Contract(
        rules=form.rules, split=split, written=said, turn_schema=lambda _: form.schema, read=read,
        rolls=rolls, digest=digest, public=public,
        schema=lambda: deepcopy(dict(form.schema)),
        told=lambda answer: text_at(answer, form.narrative) or "",
        notes=lambda answer: [answer.get(name) for name in form.notes],
        reader=lambda mode: NarrativeReader(mode, form.narrative),
        fallback=lambda turn_route, _: (
            deepcopy(dict(form.fallback)), said(turn_route.mode, form.fallback)),
        offline=offline, opening=f"{MEND} The answer is one JSON object.",
    )


def _with(answer: Json, place: Sequence[str], value: Any) -> dict[str, Any]:
    """``answer`` with ``value`` at a place."""
    key, *rest = place
    return {**answer, key: _with(answer.get(key, {}), rest, value) if rest else value}


def _broken(schema: Json, answer: Json) -> Iterator[Violation]:
    """What the schema finds wrong, with its own description of what is asked."""
    for error in problems(schema, answer):
        for place, expected, actual, part in worded(error):
            about = part.get("description") if isinstance(part, Mapping) else ""
            detail = f"; {about!s:.200}" if about else ""
            yield Violation("schema", place, f"{expected:.200}{actual}{detail}")


@dataclass(frozen=True, slots=True)
class ObjectForm:
    """The schema of a turn's answer, and what stands before the object in an answer.

    Without a schema the model is asked for the answer as the header has it. ``prose`` is whether
    the answer is prose, which the object only holds.
    """

    schema: Mapping[str, Any] | None = None
    head: str = ""
    prose: bool = False

    def whole(self, text: str) -> str:
        """The answer that ``text`` is: an object alone gets its mode line, or gives its prose."""
        if self.schema is None or not text.lstrip().startswith("{"):
            return text
        if self.prose:
            prose = NarrativeReader("story", PROSE).finish(text)
            return f"{self.head}{prose}" if prose else text
        return f"{self.head}{text.lstrip()}"

    def reader(self, contract: Contract, turn_route: TurnRoute) -> Reader:
        """Reads what an answer tells as it arrives."""
        if self.prose:
            return ProseReader(mode_line=bool(self.head), place=PROSE)
        return contract.reader(turn_route.mode)


def object_form(contract: Contract, turn_route: TurnRoute) -> ObjectForm:
    """The form of an answer under ``contract``; prose stands in an object with its mode line."""
    schema, mode_line = contract.schema(), MODE_LINES[turn_route.mode]
    framed = "mode_line" in contract.rules
    head = f"{mode_line}\n" if framed else ""
    if contract is BUILT_IN:
        mode = "deep_think" if turn_route.deep_think else turn_route.mode
        schema = {"$ref": f"#/$defs/{mode}", "$defs": schema["$defs"]}
    elif schema.get("type") == "string":
        parts = {"mode_line": {"enum": [mode_line]}} if framed else {}
        text = {"type": "string", "description": "The whole answer, as it is told."}
        fields = {**parts, PROSE[0]: text}
        return ObjectForm({"type": "object", "properties": fields, "required": [*fields],
                           "additionalProperties": False}, head, prose=True)
    return ObjectForm(schema, head)
