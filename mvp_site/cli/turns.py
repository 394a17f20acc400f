"""``mvp-site turn``: take a turn, print the contract, replay a turn."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.panel import Panel
from rich.table import Table

from ..errors import MvpSiteError, UnknownCampaignError
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..turns.asking import Stage
from ..turns.contract import schema as contract_schema
from ..turns.handler import Narrative, TurnHandler
from ..turns.replay import replay
from ..turns.starter import starter_state
from ..turns.types import TurnRequest, TurnResult
from ..types import AUDIENCES, MODES
from .output import (
    console,
    errors,
    json_option,
    plain_text,
    print_json,
    settings_for,
    version_option,
)
from .prompts import read_json

TAKE = "take"


class _TurnGroup(click.Group):
    """A group whose unnamed command is to take a turn: ``mvp-site turn TEXT``."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, TAKE)

    def resolve_command(self, ctx: click.Context, args: list[str],
                        ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return TAKE, self.commands[TAKE], args


def register(root: click.Group) -> None:
    """Add the command."""
    root.add_command(turn)


@click.group(cls=_TurnGroup, invoke_without_command=True,
             context_settings={"ignore_unknown_options": True})
@click.option("--schema", is_flag=True, help="Print the JSON Schema of an answer, and end.")
@click.pass_context
def turn(context: click.Context, schema: bool) -> None:
    """Take one turn of a campaign: mvp-site turn TEXT, with the options of `turn take`."""
    if schema:
        print_json(contract_schema())
        context.exit()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@turn.command(TAKE)
@click.argument("text")
@click.option("--campaign", default="demo", show_default=True, help="The campaign's id.")
@click.option("--mode", type=click.Choice(MODES), default="story", show_default=True)
@click.option("--audience", type=click.Choice(AUDIENCES), default="player", show_default=True,
              help="Who asks, and so what they may do.")
@click.option("--state", "state_file", type=click.Path(exists=True, path_type=Path),
              help="A JSON file with the state to begin from, instead of the campaign's.")
@click.option("--seed", type=int, help="Fix the dice.")
@version_option
@json_option
def take(text: str, campaign: str, mode: Any, audience: Any, state_file: Path | None,
         seed: int | None, version: str | None, as_json: bool) -> None:
    """Take one turn with the model of MVP_SITE_LLM (default: an offline stand-in).

    A campaign that does not exist yet begins with a small ready-made state.
    """
    settings = settings_for(version)
    state = read_json(state_file, dict, "the state")
    with TurnHandler.open(settings) as handler:
        if state is None and _is_new(handler.store, campaign):
            state = starter_state()
        request = TurnRequest(campaign, text, mode, audience, state, seed=seed)
        if as_json:
            print_json(asdict(handler.handle(request)))
            return
        for event in handler.stream(request):
            _show(event)


def _is_new(store: CampaignStore, campaign: str) -> bool:
    try:
        store.load(campaign)
    except UnknownCampaignError:
        return True
    return False


def _show(event: Stage | Narrative | TurnResult) -> None:
    if isinstance(event, TurnResult):
        _show_result(event)
    elif isinstance(event, Narrative):
        console.print(plain_text(event.text), end="")
    elif event.name in {"rejected", "failed"}:
        rules = ", ".join(sorted({v.rule for v in event.violations})) or event.detail
        console.print()
        errors.print(plain_text((f"attempt {event.attempt} {event.name}", "yellow"), f": {rules}"))


def _show_result(result: TurnResult) -> None:
    response = result.response
    console.print("\n")
    if result.fallback:
        errors.print(f"[red]fallback[/] ({result.fallback}): the state is unchanged")
        console.print(plain_text(response["narrative"] or response["god_mode_response"]))
    head = "\n".join(part for part in (response["session_header"], response["resources"]) if part)
    if head:
        console.print(Panel(plain_text(head), border_style="dim", expand=False))
    if result.rolls:
        table = Table("roll", "expression", "dice", "total", "against", box=None)
        for roll in result.rolls:
            against = f"{roll.target} {roll.value}" if roll.target else ""
            table.add_row(
                plain_text(roll.purpose), plain_text(roll.expression),
                ", ".join(map(str, roll.dice)), str(roll.total), plain_text(against),
            )
        console.print(table)
    for key, choice in response.get("planning_block", {}).get("choices", {}).items():
        console.print(plain_text(
            (key, "bold"), f"  {choice['text']} ", (f"({choice['risk_level']})", "dim"),
            f"  {choice['description']}",
        ))
    tokens = result.usage
    errors.print(plain_text(
        f"turn {result.turn_id}, attempts: {len(result.attempts)}, passages: "
        f"{len(result.chunks)}, "
        f"{tokens.input_tokens} tokens in and {tokens.output_tokens} out "
        f"({result.telemetry['turn']['model']})"
    ))


@turn.command("replay")
@click.argument("turn_id")
@json_option
def replay_turn(turn_id: str, as_json: bool) -> None:
    """Print the prompt of a past turn, byte for byte while its release is kept."""
    settings = Settings()
    with CampaignStore.open(settings) as store:
        found = replay(settings, store, turn_id)
    if as_json:
        print_json({
            "turn_id": turn_id, "same": found.same, "changes": list(found.changes),
            "prompt": found.turn.prompt if found.turn else None,
            "manifest": dict(found.record.manifest),
        })
    elif found.turn:
        click.echo(found.turn.prompt, nl=False)
    if found.same:
        errors.print("[green]the same prompt[/], byte for byte")
        return
    for change in found.changes:
        errors.print(plain_text(("changed", "yellow"), f": {change}"))
    raise MvpSiteError(f"the prompt of turn {turn_id} cannot be rebuilt as it was sent")
