"""The chapter before the rules: attribution, licence, and what the data does not have."""

from __future__ import annotations

from typing import Final

from ...srd import ATTRIBUTION, CHANGES, LICENCE
from .part import Part
from .words import labelled

_LACKING: Final = (
    "The data that this book is made of is not the whole SRD. It has no chapter on characters "
    "beyond 1st level and none on multiclassing; what each class asks for and gives stands with "
    "the class. It has no rules on armor, weapons, tools and mounts in general, such as donning "
    "armor or improvised weapons, no prices of lifestyles, services and trade goods, no rules on "
    "magic items in general, such as attunement or identifying them, and no explanation of how "
    "monsters' statistics are read. It names no monster's kind of armor, and has the lore of "
    "none. A feature, spell or item may refer to a chapter, a page or a table that is not here."
)


def preface() -> Part:
    """The chapter ``About This Rulebook``."""
    return Part(
        "About This Rulebook",
        parts=(
            Part("Legal Information", (ATTRIBUTION, CHANGES, labelled("Licence", LICENCE))),
            Part("What This Rulebook Lacks", (_LACKING,)),
        ),
    )
