"""The router that asks a language model, one call a domain."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ..archive.delimiters import escape
from ..errors import RouterError
from ..llm.json_reply import ReplyError, object_of
from ..llm.protocol import Model, ModelRequest
from ..text.normalising import clean
from ..types import Message
from .prompts import PromptManager, answer_schema, intention_key
from .types import Decision, Domain, NamedEntity, Question

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

ANSWER_TOKENS: Final = 600
ATTEMPTS: Final = 2
_FAULT_CHARS: Final = 300
_SHOWN_CHARS: Final = 2_000


class LlmRouter:
    """Decides by asking a model; what is no decision is asked for once more."""

    def __init__(self, model: Model, prompts: PromptManager | None = None,
                 answer_tokens: int = ANSWER_TOKENS) -> None:
        self.name = model.name
        self._model, self._prompts = model, prompts or PromptManager()
        self._answer_tokens = answer_tokens

    async def decide(self, domain: Domain, question: Question) -> Decision:
        """The model's decision of a domain.

        Raises:
            ModelError: the model gave no answer.
            RouterError: what it answered, twice, is no decision.
        """
        messages = self._prompts.router_prompt(domain, question.text, question.character)
        fault = ""
        for _ in range(ATTEMPTS):
            reply = await self._model.acomplete(ModelRequest(
                messages, max_tokens=self._answer_tokens, cache_key=f"router-{domain}"
            ))
            try:
                answer = object_of(reply, self._answer_tokens)
                _check(domain, answer)
            except ReplyError as error:
                fault = escape(" ".join(clean(str(error)).split())[:_FAULT_CHARS])
                messages = (
                    *messages,
                    Message("assistant", escape(clean(reply.text)[:_SHOWN_CHARS]) or "(nothing)"),
                    Message("user", f"That is no decision: {fault}. Give the whole object again."),
                )
            else:
                return _decision(domain, answer, self.name)
        raise RouterError(f"{self.name} gave no decision on {domain}: {fault}")


def _check(domain: Domain, answer: dict[str, Any]) -> None:
    """Nothing, where the answer has the form that was asked for.

    Raises:
        ReplyError: it has not.
    """
    for wrong in _validator(domain).iter_errors(answer):
        place = ".".join(map(str, wrong.absolute_path))
        raise ReplyError(f"{place}: {wrong.message}" if place else wrong.message)


@cache
def _validator(domain: Domain) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - heavy

    return Draft202012Validator(answer_schema(domain))


def _decision(domain: Domain, answer: dict[str, Any], by: str) -> Decision:
    confidence = float(answer["confidence"])
    if not answer["is_needed"]:
        return Decision(domain, False, confidence, by=by)
    intention = answer.get(intention_key(domain)) if domain != "books" else None
    named = {
        name: NamedEntity(name, row["type"], float(row.get("confidence", 1.0)))
        for row in answer.get("entities", ()) if (name := " ".join(clean(row["name"]).split()))
    }
    hints = [" ".join(clean(hint).split()) for hint in answer.get("context_hints", ())]
    return Decision(
        domain, True, confidence, intention, tuple(named.values()), tuple(filter(None, hints)),
        (intention,) if intention else (), by,
    )
