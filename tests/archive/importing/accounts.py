"""Nothing is lost: each line of a source is in exactly one place of a proposal."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from mvp_site.archive.front_matter import read_front_matter
from mvp_site.archive.importing import ImportSource, Proposal, propose, read_source
from mvp_site.archive.importing.types import ASIDE
from mvp_site.archive.own_modes import PLACEHOLDERS
from mvp_site.archive.versions import HEADER
from mvp_site.text.markdown import split_lines


def proposed(path: Path, **options: Any) -> Proposal:
    """What is proposed for a path, every line of it accounted for."""
    source = read_source(path)
    proposal = propose(source, **options)
    check(source, proposal)
    return proposal


def check(source: ImportSource, proposal: Proposal) -> None:
    """Each line has one place, where it stands as it was; what is left over was added by the reader."""
    read = [*source.aside, *(line for one in source.documents for line in (*one.lines, *one.kept))]
    assert Counter(one.line for one in proposal.placed) == Counter(line for line in read if line.text.strip())
    texts = {name: text.split("\n") for name, text in proposal.texts.items() if name != PLACEHOLDERS}
    bodies = {name: 0 if name in {ASIDE, HEADER} else read_front_matter(lines, name).body for name, lines in texts.items()}
    held = set()
    for one in proposal.placed:
        text, at = one.line.text, texts[one.file][one.number - 1]
        if one.how == "mark":
            assert not any(map(str.isalnum, text))
            continue
        assert (one.file, one.number) not in held
        held.add((one.file, one.number))
        assert (one.how == "kept") == (one.file == ASIDE or one.number <= bodies[one.file])
        if one.how == "heading":
            assert at.startswith("#") and at.lstrip("#").strip().removesuffix(":") == text.strip().lstrip("#").strip().removesuffix(":")  # noqa: PT018
        elif one.how == "kept":
            assert at.strip() == text.strip() or yaml.safe_load(at) == [text]
        else:
            assert at == text or (one.how == "escaped" and at.replace("\\", "") == text.replace("\\", ""))
    for name, lines in texts.items():  # what was not in the source is a heading, front matter, or the starter
        added = [text for number, text in enumerate(lines, 1)
                 if number > bodies[name] and text.strip() and (name, number) not in held]
        assert all(text.startswith("#") for text in added) or name in {ASIDE, HEADER}, added


def strings(value: Any) -> list[str]:
    """Every string in a value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]


def kept(proposal: Proposal) -> list[Any]:
    """What stands in front matter and ``imported.yaml``, as YAML has it."""
    found: list[Any] = []
    for name, text in proposal.texts.items():
        lines = split_lines(text)
        if name == ASIDE:
            found += yaml.safe_load_all(text)
        elif name not in {HEADER, PLACEHOLDERS} and (body := read_front_matter(lines, name).body):
            found.append(yaml.safe_load("\n".join(lines[1 : body - 1])))
    return found
