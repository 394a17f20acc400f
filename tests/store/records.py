"""What the tests of the store put into it."""

from __future__ import annotations

import datetime
from typing import Any, Final

from hypothesis import strategies as st

from mvp_site.store.types import TurnRecord

EVENING: Final = datetime.datetime(2026, 3, 1, 18, 0, 0, 123456, tzinfo=datetime.UTC)
STATE: Final[dict[str, Any]] = {
    "player_character_data": {"class": "ranger", "level": 3, "hp_current": 24, "gold": 37}, "world_data": {"world_time": {"hour": 21, "minute": 15}},
}


def a_turn(number: int, campaign_id: str = "saltmere", **fields: Any) -> TurnRecord:
    """A turn; its id and its minute follow from the number."""
    values: dict[str, Any] = {
        "id": f"{campaign_id}-{number}", "campaign_id": campaign_id, "number": number, "mode": "story", "audience": "player", "user_input": f"I take step {number}.",
        "answer": f"[Mode: STORY MODE]\n{{\"narrative\": \"Step {number}.\"}}",
        "state_before": STATE, "manifest": {"seed": number, "chunks": [["a", 0.25]]}, "fallback": None, "sparse": False,
        "created": EVENING + datetime.timedelta(minutes=number),
    }
    return TurnRecord(**{**values, **fields})


# Any code point, and more often those that databases and escapes trip over.
texts: Final = st.text(st.characters() | st.sampled_from("\0\\u\"d8\ud83d\ude00\U0001f409\u2028é"), max_size=12)
values: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
states: Final = st.dictionaries(texts, values, max_size=4)
