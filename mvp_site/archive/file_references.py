"""Names of files in a text ("see combat.md"). No prompt has files: a section's title says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from ..content.slugs import slug_of
from ..text.markdown import blocks, split_lines
from .front_matter import read_front_matter
from .versions import Version

_REFERENCE: Final = re.compile(
    r"\[(?P<label>[^\[\]\n]+)\]\((?P<linked>[\w./-]*\w\.(?:md|markdown|txt))(?:#[\w-]*)?\)|"
    r"(?P<quote>[`\"']?)(?P<path>[\w./-]*\w\.(?:md|markdown|txt)\b)(?:#[\w-]+)?(?P=quote)")


def titles(version: Version) -> dict[str, str]:
    """What each file of a version is about, by the slug of its name: its first heading, else that.

    Its front matter can be read.
    """
    by_slug = {}
    for source in version.sources:
        lines = split_lines(source.text)
        stem = PurePosixPath(source.file).stem
        body = read_front_matter(lines, source.file).body
        heading = next((block.title for block in blocks(lines, body) if block.level), "")
        by_slug[slug_of(stem)] = heading or re.sub(r"[_-]+", " ", stem).capitalize()
    return by_slug


def references(text: str) -> Iterator[tuple[int, str]]:
    """The files that a text names, each with its 1-based line."""
    for number, line in enumerate(text.split("\n"), 1):
        for match in _REFERENCE.finditer(line):
            yield number, match["linked"] or match["path"]


def title_of(file: str, by_slug: Mapping[str, str]) -> str:
    """The title that stands for a file; '' where the version has no such file."""
    return by_slug.get(slug_of(PurePosixPath(file).stem), "")


def with_titles(text: str, by_slug: Mapping[str, str], first: int = 0) -> str:
    """A text whose lines from ``first`` on name titles in place of files; links become their text.

    Files that the version does not have stay as they are.
    """
    def title_for(match: re.Match[str]) -> str:
        title = title_of(match["linked"] or match["path"], by_slug)
        return (match["label"] or f'"{title}"') if title else match[0]

    lines = text.split("\n")
    return "\n".join([*lines[:first], *(_REFERENCE.sub(title_for, line) for line in lines[first:])])
