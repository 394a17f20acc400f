"""``mvp-site turn``: take a turn, print the contract, replay a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.panel import Panel
from rich.table import Table

from ..errors import InvalidTurnError, MvpSiteError, UnknownCampaignError
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
    warn_of,
)
from .prompts import read_json

TAKE = "take"


class _TurnGroup(click.Group):
    """A group whose unnamed command is to take a turn: ``mvp-site turn TEXT``.

    A command's name with nothing behind it but options is a text as well.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # What stands behind -- is the text, here and for the command that it is handed on to.
        return super().parse_args(ctx, ["--", *args] if args[:1] == ["--"] else args)

    def resolve_command(self, ctx: click.Context, args: list[str],
                        ) -> tuple[str | None, click.Command | None, list[str]]:
        named = args[0] in self.commands
        more = [arg for arg in args[1:] if arg != "--json"]
        if named and more and (not more[0].startswith("-") or more[0] in ctx.help_option_names):
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
    if not any(char.isprintable() and not char.isspace() for char in text):
        raise InvalidTurnError("the turn has no text: say what is done or asked")
    settings = settings_for(version)
    state = read_json(state_file, dict, "the state")
    with TurnHandler.open(settings) as handler:
        warn_of(handler.assembler.problem)
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
    planning = response.get("planning_block", {})
    told = response["narrative"] or response["god_mode_response"]
    if told:
        console.print("\n")
    if result.fallback:
        errors.print(f"[red]fallback[/] ({result.fallback}): the state is unchanged")
    if result.fallback or not told:
        console.print(plain_text(told or planning.get("thinking", "")), "\n")
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
    for key, choice in planning.get("choices", {}).items():
        _show_choice(key, choice)
    tokens = result.usage
    errors.print(plain_text(
        f"turn {result.turn_id}, attempts: {len(result.attempts)}, passages: "
        f"{len(result.chunks)}, "
        f"{tokens.input_tokens} tokens in and {tokens.output_tokens} out "
        f"({result.telemetry['turn']['model']})"
    ))


def _show_choice(key: str, choice: Mapping[str, Any]) -> None:
    risk = choice["risk_level"]
    weighed = [risk if risk == "safe" else f"{risk} risk"]
    weighed += [f"{choice['confidence']} confidence"] if "confidence" in choice else []
    console.print(plain_text(
        (key, "bold"), f"  {choice['text']} ", (f"({', '.join(weighed)})", "dim"),
        f"  {choice['description']}",
    ))
    for side, reasons in (("for", "pros"), ("against", "cons")):
        for reason in choice.get(reasons, ()):
            console.print(plain_text((f"    {side}: ", "dim"), reason))


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
