"""A server over stdin and stdout whose operation prints, and works until its client is gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mvp_site import Settings
from mvp_site.mcp_server.server import Parts, serve_stdio
from mvp_site.operations.all import OPERATIONS
from mvp_site.operations.operation import Operation
from mvp_site.operations.requests import OperationRequest
from mvp_site.operations.services import Services

from ..web.books import WordsRulebook
from ..web.entity_doubles import WordsIndex


@dataclass(frozen=True, slots=True)
class Scan(OperationRequest):
    """How many pages there are, and where the result goes; 0 never end."""

    pages: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True)
class Scanned:
    """How many were read."""

    pages: int


def needs(asked: Scan) -> Iterator[str]:
    if asked.at:
        yield "`at`"


def scan(services: Services, asked: Scan, _: bool) -> Scanned:
    """Print in every way there is, tell the progress, then publish at once; or clean up."""
    print("a library prints")  # noqa: T201 - that is the test
    os.write(1, b"and one that was not written in Python\n")
    at = Path(asked.at) if asked.at else None
    half = at and at.with_suffix(".half")
    try:
        if half:
            half.write_text("half", "utf-8")
        done = 0
        while not asked.pages or done < asked.pages:
            done += 1
            services.progress("pages", done, asked.pages or 1_000_000_000)
        if at and half:
            half.rename(at)
    finally:
        if half:
            half.unlink(missing_ok=True)
            half.with_suffix(".ended").touch()
    return Scanned(asked.pages)


SCAN: Operation[Any] = Operation(name="library.scan", about="Scan.", request=Scan, response=Scanned, run=scan, needs=needs)

if __name__ == "__main__":
    serve_stdio(Parts(lambda: Services(Settings(), assemblers={}, rulebook=WordsRulebook(), entities=WordsIndex()), (*OPERATIONS, SCAN)))
    sys.stdout.flush()
