"""``mvp-site assemble`` and ``mvp-site retrieve``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
from rich.table import Table

from ..operations.all import operation
from ..operations.prompts import Assembled, Retrieved
from ..operations.services import Services
from .commands import VERSION, Look, Values, add
from .output import console, errors, plain_text, settings_for, warn_of

degraded_option = click.Option(
    ["--degraded"], is_flag=True, help="Serve the header alone where there is no index."
)
TEXT = {"text": "TEXT"}


def register(root: click.Group) -> None:
    """Add the commands."""
    add(root, operation("assemble"), Look(
        arguments=TEXT, options={"version": None}, more=(degraded_option, VERSION),
        opened=_opened, shown=_show, as_json=_as_json,
    ))
    add(root, operation("retrieve"), Look(
        arguments=TEXT, options={"version": None}, more=(VERSION,), opened=_opened,
        shown=_show_plan,
    ))


def _opened(own: Values, _: bool) -> Services:
    degraded = own.get("degraded", False)
    services = Services(settings_for(own["version"]), degraded=degraded)
    if degraded:
        warn_of(services.assembler().problem)
    return services


def _as_json(found: Assembled) -> Any:
    said = asdict(found)
    del said["view"]
    said["retrieval_sparse"] = said.pop("sparse")
    return said


def _show(found: Assembled, _: Any, __: Values) -> None:
    click.echo(found.prompt, nl=False)
    tokens = found.telemetry["tokens"]
    if found.sparse:
        errors.print(f"[yellow]sparse[/]: {found.sparse_reason}; the header stands alone")
    else:
        errors.print(
            f"[green]{len(found.chunks)} passages[/], {tokens['retrieved']} of {tokens['budget']} "
            f"tokens, header {tokens['header']}; the whole archive has {tokens['archive']}"
        )


def _show_plan(plan: Retrieved, _: Any, __: Values) -> None:
    table = Table("", "chunk", "section", "score", "lexical", "dense", "tokens", box=None)
    for chunk in plan.chunks:
        table.add_row(
            "[green]printed[/]", plain_text(chunk.id), plain_text(chunk.section),
            f"{chunk.score:.3f}", f"{chunk.lexical_score:.3f}", f"{chunk.dense_score:.3f}",
            f"{chunk.tokens}{' (part)' if chunk.partial else ''}",
        )
    for dropped in plan.dropped:
        table.add_row(
            f"[yellow]{dropped.reason}[/]", plain_text(dropped.id), "", f"{dropped.score:.3f}"
        )
    console.print(table)
    sparse = f" [yellow]sparse: {plan.sparse_reason}[/]" if plan.sparse_reason else ""
    console.print(f"floor {plan.floor:.3f}, {plan.tokens} tokens{sparse}")
