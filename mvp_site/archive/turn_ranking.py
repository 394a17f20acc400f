"""The ranking of an archive's passages for one turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ..retrieval.collection import Collection, SearchRequest
from ..retrieval.encoder import Vector
from ..retrieval.query_expansion import QueryExpansion
from ..retrieval.ranking import (
    ParsedQuery,
    Ranking,
    Signal,
    Understanding,
    Weights,
    lane_scores_of,
    rank,
    understand,
)
from ..text.languages import ENGLISH, Language
from ..text.normalising import terms_of
from .turn_classifiers import TurnClassifiers

CALLED: Final = "called"
"""The part of a score that similar utterances call for: what a passage ranks the better by."""
STATE: Final = "state"
"""The part that the game's state adds."""
SCENE: Final = "scene"
"""The part that the last exchange adds."""
OTHERS: Final = "others"
"""The part that is taken off what is about a class that nobody of the game has."""
STATE_SHARE: Final = 0.5
"""The part of its score for the words of the state that a passage ranks with at least."""


@dataclass(frozen=True, slots=True)
class TurnWeights(Weights):
    """The ranker's weights for archives, and those of what only they have.

    ``called`` weighs what similar utterances call for, ``scene`` what the last exchange is about
    (chosen on the judged turns); ``of_others`` is taken off what is about a class that nobody of
    the game has. Of a turn that leans on what was said, ``calls`` stands in place of ``topic`` and
    ``called_leaned`` in place of ``called``.
    """

    topic: float = 0.4
    topic_most: float = 5.0
    lexical_topic: float = 1.2
    called: float = 0.1
    calls: float = 0.6
    called_leaned: float = 0.3
    of_others: float = 0.2
    scene: float = 0.3


FOREIGN: Final = TurnWeights(dense=0.2, lexical=0.8, dense_proves=0.0, topic=0.0, called=0.0,
                             calls=0.0, called_leaned=0.0, scene=0.0)
"""The weights where the encoder does not know the archive's language: words decide whether anything
answers."""


@dataclass(frozen=True, slots=True)
class LastExchange:
    """The ``words`` of the last exchange and the turn, and the player's part of it, ``typed``."""

    words: str
    typed: str


@dataclass(frozen=True, slots=True, eq=False)
class TurnIndex:
    """What a turn is ranked by."""

    collection: Collection
    expansion: QueryExpansion
    weights: TurnWeights
    classifiers: TurnClassifiers
    language: Language = ENGLISH


def rank_turn(turn_index: TurnIndex, encode: Callable[[str], Vector | None], text: str, *,
              state: Mapping[str, float] | None = None,
              of_others: npt.NDArray[np.bool_] | None = None, leaned: bool = False,
              scene: LastExchange | None = None, also: Sequence[int] = ()) -> Ranking:
    """The ranking of all passages for ``text``, which is normalised.

    ``encode`` gives the unit vector of a text, None for one that is searched by its words alone.
    ``state`` has words for what the game's state and the turn's form say, each with the share of
    its score for them that a passage gets at least; they are no evidence that the turn is about
    anything. Passages that ``of_others`` is true of rank lower. A text that ``leaned`` has the last
    exchange, which must call for a rule. For another, what is about the last exchange ranks higher,
    and is no evidence either: by the words of the ``scene``, and by the vector of what the player
    said in it, a turn's text that was encoded then. The passages ``also`` are ranked whatever is
    found.

    Raises:
        LanesFailedError: neither lane gave scores.
    """
    index, weights = turn_index.collection, turn_index.weights
    turn = _understood(turn_index, encode, text)
    if leaned:
        weights, turn = _leaned(turn_index, turn)
    signals = []
    if (vector := turn.vector) is not None:
        signals.append(Signal(CALLED, lambda numbers: (
            np.float32(weights.called) * turn_index.expansion.called(vector, index)(numbers)
        ), 0.0))
    signals += [_state_signal(turn_index, words, _understood(turn_index, encode, words), share)
                for words, share in (state or {}).items()]
    if scene and weights.scene:
        before = _understood(turn_index, encode, scene.typed)
        about = lane_scores_of(parsed(scene.words, turn_index.language), before, index, weights)
        signals.append(Signal(
            SCENE, lambda numbers: np.float32(weights.scene) * about(numbers), 0.0))
    if of_others is not None:
        signals.append(Signal(OTHERS, lambda numbers: np.where(
            of_others[numbers], np.float32(-weights.of_others), np.float32(0)), 0.0))
    return rank(parsed(text, turn_index.language), turn, index, weights, signals,
                request=SearchRequest(also=tuple(also)))


def _leaned(turn_index: TurnIndex, turn: Understanding) -> tuple[TurnWeights, Understanding]:
    """The weights and the understanding of a turn that leans on the last exchange."""
    weights = leaned_weights(turn_index.weights)
    vector, judge = turn.vector, turn_index.classifiers.calls_for_rule
    return weights, replace(turn, topicality=None if vector is None else judge.score(vector))


def leaned_weights(weights: TurnWeights) -> TurnWeights:
    """The weights of a turn that leans: an exchange is no look-up, whatever words it shares."""
    return replace(weights, topic=weights.calls, called=weights.called_leaned, lexical_topic=0.0)


def parsed(text: str, language: Language) -> ParsedQuery:
    """The words of a text that is normalised, as the ranker compares them."""
    return ParsedQuery(text, terms=tuple(terms_of(text, language)))


def _understood(turn_index: TurnIndex, encode: Callable[[str], Vector | None], text: str,
                ) -> Understanding:
    return understand(encode, text, turn_index.classifiers.about_game.score)


def _state_signal(turn_index: TurnIndex, text: str, understanding: Understanding, share: float,
                  ) -> Signal:
    scores = lane_scores_of(
        parsed(text, turn_index.language), understanding, turn_index.collection,
        turn_index.weights)
    return Signal(STATE, lambda numbers: np.float32(share) * scores(numbers), 0.0, True)


def lanes_used(ranking: Ranking) -> str:
    """Which floor applies: ``both``, ``lexical`` or ``dense``."""
    if ranking.dense is None:
        return "lexical"
    return "dense" if ranking.lexical is None else "both"
