"""The opened parts, and what of them is offered: tools and resources, and calls of both."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate

from ..errors import MvpSiteError, NotEntitledError
from ..operations.failures import failure
from ..operations.operation import Operation
from ..operations.requests import adapter, read
from ..operations.schemas import Generator, Schema
from ..operations.services import Services, reporting_to
from ..retrieval.building import Progress
from .texts import quoted, text_of
from .tools import RESOURCES, TOOLS, OperationTool

_log: Final = logging.getLogger("mvp_site.mcp_server")


class CallRefusedError(Exception):
    """A call failed; the message says why, and what mends it, as far as the caller may know."""


class _InputSchema(Generator):
    """A field that may be null may be left out: models need not be told to write null."""

    def nullable_schema(self, schema: Any) -> Schema:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> Schema:
        default = super().default_schema(schema)
        return {key: part for key, part in default.items() if key != "default" or part is not None}


class ToolCalls:
    """What can be called of the opened parts; ``tools`` and ``resources`` are what is listed.

    What has no operation among ``operations`` is not offered.
    """

    def __init__(self, services: Services, operations: Iterable[Operation[Any]]) -> None:
        self.services = services
        self._operations = {operation.name: operation for operation in operations}
        self.tools = {name: self._listed(name, tool) for name, tool in TOOLS.items()
                      if tool.operation in self._operations}
        self.resources = tuple(row for row in RESOURCES if row.tool in self.tools)

    def tool(self, name: str, arguments: Mapping[str, Any], *, entitled: bool,
             progress: Progress) -> types.CallToolResult:
        """What a tool gives; what went wrong is told as a result, for the model to mend.

        Raises:
            MCPError: there is no such tool.
        """
        if name not in self.tools:
            raise MCPError(types.INVALID_PARAMS, f"unknown tool {name[:60]!r}; the tools are "
                                                 f"{', '.join(self.tools)}")
        tool = TOOLS[name]
        try:
            answer = tool.cut(self._run(tool.operation, arguments, entitled, progress))
        except CallRefusedError as error:
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        values = self._values(tool, answer)
        text = tool.text(answer) if tool.text else text_of(values)
        return types.CallToolResult(content=[types.TextContent(text=text)],
                                    structured_content=values)

    def resource(self, uri: str, *, entitled: bool) -> str:
        """What stands at an address.

        Raises:
            MCPError: nothing does, or it cannot be read.
        """
        for resource in self.resources:
            if (values := UriTemplate.parse(resource.uri).match(uri)) is not None:
                tool = TOOLS[resource.tool]
                try:
                    answer = tool.cut(self._run(tool.operation, values, entitled))
                    return text_of(self._values(tool, answer))
                except CallRefusedError as error:
                    raise MCPError(types.INVALID_PARAMS, str(error)) from None
        raise MCPError(types.INVALID_PARAMS, f"no resource {uri[:200]!r}; there are "
                                             f"{', '.join(row.uri for row in self.resources)}")

    def _values(self, tool: OperationTool, answer: Any) -> Any:
        """What a model is given of an answer, as plain values."""
        picked = tool.response.model_validate(answer) if tool.response else answer
        return adapter(self._response(tool)).dump_python(picked, mode="json", by_alias=True)

    def _response(self, tool: OperationTool) -> Any:
        return tool.response or self._operations[tool.operation].response

    def _listed(self, name: str, tool: OperationTool) -> types.Tool:
        takes = adapter(self._operations[tool.operation].request)
        gives = adapter(self._response(tool)).json_schema(
            mode="serialization", schema_generator=Generator,
        )
        return types.Tool(
            name=name, title=name.replace("_", " ").capitalize(), description=tool.description,
            input_schema={"type": "object", **takes.json_schema(schema_generator=_InputSchema)},
            output_schema={"type": "object", **gives},
            annotations=types.ToolAnnotations(
                read_only_hint=tool.read_only, idempotent_hint=tool.idempotent,
                destructive_hint=tool.destructive, open_world_hint=tool.open_world,
            ),
        )

    def _run(self, name: str, arguments: Mapping[str, Any], entitled: bool,
             progress: Progress = lambda *_: None) -> Any:
        operation = self._operations[name]
        try:
            request = read(operation.request, arguments)
            if not entitled:
                for need in operation.needs(request):
                    raise NotEntitledError(
                        f"{need} needs the DM token: send it as 'Authorization: Bearer …'"
                    )
            with reporting_to(progress):
                return operation.run(self.services, request, entitled)
        except MvpSiteError as error:
            status, _, message = failure(error, entitled=entitled)
            if entitled or status < 500:
                raise CallRefusedError("\n".join(quoted(message))) from error
            _log.warning("%s: %s", type(error).__name__, error)
            raise CallRefusedError(
                "this part of the server is not ready; its log says why"
            ) from error
        except Exception as error:
            _log.exception("%s failed", name)
            raise CallRefusedError(
                "something went wrong here; the server's log says what"
            ) from error
