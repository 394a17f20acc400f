"""``scripts/evaluate``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from mvp_site.cli.app import ErrorLine
from mvp_site.cli.output import (
    console,
    json_option,
    print_json,
    progress,
    say,
    settings_for,
    table,
    version_option,
)
from mvp_site.errors import SettingsError
from mvp_site.settings import Settings

from .ablation import run_ablation
from .billed import run_billed
from .contract import run_contract
from .corpora import run_corpora
from .encoders import run_encoders
from .engine_eval import run_engine
from .entities_eval import run_entities
from .entities_plot import draw
from .first_eval import run_first
from .headers import run_headers
from .languages import run_languages
from .library_eval import run_library
from .needles import spot_check
from .needles_eval import run_needles
from .real_turns import run_passages, run_short
from .report import Goal, Report, Table
from .routers_eval import run_corrections, run_routers, ship_router
from .rulebook_eval import run_rulebook
from .sets import require_tuning
from .small import run_small

F = TypeVar("F", bound=Callable[..., Any])
_NEW_FILE: Final = click.Path(dir_okay=False, writable=True, path_type=Path)
_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_set: Final = click.option("--set", "questions", type=_FILE, metavar="FILE",
                           help="Another set of questions, in the form of the shipped one.")
_worst: Final = click.option("--worst", "worst_shown", type=click.IntRange(min=0), default=0,
                             metavar="N", help="Tell the N questions that were answered worst.")


class _Split(click.Choice[str]):
    """A part of a set; None for ``all`` of it."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        part = super().convert(value, param, ctx)
        return None if part == "all" else part


def _split(*parts: str) -> Callable[[F], F]:
    return click.option(
        "--split", type=_Split(("tune", "test", *parts)), default="tune", show_default=True,
        help="`test` is the third that is never used for tuning.",
    )


@click.group(cls=ErrorLine)
def evaluate() -> None:
    """Measure retrieval, rulebooks, entities, routers, and how models keep the contract."""


@evaluate.command()
@_split()
@click.option("--turns", type=int, default=0, metavar="N",
              help="Print a page of N turns with what was retrieved, instead of the measures.")
@json_option
def needles(split: Any, turns: int, as_json: bool) -> None:
    """Recall within the token budget, reciprocal rank and sparse turns, beside the baselines."""
    if turns:
        click.echo(spot_check(Settings(), turns))
    else:
        _show(_run(as_json, run_needles, split=split), as_json)


@evaluate.command()
@_split("all")
@_set
@click.option("--markdown", type=_FILE, metavar="FILE",
              help="Another book than the one that was built; needs --set.")
@_worst
@json_option
def rulebook(as_json: bool, **options: Any) -> None:
    """How well the rulebook ranks sections, and what it refuses."""
    _show(_run(as_json, run_rulebook, **options), as_json)


@evaluate.command()
@_split("all")
@_set
@_worst
@click.option("--plot", type=_NEW_FILE, metavar="FILE",
              help="Draw scores against relevance, as a PNG.")
@json_option
def entities(plot: Path | None, as_json: bool, **options: Any) -> None:
    """How well entities are found, beside plain cosine; filters, refusals, what scores mean."""
    _require_folder("--plot", plot)
    report = _run(as_json, run_entities, **options)
    if plot:
        draw(report.values["calibration"], plot)
    _show(report, as_json)


@evaluate.command()
@click.option("--shelf", type=_FOLDER, required=True, metavar="DIR",
              help="Books with truth.json, as tests/library/shelf builds them.")
@_split("all")
@_set
@_worst
@json_option
def library(shelf: Path, as_json: bool, **options: Any) -> None:
    """How well books are read and asked: contents, pages, types, and questions across them."""
    _show(_run(as_json, run_library, shelf, **options), as_json)


@evaluate.command()
@_split("all")
@click.option("--max-tokens", "tokens", type=click.IntRange(200, 100_000), default=4_000,
              show_default=True, help="The most tokens of evidence.")
@_set
@_worst
@json_option
def engine(as_json: bool, **options: Any) -> None:
    """How much of the evidence that answers need is printed, over the sample campaign."""
    _show(_run(as_json, run_engine, **options), as_json)


@evaluate.command()
@click.option("--split", type=click.Choice(("plain", "tune", "test", "table-tune", "table-test")),
              default="plain", show_default=True,
              help="As one would write, as people type, or the third of that which is never used "
                   "for tuning; as players ask at a table, and the part of that which is not.")
@json_option
def first(as_json: bool, **options: Any) -> None:
    """How many of a player's first ten questions are answered in the first sentence."""
    _show(_run(as_json, run_first, **options), as_json)


@evaluate.command()
@_split("all")
@click.option("--corrected", is_flag=True,
              help="Instead of a set, the questions whose routing was corrected (/ask).")
@_set
@_worst
@json_option
@click.option("--corrections", is_flag=True,
              help="Instead, what correcting twenty of the questions does to the rest.")
@click.option("--fit", "write", is_flag=True,
              help="Fit the router on its examples first, and ship that.")
def routers(as_json: bool, corrections: bool, write: bool, **options: Any) -> None:
    """How well the local router chooses domains and intentions, and finds names."""
    if write:
        with progress(as_json) as told:
            say(ship_router(Settings(), told))
    if corrections:
        kept = {name: options[name] for name in ("split", "questions")}
        _show(_run(as_json, run_corrections, **kept), as_json)
    else:
        _show(_run(as_json, run_routers, **options), as_json)


@evaluate.command()
@click.option("--texts", type=_FOLDER, required=True, metavar="DIR",
              help="The folder that holds the texts of others.")
@_split()
@click.option("--only", default="", metavar="NAME", help="The corpora whose name begins so.")
@click.option("--ablate", "kind", flag_value="ablate",
              help="Instead, what each part of retrieval is worth.")
@click.option("--encoders", "kind", flag_value="encoders",
              help="Instead, the shipped encoder beside its model in fp32 (extra train).")
@click.option("--small", "kind", flag_value="small",
              help="Instead, small parts of the archives, with the floor of small ones.")
@json_option
def corpora(texts: Path, kind: str | None, as_json: bool, **options: Any) -> None:
    """How retrieval carries over to archives and books that others wrote, a row a corpus."""
    runs = {"ablate": run_ablation, "encoders": run_encoders, "small": run_small}
    _show(_run(as_json, runs.get(kind or "", run_corpora), texts, **options), as_json)


@evaluate.command()
@_split()
@json_option
def languages(split: Any, as_json: bool) -> None:
    """A small game in English, German, Spanish and Japanese, asked in each of them."""
    _show(_run(as_json, run_languages, split=split), as_json)


@evaluate.command()
@_split("all")
@json_option
def short(split: Any, as_json: bool) -> None:
    """What short turns find that lean on what was said, and which are sparse as they should."""
    _show(_run(as_json, run_short, split=split), as_json)


@evaluate.command()
@json_option
def passages(as_json: bool) -> None:
    """How many passages of 25 real turns a second reader judged needed, harmless or noise."""
    _show(_run(as_json, run_passages), as_json)


@evaluate.command()
@click.argument("folder", type=_FOLDER, default=Path("tests/cases/runner_prompts"))
@click.option("--held-out", is_flag=True,
              help="Judge each tenth of the prompts by what is fitted without it.")
@click.option("--fit", "write", is_flag=True, help="Fit on all first, and ship that.")
@json_option
def headers(folder: Path, held_out: bool, write: bool, as_json: bool) -> None:
    """How much of what a runner's parser needs the header holds that an import proposes."""
    _show(run_headers(folder, held_out=held_out, write=write), as_json)


@evaluate.command()
@click.argument("transcript", type=_FILE, default=Path("tests/turns/data/saltgate.jsonl"))
@click.option("--turns", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="Play the first N turns.")
@json_option
def tokens(transcript: Path, turns: int, as_json: bool) -> None:
    """Tokens billed a turn of a played campaign, and the prefix that a provider can cache."""
    _show(_run(as_json, run_billed, transcript, turns), as_json)


@evaluate.command()
@click.option("--llm", metavar="MODEL", default="",
              help="PROVIDER:MODEL, scripted:FILE or offline (MVP_SITE_LLM).")
@click.option("--turns", type=int, metavar="N", help="Take the first N turns of the set only.")
@click.option("--out", type=_NEW_FILE,
              help="Write the report, every turn and every answer to a file, as JSON.")
@version_option
@json_option
def contract(llm: str, turns: int | None, out: Path | None, version: str | None,
             as_json: bool) -> None:
    """How often a model breaks each rule, with the header alone and with retrieval."""
    settings = settings_for(version)
    settings = replace(settings, mvp_site_llm=llm or settings.mvp_site_llm)
    _require_folder("--out", out)  # not after an hour of answers that cost money
    with progress(as_json) as told:
        report = run_contract(settings, turns, progress=told)
    if out is not None:
        whole = json.dumps(report.values, ensure_ascii=False, indent=1)
        out.write_text(whole, encoding="utf-8", errors="replace")
    values = {name: value for name, value in report.values.items() if name != "turns"}
    _show(replace(report, values=values), as_json)


def _run(as_json: bool, measure: Callable[..., Report], *values: Any, **options: Any) -> Report:
    """The report that ``measure`` makes with the settings, while a bar tells how far it is."""
    require_tuning(options.get("worst_shown", 0), options.get("split"), options.get("questions"))
    with progress(as_json) as told:
        return measure(Settings(), *values, progress=told, **options)


def _show(report: Report, as_json: bool) -> None:
    """Print a report: its values for programs, its page for people."""
    if as_json:
        print_json(report.values)
        return
    for one in report.page:
        if isinstance(one, Table):
            console.print(table(one.heads, one.rows))
        elif isinstance(one, Goal):
            mark = "[green]reached[/]" if one.reached else "[red]missed[/] "
            console.print(f"{mark} {one.name}: {one.found:+.3f} (wanted {one.wanted})")
        else:
            say(one)


def _require_folder(option: str, file: Path | None) -> None:
    if file is not None and not file.parent.is_dir():
        raise SettingsError(f"{option} {file} cannot be written: there is no folder {file.parent}")


if __name__ == "__main__":
    evaluate(prog_name="scripts/evaluate")
