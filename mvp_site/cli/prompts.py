"""``mvp-site assemble`` and ``mvp-site retrieve``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table

from ..assembly.assembler import PromptAssembler
from ..types import AUDIENCES, MODES, Message
from .output import (
    console,
    errors,
    json_option,
    plain_text,
    print_json,
    settings_for,
    version_option,
    warn_of,
)

F = TypeVar("F", bound=Callable[..., Any])


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(assemble)
    root.add_command(retrieve)


def _turn_options(command: F) -> F:
    for option in (
        json_option, version_option,
        click.option("--state", "state_file", type=click.Path(exists=True, path_type=Path),
                     help="A JSON file with the game's state."),
        click.option("--history", "history_file", type=click.Path(exists=True, path_type=Path),
                     help='A JSON file: a list of {"role": …, "content": …}, oldest first.'),
        click.option("--audience", type=click.Choice(AUDIENCES), default="player",
                     show_default=True, help="Who may see the passages."),
        click.option("--mode", type=click.Choice(MODES), default="story", show_default=True),
        click.argument("text"),
    ):
        command = option(command)
    return command


def read_json(path: Path | None, kind: type, what: str) -> Any:
    """The JSON in a file, of a kind, or None without a file; a wrong one ends the command."""
    if path is None:
        return None
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"{path} is not JSON: {error}") from None
    if not isinstance(value, kind):
        raise click.ClickException(f"{path}: {what} must be a JSON {kind.__name__}")
    return value


def _history(path: Path | None) -> tuple[Message, ...]:
    found = read_json(path, list, "the history") or []
    for message in found:
        if not isinstance(message, dict) or not isinstance(message.get("content"), str) \
                or "role" not in message:
            raise click.ClickException(f"{path}: each message needs role and content, as text")
    return tuple(Message(message["role"], message["content"]) for message in found)


@click.command()
@click.option("--degraded", is_flag=True, help="Serve the header alone where there is no index.")
@_turn_options
def assemble(text: str, mode: Any, audience: Any, history_file: Path | None,
             state_file: Path | None, version: str | None, as_json: bool, degraded: bool) -> None:
    """Print the assembled prompt of one turn, and on standard error how it came about."""
    assembler = PromptAssembler.open(settings_for(version), degraded=degraded)
    warn_of(assembler.problem)
    turn = assembler.assemble(
        text, mode, audience, _history(history_file), read_json(state_file, dict, "the state")
    )
    if as_json:
        print_json({
            "prompt": turn.prompt, "messages": [asdict(m) for m in turn.messages],
            "chunks": [asdict(c) for c in turn.chunks],
            "dropped": [asdict(d) for d in turn.dropped],
            "retrieval_sparse": turn.retrieval_sparse, "sparse_reason": turn.sparse_reason,
            "telemetry": turn.telemetry,
        })
        return
    click.echo(turn.prompt, nl=False)
    tokens = turn.telemetry["tokens"]
    if turn.retrieval_sparse:
        errors.print(f"[yellow]sparse[/]: {turn.sparse_reason}; the header stands alone")
    else:
        errors.print(
            f"[green]{len(turn.chunks)} passages[/], {tokens['retrieved']} of {tokens['budget']} "
            f"tokens, header {tokens['header']}; the whole archive has {tokens['archive']}"
        )


@click.command()
@_turn_options
def retrieve(text: str, mode: Any, audience: Any, history_file: Path | None,
             state_file: Path | None, version: str | None, as_json: bool) -> None:
    """Show what a turn retrieves, with scores, and what became of the other candidates."""
    assembler = PromptAssembler.open(settings_for(version))
    plan = assembler.retrieve(
        text, mode, audience, _history(history_file), read_json(state_file, dict, "the state")
    )
    if as_json:
        print_json({
            "chunks": [asdict(c) for c in plan.chunks], "tokens": plan.tokens,
            "dropped": [asdict(d) for d in plan.dropped], "floor": plan.floor,
            "sparse_reason": plan.sparse_reason,
        })
        return
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
