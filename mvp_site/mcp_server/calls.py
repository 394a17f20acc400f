"""A call of a tool: its arguments read, the caller's rights checked, its operation run."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from ..errors import (
    EntityTypeError,
    FilterError,
    InvalidRequestError,
    InvalidTurnError,
    MvpSiteError,
    NotEntitledError,
    RulebookQueryError,
    UnknownEntityError,
    UnknownSourceError,
    UnknownVersionError,
)
from ..operations.operation import Operation
from ..operations.requests import adapter, read
from ..operations.schemas import Schema, components
from ..operations.services import Services, telling
from ..retrieval.releases.build import Progress
from .schemas import standalone
from .tools import TOOLS, Tool

_log: Final = logging.getLogger("mvp_site.mcp_server")
_ASKED: Final = (
    InvalidRequestError, InvalidTurnError, RulebookQueryError, FilterError, UnknownVersionError,
    EntityTypeError, UnknownEntityError, UnknownSourceError,
)
"""Errors that say what is wrong with what was asked; others may name folders and settings."""


class RefusedError(Exception):
    """A call failed; the message says why, and what mends it, as far as the caller may know."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool whose operation exists, with the schemas of what it takes and gives."""

    name: str
    tool: Tool
    operation: Operation[Any]
    takes: Schema
    gives: Schema

    @property
    def response(self) -> Any:
        """The type of what it gives."""
        return self.tool.response or self.operation.response


def offered(operations: Sequence[Operation[Any]]) -> dict[str, Offered]:
    """The tools of ``operations`` by name, in the order of the table."""
    known = {one.name: one for one in operations}
    held = {name: (tool, known[tool.operation]) for name, tool in TOOLS.items()
            if tool.operation in known}
    schemas, named = components(
        [of.request for _, of in held.values()],
        [tool.response or of.response for tool, of in held.values()],
    )
    return {name: Offered(
        name, tool, of, standalone(schemas[of.request], named, asked=True),
        standalone(schemas[tool.response or of.response], named),
    ) for name, (tool, of) in held.items()}


def call(services: Services, one: Offered, arguments: Mapping[str, Any], *, entitled: bool,
         progress: Progress) -> tuple[str, Any]:
    """What the tool gives, as text and as JSON values.

    Raises:
        RefusedError: it failed.
    """
    found = run(services, one.operation, arguments, entitled=entitled, progress=progress)
    shaped = one.tool.shaped(found)
    values = adapter(one.response).dump_python(shaped, mode="json", by_alias=True)
    return one.tool.text(shaped) if one.tool.text else orjson.dumps(values).decode(), values


def run(services: Services, operation: Operation[Any], arguments: Mapping[str, Any], *,
        entitled: bool, progress: Progress = lambda *_: None) -> Any:
    """What the operation gives.

    Raises:
        RefusedError: it failed.
    """
    try:
        asked = read(operation.request, arguments)
        if not entitled:
            for what in operation.needs(asked):
                raise NotEntitledError(
                    f"{what} needs the DM token: send it as 'Authorization: Bearer …'"
                )
        with telling(progress):
            return operation.run(services, asked, entitled)
    except MvpSiteError as error:
        if entitled or isinstance(error, _ASKED):
            raise RefusedError(str(error)) from error
        _log.warning("%s: %s", type(error).__name__, error)
        raise RefusedError("this part of the server is not ready; its log says why") from error
    except Exception as error:
        _log.exception("%s failed", operation.name)
        raise RefusedError("something went wrong here; the server's log says what") from error
