"""The final call: the model writes the answer, and what it cites is held against the evidence."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from ..errors import ModelUnavailableError
from ..llm.protocol import Model, ModelReply, ModelRequest
from ..types import Message
from .deciding import is_cancelled, shown
from .final_prompt import REMINDER, UNTOLD, Checked, checked, final_messages
from .types import AssembledContext, Failure, Question, Sentence

TOLD: Final = "No answer could be written; this is the evidence itself."
CUT: Final = "The answer reached its greatest length and may be cut."


@dataclass(frozen=True, slots=True)
class Written:
    """The text of the final call, checked; ``notes`` are for whoever asked."""

    text: str
    sentences: tuple[Sentence, ...]
    notes: tuple[str, ...]
    by: str


async def written(model: Model, context: AssembledContext, question: Question, max_tokens: int,
                  seconds: float) -> Written | Failure:
    """The model's answer within ``seconds``, or why there is none.

    One that cites nothing is asked for once more, and kept with a note where that does not help.
    """
    messages = final_messages(context, question)
    first: tuple[Checked, ModelReply] | None = None
    try:
        async with asyncio.timeout(seconds):
            first = await _asked(model, messages, context, max_tokens)
            if not _cites(first[0]):
                again = (*messages, Message("assistant", first[1].text), Message("user", REMINDER))
                second = await _asked(model, again, context, max_tokens)
                first = second if _cites(second[0]) else first
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        why = "it was cancelled"
    except TimeoutError:
        why = f"no answer within {seconds:.1f} s"
    except Exception as error:  # noqa: BLE001 - whatever fails, the evidence is the answer
        why = shown(error)
    if first is None:
        return Failure("final call", why, TOLD)
    found, reply = first
    notes = (*found.faults, *((CUT,) if reply.stop == "length" else ()),
             *(() if _cites(found) else (UNTOLD,)))
    return Written(found.text, found.sentences, notes, model.name)


async def _asked(model: Model, messages: tuple[Message, ...], context: AssembledContext,
                 max_tokens: int) -> tuple[Checked, ModelReply]:
    reply = await model.acomplete(ModelRequest(messages, (), max_tokens, "engine"))
    found = checked(reply.text, context.evidence)
    if not found.text or reply.stop == "refused":
        raise ModelUnavailableError(f"{model.name} wrote no answer (it stopped: {reply.stop})")
    return found, reply


def _cites(found: Checked) -> bool:
    return any(one.evidence for one in found.sentences)
