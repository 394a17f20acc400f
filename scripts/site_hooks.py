"""What the docs site says of the command line: the help of every command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

MARK = "{{ commands }}"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with the help of all commands in place of the mark."""
    if MARK not in markdown:
        return markdown
    from mvp_site.cli.app import cli  # noqa: PLC0415 (one page of many needs it)

    helps = _helps(cli, click.Context(cli, info_name="mvp-site", **cli.context_settings))
    return markdown.replace(MARK, "\n\n".join(helps))


def _helps(command: click.Command, context: click.Context) -> Iterator[str]:
    """The help of a command and of those below it, each under its name."""
    context.max_content_width = 90
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _helps(below, click.Context(below, context, name))
