"""What is compared on the needles: the assembler, and the plain ways of doing without it.

Every system has the same budget and is judged by the source lines it prints. The plain rankings
read the same chunks and lanes as the assembler and pack whole chunks; truncation sends the archive
from its start.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from ..archive.build import build_prompt_index
from ..archive.release import Release
from ..archive.versions import Version, list_versions
from ..assembly.assembler import PromptAssembler
from ..assembly.budget import LENGTH_PRICE
from ..retrieval.encoder import Encoder
from ..retrieval.lexical import LexicalLane
from ..retrieval.markdown import split_lines
from ..retrieval.releases.build import Progress
from ..retrieval.text import normalise, terms
from ..retrieval.tokens import count_tokens
from ..settings import Settings
from .baselines import LANES, rankings, recipe
from .metrics import Answer
from .needles import Needle, met, need_id

_FRONT_MATTER: Final = re.compile(r"---\s*\n(?:.*\n)*?(?:---|\.\.\.)\s*$", re.MULTILINE)
_WHEN: Final = re.compile(r"^when.*(?:\n(?![A-Za-z_]+\s*:|---|\.\.\.).*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Printed:
    """What a system printed: (file, line spans) a passage, in order; its o200k tokens."""

    passages: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    tokens: int
    sparse: bool = False


Printer = Callable[[Needle], Printed]
"""A way to fill the budget for a needle."""


def answer(printer: Printer, blank: Mapping[str, frozenset[int]], needle: Needle) -> Answer:
    """What is printed for a needle as a ranking: the needs that passages meet, and stand-ins."""
    printed = printer(needle)
    ranking: list[str] = []
    for number, needs in enumerate(met(needle, printed.passages, blank)):
        ranking += map(need_id, needs) if needs else (f"other-{number}",)
    return Answer(ranking, {"tokens": printed.tokens, "sparse": printed.sparse})


def blank_lines(version: Version) -> dict[str, frozenset[int]]:
    """The numbers of each file's blank lines, which nobody need print."""
    return {
        source.file: frozenset(
            number for number, line in enumerate(split_lines(source.text), 1) if not line.strip()
        )
        for source in version.sources
    }


def assembled(assembler: PromptAssembler) -> Printer:
    """The product itself: the plan for the needle's turn."""
    def printed(needle: Needle) -> Printed:
        plan = assembler.retrieve(needle.query, needle.mode, "god", needle.history, needle.state)
        passages = tuple((chunk.file, chunk.lines) for chunk in plan.chunks)
        return Printed(passages, plan.tokens, plan.sparse_reason is not None)

    return printed


def truncated(version: Version, budget: int) -> Printer:
    """The archive from its start, cut at the budget."""
    passages: list[tuple[str, tuple[tuple[int, int], ...]]] = []
    total = 0
    lines = (
        (source.file, number, count_tokens(f"{line}\n")) for source in version.sources
        for number, line in enumerate(source.text.split("\n"), 1)
    )
    for file, number, tokens in lines:
        if total + tokens > budget:
            break
        total += tokens
        passages.append((file, ((number, number),)))
    printed = Printed(tuple(passages), total)
    return lambda needle: printed  # noqa: ARG005 - the same for every needle


def plain(release: Release, encoder: Encoder, budget: int) -> dict[str, Printer]:
    """The plain rankings by name; each packs the best whole chunks that fit."""
    lane = LexicalLane.build([terms(chunk.text) for chunk in release.chunks])

    @cache
    def ranked(query: str) -> dict[str, list[int]]:
        vector = encoder.encode([normalise(query)])[0]
        windows = release.sources.index.dense.scores(vector, prefilter=False)
        dense = np.maximum.reduceat(windows, release.first_piece)
        return rankings(dense, lane.scores(terms(query))[0])

    def packed(name: str, needle: Needle) -> Printed:
        passages: list[tuple[str, tuple[tuple[int, int], ...]]] = []
        total = 0
        for number in ranked(needle.query)[name]:
            chunk = release.chunks[number]
            if total + chunk.tokens <= budget:
                passages.append((chunk.file, (chunk.lines,)))
                total += chunk.tokens
        return Printed(tuple(passages), total)

    return {name: partial(packed, name) for name in LANES}


def plain_recipe(release: Release, encoder: Encoder, budget: int) -> Printer:
    """The plain recipe: pieces in the order of their scores, less a price for length, that fit."""
    pieces = [(chunk.file, piece) for chunk in release.chunks for piece in chunk.pieces]
    around = release.manifest.delimiter_tokens
    tokens = np.array([piece.tokens + piece.opening_tokens + around[1] for _, piece in pieces])

    def printed(needle: Needle) -> Printed:
        index = release.sources.index
        vector = encoder.encode([normalise(needle.query)])[0]
        dense = index.dense.scores(vector, prefilter=False)
        scores = recipe(dense, index.lexical.scores(terms(needle.query))[0])
        total = around[0]
        passages: list[tuple[str, tuple[tuple[int, int], ...]]] = []
        for number in np.argsort(LENGTH_PRICE * tokens / 100 - scores, kind="stable"):
            if total + tokens[number] <= budget:
                total += int(tokens[number])
                file, piece = pieces[number]
                passages.append((file, piece.lines))
        return Printed(tuple(passages), total)

    return printed


@contextmanager
def archive_without_when(settings: Settings, progress: Progress | None = None,
                         ) -> Iterator[Settings]:
    """Settings of a temporary archive and index of every version, without ``when:`` lines."""
    with TemporaryDirectory() as folder:
        archive, index = Path(folder, "archive"), Path(folder, "index")
        shutil.copytree(settings.prompt_archive_dir, archive)
        for path in archive.rglob("*.md"):
            path.write_text(without_when(path.read_text(encoding="utf-8")), encoding="utf-8")
        index.mkdir()
        bare = replace(settings, prompt_archive_dir=archive, prompt_index_dir=index)
        for version in list_versions(bare):
            build_prompt_index(bare, version, progress=progress)
        yield bare


def without_when(text: str) -> str:
    """``text`` with the ``when:`` entry of its front matter blank, every other line in place."""
    matter = _FRONT_MATTER.match(text)
    if not matter:
        return text
    return _WHEN.sub(lambda found: "\n" * found[0].count("\n"), matter[0]) + text[matter.end() :]
