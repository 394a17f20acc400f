"""Turns as they are played: short ones that lean on what was said, and what a turn sent.

``short_turns`` has 150 turns with history over five archives, by authors who had not seen the code:
what is found where the history names it, and what is sparse where nothing calls for a rule.
``judged_turns`` has 25 turns that a model played, and for each the passages that a second reader
judged: needed (2), harmless (1) or noise (0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from mvp_site.archive.build import build_prompt_index
from mvp_site.archive.importing import accept, propose, read_source
from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.retrieval.building import open_encoder
from mvp_site.settings import Settings
from mvp_site.types import Audience, Message, Mode

from .report import Report, Table
from .sets import Name, Split, read_set

_ROOT: Final = Path(__file__).resolve().parents[2]
_PROMPTS: Final = {"dustline": "tests/cases/runners/dustline/prompts/system.md",
                   "maple_hollow": "tests/cases/runner_prompts/maple_hollow/prompt.md"}
"""Prompts by others, which are imported first; other archives are the examples, or our own."""
GRADES: Final = ("noise", "harmless", "needed")


@dataclass(frozen=True, slots=True)
class ShortTurn:
    """A turn whose ``needs`` are texts that must be in its prompt; without, it must be sparse."""

    id: Name
    archive: Name
    kind: Name
    text: str
    history: tuple[Message, ...]
    needs: tuple[str, ...]
    split: Split


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn with its state, and passages with heading, beginning and grade."""

    id: Name
    mode: Mode
    audience: Audience
    text: str
    history: tuple[Message, ...]
    state: Mapping[str, Any]
    passages: tuple[tuple[str, str, int], ...]


def run_short(settings: Settings, split: Split | None, **_: Any) -> Report:
    """A row an archive and a kind: the share that is found, and the share that is sparse."""
    turns = read_set(ShortTurn, "sets/short_turns.jsonl", what="turn")
    right: dict[tuple[str, str], list[bool]] = {}
    for archive in dict.fromkeys(turn.archive for turn in turns):
        with _opened(settings, archive) as assembler:
            for turn in turns:
                if turn.archive == archive and split in (None, turn.split):
                    wanted = "found" if turn.needs else "sparse"
                    for group in ("all", archive, turn.kind):
                        right.setdefault((wanted, group), []).append(_right(assembler, turn))
    shares = {f"{wanted} {group}": round(float(np.mean(values)), 3)
              for (wanted, group), values in right.items()}
    rows = tuple((wanted, group, f"{np.mean(values):.2f}", str(len(values)))
                 for (wanted, group), values in sorted(right.items()))
    return Report({"split": split, **shares}, (Table(("wanted", "of", "share", "turns"), rows),))


def _right(assembler: PromptAssembler, turn: ShortTurn) -> bool:
    assembled = assembler.assemble(turn.text, history=turn.history)
    if not turn.needs:
        return assembled.retrieval_sparse
    sent = _plain("\n".join([assembler.header, *(chunk.text for chunk in assembled.chunks)]))
    return all(_plain(need) in sent for need in turn.needs)


def run_passages(settings: Settings, **_: Any) -> Report:
    """A row a turn: how many printed passages are needed, harmless or noise; what is missing."""
    assembler = PromptAssembler.open(replace(settings, prompt_version="mar_2026"))
    rows, sums, missing = [], np.zeros(3, int), 0
    for turn in read_set(JudgedTurn, "sets/judged_turns.jsonl", what="turn"):
        chunks = assembler.assemble(turn.text, turn.mode, turn.audience, turn.history,
                                    turn.state).chunks
        graded = [(beginning, grade) for _, beginning, grade in turn.passages]
        counts = np.zeros(3, int)
        for chunk in chunks:
            text = _plain(chunk.text)
            counts[max((grade for start, grade in graded if start in text), default=0)] += 1
        sent = _plain("\n".join(chunk.text for chunk in chunks))
        needed = [start for start, grade in graded if grade == len(GRADES) - 1]
        lacks = bool(needed) and not any(start in sent for start in needed)
        sums, missing = sums + counts, missing + lacks
        rows.append((turn.id, turn.text[:48], *map(str, reversed(counts)), "lacks" * lacks))
    share = float(sums[1:].sum() / max(sums.sum(), 1))
    values = {**dict(zip(GRADES, sums.tolist(), strict=True)), "good": share, "lacking": missing}
    summary = (f"{share:.2f} of {sums.sum()} passages needed or harmless; {missing} of {len(rows)} "
               "turns have none of what they need")
    heads = ("turn", "typed", "needed", "harmless", "noise", "")
    return Report(values, (Table(heads, tuple(rows)), summary))


@contextmanager
def _opened(settings: Settings, archive: str) -> Iterator[PromptAssembler]:
    with TemporaryDirectory() as folder:
        place = Path(folder)
        served = replace(settings, prompt_version=None)
        if archive in _PROMPTS:
            served = replace(served, prompt_archive_dir=place / "archive")
            accept(propose(read_source(_ROOT / _PROMPTS[archive])), place / "archive", archive)
        elif (example := _ROOT / "mvp_site/examples" / archive).is_dir():
            served = replace(served, prompt_archive_dir=example)
        else:
            yield PromptAssembler.open(replace(settings, prompt_version=archive))
            return
        served = replace(served, prompt_index_dir=place / "index")
        encoder = open_encoder(settings)
        build_prompt_index(served, encoder=encoder)
        yield PromptAssembler.open(served, encoder=encoder)


def _plain(text: str) -> str:
    return " ".join(text.split())
