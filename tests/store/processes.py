"""Modules of the tests, run as processes of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from ..conftest import REPOSITORY

SECONDS: Final = 60


def start(module: str, *arguments: str) -> subprocess.Popen[str]:
    """The module as a process that can be spoken to."""
    command = [sys.executable, "-m", f"tests.store.{module}", *arguments]
    return subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run_together(module: str, *lines: tuple[str, ...]) -> None:
    """Run one process for each line of arguments; all begin when all are ready."""
    started = [start(module, *arguments) for arguments in lines]
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in started:
            said, wrong = process.communicate(timeout=SECONDS)
            assert (process.returncode, said) == (0, "done\n"), wrong
    finally:
        for process in started:
            process.kill()
            process.communicate()
