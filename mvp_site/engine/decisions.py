"""Decisions of routers: whether one can be used, and how it is kept. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from ..errors import RouterError
from .gazetteer import HELPERS
from .types import MAX_HINTS, Answer, Decision, Domain, NamedEntity


def checked_decision(reply: Any, domain: Domain) -> Decision:
    """A router's decision, its hints capped.

    Raises:
        RouterError: it is no decision on ``domain``; the message says what is wrong.
    """
    if not isinstance(reply, Decision) or reply.domain != domain:
        raise RouterError(f"{reply!r:.200} is no decision on {domain}")
    if not isinstance(reply.is_needed, bool) or not 0 <= reply.confidence <= 1:
        raise RouterError(f"is_needed={reply.is_needed!r:.40} with confidence="
                          f"{reply.confidence!r:.40}: give true or false, and a number in [0, 1]")
    intents = HELPERS[domain].intents if domain in HELPERS else {}
    if reply.intention is not None and reply.intention not in intents:
        raise RouterError(f"{domain} has no intention {reply.intention!r:.80}")
    if not all(isinstance(part, NamedEntity) and part.name.strip() for part in reply.entities):
        raise RouterError(f"an entity of {domain} has no name")
    return replace(reply, context_hints=reply.context_hints[:MAX_HINTS])


def recorded(answer: Answer) -> tuple[str | None, dict[str, Any], dict[str, Any]]:
    """The campaign, what was asked and what was decided, as they are kept for corrections."""
    question = answer.question
    return (
        question.campaign or None,
        {"query": question.text, "character": question.character, "audience": question.audience},
        {decision.domain: msgspec.to_builtins(decision) for decision in answer.decisions},
    )
