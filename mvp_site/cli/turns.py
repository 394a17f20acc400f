"""``mvp-site assemble``, ``retrieve`` and ``turn``: prompts, turns, the contract, replays."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import click
from rich.panel import Panel

from ..archive.header_files import FIRST_STATE
from ..errors import InvalidTurnError, MvpSiteError
from ..operations.all import operation
from ..operations.prompts import Assembled, RetrievedPassages, line_text, missed_text
from ..operations.services import Services
from ..operations.turns import TakeTurn
from ..settings import Settings
from ..text.tokens import count_tokens
from ..turns.attempts import TAKES_BACK
from ..turns.contracts import contract_in_force
from ..turns.handler import Narrative
from ..turns.replay import Replayed
from ..turns.types import TurnResult
from ..types import DroppedChunk, RetrievedChunk, Why
from .commands import Values, add, command_of
from .output import (
    console,
    plain_text,
    print_json,
    print_table,
    say,
    say_wrapped,
    settings_for,
    tell,
    version_option,
    warn_of,
)

TAKE: Final = "take"
_DEGRADED: Final = click.option(
    "--degraded", is_flag=True, help="Serve the header alone where there is no index."
)
_STREAM: Final = click.option(
    "--stream", type=click.Choice(["jsonl"]),
    help="Print each event as one line of JSON as it comes: stages, narrative, the result last.",
)
_BRIEF: Final = click.option(
    "--brief", is_flag=True, help="Print what the prompt is made of instead of the prompt."
)


class _TurnGroup(click.Group):
    """A group whose unnamed command is to take a turn: ``mvp-site turn TEXT``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # What stands behind -- is the text, here and for the command that it is handed on to.
        return super().parse_args(ctx, ["--", *args] if args[:1] == ["--"] else args)

    def resolve_command(self, ctx: click.Context, args: list[str],
                        ) -> tuple[str | None, click.Command | None, list[str]]:
        # The name of a command alone is a text.
        named = args[0] in self.commands and len(args) > 1
        return super().resolve_command(ctx, args if named else [TAKE, *args])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of taking a turn, then those of the group and its commands."""
        with formatter.section("Options of a turn"):
            formatter.write_dl([
                row for parameter in self.commands[TAKE].get_params(ctx)
                if (row := parameter.get_help_record(ctx)) and "--help" not in row[0]
            ])
        super().format_options(ctx, formatter)


@click.group(cls=_TurnGroup, invoke_without_command=True,
             context_settings={"ignore_unknown_options": True})
@click.option("--schema", is_flag=True, help="Print the JSON Schema of an answer, and end.")
@click.pass_context
def turn(context: click.Context, schema: bool) -> None:
    """Take a turn of a campaign. The text alone is enough: mvp-site turn TEXT."""
    if schema:
        print_json(contract_in_force(Settings()).schema())
        context.exit()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _opened(own: Values, _: bool) -> Services:
    """The parts; where turns are taken without an index, that is told."""
    degraded = own.get("degraded")
    services = Services(settings_for(own["version"], quiet=True), degraded=bool(degraded))
    if degraded is not False:
        warn_of(services.problem())
    return services


def _show_prompt(assembled: Assembled, _: Any, own: Values) -> None:
    if own["brief"]:
        _show_parts(assembled)
        return
    click.echo(assembled.prompt, nl=False)
    tokens = assembled.telemetry["tokens"]
    if assembled.sparse:
        tell(("sparse", "yellow"), f": {assembled.sparse_reason}; the header stands alone")
    else:
        tell(
            (f"{len(assembled.chunks)} chunks", "green"),
            f", {tokens['retrieved']} of {tokens['budget']} tokens, header {tokens['header']}; "
            f"the whole archive has {tokens['archive']}",
        )


def _show_parts(assembled: Assembled) -> None:
    """What the whole archive would cost and what this prompt does, part by part."""
    tokens = assembled.telemetry["tokens"]
    whole = count_tokens(assembled.prompt)
    rest = whole - tokens["header"] - tokens["contents"] - tokens["retrieved"]
    chosen = [
        (f"  {chunk.id}", f"{chunk.tokens:,}",
         f"{chunk.score:.2f} {chunk.best_section.rpartition(' > ')[2]}")
        for chunk in assembled.chunks
    ]
    print_table(("", "tokens", ""), (
        ("the whole archive", f"{tokens['archive'] or 0:,}", "sent whole, beside the header"),
        (("this prompt", "bold green"), f"{whole:,}", ""),
        ("header", f"{tokens['header']:,}", "pinned: always there, byte for byte"),
        *([("contents", f"{tokens['contents']:,}", "titles of the archive")]
          if tokens["contents"] else []),
        ("retrieved", f"{tokens['retrieved']:,}", f"of {tokens['budget']:,}; evidence:"),
        *chosen, ("the turn", f"{rest:,}", "mode, audience and what was said"),
    ))
    for chunk in assembled.dropped[:1]:
        say(("left out ", "yellow"), f"{chunk.id}, evidence {chunk.score:.2f}: "
            f"{chunk.reason.replace('_', ' ')} ({len(assembled.dropped)} candidates were left out)")
    if assembled.sparse:
        say(("sparse", "yellow"), f": {assembled.sparse_reason}; only the header is sent")


def _show_plan(plan: RetrievedPassages, _: Any, __: Values) -> None:
    if plan.why is not None:
        _show_why(plan.why)
        return
    printed = [
        (("pinned" if chunk.pinned else "printed", "green"), *_scores(chunk),
         f"{chunk.tokens}{' part' if chunk.partial else ''}",
         plain_text(f"{chunk.id}\n  {chunk.best_section}", (_beside(chunk), "dim")))
        for chunk in plan.chunks
    ]
    dropped = [((chunk.reason.replace("_", " "), "yellow"), *_scores(chunk), "",
                f"{chunk.id}\n  {chunk.section}".rstrip()) for chunk in plan.dropped]
    print_table(("", "evidence", "words", "meaning", "tokens", "chunk"), [*printed, *dropped],
                order="What is printed first, each by score, which --why shows")
    sparse = f" sparse: {plan.sparse_reason}" if plan.sparse_reason else ""
    say(f"floor {plan.floor:.3f}, {plan.tokens} tokens", (sparse, "yellow"))


def _show_why(why: Why) -> None:
    """A passage's place, what it missed, and what would bring it."""
    place = f"rank {why.rank} of {why.ranked}, candidates {why.candidates}" if why.rank else ""
    say((why.id, "bold"), f" {why.section}: ", ("printed", "green") if why.printed else (
        "not printed", "yellow"), f"; {place}" if place else "")
    parts = " + ".join(f"{name} {part:.3f}" for name, part in why.parts.items())
    say(f"score {why.score:.3f} = {parts}; evidence {why.evidence:.3f}")
    say(f"words of the turn in it: {', '.join(why.words) or 'none'}"
        + (f"; nearest line: {why.when}" if why.when else ""))
    for bar in why.missed:
        say(("missed ", "yellow"), f"{bar.bar.replace('_', ' ')}: {missed_text(bar)}")
    for more in why.missing:
        effect = ("printed", "green") if more.printed else ("not printed", "yellow")
        say(f"with {', '.join(more.words)}: rank {more.rank}, score {more.score:.3f}, ", effect)
    if why.line is not None:
        say(f"or with a line in {why.line.file}, if players say this there:\n",
            line_text(why.line))


def _beside(chunk: RetrievedChunk) -> str:
    """The headings of what was printed beside the best section."""
    others = [path.rpartition(" > ")[2] for path in chunk.sections if path != chunk.best_section]
    return f"\n  with {', '.join(others)}" if others else ""


def _scores(chunk: RetrievedChunk | DroppedChunk) -> tuple[str, str, str]:
    return f"{chunk.score:.3f}", f"{chunk.lexical_score:.3f}", f"{chunk.dense_score:.3f}"


def _prepared(values: Values, services: Services) -> Values:
    """The turn; tells of a campaign that begins with nothing."""
    if not any(char.isprintable() and not char.isspace() for char in values["user_input"]):
        raise InvalidTurnError("the turn has no text: say what is done or asked")
    if ("state" not in values and FIRST_STATE not in services.beside()
            and services.is_new(values["campaign_id"])):
        note = f"begins with an empty state: the archive has no {FIRST_STATE}; --state gives one"
        tell((f"campaign {values['campaign_id']} {note}", "dim"))
    return values


def _play(services: Services, call: TakeTurn, own: Values) -> None:
    """Print the result, and in a terminal what is told before it, until it is taken back."""
    if own["stream"]:
        stream = operation("turn").stream
        for name, value in stream(services, call, True) if stream else ():
            print_json({"event": name, "data": value}, indent=None)
        return
    streamed = False
    for event in services.stream(call.as_turn()):
        if isinstance(event, TurnResult):
            _show_result(event, streamed)
        elif isinstance(event, Narrative):
            if sys.stdout.isatty():
                say(event.text, end="")
                streamed = True
        elif event.name in TAKES_BACK:
            if streamed:
                say("\n", ("[what stands above is taken back]", "yellow"))
                streamed = False
            if event.name in {"rejected", "failed"}:
                rules = ", ".join(sorted({v.rule for v in event.violations})) or event.detail
                tell((f"attempt {event.attempt} {event.name}", "yellow"), f": {rules}")


def _show_result(result: TurnResult, streamed: bool) -> None:
    """Print a result; its narrative stands there already if it was ``streamed``."""
    # Of the form of a version's own answers nothing is known but what the player reads.
    response: Mapping[str, Any] = result.response if result.public is None else {}
    planning = response.get("planning_block", {})
    if result.fallback:
        tell(("fallback", "red"), f" ({result.fallback}): the state is unchanged")
    if not streamed:
        say_wrapped(result.narrative or planning.get("thinking", ""))
    say("\n" if streamed else "")
    head = "\n".join(filter(None, map(response.get, ("session_header", "resources"))))
    if head:
        console.print(Panel(plain_text(head), border_style="dim", expand=False))
    if result.rolls:
        print_table(("roll", "expression", "dice", "total", "against"), (
            (roll.purpose, roll.expression, ", ".join(map(str, roll.dice)), str(roll.total),
             f"{roll.target} {roll.value}" if roll.target else "") for roll in result.rolls
        ))
    for key, choice in planning.get("choices", {}).items():
        risk = choice["risk_level"]
        weighed = [risk if risk == "safe" else f"{risk} risk"]
        weighed += [f"{choice['confidence']} confidence"] if "confidence" in choice else []
        say_wrapped((key, "bold"), f"  {choice['text']} ", (f"({', '.join(weighed)})", "dim"),
                    f"  {choice['description']}")
        for side, reasons in (("for", "pros"), ("against", "cons")):
            for reason in choice.get(reasons, ()):
                say_wrapped((f"{side}: ", "dim"), reason, indent="    ")
    tell(
        f"turn {result.turn_id}, attempts: {len(result.attempts)}, chunks: "
        f"{len(result.chunks)}, look-ups: {len(result.look_ups)}, "
        f"{result.usage.account} "
        f"({result.telemetry['turn']['model']})"
    )


def _show_replayed(replayed: Replayed, _: Any, __: Values) -> None:
    if replayed.turn is not None:
        click.echo(replayed.turn.prompt, nl=False)
    for look_up in replayed.look_ups:
        say(("looked up", "bold"), f": {look_up.query}")
        click.echo(look_up.text, nl=not look_up.text.endswith("\n"))


def _end_replay(replayed: Replayed) -> None:
    if replayed.same:
        tell(("the same prompt", "green"), ", byte for byte")
        return
    for change in replayed.changes:
        tell(("changed", "yellow"), f": {change}")
    raise MvpSiteError(f"the prompt of turn {replayed.record.id} cannot be rebuilt as it was sent")


assemble: Final = command_of(
    "assemble", arguments={"text": "TEXT"}, options={"version": None},
    more=(_BRIEF, _DEGRADED, version_option), opened=_opened, shown=_show_prompt)
retrieve: Final = command_of(
    "retrieve", arguments={"text": "TEXT"}, more=(version_option,), shown=_show_plan,
    options={"version": None, "why": {"metavar": "ID|TITLE"}},
    opened=lambda own, _: Services(settings_for(own["version"])))
add(turn, "turn", TAKE, help=(
    "Take one turn with the model of MVP_SITE_LLM (default: an offline stand-in).\n\n"
    "A campaign that does not exist yet begins with the archive's first_state.json."),
    arguments={"user_input": "TEXT"}, more=(_STREAM, version_option), opened=_opened,
    prepared=_prepared, played=_play, options={
        "history": None, "version": None,
        "campaign_id": {"name": "--campaign", "default": "demo", "required": False,
                        "show_default": True},
    })
add(turn, "turn.replay", arguments={"turn_id": "TURN_ID"}, shown=_show_replayed,
    ended=_end_replay, as_json=lambda result: {
        "turn_id": result.record.id, "same": result.same, "changes": result.changes,
        "prompt": result.turn and result.turn.prompt, "manifest": result.record.manifest,
        "look_ups": [{"query": row.query, "text": row.text} for row in result.look_ups],
    })
