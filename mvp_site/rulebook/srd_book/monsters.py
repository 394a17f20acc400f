"""The chapters of monsters, by type, and of nonplayer characters; each with its stat block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...content.srd_documents.monsters import monster_document
from ...content.stat_block import Entry, Line, StatBlock, stat_block
from ...content.types import EntityType
from ...srd import MonsterRecord, Srd
from .part import Part
from .words import table

_PLURALS: Final = {
    "aberration": "Aberrations", "beast": "Beasts", "celestial": "Celestials",
    "construct": "Constructs", "dragon": "Dragons", "elemental": "Elementals", "fey": "Fey",
    "fiend": "Fiends", "giant": "Giants", "humanoid": "Humanoids", "monstrosity": "Monstrosities",
    "ooze": "Oozes", "plant": "Plants", "undead": "Undead",
}  # fmt: skip
_SWARM: Final = "swarm of "
_SWARMS: Final = "Swarms"
_ANY_RACE: Final = "any race"
_FORM: Final = ", "
_LEGENDARY: Final = (
    "An option costs one legendary action unless its name says that it costs more."
)


def monsters(srd: Srd) -> Part:
    """The chapter ``Monsters``."""
    by_type: dict[str, list[MonsterRecord]] = {}
    for monster in srd.monsters:
        if monster.subtype != _ANY_RACE:
            by_type.setdefault(type_title(monster.type), []).append(monster)
    groups = (Part(title, parts=tuple(_creatures(by_type[title]))) for title in sorted(by_type))
    return Part("Monsters", parts=tuple(groups))


def nonplayer_characters(srd: Srd) -> Part:
    """The chapter ``Nonplayer Characters``: humanoids that may be of any race."""
    return Part(
        "Nonplayer Characters",
        parts=tuple(creature(one) for one in srd.monsters if one.subtype == _ANY_RACE),
    )


def type_title(type_: str) -> str:
    """The heading over the monsters of a type."""
    if type_.startswith(_SWARM):
        return _SWARMS
    return _PLURALS.get(type_, f"{type_.capitalize()}s")


def creature(monster: MonsterRecord) -> Part:
    """The part of a monster; its legendary actions are a part below it."""
    block = _block(monster)
    texts = {section.key: section.entries for section in block.sections}
    scores = [f"{one.score} ({one.modifier})" for one in block.abilities]
    blocks = [
        f"*{block.kind}*", *_lines(block.head),
        table([one.name[:3].upper() for one in block.abilities], [scores]), *_lines(block.lines),
        *(one.text for one in texts.get("desc", ())), *_told(texts.get("special_abilities", ())),
    ]
    for key, title in (("actions", "Actions"), ("reactions", "Reactions")):
        if key in texts:
            blocks += [f"**{title}**", *_told(texts[key])]
    legendary = tuple(_told(texts.get("legendary_actions", ())))
    below = (Part("Legendary Actions", (_LEGENDARY, *legendary)),) if legendary else ()
    return Part(monster.name, tuple(blocks), below)


def _block(monster: MonsterRecord) -> StatBlock:
    return stat_block(EntityType.MONSTERS, monster_document(monster))


def _lines(lines: Iterable[Line]) -> Iterator[str]:
    return (f"**{line.label}** {line.text}" for line in lines)


def _told(entries: Iterable[Entry]) -> Iterator[str]:
    return (f"***{one.name}.*** {one.text}".rstrip() for one in entries)


def _creatures(held: Sequence[MonsterRecord]) -> Iterator[Part]:
    """A part for each; the forms of one creature stand together under its name."""
    shown: set[str] = set()
    for monster in held:
        if monster.slug in shown:
            continue
        forms = [monster, *(one for one in held if monster.forms and one.slug in _slugs(monster))]
        shown.update(one.slug for one in forms)
        yield creature(monster) if len(forms) == 1 else _in_forms(forms)


def _slugs(monster: MonsterRecord) -> set[str]:
    return {ref.slug for ref in monster.forms}


def _in_forms(forms: Sequence[MonsterRecord]) -> Part:
    name = forms[0].name.partition(_FORM)[0]
    kinds = dict.fromkeys(f"*{_block(form).kind}*" for form in forms)
    blocks = (*kinds, _forms_table(name, forms))
    return Part(name, blocks, tuple(map(creature, forms)))


def _forms_table(name: str, forms: Iterable[MonsterRecord]) -> str:
    return table(
        ("Form", "Armor Class", "Hit Points", "Challenge"),
        (
            (
                form.name.removeprefix(f"{name}{_FORM}"), str(form.armor_class),
                str(form.hit_points), form.challenge,
            )
            for form in forms
        ),
    )
