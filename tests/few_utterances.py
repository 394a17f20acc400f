"""A few utterances instead of thousands, which an encoder for tests would take seconds over."""

from __future__ import annotations

import pytest

from mvp_site.archive import build, turn_classifiers
from mvp_site.engine import local_router
from mvp_site.engine.local_router import example_questions
from mvp_site.retrieval import topic_files
from mvp_site.retrieval.topic_files import Topic

TOPICS = (
    Topic("resting", ("we sleep till dawn", "time for a nap"), "long rest, short rest, hours"),
    Topic("falling", ("she drops off the cliff", "I plummet"), "slow fall, drop, no harm"),
)
LEANING = (
    ("yes", "how much?"), ("I draw my sword", "which model are you?"),
    ("I make an offer\nShe wants ten gold for the horse, and not a copper less.",), ("I watch the rain\nIt falls on the roofs, and somebody hums.",),
)
OFF_TOPIC = ("the tax return is due", "a recipe for soup", "the train was late again")


def patch_utterances(patch: pytest.MonkeyPatch) -> None:
    """Let indexes, rulebooks and entities be built with these, and routers be fitted to a third of their examples."""
    examples = example_questions()[::3]
    patch.setattr(local_router, "example_questions", lambda: examples)
    patch.setattr(build, "situations", lambda: TOPICS)
    patch.setattr(turn_classifiers, "groups", lambda: LEANING)
    patch.setattr(topic_files, "rule_topics", lambda: TOPICS)
    patch.setattr(topic_files, "entity_topics", lambda: TOPICS)
    patch.setattr(topic_files, "load_off_topic", lambda of="": () if of else OFF_TOPIC)
