"""Travel: a story turn that ends in another place has taken time.

The party stands at ``world_data.current_location_id``. Only of places that the state knows is it
certain that they are others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..state import is_entity_id
from ..types import Violation
from ..values import at, mapping
from .context import Context, path, quoted
from .times import span

PLACE: Final = ("world_data", "current_location_id")


def party_place(state: Mapping[str, Any]) -> str:
    """Where the state says that the party is: an id, or whatever else stands there; else ''."""
    value = at(state, *PLACE)
    return value if isinstance(value, str) else ""


def known_as(state: Mapping[str, Any], value: str) -> str:
    """The id of the location that ``value`` is the id or the name of; '' where none is known."""
    if is_entity_id(value):
        return value if value.startswith("loc_") else ""
    text = value.strip().casefold()
    return next((key for key, location in mapping(state, "location_data").items()
                 if text and text in (key.casefold(), str(at(location, "name") or "").casefold())
                 ), "")


def travel_time(context: Context) -> Iterator[Violation]:
    """Another place than the state's has cost time."""
    moved = span(context)
    if context.facts.mode != "story" or moved is None or moved[0] < moved[1]:
        return
    old, new = party_place(context.facts.state), party_place(context.after)
    ids = {known_as(context.after, value) for value in (old, new)}
    if len(ids) > 1 and all(ids):
        yield Violation(
            "travel_time", path("state_updates", *PLACE), f"the place changes from "
            f"{quoted(old)} to {quoted(new)} and the clock stands still; write the time "
            "that the way costs")
