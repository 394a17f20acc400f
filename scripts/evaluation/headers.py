"""Headers that an import proposes: how much of what a runner's parser needs they hold.

A folder has one prompt each (``prompts/``, ``prompt.md``, ``prompt.txt`` or ``rules.md``) with a
``needs.json``: lines that must always be there, and lines of one mode that never may. The
discriminants that judge sections are fitted on them and on lines of ours (``sets/header``); held
out, each prompt is judged by what was fitted without it and every tenth from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from mvp_site.archive.importing import ImportSource, propose, proposing, read_source
from mvp_site.archive.importing.answer_fields import answer_fields
from mvp_site.archive.importing.meaning import (
    WEIGHTS,
    WIDTH,
    SectionPlace,
    SectionReader,
    features,
    features_of,
    section_reader,
)
from mvp_site.archive.importing.prohibitions import sentences, statements
from mvp_site.archive.importing.structure import paths, sections
from mvp_site.retrieval import arrays
from mvp_site.retrieval.encoder import SHIPPED, Encoder, find_bundle, open_by_fingerprint
from mvp_site.settings import DEFAULT_MODEL
from mvp_site.text.tokens import count_tokens
from mvp_site.utterances import FOLDER

from .report import Report, Table

SOURCES: Final = ("prompts", "prompt.md", "prompt.txt", "rules.md")
_LINES: Final = Path(__file__).with_name("sets") / "header"
_SENTENCE: Final = 3.0
"""How much a line of ours counts as a sentence."""
_BEGINNING: Final = 0.5
"""The same as the beginning of a section."""
_PENALTY: Final = 0.3
_DECIMALS: Final = 4
_PARTS: Final = 10
"""In how many parts prompts are held out."""


@dataclass(frozen=True, slots=True, eq=False)
class _Labelled:
    """Rows of features, whether each is of the class, and how much it counts."""

    rows: sparse.csr_array
    labels: npt.NDArray[np.bool_]
    weights: npt.NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[npt.NDArray[np.float32]], labels: Sequence[bool],
           weight: float = 1) -> _Labelled:
        """Rows that all count the same."""
        return cls(sparse.csr_array(np.array(rows, np.float32)), np.array(labels, bool),
                   np.full(len(rows), weight))


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
    """Features, labels and weights of sentences, and of sentences in their sections."""

    sentences: _Labelled
    placed: _Labelled


def run_headers(folder: Path, *, held_out: bool = False, write: bool = False) -> Report:
    """A row a prompt: the share of what is needed, tokens, and lines of one mode.

    ``held_out`` judges each part of them by discriminants that were fitted without it; ``write``
    fits them on all and puts them into the package first.
    """
    prompts = [_read(path) for path in sorted(folder.iterdir()) if path.is_dir()]
    if held_out or write:
        encoder = _encoder()
        ours = _ours(encoder)
        examples = [_examples(prompt, encoder) for prompt in prompts]
    if write:
        reader = _fitted(encoder, [ours, *examples])
        (Path(str(FOLDER)) / WEIGHTS).write_bytes(
            arrays.to_bytes(reader.weights.astype(np.float32)))
        section_reader.cache_clear()
    readers = [_fitted(encoder, [ours, *(other for place, other in enumerate(examples)
                                         if place % _PARTS != part)])
               for part in range(_PARTS * held_out)]
    rows, shares, wrongs = [], [], 0
    for at, prompt in enumerate(prompts):
        if held_out:
            reader = readers[at % _PARTS]
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
    lines = {name: (_LINES / f"{name}.txt").read_text("utf-8").splitlines()
             for name in ("form", "safety", "situated", "neither")}
    rows = {name: [*map(features, encoder.encode(texts), texts)] for name, texts in lines.items()}
    nothing = np.zeros(WIDTH, np.float32)
    binding = [(row, name in {"form", "safety"}) for name, part in rows.items() for row in part]
    # What tells of a world may be of a mode, too.
    beginnings = [(np.concatenate([nothing, row, nothing]), name == "situated")
                  for name, part in rows.items() if name != "neither" for row in part]
    return _Examples(*(
        _Labelled.of([row for row, _ in pairs], [label for _, label in pairs], weight)
        for pairs, weight in ((binding, _SENTENCE), (beginnings, _BEGINNING))))


def _examples(prompt: _Prompt, encoder: Encoder) -> _Examples:
    """The examples that a prompt gives: in their sections, those needed or of one mode."""
    places = [SectionPlace(document.name, path) for document in prompt.source.documents
              for _, path in paths(sections(document.lines))]
    fields = answer_fields([place.path[-1] for place in places])
    binding: list[bool] = []
    spoken: list[npt.NDArray[np.float32]] = []
    situated: list[bool] = []
    placed: list[npt.NDArray[np.float32]] = []
    for place, row in zip(places, features_of(encoder, places, fields.names), strict=True):
        section = place.path[-1]
        spoken += [*row.sentences]
        binding += [_among(_plain(text), prompt.always) for text in sentences(section)]
        rows = iter(row.sentences)
        for _, _, texts in statements(section):
            own = [*islice(rows, len(texts))]
            text = _plain(" ".join(texts))
            always, never = (_among(text, lines) for lines in (prompt.always, prompt.never))
            if own and (always or never):
                placed.append(np.concatenate([np.mean(own, 0), row.beginning, row.whole]))
                situated.append(not always)
    return _Examples(_Labelled.of(spoken, binding), _Labelled.of(placed, situated))


def _among(text: str, lines: Iterable[str]) -> bool:
    """Whether a sentence has one of these lines, or is a part of one."""
    return any(line in text or (len(text) > 8 and text in line) for line in lines)


def _fitted(encoder: Encoder, examples: Sequence[_Examples]) -> SectionReader:
    """The discriminants of these examples."""
    placed = _discriminant([part.placed for part in examples])
    return SectionReader(encoder, np.vstack([
        _discriminant([part.sentences for part in examples]),
        np.column_stack([placed[:-1].reshape(3, WIDTH), [placed[-1], 0, 0]])]))


def _discriminant(parts: Sequence[_Labelled]) -> npt.NDArray[np.float64]:
    """A logistic discriminant, both classes weighing the same; the constant is its last number."""
    rows = sparse.vstack([part.rows for part in parts]).tocsr().astype(np.float64)
    labels = np.concatenate([part.labels for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    on, off = weights[labels].sum(), weights[~labels].sum()
    weights = weights * np.where(labels, off / on, 1.0) / 2

    def loss(direction: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        margins = rows @ direction[:-1] + direction[-1]
        errors = weights * (expit(margins) - labels)
        return (float(weights @ (np.logaddexp(0, margins) - labels * margins)
                      + _PENALTY / 2 * (direction[:-1] @ direction[:-1])),
                np.append(rows.T @ errors + _PENALTY * direction[:-1], errors.sum()))

    found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B")
    return np.asarray(np.round(found.x, _DECIMALS), np.float64)
