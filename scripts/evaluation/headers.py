"""Headers that an import proposes: how much of what a runner's parser needs they hold.

A folder has one prompt each (``prompts/``, ``prompt.md``, ``prompt.txt`` or ``rules.md``) with a
``needs.json``: lines that must always be there, and lines of one mode that never may. The
discriminants that judge sections are fitted on them and on lines of ours (``sets/header``); held
out, each prompt is judged by what was fitted without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from mvp_site.archive.importing import ImportSource, propose, proposing, read_source
from mvp_site.archive.importing.meaning import (
    WEIGHTS,
    SectionReader,
    section_reader,
    vectors_of,
)
from mvp_site.archive.importing.prohibitions import sentences
from mvp_site.archive.importing.structure import sections
from mvp_site.retrieval import arrays
from mvp_site.retrieval.domain_classifier import DomainClassifier, OnTopic, fit
from mvp_site.retrieval.encoder import SHIPPED, Encoder, Vectors, find_bundle, open_by_fingerprint
from mvp_site.settings import DEFAULT_MODEL
from mvp_site.text.tokens import count_tokens
from mvp_site.utterances import FOLDER

from .report import Report, Table

SOURCES: Final = ("prompts", "prompt.md", "prompt.txt", "rules.md")
_LINES: Final = Path(__file__).with_name("sets") / "header"
_WEIGHT: Final = 3
"""How often a line of ours counts."""


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt with what it needs; ``binding`` and ``situated`` are examples of it, by label."""

    name: str
    source: ImportSource
    always: Sequence[str]
    never: Sequence[str]

    def missing(self, header: str) -> list[str]:
        """What of the needed is not in a header."""
        return [line for line in self.always if line not in _plain(header)]


@dataclass(frozen=True, slots=True, eq=False)
class _Examples:
    """Vectors of sentences that bind every answer and of others; of beginnings likewise."""

    binding: Vectors
    free: Vectors
    situated: Vectors
    always: Vectors


def run_headers(folder: Path, *, held_out: bool = False, write: bool = False) -> Report:
    """A row a prompt: the share of what is needed, tokens, and lines of one mode.

    ``held_out`` judges each by discriminants that were fitted without it; ``write`` fits them on
    all and puts them into the package first.
    """
    prompts = [_read(path) for path in sorted(folder.iterdir()) if path.is_dir()]
    if held_out or write:
        encoder = _encoder()
        ours = _ours(encoder)
        examples = [_examples(prompt, encoder) for prompt in prompts]
    if write:
        reader = _fitted(encoder, [ours, *examples])
        weights = np.array([reader.binds.weights, reader.situated.weights])
        (Path(str(FOLDER)) / WEIGHTS).write_bytes(arrays.to_bytes(weights))
        section_reader.cache_clear()
    rows, shares, wrongs = [], [], 0
    for at, prompt in enumerate(prompts):
        if held_out:
            reader = _fitted(encoder, [ours, *examples[:at], *examples[at + 1 :]])
            with patch.object(proposing, "section_reader", lambda reader=reader: reader):
                header = propose(prompt.source).header
        else:
            header = propose(prompt.source).header
        wrong = sum(line in _plain(header) for line in prompt.never)
        shares.append(1 - len(prompt.missing(header)) / len(prompt.always))
        wrongs += wrong
        rows.append((prompt.name, f"{shares[-1]:.2f}", f"{count_tokens(header):,}", str(wrong)))
    mean = float(np.mean(shares))
    below = sum(share < 0.9 for share in shares)
    values = {"mean": mean, "below .9": below, "of one mode": wrongs,
              "shares": dict(zip([row[0] for row in rows], shares, strict=True))}
    told = (f"{'held out: ' * held_out}mean {mean:.3f} of {len(rows)} prompts, "
            f"{below} below .9; {wrongs} lines of one mode")
    return Report(values, (Table(("prompt", "needed", "tokens", "of one mode"), tuple(rows)), told))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _read(folder: Path) -> _Prompt:
    needs: dict[str, Any] = json.loads((folder / "needs.json").read_text("utf-8"))
    source = next(path for name in SOURCES if (path := folder / name).exists())
    return _Prompt(folder.name, read_source(source), [*map(_plain, needs["always"])],
                   [*map(_plain, needs["never"])])


def _encoder() -> Encoder:
    return open_by_fingerprint(SHIPPED, find_bundle(SHIPPED, DEFAULT_MODEL) or "", 2)


def _ours(encoder: Encoder) -> _Examples:
    """The examples of our own lines."""
    form, safety, situated, neither = (
        np.repeat(encoder.encode((_LINES / f"{name}.txt").read_text("utf-8").splitlines()),
                  _WEIGHT, axis=0) for name in ("form", "safety", "situated", "neither"))
    binding = np.concatenate([form, safety])
    return _Examples(binding, np.concatenate([situated, neither]), situated,
                     np.concatenate([neither, binding]))


def _examples(prompt: _Prompt, encoder: Encoder) -> _Examples:
    """The examples that a prompt gives."""
    whole = [part for document in prompt.source.documents for part in sections(document.lines)]
    binding: list[npt.NDArray[np.float32]] = []
    free: list[npt.NDArray[np.float32]] = []
    situated: list[npt.NDArray[np.float32]] = []
    always: list[npt.NDArray[np.float32]] = []
    for part, vectors in zip(whole, vectors_of(encoder, whole), strict=True):
        for text, row in zip(sentences(part), vectors.sentences, strict=True):
            (binding if _among(_plain(text), prompt.always) else free).append(row)
        if vectors.beginning is not None:
            text = _plain(part.text)
            one_mode = any(line in text for line in prompt.never)
            (situated if one_mode and not any(line in text for line in prompt.always)
             else always).append(vectors.beginning)
    return _Examples(*(np.array(rows, np.float32).reshape(-1, encoder.dimension)
                       for rows in (binding, free, situated, always)))


def _among(text: str, lines: Iterable[str]) -> bool:
    """Whether a sentence has one of these lines, or is a part of one."""
    return any(line in text or (len(text) > 8 and text in line) for line in lines)


def _fitted(encoder: Encoder, examples: Sequence[_Examples]) -> SectionReader:
    """The discriminants of these examples."""
    def discriminant(on: str, off: str) -> DomainClassifier:
        positive, negative = (np.concatenate([getattr(part, name) for part in examples])
                              for name in (on, off))
        return fit(OnTopic(positive, np.ones(len(positive))), negative)

    return SectionReader(encoder, discriminant("binding", "free"),
                         discriminant("situated", "always"))
