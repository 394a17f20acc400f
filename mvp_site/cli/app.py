"""The root command and how errors reach a person."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import click

from ..errors import MvpSiteError
from .mcp import mcp

_FIRST: Final = {
    "Prompts": ("init", "archive", "index", "assemble"),
    "Play": ("turn", "serve", "campaign"),
    "Game knowledge": ("rulebook", "entities", "library", "ask", "corrections"),
    "Operate": ("mcp",),
}
"""What the first help lists, in groups; it names the other commands below them."""


class ErrorLine(click.Group):
    """Shows this package's own errors as lines that fit instead of a traceback."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """The context; click's own errors are told in lines that fit."""
        with _fitting():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """What the command returns; 1 is the exit code after an error."""
        try:
            with _fitting():
                return super().invoke(ctx)
        except MvpSiteError as error:
            from .output import tell  # noqa: PLC0415 (it brings rich)

            tell(("error:", "bold red"), f" {error}")
            ctx.exit(1)


class _Root(ErrorLine):
    """Loads most commands when one of them is asked for: ``mcp`` starts without them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        _load(self)
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            _load(self)
        return super().get_command(ctx, cmd_name)


    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first commands in their groups, each on a line; the names of all others."""
        others = set(self.list_commands(ctx))
        for title, names in _FIRST.items():
            with formatter.section(title):
                formatter.write_dl([
                    (name, self.commands[name].get_short_help_str(limit=80)) for name in names
                ], col_max=12)
            others -= {*names}
        with formatter.section("More"):
            formatter.write_text(", ".join(sorted(others)))


@contextmanager
def _fitting() -> Iterator[None]:
    """Within it click's own errors are told in lines that fit."""
    try:
        yield
    except click.ClickException as error:
        from .output import errors, plain_text  # noqa: PLC0415 (it brings rich)

        label = "Error: "  # click puts it before the message
        lines = plain_text(label, error.format_message()).wrap(errors, errors.width)
        message = "\n".join(line.plain.rstrip() for line in lines).removeprefix(label)
        error.format_message = lambda: message  # type: ignore[method-assign]
        raise


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mvp-site", prog_name="mvp-site")
@click.option("-v", "--verbose", is_flag=True, help="Log telemetry and warnings to standard error.")
def cli(verbose: bool) -> None:
    """Prompts and turns for D&D-style game runners.

    A pinned core header and, each turn, the few passages of a versioned prompt archive that the
    turn needs; a model's answer, checked against the contract; the campaign, kept.
    """
    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR, stream=sys.stderr,
        format="%(levelname)s %(name)s %(message)s",
    )


cli.add_command(mcp)


@cache
def _load(root: click.Group) -> None:
    """Add all other commands."""
    from . import (  # noqa: PLC0415 (they bring the operations)
        archive,
        campaigns,
        encoder,
        entities,
        index,
        init,
        library,
        llm,
        rulebook,
        serve,
        sessions,
        turns,
    )

    for command in (init.init, index.index, index.release, archive.archive, encoder.encoder,
                    campaigns.campaign, rulebook.rulebook, entities.entities, library.library,
                    index.evaluate, serve.serve, turns.assemble, turns.retrieve, turns.turn,
                    campaigns.gc, llm.llm, sessions.sessions, sessions.characters,
                    sessions.corrections, sessions.ask):
        root.add_command(command)


def main() -> None:
    """Run the command line."""
    cli(prog_name="mvp-site")
