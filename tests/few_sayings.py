"""A few sayings instead of thousands, which an encoder for tests would take seconds over."""

from __future__ import annotations

import pytest

from mvp_site.entities import talk as entity_talk
from mvp_site.retrieval import talk
from mvp_site.retrieval.situations import Situation

SAYINGS = (
    Situation("resting", ("we sleep till dawn", "time for a nap"), "long rest, short rest, hours"),
    Situation("falling", ("she drops off the cliff", "I plummet"), "slow fall, drop, no harm"),
)
OFF_TOPIC = ("the tax return is due", "a recipe for soup", "the train was late again")


def patch_sayings(patch: pytest.MonkeyPatch) -> None:
    """Let rulebooks and entities be built with these."""
    patch.setattr(entity_talk, "own_sayings", tuple)
    patch.setattr(entity_talk, "own_off_topic", tuple)
    patch.setattr(talk, "sayings", lambda: SAYINGS)
    patch.setattr(talk, "load_off_topic", lambda: OFF_TOPIC)
