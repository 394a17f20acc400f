"""``mvp-site archive import``."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from dataclasses import replace
from typing import Final

import click

from ..operations.all import operation
from ..operations.importing import ImportReport, ImportRequest
from ..operations.services import Services
from ..settings import Settings
from .commands import CommandForm, Values, add
from .output import end_with, say, tell

_COLOURS: Final = {"+": "green", "-": "red", "@": "cyan"}


def _show(found: ImportReport, request: ImportRequest, _: Values) -> None:
    if not found.written:
        for line in found.diff.split("\n")[:-1]:
            say((line, "bold" if line.startswith(("+++", "---")) else _COLOURS.get(line[:1], "")))
    for note in found.notes:
        tell(("note: ", "yellow"), note)
    own = found.tokens["core_header.txt"]
    tell(f"{found.kind}: {len(found.lines):,} lines and values, each in one place; header {own:,} "
         f"tokens, {len(found.tokens) - 1} files, {sum(found.tokens.values()):,} tokens in all")
    if not found.written and sys.stdin.isatty() and click.confirm(
            f"write this to {found.folder}?", err=True):
        with closing(Services(Settings())) as services:
            found = operation("archive.import").run(services, replace(request, write=True), True)
    if found.written:
        place = f"PROMPT_ARCHIVE_DIR={shlex.quote(request.into)} " if request.into else ""
        tell(("written", "green"), f" {found.folder}; next: {place}mvp-site archive lint --version "
             f"{found.version}, {place}mvp-site index build --version {found.version}")
    elif sys.stdin.isatty():
        tell("nothing was written")
    else:
        tell("nothing was written: there is no terminal to ask in; give --yes to write it")


def register(group: click.Group) -> None:
    """Add the command to ``archive``."""
    add(group, operation("archive.import"), CommandForm(
        arguments={"path": "FILE|FOLDER"},
        options={
            "version": {"metavar": "NAME"}, "into": {"metavar": "DIR"},
            "write": {"name": "--yes", "help": "Write it without asking."},
        }, shown=_show, ended=lambda report: end_with(file.reason for file in report.refused),
    ))
