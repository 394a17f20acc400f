"""The weights of a section's score: the bonuses of design 2, section 7, and what they stand on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..retrieval import ranking


@dataclass(frozen=True, slots=True)
class SectionWeights(ranking.Weights):
    """The ranker's weights for rulebooks, and what the signals of a rulebook count.

    ``content`` is for each given name in the text, ``entity_most`` for all together; ``named`` for
    a section of just a name, of one in the user's words only where the things themselves are
    wanted; of several less for those that say less. ``talk`` is for what the user's own words
    resemble, ``home`` for the one section that says most of it, ``answer`` for the sections that a
    promised table was read from, and ``single`` is what the parts of things lose that a question
    does not name, such as one monster's legendary actions. The best section's relevance is held
    against ``least``.
    """

    dense: float = 2.0
    lexical: float = 1.5
    dense_low: float = 0.0
    dense_high: float = 1.0
    lexical_high: float = 1.5
    context: float = 0.5
    lift: float = 0.5
    topic_absent: float | None = 0.5
    slope: float = 1.8
    slope_topic: float = 2.7
    middle: float = 2.6
    fall: float = 6.4

    content: float = 0.15
    entity_most: float = 0.4
    named: float = 0.3
    talk: float = 0.7
    home: float = 1.0
    single: float = 0.15
    answer: float = 0.5
    least: float = 0.17


FOREIGN: Final = SectionWeights(
    dense=0.6, lexical=2.9, dense_proves=0.0, topic_absent=None, slope=5.3, slope_topic=0.0,
    middle=0.42, talk=0.0, home=0.0)
"""The same of a book in a language that the encoder does not know: words decide what answers."""
