"""The tools that a model is offered, and reading its calls of them. Pure.

:mod:`.assembling` decides which :data:`ToolHandler` answers which tool; :mod:`.attempts` calls it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from ..llm.protocol import ModelTool, ToolCall, ToolResult
from ..settings import PACKAGE
from ..text.strict_json import JsonError, read_object

MAX_ARGUMENTS: Final = 2_000


class CallError(ValueError):
    """A call's arguments are none of its tool's; the message says what is wrong with them."""


ToolHandler = Callable[[ToolCall, int, int], ToolResult]
"""What answers a call, whatever it says: nothing is raised. It takes the call, the attempt that
makes it (from 1) and the o200k tokens left in the window for calls and their results."""


@cache
def described(name: str) -> ModelTool:
    """The tool ``name`` as a provider is told of it; its JSON file here describes it."""
    text = (PACKAGE / "turns" / f"{name}.json").read_text("utf-8")
    return ModelTool(**json.loads(text))


def read_call(call: ToolCall, name: str, example: str, **defaults: Any) -> dict[str, Any]:
    """The arguments of a call of the tool ``name``. A ``null`` argument counts as none.

    A text may be longer than the tool's schema allows; ``example`` are arguments that would do,
    ``defaults`` stand for what is missing.

    Raises:
        CallError: they are no such arguments.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - heavy

    usage = f"call {name} with {example}"
    if len(call.arguments) > MAX_ARGUMENTS:
        raise CallError(f"the arguments are longer than {MAX_ARGUMENTS:,} characters; {usage}")
    try:
        raw = read_object(call.arguments, "the text of the arguments")
    except JsonError as error:
        raise CallError(f"{error}; {usage}") from None
    values = defaults | {name: value for name, value in raw.items() if value is not None}
    for wrong in Draft202012Validator(described(name).parameters).iter_errors(values):
        if wrong.validator != "maxLength":  # who reads the text cuts or refuses it
            place = f"{wrong.path[0]}: " if wrong.path else ""
            raise CallError(f"{place}{wrong.message:.150}; {usage}")
    return values
