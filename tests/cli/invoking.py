"""The command line as a person starts it, in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypeAlias

import click
import pytest
from click.testing import CliRunner, Result

from mvp_site.cli import cli
from mvp_site.cli.output import console, errors
from mvp_site.retrieval import building as rebuild

from ..hashing import HashingEncoder

Run: TypeAlias = Callable[..., Result]


def under(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data under ``tmp_path``, and the encoder's double for the model."""
    encoder = HashingEncoder(256)
    monkeypatch.setenv("MVP_SITE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MVP_SITE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "1000")  # whatever the length of the folder's name, sentences stay whole
    monkeypatch.setattr(rebuild, "find_bundle", lambda *args: encoder.fingerprint)
    monkeypatch.setattr(rebuild, "open_by_fingerprint", lambda *args: encoder)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def invoke(*args: str, command: click.Command = cli, typed: str | None = None) -> Result:
    """What the command printed and how it ended; a traceback is never what a person should see."""
    for screen in (console, errors):  # each has read its width when it was imported
        screen.width = int(os.environ.get("COLUMNS", "1000"))
    result = CliRunner().invoke(command, args, input=typed, prog_name="mvp-site")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def terminal(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Somebody types to the command of a module."""
    monkeypatch.setattr(f"mvp_site.cli.{module}.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True), stdout=sys.stdout))


def ok(result: Result) -> str:
    """What a command printed that went well."""
    assert result.exit_code == 0, result.output + result.stderr
    return result.stdout
