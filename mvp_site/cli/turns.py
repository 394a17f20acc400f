"""``mvp-site turn``: take a turn, print the contract, replay a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click
from rich.panel import Panel
from rich.table import Table

from ..errors import InvalidTurnError, MvpSiteError
from ..operations.all import operation
from ..operations.services import Services
from ..operations.turns import ReplayedTurn, Turn, TurnRequest
from ..turns.attempts import Stage
from ..turns.contract import schema as contract_schema
from ..turns.handler import Narrative
from ..turns.starter import starter_state
from ..turns.types import TurnResult
from .commands import VERSION, Look, Values, add
from .output import console, errors, plain_text, print_json, settings_for, warn_of

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
    """Add the commands."""
    root.add_command(turn)
    add(turn, operation("turn"), Look(
        "Take one turn with the model of MVP_SITE_LLM (default: an offline stand-in).\n\n"
        "A campaign that does not exist yet begins with a small ready-made state.",
        arguments={"user_input": "TEXT"}, more=(VERSION,), opened=_opened,
        prepared=_prepared, played=_play, as_json=_as_json,
        options={
            "history": None, "seed": {"type": int},
            "campaign_id": {"name": "--campaign", "default": "demo", "required": False,
                            "show_default": True},
        },
    ), TAKE)
    add(turn, operation("turn.replay"), Look(
        arguments={"turn_id": "TURN_ID"}, shown=_show_replayed, ended=_end_replay,
    ))


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


def _opened(own: Values, _: bool) -> Services:
    services = Services(settings_for(own["version"]))
    warn_of(services.handler().assembler.problem)
    return services


def _prepared(values: Values, services: Services) -> Values:
    """The turn, with the ready-made state where its campaign does not exist yet."""
    if not any(char.isprintable() and not char.isspace() for char in values["user_input"]):
        raise InvalidTurnError("the turn has no text: say what is done or asked")
    if "state" not in values and services.is_new(values["campaign_id"]):
        return {**values, "state": starter_state()}
    return values


def _play(services: Services, asked: TurnRequest) -> None:
    for event in services.handler().stream(asked.as_turn()):
        _show(event)


def _as_json(found: Turn) -> Values:
    said = asdict(found)
    del said["view"]
    return said


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


def _show_replayed(found: ReplayedTurn, _: Any, __: Values) -> None:
    if found.prompt is not None:
        click.echo(found.prompt, nl=False)


def _end_replay(found: ReplayedTurn) -> None:
    if found.same:
        errors.print("[green]the same prompt[/], byte for byte")
        return
    for change in found.changes:
        errors.print(plain_text(("changed", "yellow"), f": {change}"))
    raise MvpSiteError(f"the prompt of turn {found.turn_id} cannot be rebuilt as it was sent")
