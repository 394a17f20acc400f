"""``mvp-site archive``: lint a version, compare two, draft `when:` lines, import prompts."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import click

from ..archive.chunks import Chunk
from ..archive.diff import diff
from ..archive.lint import lint, mended
from ..archive.suggest import SuggestedLines, SuggestionPlan, changed, draft, plan
from ..archive.versions import PromptFile, read_version, resolve_version
from ..archive.when_lines import unified
from ..errors import InvalidTurnError, ModelError
from ..llm.models import open_model
from ..llm.protocol import Model, Usage
from ..operations.all import operation
from ..operations.archive_usage import UsageRequest
from ..operations.importing import ImportReport, ImportRequest
from ..operations.services import Services
from ..releases.durable_write import replace_file
from ..settings import Settings
from ..turns.archive_usage import ArchiveUsage
from ..turns.prompting import room as room_of
from .commands import Values, add
from .output import (
    complete_version,
    end_with,
    json_option,
    print_json,
    print_table,
    printable,
    progress,
    say,
    say_wrapped,
    settings_for,
    tell,
    use_rows,
    version_option,
)

_COLOURS: Final = {"+": "green", "-": "red", "@": "cyan"}
_LISTED: Final = (
    "id", "section", "lines", "tokens", "audience", "domain", "domain_confidence", "mode",
    "mode_confidence", "inferred",
)


@click.group()
def archive() -> None:
    """Import prompts, check them, compare versions."""


@archive.command("lint")
@version_option
@click.option("--chunks", "show_chunks", is_flag=True, help="List every chunk with its tags.")
@click.option("--fix", is_flag=True, help="Write titles in place of the names of files.")
@json_option
def lint_command(version: str | None, show_chunks: bool, fix: bool, as_json: bool) -> None:
    """Show what was inferred of a version, how surely, and what stands out; exits 1 on errors."""
    settings = settings_for(version, authored=True)
    room = 0
    with suppress(InvalidTurnError):
        room = room_of(settings, "", "", {}, settings.prompt_max_tokens_retrieved)
    authored = read_version(settings, resolve_version(settings))
    folder = settings.prompt_archive_dir / authored.name
    if fix and not lint(authored, room).errors:
        written, problem = _write(folder, [
            change for change in mended(authored) if (folder / change[0].file).is_file()])
        for file in written:
            tell(("written", "green"), f" {file}")
        if problem:
            tell(("error:", "bold red"), f" {problem}")
        authored = read_version(settings, authored.name)
    report = lint(authored, room, settings.prompt_embed_model)
    if as_json:
        print_json({
            "findings": report.findings,
            "chunks": [{name: getattr(c, name) for name in _LISTED} for c in report.chunks],
        })
    else:
        if show_chunks:
            print_table(
                ("chunk", "section", "lines", "tokens", "domain", "mode", "audience"),
                ((c.id, " > ".join(c.section), f"{c.lines[0]}-{c.lines[1]}", c.tokens,
                  _tag(c, "domain"), _tag(c, "mode"), c.audience) for c in report.chunks),
            )
        for finding in report.findings:
            colour = {"error": "red", "warning": "yellow"}.get(finding.severity, "dim")
            place = f"{finding.file}:{finding.line}" if finding.line else finding.file
            message = f" {place} {finding.rule}: {finding.message}"
            say((finding.severity, colour), message)
        counts = Counter(finding.severity for finding in report.findings)
        inferred = sum(bool(chunk.inferred) for chunk in report.chunks)
        say(
            f"{len(report.chunks)} chunks, {inferred} with inferred tags; "
            + ", ".join(f"{counts[s]} {s}s" for s in ("error", "warning", "note"))
        )
    if report.errors:
        raise click.exceptions.Exit(1)


def _tag(chunk: Chunk, name: str) -> str:
    """A tag of a chunk; one that was inferred says how surely."""
    if name in chunk.inferred:
        return f"{getattr(chunk, name)} ({getattr(chunk, f'{name}_confidence'):.2f})"
    return getattr(chunk, name) or "-"


@archive.command("diff")
@click.argument("before", shell_complete=complete_version)
@click.argument("after", shell_complete=complete_version)
@json_option
def diff_command(before: str, after: str, as_json: bool) -> None:
    """Compare two versions section by section."""
    settings = Settings()
    changes = diff(*(read_version(settings, resolve_version(settings, v)) for v in (before, after)))
    if as_json:
        print_json({**asdict(changes), "changed_share": round(changes.changed_share, 4)})
        return
    colours = {"added": "green", "removed": "red", "changed": "yellow"}
    for section in changes.sections:
        if section.change != "same":
            note = f" ({section.similarity:.0%} alike)" if section.change == "changed" else ""
            place = f" {section.file}: {' > '.join(section.section)}{note}"
            say((section.change, colours[section.change]), place)
    if changes.header_changed:
        say(("changed", "yellow"), " core_header.txt")
    say(
        f"{changes.count('same')} sections the same, {changes.count('changed')} changed "
        f"({changes.changed_share:.0%} of the shared), {changes.count('added')} added, "
        f"{changes.count('removed')} removed"
    )


@archive.command()
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
    answers: list[SuggestedLines] = []
    model_name = problem = ""
    if planned.batches:
        with closing(open_model(settings)) as model:
            model_name = model.name
            tell(f"sections without lines: {planned.sections}; requests to {model_name}: "
                 f"{len(planned.batches)}, of {planned.sent_tokens:,} tokens in all, with answers "
                 f"of at most {planned.answer_tokens:,} (o200k)")
            problem = "" if yes else _consent()
            problem = problem or _drafted(planned, model, answers, as_json)
    _finish(settings, planned, model_name, answers, write, as_json, problem)


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


def _consent() -> str:
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
        for row in left_out:
            tell(("left out", "yellow"), f" {row.file}: {row.heading or '(no heading)'}: {row.why}")
        if not planned.sections:
            tell("every section that can have lines has some")
        elif answers:
            tell(f"{sum(len(entry.lines) for entry in drafted)} lines for {len(drafted)} of "
                 f"{planned.sections} sections; the model counts {usage.account}")
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


def _show_import(done: ImportReport, request: ImportRequest, _: Values) -> None:
    if not done.written:
        for line in done.diff.split("\n")[:-1]:
            say((line, "bold" if line.startswith(("+++", "---")) else _COLOURS.get(line[:1], "")))
    for note in done.notes:
        tell(("note: ", "yellow"), note)
    for row in use_rows(done.fields):
        tell(*row)
    own = done.tokens["core_header.txt"]
    tell(f"{done.kind}: {len(done.lines):,} lines and values, each in one place; header {own:,} "
         f"tokens, {len(done.tokens) - 1} files, {sum(done.tokens.values()):,} tokens in all")
    if not done.written and sys.stdin.isatty() and click.confirm(
            f"write this to {done.folder}?", err=True):
        with closing(Services(Settings())) as services:
            done = operation("archive.import").run(services, replace(request, write=True), True)
    if done.written:
        place = f"PROMPT_ARCHIVE_DIR={shlex.quote(request.into)} " if request.into else ""
        tell(("written", "green"), f" {done.folder}; next: {place}mvp-site archive lint --version "
             f"{done.version}, {place}mvp-site index build --version {done.version}")
    elif sys.stdin.isatty():
        tell("nothing was written")
    else:
        tell("nothing was written: there is no terminal to ask in; give --yes to write it")


def _show_usage(usage: ArchiveUsage, _: UsageRequest, __: Values) -> None:
    rows = [row for row in usage.sections if row.candidate or row.looked_up]
    print_table(("section", "candidate", "printed", "looked up", "dropped"), (
        (f"{row.id}\n  {'; '.join(row.titles)}", row.candidate, row.printed, row.looked_up,
         ", ".join(f"{reason.replace('_', ' ')} {count}" for reason, count in row.dropped.items()))
        for row in sorted(rows, key=lambda row: (-row.printed, -row.candidate))
    ), order="Printed most first")
    for group in usage.sparse_turns:
        why = ", ".join(f"{reason.replace('_', ' ')} {n}" for reason, n in group.reasons.items())
        say_wrapped((f"{group.turns} sparse", "yellow"), f" ({why}): {' | '.join(group.texts)}")
    files = Counter(row.file for row in usage.sections)
    unused = Counter(row.file for row in usage.sections if row.id in {*usage.unused})
    if unused:
        say_wrapped(("never used: ", "yellow"), ", ".join(
            f"{file} ({count} of {files[file]})" for file, count in unused.items()))
    gone = f"; {usage.gone} times a section that is gone" if usage.gone else ""
    say(f"version {usage.version}: {usage.turns} turns, {usage.sparse} of them sparse; "
        f"{usage.skipped} skipped; {len(usage.unused)} of {len(usage.sections)} sections never "
        f"used{gone}")


add(archive, "archive.usage", options={"campaign_id": {"name": "--campaign"}}, shown=_show_usage)
add(archive, "archive.import", arguments={"path": "FILE|FOLDER"}, shown=_show_import, options={
    "version": {"metavar": "NAME"}, "into": {"metavar": "DIR"},
    "write": {"name": "--yes", "help": "Write it without asking."},
}, ended=lambda report: end_with(file.reason for file in report.refused))
