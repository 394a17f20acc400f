"""Facts as values: what a book says of a named thing, field by field."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final, Literal

Origin = Literal["section", "row", "below"]
Fields = tuple[tuple[str, str], ...]

DAMAGE_TYPE: Final = "damage type"
FORM: Final = ": "
"""Between the title of an entry and the name of a row in it: "Werewolf: Wolf Form"."""
TELLING_PARTS: Final = frozenset(
    {"legendary action", "lair action", "mythic action", "regional effect", "reaction",
     "bonus action"}
)
"""Parts of a stat block that not every creature has: having one is a trait."""
_CREATURE: Final = ("armor class", "hit points", "challenge rating")


@dataclass(frozen=True, slots=True)
class Facts:
    """What section ``section_id`` says of ``name``: each field once, in the order of the text.

    ``origin``: ``section`` is the thing that the section is about, ``row`` one in a table, under
    its heading row or caption ``group``; ``below`` is the section with what those under it say.
    ``traits`` are the names that run into their text, each with its opening words. ``noun`` is
    what a table calls such things where their names leave it out ("armor").
    """

    name: str
    section_id: str
    fields: Fields
    origin: Origin = "section"
    group: str = ""
    traits: Fields = ()
    noun: str = ""

    def get(self, name: str) -> str | None:
        """The value of the field ``name``, or None."""
        return next((value for label, value in self.fields if label == name), None)


def is_entry(facts: Facts) -> bool:
    """Whether ``facts`` have the fields of a spell, a creature or a magic item."""
    names = {name for name, _ in facts.fields}
    return "school" in names or "rarity" in names or are_of_an_entry(names)


def are_of_an_entry(names: Container[str]) -> bool:
    """Whether fields are those of a spell or a creature, whatever the first line of it says."""
    return "casting time" in names or sum(name in names for name in _CREATURE) > 1
