"""The root command and how errors reach a person."""

from __future__ import annotations

import logging
import sys

import click

from ..errors import MvpSiteError
from . import campaigns, encoder, entities, evaluate, index, library, rulebook, serve, turns
from .output import tell


class _Root(click.Group):
    """Shows this package's own errors as one line instead of a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except MvpSiteError as error:
            tell(("error:", "bold red"), f" {error}")
            ctx.exit(1)


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


for command in (index.index, index.archive, encoder.encoder, campaigns.campaign,
                rulebook.rulebook, entities.entities, library.library, evaluate.evaluate,
                serve.serve):
    cli.add_command(command)
turns.register(cli)


def main() -> None:
    """Run the command line."""
    cli(prog_name="mvp-site")
