"""One domain's decision: routers are asked in turn until one says what can be used."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from ..errors import RouterError
from ..rulebook.intentions import RulebookPromptHelper
from ..sessions.intentions import CharacterPromptHelper, SessionNotesPromptHelper
from .final_prompt import HEADINGS
from .types import MAX_HINTS, Decision, Domain, Failure, Named, Question, Router

INTENTIONS: Final[dict[Domain, frozenset[str]]] = {
    "character": frozenset(CharacterPromptHelper.intents),
    "rulebook": frozenset(RulebookPromptHelper.intents),
    "session_notes": frozenset(SessionNotesPromptHelper.intents),
    "books": frozenset(),
}


async def decided(routers: Sequence[Router], domain: Domain, question: Question, seconds: float,
                  ) -> tuple[Decision | None, tuple[Failure, ...]]:
    """The decision of the first router that gives one within ``seconds``, and what failed before.

    The decision is None where all failed.
    """
    failures: list[Failure] = []
    for number, router in enumerate(routers, 1):
        try:
            async with asyncio.timeout(seconds):
                found = checked_decision(await router.decide(domain, question), domain)
            return found, tuple(failures)
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            why = "it was cancelled"
        except TimeoutError:
            why = f"no decision within {seconds:.1f} s"
        except Exception as error:  # noqa: BLE001 - whatever fails, the next one is asked
            why = shown(error)
        told = "the first choice failed, and another decided what to look for" \
            if number < len(routers) else "not looked at, because no router could read the question"
        failures.append(Failure(f"{router.name} router of {domain}", why,
                                f"{HEADINGS[domain]}: {told}."))
    return None, tuple(failures)


def checked_decision(found: Any, domain: Domain) -> Decision:
    """A router's decision, its hints capped.

    Raises:
        RouterError: it is no decision on ``domain``; the message says what is wrong.
    """
    if not isinstance(found, Decision):
        raise RouterError(f"{found!r:.80} is no decision on {domain}")
    if found.domain != domain:
        raise RouterError(f"a decision on {found.domain!r:.40} was given for {domain}")
    if not isinstance(found.is_needed, bool):
        raise RouterError(f"is_needed={found.is_needed!r:.40}: it must be true or false")
    if not isinstance(found.confidence, (int, float)) or not 0 <= found.confidence <= 1:
        raise RouterError(f"confidence={found.confidence!r:.40}: it must be in [0, 1]")
    if found.intention is not None and found.intention not in INTENTIONS[domain]:
        raise RouterError(f"{domain} has no intention {found.intention!r:.80}")
    if not all(isinstance(one, Named) and one.name.strip() for one in found.entities):
        raise RouterError(f"an entity of {domain} has no name")
    return replace(found, context_hints=found.context_hints[:MAX_HINTS])


def is_cancelled() -> bool:
    """Whether this task is to end, and not merely something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def shown(error: BaseException) -> str:
    """What failed, for whoever runs the game."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
