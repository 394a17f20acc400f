"""The text of an answer that no model writes: the evidence itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from ..library.search import extract_of
from ..sessions.notes.numbering import numbers_in
from ..text.normalising import content_words
from .citations import CheckedAnswer, uncited
from .context import TELLING, unknown_names
from .final_prompt import HEADINGS
from .types import AssembledContext, CitedSentence, Decision, Evidence, Question

MOST: Final = 6
"""Pieces of one domain that are quoted."""
MOST_DOUBTED: Final = 2
"""Those of a domain that does not seem to be needed."""
WHOLE: Final = 240
"""Characters up to which a piece is quoted whole; of longer ones what answers is."""


_OWN: Final = re.compile(r"\b(?:i|my|mine|me)\b", re.IGNORECASE)
_GENERAL: Final = re.compile(
    r"\W*(?:what|how|why|when|where|who|which|do|does|is|are|can|may|explain|tell|describe)\b",
    re.IGNORECASE,
)
"""How questions begin that may ask for a rule; "swim speed" asks for the character's own."""
_CELL: Final = re.compile(r"[ \t]*\|[ \t]*")
_RULE: Final = re.compile(r"^[ \t]*\|?[ \t:|-]*-[ \t:|-]*\n?", re.MULTILINE)


def evidence_text(context: AssembledContext, question: Question, decisions: Sequence[Decision],
                  ) -> CheckedAnswer:
    """The evidence as Markdown: what answers best, each domain's, how it goes together, places."""
    query_words = content_words(question.text)
    numbers = {evidence.id: number for number, evidence in enumerate(context.evidence, 1)}
    lines: list[CitedSentence] = []
    quoted: list[Evidence] = []

    def quote(hit: Evidence, lead: str) -> None:
        text = _quotation(hit, query_words)
        lines.append(CitedSentence(f"{lead}**{hit.title}**: {text} [{numbers[hit.id]}]", (hit.id,)))
        quoted.append(hit)

    needed = {decision.domain for decision in decisions if decision.is_needed}
    unknown = unknown_names(context.evidence, question, decisions)
    if unknown and context.evidence:
        names = ", ".join(f"“{name}”" for name in unknown)
        lines.append(CitedSentence(f"Nothing that was found names {names}. What comes nearest:\n"))
    sessions = numbers_in(question.text) - {evidence.session for evidence in context.evidence}
    if sessions and any(evidence.session is not None for evidence in context.evidence):
        lacking = " or ".join(f"{number:g}" for number in sorted(sessions))
        lines.append(CitedSentence(
            f"Nothing was found of session {lacking}. What comes nearest:\n"))
    own = bool(question.character) and (
        bool(_OWN.search(question.text)) or not _GENERAL.match(question.text))
    ranked = sorted(context.evidence, key=lambda piece: (
        not (own and piece.fields), piece.domain not in needed, -piece.relevance))
    for piece in ranked[:1]:
        quote(piece, "")
    for domain in dict.fromkeys(evidence.domain for evidence in ranked[1:]):
        local = [evidence for evidence in ranked if evidence.domain == domain]
        telling = [evidence for evidence in local[: MOST if domain in needed else MOST_DOUBTED]
                   if evidence not in quoted and evidence.relevance >= TELLING * local[0].relevance]
        if telling:
            lines.append(CitedSentence(f"\n## {HEADINGS[domain]}\n"))
        for piece in telling:
            quote(piece, "- ")
    if context.relations:
        lines.append(CitedSentence("\n## How it goes together\n"))
    lines += [CitedSentence(f"- {note}", relation.evidence) for note, relation in
             zip(context.notes, context.relations, strict=True)]
    if quoted:
        lines.append(CitedSentence("\n## Where it stands\n"))
        lines += [CitedSentence(f"- [{numbers[evidence.id]}] {evidence.citation}", (evidence.id,))
                 for evidence in quoted]
    else:
        looked = [
            f"- {HEADINGS[decision.domain]}: "
            f"{', '.join(named.name for named in decision.entities) or question.text}"
            for decision in decisions if decision.is_needed
        ] or ["- nothing: no domain seems to be needed"]
        lines += map(CitedSentence, ("Nothing was found. Looked for:", *looked,
                               "\nName what you want to know about, or try other words."))
    return CheckedAnswer(tuple(lines), (), "\n".join(sentence.text for sentence in lines))


def _quotation(piece: Evidence, query_words: set[str]) -> str:
    """What of the evidence answers, on a line: fields of a sheet whole; else all, or an extract."""
    if piece.fields:
        return uncited(_line("; ".join(piece.fields)))
    if len(text := _line(piece.text)) <= WHOLE:
        return uncited(text)
    if not piece.facts:
        return uncited(extract_of([piece.text], query_words)[0])
    shared = sorted(piece.facts, key=lambda fact: -len(content_words(fact) & query_words))
    ends = [*accumulate(len(fact) + 2 for fact in shared)]
    whole = {fact for fact, end in zip(shared, ends, strict=True) if end <= WHOLE} or {shared[0]}
    return uncited(_line("; ".join(fact for fact in piece.facts if fact in whole))) + " …"


def _line(text: str) -> str:
    """``text`` on one line; the rows of a table as their cells."""
    rows = (", ".join(filter(None, _CELL.split(row.strip()))) + ";" if row.lstrip()[:1] == "|"
            else row for row in _RULE.sub("", text).splitlines())
    return " ".join(" ".join(rows).split()).removesuffix(";")
