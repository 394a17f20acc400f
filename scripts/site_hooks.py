"""What the docs site says of the command line and of the API: every command, every route."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

COMMANDS, ROUTES = "{{ commands }}", "{{ routes }}"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with the help of all commands, or with all routes, in place of the mark."""
    if COMMANDS in markdown:
        from mvp_site.cli.app import cli  # noqa: PLC0415 (one page of many needs it)

        helps = _helps(cli, click.Context(cli, info_name="mvp-site", **cli.context_settings))
        return markdown.replace(COMMANDS, "\n\n".join(helps))
    if ROUTES in markdown:
        from mvp_site.web.openapi import document  # noqa: PLC0415 (one page of many needs it)

        return markdown.replace(ROUTES, "\n\n".join(_routes(document(token=True))))
    return markdown


def _helps(command: click.Command, context: click.Context) -> Iterator[str]:
    """The help of a command and of those below it, each under its name."""
    context.max_content_width = 90
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _helps(below, click.Context(below, context, name))


def _routes(api: Mapping[str, Any]) -> Iterator[str]:
    """Each route under its address: what it does, what it takes, the fields of what it gives."""
    schemas = api["components"]["schemas"]
    for path, methods in api["paths"].items():
        for method, route in methods.items():
            yield f"## {method.upper()} {path}\n\n{route['summary']}"
            body = route.get("requestBody", {}).get("content", {}).get("application/json")
            taken = list(_fields(body["schema"], schemas)) if body else [
                (one["name"], one.get("schema", {}), one["description"], one.get("required"))
                for one in route.get("parameters", ())
            ]
            if taken:
                yield "\n".join([
                    "| field | default | |", "| --- | --- | --- |",
                    *(f"| `{name}` | {'needed' if needed else _default(schema)} | {about} |"
                      for name, schema, about, needed in taken),
                ])
            answer = route["responses"]["200"]["content"].get("application/json", {})
            for schema in answer.get("schema", {}).get("anyOf", [answer.get("schema", {})]):
                if given := [f"`{name}`" for name, *_ in _fields(schema, schemas)]:
                    yield f"Answers `{_title(schema)}`: {', '.join(given)}."


def _fields(schema: Mapping[str, Any], schemas: Mapping[str, Any],
            ) -> Iterator[tuple[str, Mapping[str, Any], str, bool]]:
    """Each field of an object: its name, its schema, what it means, whether it is needed."""
    whole = schemas[_title(schema)] if "$ref" in schema else schema
    for name, field in whole.get("properties", {}).items():
        told = field.get("description") or next(
            (one["description"] for one in field.get("anyOf", ()) if "description" in one), "")
        yield name, field, told, name in whole.get("required", ())


def _title(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2] or "object"


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    return "" if default in (None, [], {}) else f"`{json.dumps(default)}`"
