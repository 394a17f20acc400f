"""Nothing is lost: each line of a source is in exactly one place of a proposal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from mvp_site.archive.front_matter import read_front_matter
from mvp_site.archive.importing import Proposal, Source, propose, read_source
from mvp_site.archive.importing.types import ASIDE
from mvp_site.errors import FrontMatterError
from mvp_site.retrieval.markdown import split_lines


def proposed(path: Path, **options: Any) -> Proposal:
    """What is proposed for a path, every line of it accounted for."""
    source = read_source(path)
    proposal = propose(source, **options)
    check(source, proposal)
    return proposal


def check(source: Source, proposal: Proposal) -> None:
    """Each line has one place, where it stands as it was; what is left over was added by the reader."""
    assert sorted(map(repr, source.lines)) == sorted(repr(one.line) for one in proposal.placed)
    lines = {name: split_lines(text) for name, text in proposal.texts.items()}
    values = {name: list(map(plain, strings(matter(name, text)))) for name, text in proposal.texts.items()}
    held = set()
    for one in proposal.placed:
        text = one.line.text
        if one.how == "value":
            values[one.file].remove(plain(text))
            continue
        at = lines[one.file][one.number - 1]
        if one.how == "mark":
            assert not any(map(str.isalnum, text))
            continue
        assert at == text if one.how == "text" else at.startswith("#") and at.lstrip("#").strip() == text.strip()
        assert (one.file, one.number) not in held
        held.add((one.file, one.number))
    for name, found in lines.items():  # what was not in the source is a heading, front matter, or the starter
        body = matter_end(name, proposal.texts[name])
        added = [text for number, text in enumerate(found, 1) if number > body and text.strip() and (name, number) not in held]
        assert all(text.startswith("#") for text in added) or name in {ASIDE, "core_header.txt"}, added


def plain(text: str) -> str:
    return " ".join(text.split())


def matter(name: str, text: str) -> Any:
    if name == ASIDE:
        return yaml.safe_load(text)
    end = matter_end(name, text)
    return yaml.safe_load("\n".join(split_lines(text)[1 : end - 1])) if end else None


def matter_end(name: str, text: str) -> int:
    try:
        return 0 if name in {ASIDE, "core_header.txt"} else read_front_matter(split_lines(text), name).body
    except FrontMatterError:  # of a file that is imported as it is
        return 0


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]
