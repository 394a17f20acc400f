"""``mvp-site init``: a project of one's own, in a folder that need not be a checkout."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from ..archive import project
from ..archive.importing import Proposal, propose, read_source
from ..archive.lint import language_note
from ..formats.lore import FieldUse
from ..operations.importing import ImportRequest
from ..settings import FILE as SETTINGS
from ..settings import Settings
from ..text.tokens import count_tokens
from .commands import field_option
from .output import json_option, print_json, say, use_rows

MOST_NOTES: Final = 16
"""Notes that are printed; with the rest of the report they fit a screen."""
SMALL: Final = 5_000
"""Tokens of prompts below which there is little to choose from."""
_KINDS: Final = ("header", "not in the header", "note")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("--example", is_flag=False, flag_value=project.DND, metavar="[NAME]",
              help=f"Begin with an example: {', '.join(project.examples())}.")
@click.option("--empty", is_flag=True, help="Begin with a header and nothing else.")
@click.option("--from", "source", type=click.Path(exists=True, path_type=Path), metavar="PATH",
              help="Begin with your prompts: a text, a lorebook, a card, a folder of them.")
@field_option(ImportRequest, "header_tokens",
              help="With --from: the most tokens that are proposed for the header.")
@field_option(ImportRequest, "pin", metavar="HEADING",
              help="With --from: have this section in the header; again for several.")
@field_option(ImportRequest, "unpin", metavar="HEADING",
              help="With --from: have it in no case there; again for several.")
@json_option
def init(folder: Path, example: str | None, empty: bool,
         source: Path | None, header_tokens: int, pin: tuple[str, ...], unpin: tuple[str, ...],
         as_json: bool) -> None:
    """Make a project of an example or of your own prompts.

    In FOLDER (default: here): prompts, settings, a README. Overwrites nothing.
    """
    if not (example or empty or source) and not as_json and sys.stdin.isatty():
        example, empty, source = _asked()
    if (example is not None) + empty + (source is not None) != 1:
        raise click.UsageError("say what to begin with: --example (for D&D), --empty, or --from "
                               "PATH with your prompts")
    if (pin or unpin) and not source:
        raise click.UsageError("--pin and --unpin go with --from PATH")
    fill = project.empty if example is None else project.example(example)
    header, report, uses = list[str](), list[tuple[str, str]](), tuple[FieldUse, ...]()
    if source:
        fill, header, report, uses = _proposed(source, header_tokens, pin, unpin)
    version = project.make_project(folder, fill)
    after = [
        *([f"cd {shlex.quote(str(folder))}"] if folder.resolve() != Path.cwd() else []),
        *([f"write {project.ARCHIVE}/{version}/rules.md, in Markdown"] if empty else []),
        *(["mvp-site archive lint"] if source else []),
        "mvp-site index build", 'mvp-site turn "I look around"', "mvp-site serve",
    ]
    if as_json:
        print_json({"folder": str(folder), "version": version, "made": project.CONTENT,
                    "header": header, "notes": [f"{kind}: {text}" for kind, text in report],
                    "fields": [asdict(use) for use in uses],
                    "next": after})
        return
    say(("made", "green"), f" in {folder.absolute()}: {', '.join(project.CONTENT)}")
    if header:
        say("The header is sent with each turn; lines with - are left to retrieval. --pin and "
            "--unpin HEADING change that:")
    for line in header:
        say((line, "red" if line.startswith("-") else ""))
    for kind, text in report[:MOST_NOTES]:
        say((f"{kind}: ", "yellow"), text)
    if len(report) > MOST_NOTES:
        say(f"and {len(report) - MOST_NOTES} notes more: init --json prints all")
    for row in use_rows(uses):
        say(*row)
    say(f"The prompts are version {version}; {SETTINGS} has a line for each setting. Next:")
    for line in after:
        say((f"  {line}", "bold"))


def _asked() -> tuple[str | None, bool, Path | None]:
    """What a person wants to begin with: an example, nothing, or prompts."""
    kind = click.prompt("Begin with an example, with nothing (empty), or from your prompts",
                        type=click.Choice([*project.examples(), "empty", "from"]),
                        default=project.DND)
    if kind == "from":
        return None, False, click.prompt(
            "Your prompts", type=click.Path(exists=True, path_type=Path))
    return (None, True, None) if kind == "empty" else (kind, False, None)


def _proposed(source: Path, tokens: int, pin: Sequence[str], unpin: Sequence[str],
              ) -> tuple[project.Fill, list[str], list[tuple[str, str]], tuple[FieldUse, ...]]:
    """What writes the prompts, the header as a diff, the notes by kind, the use of fields."""
    prompts = read_source(source)
    proposal = propose(prompts, header_tokens=tokens, pin=pin, unpin=unpin)
    report = [*_report(proposal.notes), ("answers", project.form_note(proposal)),
              *_language(proposal), *_sizes(proposal)]
    return (project.accepted(proposal), [*proposal.header_diff(prompts)], report, prompts.uses)


def _report(notes: Iterable[str]) -> list[tuple[str, str]]:
    """The notes of a proposal by what they are about: the header first, then what is hidden."""
    rows = []
    for note in notes:
        kind, colon, text = note.partition(": ")
        rows.append((kind, text) if colon and kind in _KINDS else ("note", note))
    return sorted(rows, key=lambda row: _KINDS.index(row[0]))


def _language(proposal: Proposal) -> list[tuple[str, str]]:
    """What is weaker as the encoder does not know the prompts' language."""
    weaker = language_note(proposal.texts.values(), Settings().prompt_embed_model)
    return [("language", weaker)] if weaker else []


def _sizes(proposal: Proposal) -> list[tuple[str, str]]:
    """What the prompts come to, where that is so little that nothing need be chosen."""
    tokens = sum(map(count_tokens, proposal.texts.values()))
    if tokens >= SMALL:
        return [("size", f"{tokens:,} tokens in {len(proposal.texts)} files")]
    return [("size", f"{tokens:,} tokens, under {SMALL:,}: they may as well be sent whole")]
