"""``mvp-site eval``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from ..errors import SettingsError
from ..settings import Settings
from .output import console, json_option, print_json, progress

if TYPE_CHECKING:
    from ..evaluation.report import NeedleReport


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(evaluate)


@click.group("eval")
def evaluate() -> None:
    """Measure retrieval on the shipped evaluation sets."""


@evaluate.command()
@click.option("--split", type=click.Choice(["tune", "test"]), default="tune", show_default=True,
              help="`test` is the third that is never used for tuning.")
@click.option("--no-ablation", is_flag=True, help="Skip the archive without when: lines (minutes).")
@click.option("--turns", type=int, default=0, metavar="N",
              help="Print a page of N turns with what was retrieved, instead of the measures.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the page of --turns to a file.")
@json_option
def needles(split: Any, no_ablation: bool, turns: int, out: Path | None, as_json: bool) -> None:
    """Recall within the token budget, reciprocal rank and sparse turns, beside the baselines."""
    settings = Settings()
    if turns:
        from ..evaluation.spot_check import spot_check

        page = spot_check(settings, turns)
        if out:
            out.write_text(page, encoding="utf-8")
        else:
            click.echo(page)
        return
    try:
        from ..evaluation.report import run_needles
    except ImportError as error:
        raise SettingsError(
            f"the evaluation needs the extra 'eval' ({error}): pip install 'mvp-site[eval]'"
        ) from None
    with progress(as_json) as told:
        report = run_needles(settings, split, when_ablation=not no_ablation, progress=told)
    if as_json:
        print_json(report.as_dict())
    else:
        _print(report)


def _print(report: NeedleReport) -> None:
    console.print(
        f"[bold]{report.needles} needles[/] ({report.split}), {report.off_topic} off-topic, "
        f"within {report.budget} tokens"
    )
    kinds = ("all", "kind=lookup", "kind=reworded", "kind=turn", "version=dec_2025",
             "version=mar_2026")
    table = Table("recall", *(k.split("=")[-1] for k in kinds), "MRR", "tokens",
                  box=None)
    for name, groups in report.systems.items():
        cells = [f"{groups[kind].recall:.3f}" if kind in groups else "-" for kind in kinds]
        table.add_row(name, *cells, f"{groups['all'].mrr:.3f}", f"{groups['all'].tokens:.0f}")
    console.print(table)
    groups = report.systems["assembled"]
    for prefix in ("mode", "domain"):
        parts = [
            f"{name.split('=')[1]} {summary.recall:.3f} ({summary.needles})"
            for name, summary in groups.items() if name.startswith(f"{prefix}=")
        ]
        console.print(f"by {prefix}: {', '.join(parts)}")
    console.print("sparse: " + ", ".join(f"{k} {v:.3f}" for k, v in report.sparse.items()))
    for goal in report.goals:
        mark = "[green]reached[/]" if goal.reached else "[red]missed[/] "
        console.print(f"{mark} {goal.name}: {goal.found:+.3f} (wanted {goal.wanted})")
