"""The evidence itself as an answer: what answers best first, then domain by domain. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..retrieval.names import words
from .final_prompt import HEADINGS
from .trimming import quoted
from .types import AssembledContext, Decision, Evidence, Question, Sentence

FIRST_CHARS: Final = 600
QUOTE_CHARS: Final = 240
MOST: Final = 6
"""Passages of one domain that are quoted; the others are named among the sources."""


def evidence_text(context: AssembledContext, question: Question, searched: Sequence[Decision],
                  told: Sequence[str]) -> tuple[str, tuple[Sentence, ...]]:
    """The answer as Markdown, and its sentences with the evidence that each cites.

    ``told`` are notes for whoever asked. The same evidence gives the same text.
    """
    asked = frozenset(words(question.text))
    numbers = {one.id: number for number, one in enumerate(context.evidence, 1)}
    lines: list[Sentence] = []
    if context.evidence:
        first = context.evidence[0]
        lines.append(_line(first, numbers, quoted(first.text, asked, FIRST_CHARS)))
        for domain in dict.fromkeys(one.domain for one in context.evidence):
            there = [one for one in context.evidence[1:] if one.domain == domain][:MOST]
            if there:
                lines += [Sentence(""), Sentence(f"## {HEADINGS[domain]}"), Sentence("")]
            lines += [_line(one, numbers, quoted(one.text, asked, QUOTE_CHARS), "- ")
                      for one in there]
        if context.relations:
            lines += [Sentence(""), Sentence("## How it goes together"), Sentence("")]
        lines += [Sentence(f"- {note}", one.evidence) for note, one in
                  zip(context.synthesis_notes, context.relations, strict=True)]
        lines += [Sentence(""), Sentence("## Where it stands"), Sentence("")]
        lines += [Sentence(f"- [{numbers[one.id]}] {one.citation}", (one.id,))
                  for one in context.evidence]
    else:
        lines += map(Sentence, _nothing(searched))
    if told:
        lines += [Sentence(""), *(Sentence(f"Note: {one}") for one in told)]
    return "\n".join(one.text for one in lines), tuple(one for one in lines if one.text)


def _line(one: Evidence, numbers: dict[str, int], quote: str, lead: str = "") -> Sentence:
    said = f"**{one.title}**: {quote}" if quote else f"**{one.title}**"
    return Sentence(f"{lead}{said} [{numbers[one.id]}]", (one.id,))


def _nothing(searched: Sequence[Decision]) -> list[str]:
    """That nothing was found, and what was looked for."""
    if not searched:
        return ["Nothing was found: the question needs neither a character's sheet nor rules, past "
                "sessions or books. Name what you want to know about."]
    said = ["Nothing was found. Looked for:"]
    for one in searched:
        what = [named.name for named in one.entities] or [(one.intention or "it").replace("_", " ")]
        said.append(f"- {HEADINGS[one.domain]}: {', '.join(what)}")
    return [*said, "Try other words, or the name of what you are looking for."]
