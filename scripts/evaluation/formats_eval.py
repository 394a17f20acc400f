"""What becomes of other tools' files: for each format, three files by different hands.

Usage: python -m scripts.evaluation.formats_eval [NAME …]

Each file is imported, built with the shipped encoder and asked. A row says how many lines of the
files are kept, how many of their fields are used, approximated and not used, how many secrets no
player sees, and how many of fifteen questions (five a file) are answered by the header or what is
retrieved.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.archive.importing import accept, propose, read_source
from mvp_site.formats.cards import text_chunks
from mvp_site.formats.lore import USES
from tests.formats.files import FORMATS, WORLDS, World, write


@dataclass
class Row:
    """What was measured of a format; pairs are what was right, and of how many."""

    lines: list[int] = field(default_factory=lambda: [0, 0])
    fields: Counter[str] = field(default_factory=Counter)
    secrets: list[int] = field(default_factory=lambda: [0, 0])
    answers: list[int] = field(default_factory=lambda: [0, 0])
    missed: list[str] = field(default_factory=list)


def texts_of(content: Any) -> Iterator[str]:
    """The lines of all texts in a file, or of a folder's files."""
    if isinstance(content, str):
        yield from filter(None, map(str.strip, content.splitlines()))
    elif isinstance(content, dict | list):
        parts = content.items() if isinstance(content, dict) else enumerate(content)
        for name, part in parts:
            if not str(name).startswith("."):
                yield from texts_of(part)


def measure(row: Row, world: World, content: Any, root: Path) -> None:
    """Import, build and ask one file."""
    source = read_source(write(root, content))
    proposal = propose(source)
    accept(proposal, root / "prompt_archive", "v1")
    whole = "\n".join(proposal.texts.values())
    kept = whole + json.dumps(whole, ensure_ascii=False)
    if isinstance(content, bytes):
        chunk = text_chunks(content, frozenset({"chara"}))["chara"]
        content = json.loads(base64.b64decode(chunk))
    for line in texts_of(content):
        bare = line.lstrip("#*> -").rstrip("*").strip()
        forms = (bare, json.dumps(bare, ensure_ascii=False)[1:-1], bare.strip("%<!-> "))
        row.lines[1] += 1
        row.lines[0] += any(form in kept for form in forms)
    for use in source.uses:
        row.fields[use.use] += 1
    settings = Settings(
        prompt_archive_dir=root / "prompt_archive", prompt_index_dir=root / "index",
        mvp_site_data_dir=root / "data", prompt_version="v1")
    build_prompt_index(settings)
    assembler = PromptAssembler.open(settings)
    questions = [*(fact.question for fact in world.facts), world.secret, "Tell me the secret truth"]
    sent = [f"{assembler.header}\n{assembler.retrieve(question).block}" for question in questions]
    for fact, text in zip(world.facts, sent, strict=False):
        row.answers[1] += 1
        if fact.answer in text:
            row.answers[0] += 1
        else:
            row.missed.append(f"{world.name}: {fact.question}")
    if world.secret in whole:
        row.secrets[1] += 1
        row.secrets[0] += not any(world.secret in text for text in sent)


def main() -> None:
    """Print the table; with names, of those formats alone."""
    print("| format | lines kept | used / approximated / not used | secrets hidden | answered |")
    print("| --- | --- | --- | --- | --- |")
    for name, make in FORMATS.items():
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        row = Row()
        for hand, world in enumerate(WORLDS):
            with tempfile.TemporaryDirectory() as folder:
                measure(row, world, make(world, hand), Path(folder))
        pairs = [f"{count} of {total}" if total else "–"
                 for count, total in (row.lines, row.secrets, row.answers)]
        fields = " / ".join(str(row.fields[use]) for use in USES)
        print(f"| {name} | {pairs[0]} | {fields} | {pairs[1]} | {pairs[2]} |", flush=True)
        for missed in row.missed:
            print(f"missed: {name}: {missed}", file=sys.stderr)


if __name__ == "__main__":
    main()
