"""``mvp-site eval``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.table import Table

from ..errors import SettingsError
from ..settings import Settings
from ..types import MODES
from .evaluate_entities import entities
from .evaluate_output import print_goals, without_extra
from .output import (
    console,
    json_option,
    plain_text,
    print_json,
    progress,
    settings_for,
    version_option,
)

if TYPE_CHECKING:
    from ..evaluation.contract_report import Condition, ContractReport, Ran
    from ..evaluation.report import NeedleReport
    from ..evaluation.rulebook_eval import RulebookReport
    from ..evaluation.rulebook_metrics import Summary
    from ..evaluation.wilson import Share

_FAILURES_SHOWN: Final = 5


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(evaluate)


@click.group("eval")
def evaluate() -> None:
    """Measure retrieval, rulebooks, entities, and how models keep the contract."""


evaluate.add_command(entities)


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
        raise without_extra(error) from None
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
    print_goals(report.goals)


@evaluate.command()
@click.option("--split", type=click.Choice(["tune", "test", "all"]), default="tune",
              show_default=True, help="`test` is the third that is never used for tuning.")
@click.option("--set", "questions", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Another set of questions, in the form of the shipped one.")
@click.option("--markdown", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Another book than the one that was built; needs --set.")
@click.option("--worst", type=click.IntRange(min=0), default=0, metavar="N",
              help="Tell the N questions of `tune` that were answered worst.")
@json_option
def rulebook(split: Any, questions: Path | None, markdown: Path | None, worst: int,
             as_json: bool) -> None:
    """How well the rulebook ranks sections, what it refuses, and what a question costs."""
    try:
        from ..evaluation.rulebook_eval import run_rulebook
    except ImportError as error:
        raise without_extra(error) from None
    with progress(as_json) as told:
        report = run_rulebook(
            Settings(), None if split == "all" else split, markdown=markdown, questions=questions,
            worst=worst, progress=told,
        )
    if as_json:
        print_json(report.as_dict())
    else:
        _print_rulebook(report)


def _print_rulebook(report: RulebookReport) -> None:
    console.print(plain_text(
        (f"{report.questions} questions", "bold"),
        f" ({report.split or 'all'}), {report.off_topic} off-topic, to {report.source}, release "
        f"{report.fingerprint}: {report.sections} sections",
    ))
    heads = ("questions", "P@1", "R@3", "R@10", "MRR", "nDCG@10")
    table = Table("system", *heads, box=None)
    for name, groups in report.systems.items():
        table.add_row(name, *_measures(groups["all"]))
    console.print(table)
    product, plain = (report.systems[name] for name in ("rulebook", "plain convex fusion"))
    for kind in ("form", "intention"):
        table = Table(kind, *heads, "plain", box=None)
        for group, summary in product.items():
            if group.startswith(f"{kind}="):
                beside = f"{plain[group].measures.ndcg10:.3f}"
                table.add_row(group.partition("=")[2], *_measures(summary), beside)
        console.print(table)
    refused, wrongly = (
        "none asked" if part is None else f"{part:.3f}"
        for part in (report.off_topic_refused, report.on_topic_refused)
    )
    console.print(
        f"within {report.budget:,} tokens: recall {report.printed:.3f}; refused: off-topic "
        f"{refused}, on-topic {wrongly}"
    )
    console.print("of sections with a relevance of about … answer …: " + ", ".join(
        f"{band.relevance:.2f}: {band.answer:.2f} ({band.count})" for band in report.bands
    ))
    costs = report.costs
    console.print(
        f"an uncached search in encodings of its text: median {costs.median:.2f}, 95th percentile "
        f"{costs.p95:.2f} ({costs.milliseconds:.1f} ms, an encoding "
        f"{costs.encoding_milliseconds:.1f} ms)"
    )
    print_goals(report.goals)
    for one in report.worst:
        gold = ", ".join(f"{section} ({grade})" for section, grade in one.gold.items())
        console.print(plain_text(
            (f"{one.ndcg10:.3f}", "yellow"), f" {one.id}: {one.text}\n"
            f"  wanted {gold}\n  found  {', '.join(one.ranking) or 'nothing'}",
        ))


def _measures(summary: Summary) -> list[str]:
    found = summary.measures
    return [str(summary.questions), *(
        f"{value:.3f}" for value in (found.p1, found.r3, found.r10, found.mrr, found.ndcg10)
    )]


@evaluate.command()
@click.option("--llm", metavar="MODEL", default="",
              help="openai:MODEL, anthropic:MODEL, scripted:FILE or offline (MVP_SITE_LLM).")
@click.option("--turns", type=int, metavar="N", help="Take the first N turns of the set only.")
@click.option("--attempts", type=click.IntRange(1, 5), metavar="K",
              help="Ask up to K times a turn (default: MVP_SITE_MAX_ATTEMPTS).")
@click.option("--out", type=click.Path(dir_okay=False, writable=True, path_type=Path),
              help="Write the report, every turn and every answer to a file, as JSON.")
@version_option
@json_option
def contract(llm: str, turns: int | None, attempts: int | None, out: Path | None,
             version: str | None, as_json: bool) -> None:
    """How often a model breaks each rule, with the header alone and with retrieval."""
    from ..evaluation.contract import run_contract

    settings = settings_for(version)
    settings = replace(
        settings, mvp_site_llm=llm or settings.mvp_site_llm,
        mvp_site_max_attempts=attempts or settings.mvp_site_max_attempts,
    )
    if out is not None:
        _require_folder(out)  # not after an hour of answers that cost money
    with progress(as_json) as told:
        report = run_contract(settings, turns, progress=told)
    if out is not None:
        whole = json.dumps(report.as_dict(turns=True), ensure_ascii=False, indent=1)
        out.write_text(whole, encoding="utf-8", errors="replace")
    if as_json:
        print_json(report.as_dict())
    else:
        _print_contract(report)


def _require_folder(out: Path) -> None:
    if not out.parent.is_dir():
        raise SettingsError(f"--out {out} cannot be written: there is no folder {out.parent}")


def _print_contract(report: ContractReport) -> None:
    _print_ran(report.ran)
    for one in report.conditions:
        _print_condition(one)


def _print_ran(ran: Ran) -> None:
    others = [name for name in ran.answered_by if name != ran.model]
    answered = f" (answered by {', '.join(others)})" if others else ""
    console.print(plain_text(
        (ran.model, "bold"), f"{answered}: {ran.turns} turns in two conditions, "
        f"up to {ran.max_attempts} attempts, dice by {'tool calls' if ran.tools else 'the tray'}, "
        f"seed {ran.seed}",
    ))
    packages = ", ".join(f"{name} {version}" for name, version in ran.packages.items())
    console.print(
        f"{ran.prompt_version}, release {', '.join(ran.releases) or '?'}, {ran.retrieved_tokens} "
        f"tokens retrieved at most, {ran.answer_tokens} an answer; {packages}; set "
        f"{ran.turns_sha256[:12]}"
    )
    if ran.note:
        console.print(plain_text((ran.note, "yellow")))


def _print_condition(one: Condition) -> None:
    console.print(
        f"\n[bold]{one.name}[/]: turns whose first and last answers break a rule (95 % interval)"
    )
    table = Table("rule", "first", "last", *MODES, box=None)
    for name, found in one.rules.items():
        every = found["all"]
        if name == next(iter(one.rules)) or every.first.count or every.last.count:
            table.add_row(name, _share(every.first), _share(every.last), *(
                f"{found[mode].first.count}→{found[mode].last.count}/{found[mode].last.of}"
                for mode in MODES
            ))
    console.print(table)
    kept = len(one.rules) - table.row_count
    reasons = ", ".join(f"{reason} {count}" for reason, count in one.reasons.items())
    attempts = ", ".join(f"{count} turns took {number}" for number, count in one.attempts.items())
    tokens, turns = one.usage, max(one.turns, 1)
    console.print(
        f"{kept} rules never broken; fallbacks {_share(one.fallbacks['all'])}"
        f"{f', {reasons}' if reasons else ''}; attempts: {attempts or 'none'}; {one.sparse} turns "
        "without a passage"
    )
    console.print(
        f"tokens a turn: {tokens.input_tokens / turns:,.0f} in, of which "
        f"{tokens.cache_read_tokens / turns:,.0f} from a cache, "
        f"{tokens.output_tokens / turns:,.0f} out"
    )
    for turn, why in list(one.failed.items())[:_FAILURES_SHOWN]:
        console.print(plain_text(("failed", "red"), f" {turn}: {why}"))
    if len(one.failed) > _FAILURES_SHOWN:
        console.print(f"[red]failed[/] {len(one.failed) - _FAILURES_SHOWN} more")


def _share(share: Share) -> str:
    """A count of turns with the 95 % interval of its share, in per cent."""
    if not share.of:
        return "-"
    return f"{share.count}/{share.of} ({100 * share.low:.0f}–{100 * share.high:.0f} %)"
