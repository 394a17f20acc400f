"""The command line as a person starts it, in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from click.testing import CliRunner, Result

from mvp_site.cli import cli

Run: TypeAlias = Callable[..., Result]


def invoke(*args: str) -> Result:
    """What the command printed and how it ended; a traceback is never what a person should see."""
    result = CliRunner().invoke(cli, args, prog_name="mvp-site")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ok(result: Result) -> str:
    """What a command printed that went well."""
    assert result.exit_code == 0, result.output + result.stderr
    return result.stdout
