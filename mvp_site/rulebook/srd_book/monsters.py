"""The chapters of monsters, by type, and of nonplayer characters; each with its stat block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...content.srd_documents.monsters import monster_document
from ...content.stat_block import HeadLine, StatBlockEntry, stat_block
from ...content.types import EntityType
from ...srd import MonsterRecord, Srd
from .part import BookPart, grouped, part, table

_PLURALS: Final = {"fey": "Fey", "monstrosity": "Monstrosities", "undead": "Undead"}
_ANY_RACE: Final = "any race"
_LEGENDARY: Final = (
    "An option costs one legendary action unless its name says that it costs more."
)


def monsters(srd: Srd) -> BookPart:
    """The chapter ``Monsters``."""
    creatures = (record for record in srd.monsters if record.subtype != _ANY_RACE)
    return part("Monsters", (
        part(title, _creatures(records))
        for title, records in grouped(creatures, lambda record: _type_title(record.type))
    ))


def nonplayer_characters(srd: Srd) -> BookPart:
    """The chapter ``Nonplayer Characters``: humanoids that may be of any race."""
    records = (record for record in srd.monsters if record.subtype == _ANY_RACE)
    return part("Nonplayer Characters", map(creature, records))


def _type_title(type_: str) -> str:
    if type_.startswith("swarm of "):
        return "Swarms"
    return _PLURALS.get(type_, f"{type_.capitalize()}s")


def creature(monster: MonsterRecord) -> BookPart:
    """The part of a monster; its legendary actions are a part below it."""
    block = stat_block(EntityType.MONSTERS, monster_document(monster))
    texts = {section.key: section.entries for section in block.sections}

    def entries_of(key: str, *head: str) -> list[str]:
        entries: Iterable[StatBlockEntry] = texts.get(key, ())
        paragraphs = [f"***{entry.name}.*** {entry.text}".rstrip() for entry in entries]
        return [*head, *paragraphs] if paragraphs else []

    scores = [f"{ability.score} ({ability.modifier})" for ability in block.abilities]
    return part(monster.name, f"*{block.kind}*", _lines(block.head),
                table([ability.name[:3].upper() for ability in block.abilities], [scores]),
                _lines(block.lines), entries_of("special_abilities"),
                entries_of("actions", "**Actions**"), entries_of("reactions", "**Reactions**"),
                part("Legendary Actions", entries_of("legendary_actions", _LEGENDARY)))


def _lines(lines: Iterable[HeadLine]) -> Iterator[str]:
    return (f"**{line.label}** {line.text}" for line in lines)


def _creatures(members: Sequence[MonsterRecord]) -> Iterator[BookPart]:
    """A part for each; the forms of one creature stand together under its name."""
    printed: set[str] = set()
    for monster in members:
        slugs = {monster.slug, *(ref.slug for ref in monster.forms)}
        if monster.slug not in printed:
            others = (record for record in members if record.slug in slugs - {monster.slug})
            forms = [monster, *others]
            yield creature(monster) if len(forms) == 1 else _in_forms(forms)
        printed |= slugs


def _in_forms(forms: Sequence[MonsterRecord]) -> BookPart:
    name = forms[0].name.partition(", ")[0]
    rows = (
        (form.name.removeprefix(f"{name}, "), str(form.armor_class), str(form.hit_points),
         form.challenge)
        for form in forms
    )
    blocks = (stat_block(EntityType.MONSTERS, monster_document(form)) for form in forms)
    return part(name, dict.fromkeys(f"*{block.kind}*" for block in blocks),
                table(("Form", "Armor Class", "Hit Points", "Challenge"), rows),
                map(creature, forms))
