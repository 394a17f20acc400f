"""The text of an answer: a model's, held against the evidence, or the evidence itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..errors import ModelUnavailableError
from ..library.search import extract_of
from ..llm.protocol import Model, ModelRequest
from ..retrieval.text import content_words
from ..types import Message
from .final_prompt import HEADINGS, Checked, checked, final_messages
from .types import AssembledContext, Decision, Question, Sentence

REMINDER: Final = (
    "Your answer cites no evidence. Write it again with the number of the passage behind each "
    "sentence, as in [1]; where no passage tells, say so."
)
UNTOLD: Final = "The answer cites no evidence, though there is some."
CUT: Final = "The answer reached its greatest length and may be cut."
MOST: Final = 6
"""Passages of one domain that are quoted; the others are named among the sources."""


async def written(model: Model, context: AssembledContext, question: Question, max_tokens: int,
                  ) -> Checked:
    """The model's answer; its faults are for whoever asked.

    One that cites nothing is asked for once more, and kept with a fault where that does not help.

    Raises:
        ModelError: there is none.
    """
    messages = final_messages(context, question)
    for last in (False, True):
        reply = await model.acomplete(ModelRequest(messages, max_tokens=max_tokens,
                                                   cache_key="engine"))
        found = checked(reply.text, context.evidence)
        if not found.text or reply.stop == "refused":
            raise ModelUnavailableError(f"{model.name} wrote no answer (it stopped: {reply.stop})")
        cites = any(one.evidence for one in found.sentences)
        if cites or last:
            break
        messages = (*messages, Message("assistant", reply.text), Message("user", REMINDER))
    faults = (*found.faults, *([] if cites else [UNTOLD]), *([CUT] * (reply.stop == "length")))
    return found._replace(faults=faults)


def evidence_text(context: AssembledContext, question: Question, decisions: Sequence[Decision],
                  ) -> Checked:
    """The evidence as Markdown: what answers best, each domain's, how it goes together, places."""
    asked = content_words(question.text)
    quotes = [f"**{one.title}**: {extract_of([one.text], asked)[0]} [{number}]"
              for number, one in enumerate(context.evidence, 1)]
    places = [f"[{number}] {one.citation}" for number, one in enumerate(context.evidence, 1)]
    said: list[Sentence] = [Sentence(one, (first.id,)) for one, first in
                            zip(quotes[:1], context.evidence, strict=False)]

    def part(heading: str, lines: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        if lines:
            said.append(Sentence(f"\n## {heading}\n"))
            said.extend(Sentence(f"- {line}", ids) for line, ids in lines)

    rest = list(zip(context.evidence, quotes, strict=True))[1:]
    for domain in dict.fromkeys(one.domain for one, _ in rest):
        part(HEADINGS[domain], [(quote, (one.id,)) for one, quote in rest
                                if one.domain == domain][:MOST])
    part("How it goes together", [(note, one.evidence) for note, one in
                                  zip(context.synthesis_notes, context.relations, strict=True)])
    part("Where it stands", [(place, (one.id,)) for place, one in
                             zip(places, context.evidence, strict=True)])
    if not said:
        needed = [one for one in decisions if one.is_needed]
        said.append(Sentence("Nothing was found."))
        part("Looked for", [
            (f"{HEADINGS[one.domain]}: {', '.join(named.name for named in one.entities)}"
             if one.entities else HEADINGS[one.domain], ()) for one in needed
        ])
        said.append(Sentence("\nName what you want to know about, or try other words."))
    return Checked(tuple(said), (), "\n".join(one.text for one in said))
