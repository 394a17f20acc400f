"""Answers as objects alone: what a model is held to, and the mode line that the product adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .contracts import BUILT_IN, Contract
from .routing import TurnRoute
from .rules.frame import MODE_LINES


@dataclass(frozen=True, slots=True)
class ObjectForm:
    """The schema of a turn's answer, and what stands before the object in an answer.

    Without a schema the model is asked for the answer as the header has it.
    """

    schema: Mapping[str, Any] | None = None
    head: str = ""

    def whole(self, text: str) -> str:
        """The answer that ``text`` is: an object alone gets its mode line."""
        alone = self.schema is not None and text.lstrip().startswith("{")
        return f"{self.head}{text.lstrip()}" if alone else text


def object_form(contract: Contract, where: TurnRoute) -> ObjectForm:
    """The form of an answer under ``contract``; without a schema for plain prose."""
    schema = contract.schema()
    if contract is BUILT_IN:
        mode = "deep_think" if where.deep_think else where.mode
        schema = {"$ref": f"#/$defs/{mode}", "$defs": schema["$defs"]}
    elif schema.get("type") == "string":
        return ObjectForm()
    head = f"{MODE_LINES[where.mode]}\n" if "mode_line" in contract.rules else ""
    return ObjectForm(schema, head)
