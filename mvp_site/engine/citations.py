"""Numbers of evidence, and citations in answers: what cites nothing is taken out. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from .types import CitedSentence, Evidence

_CITED: Final = re.compile(r"\s?\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
_NUMBERS: Final = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
_END: Final = re.compile(
    r"(?<=[.!?])[\"'”’)*_]*(?:\s?\[[\d,;\s–-]{1,40}\])*(?=\s+[^\sa-z\d])|\n+"
)


def uncited(text: str) -> str:
    """``text`` whose own numbers in brackets cannot be taken for citations."""
    return _CITED.sub(lambda match: match[0].replace("[", "(").replace("]", ")"), text)


def evidence_numbers(evidence: Sequence[Evidence], first: int = 1) -> dict[str, int]:
    """The number by which each piece of evidence is cited, by its id: its place from ``first``."""
    return {piece.id: number for number, piece in enumerate(evidence, first)}


class CheckedAnswer(NamedTuple):
    """An answer's sentences with what they cite, what was wrong, and its text without that."""

    sentences: tuple[CitedSentence, ...]
    faults: tuple[str, ...]
    text: str


def check_citations(text: str, evidence: Sequence[Evidence]) -> CheckedAnswer:
    """A model's answer with citations to missing evidence taken out and listed as faults."""
    ids = {str(number): piece_id for piece_id, number in evidence_numbers(evidence).items()}
    unknown: dict[str, None] = {}

    def checked(match: re.Match[str]) -> str:
        numbers = dict.fromkeys(_numbers(match[1], ids))
        unknown.update(dict.fromkeys(number for number in numbers if number not in ids))
        valid = [f"[{number}]" for number in numbers if number in ids]
        return "".join((match[0][: match[0].index("[")] if valid else "", *valid))

    before = ""
    while text != before:  # what is left may be a citation again
        before, text = text, _CITED.sub(checked, text)
    text = text.strip()
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(ends)]
    return CheckedAnswer(
        tuple(CitedSentence(sentence, tuple(dict.fromkeys(
            ids[number] for match in _CITED.finditer(sentence) for number in _numbers(match[1], ids)
        ))) for sentence in sentences if sentence),
        tuple(f"The answer cited [{number[:9]}], and there is no such evidence."
              for number in unknown),
        text,
    )


def in_order(answer: CheckedAnswer, evidence: Sequence[Evidence],
             ) -> tuple[CheckedAnswer, tuple[Evidence, ...]]:
    """The answer with its evidence numbered as it is cited, and the evidence in that order."""
    numbers = evidence_numbers(evidence)
    before = {str(numbers[piece.id]): piece for piece in evidence}
    cited = [before[number] for match in _CITED.finditer(answer.text)
             for number in _numbers(match[1], {key: piece.id for key, piece in before.items()})
             if number in before]
    order = tuple(dict.fromkeys((*cited, *evidence)))
    after = evidence_numbers(order)

    def renumbered(text: str) -> str:
        return _CITED.sub(lambda match: match[0].replace(
            match[1], str(after[before[match[1]].id]) if match[1] in before else match[1]), text)

    return answer._replace(text=renumbered(answer.text), sentences=tuple(
        replace(row, text=renumbered(row.text)) for row in answer.sentences)), order


def _numbers(citation: str, ids_by_number: dict[str, str]) -> list[str]:
    """The numbers of a citation; of a range whose ends are known, all between them."""
    numbers: list[str] = []
    for first, last in _NUMBERS.findall(citation):
        if first in ids_by_number and last in ids_by_number:
            numbers += map(str, range(int(first), int(last) + 1))
        else:
            numbers += filter(None, (first, last))
    return numbers
