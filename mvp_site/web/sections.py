"""The four entries at the top of every page, and the tabs of each. Pure."""

from __future__ import annotations

from typing import Final

Tab = tuple[str, str]
"""An endpoint, and what its tab is called."""

_SECTIONS: Final[tuple[tuple[str, bool, tuple[Tab, ...]], ...]] = (
    ("Play", False, (("play.read", "Campaigns"),)),
    ("Prompts", False, (("inspector.inspect", "Inspect"), ("archive.read", "Archive"),
                        ("turns.recent", "Turns"), ("inspector.compare", "Compare"))),
    ("Compendium", True, (("compendium.search", "All"), ("rulebook.read", "Rules"),
                          ("entities.browse", "Entities"), ("library.ask", "Books"))),
    ("Operations", False, (("operations.read", "Operations"), ("operations.api", "API"))),
)
"""Each with whether its tabs keep the question that stands in the address."""
_FOR_THE_DM: Final = frozenset({
    "archive.read", "turns.recent", "inspector.compare", "operations.read"})
_WITHIN: Final = {"chat": "Play"}
"""Pages of another blueprint than their section's tabs."""


def sections(entitled: bool) -> list[tuple[str, bool, list[Tab]]]:
    """The sections, each with the tabs that a caller may open."""
    return [(title, asks, [tab for tab in tabs if entitled or tab[0] not in _FOR_THE_DM])
            for title, asks, tabs in _SECTIONS]


def place(endpoint: str) -> tuple[str, str]:
    """The section and the tab that a page stands under; '' for none."""
    blueprint = endpoint.partition(".")[0]
    tabs = [(title, name) for title, _, tabs in _SECTIONS for name, _ in tabs]
    same = [row for row in tabs if row[1] == endpoint]
    near = same or [row for row in tabs if row[1].partition(".")[0] == blueprint]
    return near[0] if near else (_WITHIN.get(blueprint, ""), "")
