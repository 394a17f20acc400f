"""The book: its chapters in the order of a rulebook."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from ...content.wording import ordinal
from ...srd import ATTRIBUTION, CHANGES, LICENCE, Rarity, SpellRecord, Srd
from .characters import alignment, backgrounds, feats, languages, races
from .classes import classes
from .equipment import equipment, magic_items
from .monsters import monsters, nonplayer_characters
from .part import BookPart, bullets, facts, grouped, part, table, written
from .rules import chapter, chapter_of_section, section
from .spells import spell_descriptions, spell_lists

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


def chapters(srd: Srd) -> tuple[BookPart, ...]:
    """The chapters of the book in order."""
    return (
        part("About This Rulebook",
             part("Legal Information", ATTRIBUTION, CHANGES, facts({"Licence": LICENCE})),
             part("What This Rulebook Lacks", _LACKING)),
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
        part("Conditions", (part(record.name, record.text) for record in srd.conditions)),
        chapter(srd, "spellcasting"),
        spell_lists(srd),
        spell_descriptions(srd),
        part("Running the Game", (section(srd, slug) for slug in _OF_THE_GAME_MASTER)),
        magic_items(srd),
        monsters(srd),
        nonplayer_characters(srd),
        chapter_of_section(srd, "fantasy-historical-pantheons"),
        chapter_of_section(srd, "the-planes-of-existence"),
        _reference_tables(srd),
    )


def _reference_tables(srd: Srd) -> BookPart:
    by_challenge = [
        (str(Fraction(rating)), records)
        for rating, records in grouped(srd.monsters, lambda record: record.challenge_rating)
    ]
    by_school = grouped(sorted(srd.spells, key=lambda entry: (entry.level, entry.name)),
                        lambda record: record.school.name)
    by_rarity = ((rarity, [item.name for item in srd.magic_items if item.rarity == rarity])
                 for rarity in Rarity)
    return part(
        "Appendix: Reference Tables",
        part("Experience Points by Challenge Rating", table(("Challenge Rating", "XP"), (
            (rating, " or ".join(f"{xp:,}" for xp in sorted({record.xp for record in records})))
            for rating, records in by_challenge
        ))),
        part("Monsters by Challenge Rating", (
            part(f"Challenge {rating}", bullets(f"{one.name} ({one.type})" for one in records))
            for rating, records in by_challenge
        )),
        part("Spells by School", (
            part(f"{school} Spells", bullets(f"{one.name} ({_level(one)})" for one in records))
            for school, records in by_school
        )),
        part("Magic Items by Rarity", (
            part("Rarity Varies" if rarity == Rarity.VARIES else f"{rarity.title()} Items",
                 bullets(members))
            for rarity, members in by_rarity
        )),
    )


def _level(spell: SpellRecord) -> str:
    level = f"{ordinal(spell.level)} level" if spell.level else "cantrip"
    return f"{level}, ritual" if spell.ritual else level
