"""``mvp-site init``: a project of one's own, in a folder that need not be a checkout."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from ..archive import project
from ..archive.importing import propose, read_source
from ..retrieval.encoder import INSTALL
from ..settings import FILE as SETTINGS
from .output import json_option, print_json, say


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("--example", is_flag=True, help="Begin with the example, which is for D&D.")
@click.option("--empty", is_flag=True, help="Begin with a header and nothing else.")
@click.option("--from", "source", type=click.Path(exists=True, path_type=Path), metavar="PATH",
              help="Begin with your prompts: a text, a lorebook, a folder of them or of skills.")
@json_option
def init(folder: Path, example: bool, empty: bool, source: Path | None, as_json: bool) -> None:
    """Make a project in FOLDER (default: here): prompts, settings, a README. Overwrites nothing."""
    if not (example or empty or source) and not as_json and sys.stdin.isatty():
        kind = click.prompt("Begin with an example for D&D, with nothing, or from your prompts",
                            type=click.Choice(["example", "empty", "from"]), default="example")
        example, empty = kind == "example", kind == "empty"
        if kind == "from":
            source = click.prompt("Your prompts", type=click.Path(exists=True, path_type=Path))
    if example + empty + (source is not None) != 1:
        raise click.UsageError("say what to begin with: --example (for D&D), --empty, or --from "
                               "PATH with your prompts")
    notes: tuple[str, ...] = ()
    fill: project.Fill = project.example if example else project.empty
    if source:
        proposal = propose(read_source(source))
        fill = project.accepted(proposal)
        notes = (*proposal.notes, *project.form_notes(proposal))
    version = project.make_project(folder, fill)
    after = [
        *([f"cd {shlex.quote(str(folder))}"] if folder.resolve() != Path.cwd() else []),
        *([f"write {project.ARCHIVE}/{version}/rules.md, in Markdown"] if empty else []),
        *([] if find_spec("sentence_transformers") else [INSTALL]),
        *(["mvp-site archive lint"] if source else []),
        "mvp-site index build", 'mvp-site turn "I look around"', "mvp-site serve",
    ]
    if as_json:
        print_json({"folder": str(folder), "version": version, "made": project.CONTENT,
                    "notes": notes, "next": after})
        return
    say(("made", "green"), f" in {folder.absolute()}: {', '.join(project.CONTENT)}")
    for note in notes:
        say(("note", "yellow"), f" {note}")
    say(f"The prompts are version {version}; {SETTINGS} has a line for each setting. Next:")
    for line in after:
        say((f"  {line}", "bold"))
