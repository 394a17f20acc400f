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
    """Each route: what it does, the fields that it takes, and the names of those that it gives."""
    schemas = api["components"]["schemas"]
    for path, methods in api["paths"].items():
        for method, route in methods.items():
            yield f"## {method.upper()} {path}\n\n{route['summary']}"
            taken = {
                parameter["name"]: parameter | parameter.get("schema", {})
                for parameter in route.get("parameters", ())
            }
            if body := route.get("requestBody"):
                taken = _fields(body["content"]["application/json"]["schema"], schemas)
            rows = [f"| `{name}` | {_default(field)} | {_about(field)} |"
                    for name, field in taken.items()]
            if rows:
                yield "\n".join(["| field | default | |", "| --- | --- | --- |", *rows])
            answer = route["responses"]["200"]["content"].get("application/json", {})
            either = answer.get("schema", {}).get("anyOf", [answer.get("schema", {})])
            for who, schema in zip(("Answers", "A player gets"), either, strict=False):
                if given := _fields(schema, schemas):
                    yield f"{who} {', '.join(f'`{name}`' for name in given)}."


def _fields(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an object by their names; those that are needed say ``required``."""
    whole = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return {name: field | {"required": name in whole.get("required", ())}
            for name, field in whole.get("properties", {}).items()}


def _about(field: Mapping[str, Any]) -> str:
    told = [field, *field.get("anyOf", ())]
    return next((each["description"] for each in told if "description" in each), "")


def _default(field: Mapping[str, Any]) -> str:
    if field.get("required"):
        return "needed"
    return f"`{json.dumps(field['default'])}`" if field.get("default") else ""
