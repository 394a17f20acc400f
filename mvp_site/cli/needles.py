"""``mvp-site eval FILE``: somebody's own needles over their own archive."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from ..errors import InvalidRequestError
from ..operations.all import operation
from ..operations.needles import EvaluateNeedles, NeedleReport
from ..operations.requests import read
from ..operations.services import Services, telling
from ..text.strict_json import JsonError, parse
from .output import (
    json_option,
    print_json,
    print_table,
    progress,
    say,
    settings_for,
    version_option,
)


@click.command("eval")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@version_option
@json_option
def evaluate(file: Path, version: str | None, as_json: bool) -> None:
    """Check turns of your own: what must be printed for each, and which are off topic.

    FILE has a JSON object a line: {"text": "I climb the wall", "expects": ["DC 15"]}. The passages
    printed for `text` must contain all of `expects`; where it is [], nothing may be printed.
    `mode`, `history` and `state` are as in a turn. Exits 1 if a turn fails.
    """
    lines = enumerate(file.read_bytes().split(b"\n"), 1)
    try:
        needles = [parse(line, f"{file}, line {number}") for number, line in lines if line.strip()]
    except JsonError as error:
        raise InvalidRequestError(str(error)) from None
    request = read(EvaluateNeedles, {"needles": needles})
    with (closing(Services(settings_for(version))) as services,
          progress(as_json) as report_progress, telling(report_progress)):
        report: NeedleReport = operation("eval").run(services, request, True)
    if as_json:
        print_json(report)
    else:
        _show(report)
    if not all(outcome.passed for outcome in report.outcomes):
        raise click.exceptions.Exit(1)


def _show(report: NeedleReport) -> None:
    failed = [outcome for outcome in report.outcomes if not outcome.passed]
    if failed:
        print_table(("turn", "missing", "printed instead"), [
            (outcome.text, "\n".join(outcome.missing) or "(off topic)",
             "\n".join(outcome.printed) or f"nothing: {outcome.sparse_reason}")
            for outcome in failed
        ])
    for label, share in (("found", report.recall), ("off topic refused", report.refused)):
        if share is not None:
            say(f"{label}: {share:.3f}")
    say(f"{len(report.outcomes) - len(failed)} of {len(report.outcomes)} turns passed")
