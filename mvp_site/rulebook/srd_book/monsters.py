"""The chapters of monsters, by type, and of nonplayer characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...srd import MonsterRecord, Srd
from .part import Part
from .statblock import kind_line, stat_block
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
        parts=tuple(stat_block(one) for one in srd.monsters if one.subtype == _ANY_RACE),
    )


def type_title(type_: str) -> str:
    """The heading over the monsters of a type."""
    if type_.startswith(_SWARM):
        return _SWARMS
    return _PLURALS.get(type_, f"{type_.capitalize()}s")


def _creatures(held: Sequence[MonsterRecord]) -> Iterator[Part]:
    """A part for each; the forms of one creature stand together under its name."""
    shown: set[str] = set()
    for monster in held:
        if monster.slug in shown:
            continue
        forms = [monster, *(one for one in held if monster.forms and one.slug in _slugs(monster))]
        shown.update(one.slug for one in forms)
        yield stat_block(monster) if len(forms) == 1 else _in_forms(forms)


def _slugs(monster: MonsterRecord) -> set[str]:
    return {ref.slug for ref in monster.forms}


def _in_forms(forms: Sequence[MonsterRecord]) -> Part:
    name = forms[0].name.partition(_FORM)[0]
    kinds = dict.fromkeys(f"*{kind_line(form)}*" for form in forms)
    blocks = (*kinds, _forms_table(name, forms))
    return Part(name, blocks, tuple(map(stat_block, forms)))


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
