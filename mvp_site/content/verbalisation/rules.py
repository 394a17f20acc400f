"""The cards of conditions, and of what explains the game."""

from __future__ import annotations

from collections.abc import Iterator

from ..reading import Reading
from ..wording import a, enumerated


def condition(of: Reading) -> Iterator[str]:
    """That it is a condition."""
    name = of.lower("name")
    yield f"a condition that a creature can be under{f': being {name}' if name else ''}"


def rule(of: Reading) -> Iterator[str]:
    """What it is of the rules, and what belongs to it."""
    category, chapter = of.lower("category"), of.text("chapter")
    kind = a(category) if category else "a rule"
    if category in {"chapter", "section"}:
        kind = f"{kind} of the rules{f' on {chapter}' if chapter else ''}"
    yield kind
    yield of.text("ability", "goes with {}")
    yield of.text("abbreviation", "abbreviated {}")
    if skills := of.texts("skills"):
        yield f"skills: {enumerated(skills)}"
    yield of.text("rarity", "a {} language")
    if speakers := of.texts("speakers"):
        yield f"spoken by {enumerated(speakers)}"
    yield of.text("script", "written in {} script")
    if about := list(dict.fromkeys((*of.texts("contents"), *of.texts("sections")))):
        yield f"about {', '.join(about)}"
