"""The look-ups of a turn: the model's own words are searched for, and it gets what is found."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from ..assembly.plan import RetrievalPlan
from ..llm.protocol import ToolCall, ToolResult
from ..retrieval.ranking import rounded
from ..text.normalising import clean
from ..text.tokens import printed_tokens
from ..types import RetrievedChunk
from .tools import CallError, read_call
from .types import LookUp

TOOL: Final = "look_up"
MAX_QUERY: Final = 300
"""Characters of a query; what is longer is cut."""
ROOM: Final = 2
"""A look-up takes at most one part in so many of the room for calls: rolls need some too."""
_EXAMPLE: Final = '{"query": "moving unseen"}'
_NONE_MADE: Final = "No look-up was made: "
_NOTHING: Final = (
    "Nothing was found. It may be known by other words; else go on with what "
    "you have."
)
_KNOWN: Final = (
    "All that was found stands in this turn's retrieved context or in an earlier look-up: go on "
    "with that."
)
_NO_ROOM: Final = "What was found does not fit into what is left of the window: go on without it."
_MORE: Final = "Under this title, to be looked up by their own: "
_FAILED: Final = "The archive cannot be searched just now: go on with what you have."

Search = Callable[..., RetrievalPlan]
"""The plan for a query, ``max_tokens``, and ``printed_ids``: chunks that need not be printed."""
_log = logging.getLogger("mvp_site.turns")


class LookUps:
    """The look-ups of one turn, at most ``most``, each of at most ``max_tokens`` o200k tokens.

    ``printed`` are the chunks of the turn's prompt. What was printed whole, there or by an earlier
    look-up, is not printed again. ``campaign_search`` gives what the campaign's notes and books
    say, in up to half of the room; the archive has the rest.
    """

    def __init__(self, search: Search, most: int, max_tokens: int,
                 printed: Sequence[RetrievedChunk],
                 campaign_search: Callable[[str, int], str] = lambda *_: "") -> None:
        self._search, self._campaign_search = search, campaign_search
        self.most = most
        self._max_tokens = max_tokens
        self._printed = list(printed)
        self.made: list[LookUp] = []

    def answer(self, call: ToolCall, attempt: int, room: int) -> ToolResult:
        """What a call gives; it is never an error.

        A call beyond the most, or one that cannot be read, is told so and not made.
        """
        if len(self.made) >= self.most:
            return ToolResult(call.id, f"{_NONE_MADE}{self.most} were made, and that is the most "
                                       "for one turn; go on with what you have.")
        try:
            query = clean(read_call(call, TOOL, _EXAMPLE)["query"])[:MAX_QUERY]
        except CallError as error:
            return ToolResult(call.id, f"{_NONE_MADE}{error}.")
        self.made.append(self._look_up(query, attempt, max(min(self._max_tokens, room // ROOM), 0)))
        return ToolResult(call.id, self.made[-1].text)

    def _look_up(self, query: str, attempt: int, budget: int) -> LookUp:
        started = time.perf_counter()
        printed_ids = frozenset(chunk.id for chunk in self._printed if not chunk.partial)
        try:
            campaign_block = self._campaign_search(query, budget // 2)
            spent = printed_tokens(campaign_block)
            plan = self._search(query, max_tokens=budget - spent, printed_ids=printed_ids)
        except Exception as error:  # noqa: BLE001 - whatever fails, the turn goes on without it
            _log.error("a look-up failed (%s); the turn goes on without it", type(error).__name__)
            return LookUp(query, attempt, _FAILED, budget, "failed",
                          seconds=time.perf_counter() - started)
        self._printed += plan.chunks
        more = _more(plan.more, budget - spent - plan.tokens)
        spent += printed_tokens(more)
        text = "\n".join(filter(None, (plan.block, more, campaign_block)))
        return LookUp(
            query, attempt, text or _why(plan, printed_ids), budget,
            None if campaign_block else plan.sparse_reason, plan.tokens + spent,
            plan.floor, rounded(plan.best), plan.chunks, plan.dropped,
            time.perf_counter() - started,
        )


def _more(titles: Sequence[str], room: int) -> str:
    """The titles below the one that was asked for whose text did not fit, as many as do."""
    while titles:
        text = f"{_MORE}{'; '.join(titles)}"
        if printed_tokens(text) <= room:
            return text
        titles = titles[:-1]
    return ""


def _why(plan: RetrievalPlan, printed_ids: frozenset[str]) -> str:
    """Why a look-up gave nothing, in words for a model."""
    if plan.sparse_reason in {"lane_failure", "no_index"}:
        return _FAILED
    reasons = {(chunk.reason, chunk.id in printed_ids) for chunk in plan.dropped}
    if any(reason == "over_budget" for reason, _ in reasons):
        return _NO_ROOM
    return _KNOWN if ("duplicate", True) in reasons else _NOTHING
