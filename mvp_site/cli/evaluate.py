"""``mvp-site eval``."""

from __future__ import annotations

import click


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(evaluate)


@click.group("eval")
def evaluate() -> None:
    """Measure retrieval on the shipped evaluation sets."""
