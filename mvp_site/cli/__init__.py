"""The command line, ``mvp-site``: thin commands over the package's public calls."""

from __future__ import annotations

from .app import cli, main

__all__ = ["cli", "main"]
