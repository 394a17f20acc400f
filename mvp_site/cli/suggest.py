"""``mvp-site archive suggest``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import click

from ..archive.suggest import SuggestedLines, SuggestionPlan, changed, draft, plan
from ..archive.versions import PromptFile, read_version, resolve_version
from ..archive.when_lines import unified
from ..errors import ModelError
from ..llm.models import open_model
from ..llm.protocol import Model, Usage
from ..releases.durable_write import replace_file
from ..settings import Settings
from .output import json_option, print_json, printable, progress, settings_for, tell, version_option


@click.command()
@version_option
@click.option("--file", "files", multiple=True, metavar="FILE",
              help="Only this file, as lint names it; again for several.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many sections.")
@click.option("--write", is_flag=True, help="Change the files instead of printing a diff.")
@click.option("--yes", is_flag=True, help="Do not ask before spending.")
@json_option
def suggest(version: str | None, files: tuple[str, ...], limit: int | None, write: bool, yes: bool,
            as_json: bool) -> None:
    """Draft `when:` lines with a model for the sections that have none, as a diff.

    Says what it would spend on MVP_SITE_LLM, and asks. An error or Ctrl-C loses nothing that was
    drafted before it. Exits 1 where it stopped early or could not write.
    """
    settings = settings_for(version, authored=True)
    planned = plan(read_version(settings, resolve_version(settings)), settings, files, limit)
    if not planned.batches:
        _finish(settings, planned, "", (), False, as_json, "")
        return
    with closing(open_model(settings)) as model:
        tell(f"sections without lines: {planned.sections}; requests to {model.name}: "
             f"{len(planned.batches)}, of {planned.sent_tokens:,} tokens in all, with answers of "
             f"at most {planned.answer_tokens:,} (o200k)")
        answers: list[SuggestedLines] = []
        problem = "" if yes else _asked()
        if not problem:
            problem = _drafted(planned, model, answers, as_json)
        _finish(settings, planned, model.name, answers, write, as_json, problem)


def _drafted(planned: SuggestionPlan, model: Model, answers: list[SuggestedLines],
             quiet: bool) -> str:
    """Add the answers as they come; what kept the rest away, or ''."""
    rest = "Accept what was drafted, then start again for the rest"
    try:
        with progress(quiet) as report:
            report("requests", 0, len(planned.batches))
            for answer in draft(planned, model):
                answers.append(answer)
                report("requests", len(answers), len(planned.batches))
    except KeyboardInterrupt:
        return f"interrupted. {rest}"
    except ModelError as error:
        return f"{error}. {rest}"
    return ""


def _asked() -> str:
    """'' where a person agrees to spend; else why nothing is spent."""
    if not sys.stdin.isatty():
        return "nothing was sent: there is no terminal to ask in; give --yes to go on"
    return "" if click.confirm("go on?", err=True) else "nothing was sent"


def _finish(settings: Settings, planned: SuggestionPlan, model: str,
            answers: Sequence[SuggestedLines], write: bool,
            as_json: bool, problem: str) -> None:
    """Print or write what was drafted, and say what was not; exits 1 where there is a problem."""
    drafted = [drafted for answer in answers for drafted in answer.drafted]
    left_out = [*planned.left_out, *(entry for answer in answers for entry in answer.left_out)]
    usage = sum((answer.usage for answer in answers), Usage())
    folder = (settings.prompt_archive_dir / planned.version.name).resolve()
    root = Path.cwd().resolve()
    if not folder.is_relative_to(root):
        root = folder.parent
    changes = changed(planned.version, answers)
    written, notes = _write(folder, changes) if write else ([], "")
    problem = problem or notes
    diff = "".join(
        unified((folder / before.file).relative_to(root).as_posix(), before.text, after.text)
        for before, after in changes if before.file not in written
    )
    if as_json:
        print_json({
            "version": planned.version.name, "model": model, "sections": planned.sections,
            "requests": len(planned.batches), "sent_tokens": planned.sent_tokens,
            "answer_tokens": planned.answer_tokens, "usage": usage, "drafted": drafted,
            "left_out": left_out, "written": written, "root": str(root), "diff": diff,
            "problem": problem,
        })
    else:
        click.echo(printable(diff) if sys.stdout.isatty() else diff.encode(), nl=False)
        for one in left_out:
            tell(("left out", "yellow"), f" {one.file}: {one.heading or '(no heading)'}: {one.why}")
        if not planned.sections:
            tell("every section that can have lines has some")
        elif answers:
            tell(f"{sum(len(entry.lines) for entry in drafted)} lines for {len(drafted)} of "
                 f"{planned.sections} sections; the model counts {usage.input_tokens:,} tokens "
                 f"sent and {usage.output_tokens:,} answered")
        if diff:
            tell(f"to accept it, pipe it into `git apply` or `patch -p1` in {root}")
        for file in written:
            tell(("written", "green"), f" {file}")
    if problem:
        tell(("error:", "bold red"), f" {problem}")
        raise click.exceptions.Exit(1)


def _write(folder: Path, changes: Iterable[tuple[PromptFile, PromptFile]]) -> tuple[list[str], str]:
    """The files that were changed, each at once and only as it was read; why others were not."""
    written: list[str] = []
    problem = ""
    for before, after in changes:
        path = (folder / before.file).resolve()
        try:
            if path.read_bytes() != before.text.encode():
                problem = f"{path} has changed meanwhile and was not written: see the diff"
                continue
            replace_file(path, after.text.encode(), path.stat().st_mode & 0o777)
        except OSError as error:
            problem = f"{path} cannot be written ({error.strerror}): see the diff"
            continue
        written.append(before.file)
    return written, problem
