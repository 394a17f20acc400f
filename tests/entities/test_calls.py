"""Which entities utterances call for, and which are wanted for the same."""

from __future__ import annotations

import numpy as np
import pytest

from mvp_site.entities.calls import TopicEntities
from mvp_site.retrieval.utterances import Topic


def test_utterances_call_for_entities_by_name() -> None:
    table = (Topic("a", ("x",), "ember lash, frost veil; lantern"), Topic("b", ("y",), "shuttered lantern or ember lash"),
             Topic("c", ("z",), "nothing of the kind, ..., "))
    built = TopicEntities.build(table, ("Ember Lash", "Frost Veil", "Lantern, shuttered", "???"))
    for calls in (built, TopicEntities.load(built.dump(), 4)):
        assert calls.called([(0, 0.5)]).tolist() == [0.5, 0.5, 0, 0]
        assert calls.called([(0, 0.5), (1, 0.5), (2, 1.0)]).tolist() == [0.75, 0.5, 0.5, 0]
        assert calls.alike(3, 0, 4, np.ones(4, np.float32)) is None
        alike = calls.alike(1, 0, 4, np.full(4, 0.2, np.float32))
        assert alike is not None
        assert alike == pytest.approx([0.5**0.5, 1, 0, 0.1])
