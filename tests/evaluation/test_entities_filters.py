"""The evaluation's own reading of filters, which the search's is held against."""

from __future__ import annotations

from typing import Any

import pytest
from evaluation.entities_filters import fulfils

ENTITY = {
    "name": "Fire-Wall", "level": 4, "school": "Evocation", "classes": ["Druid", "Wizard"], "ritual": False,
    "challenge_rating": 0.5, "casting_time": "1 bonus action", "document": "SRD 5.1", "properties": [],
}


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, True),
        ({"level": 4}, True),
        ({"level": 3}, False),
        ({"level": "4"}, True),  # as a challenge rating may be written
        ({"level": "four"}, False),
        ({"level": [3, 4]}, True),
        ({"level": {"min": 4}}, True),
        ({"level": {"min": 1, "max": None}}, True),
        ({"level_min": 2, "level_max": 4}, True),
        ({"cr": 0.5}, True),
        ({"cr": "1/2"}, True),
        ({"cr_min": "3/4"}, False),
        ({"school": "evocation"}, True),
        ({"school": {"contains": "voc"}}, True),
        ({"school": {"min": 1}}, False),
        ({"name": "fire wall"}, True),
        ({"classes": "wizard"}, True),
        ({"classes": ["cleric", "druid"]}, True),
        ({"class_": "Druid"}, True),
        ({"ritual": False}, True),
        ({"ritual": True}, False),
        ({"level": True}, False),
        ({"documents": ["SRD 5.1", "Mine"]}, True),
        ({"properties": "Finesse"}, False),
        ({"no_such": 1}, False),
        ({"level": 4, "school": "Illusion"}, False),
    ],
    ids=str,
)
def test_what_fulfils_filters(filters: dict[str, Any], wanted: bool) -> None:
    assert fulfils(ENTITY, filters) is wanted
