"""A deep think: choices weighed, one microsecond, and nothing else."""

from __future__ import annotations

from typing import Any

from . import choices
from .answers import answer, passage_note, touch
from .draft import Draft
from .reading import Reading
from .timing import pass_moment


def think(reading: Reading) -> dict[str, Any]:
    """The answer to a deep think."""
    draft = Draft(reading.state)
    if pass_moment(draft):
        rationale = "deep think: one microsecond"
    else:
        touch(draft)
        rationale = "deep think: the state's world_time cannot be read, so nothing is written"
    start = reading.seed[0] % len(choices.DEEP)
    weighed = (choices.DEEP[start:] + choices.DEEP[:start])[:3]
    return answer(
        draft,
        planning=choices.block(
            "Offline narrator: no language model weighs the question itself. These are the ways "
            "that are open in most places, with what speaks for and against each.",
            weighed, weighed=True,
        ),
        notes=passage_note(reading), rationale=rationale,
    )
