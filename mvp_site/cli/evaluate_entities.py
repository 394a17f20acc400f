"""``mvp-site eval entities``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from ..errors import SettingsError
from ..settings import Settings
from .evaluate_output import print_goals, without_extra
from .output import console, json_option, plain_text, print_json, progress

if TYPE_CHECKING:
    from ..evaluation.entities_calibration import Calibration
    from ..evaluation.entities_eval import EntityReport
    from ..evaluation.entities_metrics import Summary


@click.command()
@click.option("--split", type=click.Choice(["tune", "test", "all"]),
              help="`test` is the third that is never used for tuning.  "
                   "[default: tune; all of another set]")
@click.option("--set", "queries", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Another set of queries, in the form of the shipped one.")
@click.option("--worst", type=click.IntRange(min=0), default=0, metavar="N",
              help="Tell the N queries of `tune` that were answered worst.")
@click.option("--plot", type=click.Path(dir_okay=False, writable=True, path_type=Path),
              metavar="FILE", help="Draw scores against relevance, as a PNG.")
@json_option
def entities(split: Any, queries: Path | None, worst: int, plot: Path | None, as_json: bool,
             ) -> None:
    """How well entities are found, beside plain cosine; filters, refusals, what scores mean."""
    try:
        from ..evaluation.entities_eval import run_entities
        if plot:
            from ..evaluation.entities_report import draw
    except ImportError as error:
        raise without_extra(error) from None
    if plot and not plot.parent.is_dir():
        raise SettingsError(f"--plot {plot} cannot be written: there is no folder {plot.parent}")
    split = split or ("all" if queries else "tune")
    with progress(as_json) as told:
        report = run_entities(
            Settings(), None if split == "all" else split, queries=queries, worst=worst,
            progress=told,
        )
    if plot:
        draw(report.calibration, plot)
    if as_json:
        print_json(report.as_dict())
    else:
        _print(report)


def _print(report: EntityReport) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in report.queries.items())
    console.print(
        f"[bold]{sum(report.queries.values())} queries[/] ({report.split or 'all'}: {kinds}) to "
        f"{sum(report.entities.values())} entities of {len(report.entities)} types"
    )
    product, plain = report.systems.values()
    names = tuple(report.systems)
    for heads, title in ((("kind=", "stated", "all"), "kind"), (("type=",), "type")):
        table = Table(title, "queries", "first", "R@10", "MRR", "nDCG@10", names[1], "gain",
                      box=None)
        for head in heads:
            for group, summary in product.items():
                if group.startswith(head):
                    name = group.rpartition("=")[2]
                    table.add_row(name, *_measures(summary, plain.get(group)))
        console.print(table)
    console.print(f"{names[1]} answers {', '.join(report.plain_answers)}, and refuses nothing")
    _print_kept(report)
    _print_calibration(report.calibration)
    print_goals(report.goals)
    for one in report.worst:
        relevant = ", ".join(f"{key} ({grade})" for key, grade in one.relevant.items())
        console.print(plain_text(
            (f"{one.ndcg10:.3f}", "yellow"), f" {one.id}: {one.text}\n"
            f"  wanted {relevant}\n  found  {', '.join(one.ranking) or 'nothing'}",
        ))


def _measures(ours: Summary, plain: Summary | None) -> list[str]:
    found = ours.measures
    values = [f"{value:.3f}" for value in (found.first, found.r10, found.mrr, found.ndcg10)]
    if plain is None:
        return [str(ours.queries), *values, "-", "-"]
    beside = plain.measures.ndcg10
    return [str(ours.queries), *values, f"{beside:.3f}", f"{found.ndcg10 - beside:+.3f}"]


def _print_kept(report: EntityReport) -> None:
    kept, stated = report.kept, report.stated
    console.print(
        f"filters: {kept.filtered} queries, {kept.results} results, of which {kept.broken} break "
        f"one; {kept.empty} empty though something matches"
    )
    console.print(
        f"similar: {kept.similar} lists, {kept.with_reference} with their reference; negatives "
        f"empty: {_part(kept.negatives_empty)} of {kept.negatives}"
    )
    console.print(
        f"stated in words: recognised {_part(stated.recognised)} of {stated.queries}, something "
        f"beyond in {_part(stated.beyond)}"
    )


def _part(part: float | None) -> str:
    return "none asked" if part is None else f"{part:.3f}"


def _print_calibration(found: Calibration) -> None:
    console.print("of results with a _score of about … are relevant …: " + ", ".join(
        f"{one.score:.2f}: {one.share:.2f} ({one.relevant + one.irrelevant})" for one in found.bins
    ))
    for name, cut in (("cut", found.at), ("best", found.best)):
        console.print(
            f"{name} at {cut.score:.2f}: precision {cut.precision:.3f}, recall {cut.recall:.3f}, "
            f"F1 {cut.f1:.3f}"
        )
