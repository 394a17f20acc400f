"""The messages that give a failed answer back to the model with what was wrong with it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..archive.delimiters import escape
from ..text.normalising import clean
from ..text.tokens import count_tokens
from ..types import Message
from .types import Violation

MOST_NAMED: Final = 20
_LONGEST_LINE: Final = 400
_LAST_TOKENS: Final = 10
MEND: Final = (
    "Your answer breaks the contract and was not shown to the player. Give the whole answer again "
    "for the same turn, with these faults mended and nothing else changed. A roll that was made "
    "stands; do not repeat it."
)
OPENING: Final = f"{MEND} All rolls stand in dice_rolls, in the order made."
_CUT: Final = "- length: the answer was cut off at its end; give a shorter one"


def reask(answer: str, violations: Sequence[Violation], *, answer_tokens: int,
          named_tokens: int, truncated: bool = False, opening: str = OPENING,
          ) -> tuple[Message, ...]:
    """The failed answer as the assistant's, and the user's message that names the violations.

    Of the answer its first ``answer_tokens`` go back, and violations in so many lines that the
    second message stays within ``named_tokens``. Both hold what the model wrote: it is escaped as
    all foreign text, and each violation stands on one line of its own.
    """
    lines = [opening, *([_CUT] if truncated else [])]
    spare = named_tokens - _LAST_TOKENS - sum(count_tokens(line) + 1 for line in lines)
    for number, violation in enumerate(violations):
        at = f" at {violation.path}" if violation.path else ""
        text = " ".join(f"- {violation.rule}{at}: {violation.message}".split())
        line = escape(clean(text[:_LONGEST_LINE]))
        if not number:
            line = within(line, max(spare - 1, 0))  # one is named, however little room there is
        spare -= count_tokens(line) + 1
        if number == MOST_NAMED or (spare < 0 and number):
            lines.append(f"- and {len(violations) - number} more")
            break
        lines.append(line)
    text = within(escape(clean(answer)), answer_tokens)
    return Message("assistant", text), Message("user", "\n".join(lines))


def within(text: str, tokens: int) -> str:
    """The beginning of ``text`` that has at most so many o200k tokens; all of it where it fits."""
    while (count := count_tokens(text)) > tokens:
        # The last tokens may be long or short: a little less than their share, then again.
        text = text[: min(len(text) - 1, len(text) * tokens // count)]
    return text
