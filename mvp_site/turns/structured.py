"""Answers as objects alone: what a model is held to, and the answer that such an object is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .contracts import BUILT_IN, Contract
from .narration import NarrativeReader, ProseReader, Reader
from .routing import TurnRoute
from .rules.frame import MODE_LINES

PROSE: Final = ("narrative",)
"""Where an object has the prose that is the whole answer."""


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
