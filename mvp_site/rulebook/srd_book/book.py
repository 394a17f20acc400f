"""The book: its chapters in the order of a rulebook."""

from __future__ import annotations

from typing import Final

from ...srd import ATTRIBUTION, CHANGES, LICENCE, Srd
from .appendices import reference_tables
from .characters import alignment, backgrounds, feats, languages
from .classes import classes
from .equipment import equipment
from .items import magic_items
from .monsters import monsters, nonplayer_characters
from .part import Part, part_of, without_empty, written
from .races import races
from .rules import chapter, chapter_of_section, section
from .spells import spell_descriptions, spell_lists
from .words import labelled

_OF_THE_GAME_MASTER: Final = ("traps", "diseases", "madness", "objects", "poisons")

_LACKING: Final = (
    "The data that this book is made of is not the whole SRD. It has no chapter on characters "
    "beyond 1st level and none on multiclassing; what each class asks for and gives stands with "
    "the class. It has no rules on armor, weapons, tools and mounts in general, such as donning "
    "armor or improvised weapons, no prices of lifestyles, services and trade goods, no rules on "
    "magic items in general, such as attunement or identifying them, and no explanation of how "
    "monsters' statistics are read. It names no monster's kind of armor, and has the lore of "
    "none. A feature, spell or item may refer to a chapter, a page or a table that is not here."
)


def render_srd(srd: Srd) -> str:
    """The SRD as one Markdown text, ``#`` for a chapter; the same records give the same bytes."""
    return written(chapters(srd))


def chapters(srd: Srd) -> tuple[Part, ...]:
    """The chapters of the book in order; what there are no records for is left out."""
    return without_empty(
        (
            _preface(),
            races(srd),
            classes(srd),
            backgrounds(srd),
            feats(srd),
            alignment(srd),
            languages(srd),
            equipment(srd),
            chapter(srd, "using-ability-scores"),
            chapter(srd, "adventuring"),
            chapter(srd, "combat"),
            _conditions(srd),
            chapter(srd, "spellcasting"),
            spell_lists(srd),
            spell_descriptions(srd),
            _running_the_game(srd),
            magic_items(srd),
            monsters(srd),
            nonplayer_characters(srd),
            chapter_of_section(srd, "fantasy-historical-pantheons"),
            chapter_of_section(srd, "the-planes-of-existence"),
            reference_tables(srd),
        )
    )


def _preface() -> Part:
    """The chapter ``About This Rulebook``."""
    return Part(
        "About This Rulebook",
        parts=(
            Part("Legal Information", (ATTRIBUTION, CHANGES, labelled("Licence", LICENCE))),
            Part("What This Rulebook Lacks", (_LACKING,)),
        ),
    )


def _conditions(srd: Srd) -> Part:
    return Part("Conditions", parts=tuple(part_of(one.name, one.text) for one in srd.conditions))


def _running_the_game(srd: Srd) -> Part:
    parts = (one for slug in _OF_THE_GAME_MASTER for one in section(srd, slug))
    return Part("Running the Game", parts=tuple(parts))
