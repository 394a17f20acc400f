"""Records: every one of them is whole, typed, and fits the rules and the other records."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction

import pytest

from mvp_site.srd import Kind, OptionChoice, Rarity, Ref, Speed, Srd

from ..archive.test_shipped_archive import XP as EXPERIENCE

XP = {float(Fraction(rating)): int(xp.rpartition(" ")[2].replace(",", "")) for rating, xp in EXPERIENCE.items()}
SIZES = {"Tiny": 4, "Small": 6, "Medium": 8, "Large": 10, "Huge": 12, "Gargantuan": 20}
DICE = re.compile(r"\d+|\d+d(4|6|8|10|12|20)([+-]\d+)?")
SLUG = re.compile(r"[a-z0-9]+(-+[a-z0-9]+)*")
DEBRIS = re.compile(r"/api/|https?://|<[a-z/]|&[a-z]+;|â€|Ã|\ufffd|  [^|\s]| [.,](\s|$)|\(l\d|\{@")


def values(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """``value`` and every value in it, with where it stands."""
    yield place, value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from values(getattr(value, field.name), f"{place}.{field.name}")
    elif isinstance(value, tuple):
        for part in value:
            yield from values(part, place)


def test_every_value_of_every_record(srd: Srd) -> None:
    seen = 0
    for record in srd:
        assert SLUG.fullmatch(record.slug), record.slug
        assert record.name
        assert not hasattr(record, "__dict__")
        assert isinstance(hash(record), int)
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.name = "another"  # type: ignore[misc]
        assert all(record.text)
        assert not any("\n\n" in block for block in record.text)
        for place, value in values(record):
            where = (record.kind, record.slug, place)
            if isinstance(value, Ref):
                target = srd.get(value.kind, value.slug)
                assert target is not None, where
                assert target.name == value.name, where
                seen += 1
            elif isinstance(value, OptionChoice):
                assert 0 < value.count <= len(value.options) == len(set(value.options)), where
            elif isinstance(value, str) and not isinstance(value, Enum):
                assert value not in {"None", "True", "False", "null"}, where
                assert value == value.strip(), where
                lines = () if record.kind in {Kind.RULE_SECTIONS, Kind.RULES} else value.split("\n")
                assert not any(DEBRIS.search(line) for line in lines if not line.startswith("|")), where
            else:
                assert isinstance(value, int | float | Enum | tuple | None) or dataclasses.is_dataclass(value), where
    assert seen > 6_000


def test_spells(srd: Srd) -> None:
    for spell in srd.spells:
        assert 0 <= spell.level <= 9
        assert set(spell.components) <= {"V", "S", "M"}
        assert (spell.material is not None) == ("M" in spell.components)
        assert not spell.concentration or spell.duration.startswith("Up to"), spell.slug
        first = 1 if spell.by_character_level else spell.level
        for steps in (spell.damage, spell.healing):
            assert [step.level for step in steps] == sorted({step.level for step in steps})
            assert not steps or steps[0].level == first, spell.slug
        assert spell.attack in {None, "melee", "ranged"}
        if spell.area is not None:
            assert re.search(rf"\b{spell.area.size}[- ](foot|feet)", " ".join(spell.text)), spell.slug


def test_monsters(srd: Srd) -> None:
    for monster in srd.monsters:
        assert monster.xp in {XP[monster.challenge_rating], 0 if monster.challenge_rating == 0 else -1}
        assert 1 <= monster.armor_class <= 25
        assert DICE.fullmatch(monster.hit_dice)
        count, sides, extra = _dice(monster.hit_dice)
        assert max(count * (sides + 1) // 2 + extra, 1) == monster.hit_points, monster.slug
        assert extra == count * ((monster.abilities.constitution - 10) // 2)
        if not monster.slug.startswith("werebear"):
            assert SIZES[monster.size] == sides, monster.slug
        assert (monster.speed == Speed()) == (monster.slug == "shrieker")
        perception = [bonus.value for bonus in monster.skills if bonus.ref.slug == "perception"]
        passive = 10 + (perception or [(monster.abilities.wisdom - 10) // 2])[0]
        assert monster.senses.passive_perception == passive, monster.slug
        slugs = [ref.slug for ref in monster.condition_immunities]
        assert len(slugs) == len(set(slugs)), monster.slug
        assert Fraction(monster.challenge) == monster.challenge_rating


def _dice(text: str) -> tuple[int, int, int]:
    count, rest = text.split("d")
    sides, sign, extra = re.fullmatch(r"(\d+)([+-]?)(\d*)", rest).groups()  # type: ignore[union-attr]
    return int(count), int(sides), int(sign + extra) if extra else 0


def test_actions_agree_with_their_text(srd: Srd) -> None:
    for monster in srd.monsters:
        blocks = (monster.special_abilities, monster.actions, monster.reactions, monster.legendary_actions)
        for action in (action for block in blocks for action in block):
            text = " ".join(action.text)
            assert text, (monster.slug, action.name)
            assert not action.name.startswith(("Variant", "Lair"))
            printed = re.search(r"Attack: ([+−-]\d+) to hit", text)
            assert action.attack_bonus == (int(printed[1]) if printed else None), (monster.slug, action.name)
            if printed:
                assert text.startswith(("Melee ", "Ranged ")), (monster.slug, action.name)
            for damage in action.damage:
                assert DICE.fullmatch(damage.dice), (monster.slug, action.name, damage)
                assert damage.type is not None
                assert damage.type.slug in text.lower(), (monster.slug, action.name, damage)


def test_weapons_and_items(srd: Srd) -> None:
    assert all((item.rarity is Rarity.VARIES) == (len(item.rarities) > 1) and item.rarities for item in srd.magic_items)
    for weapon in srd.weapons:
        for damage in (weapon.damage, weapon.two_handed_damage):
            assert damage is None or DICE.fullmatch(damage.dice)
        properties = {ref.slug for ref in weapon.properties}
        assert (weapon.two_handed_damage is not None) == ("versatile" in properties)
        assert (weapon.thrown is not None) == ("thrown" in properties)
        assert (weapon.range.long is not None) == (weapon.style == "Ranged")
        assert bool(weapon.special) == ("special" in properties)


def test_classes(srd: Srd) -> None:
    for class_ in srd.classes:
        assert [level.level for level in class_.levels] == list(range(1, 21))
        assert [level.proficiency_bonus for level in class_.levels] == [2 + n // 4 for n in range(20)]
        assert len(class_.saving_throws) == 2
        improvements = [level.ability_score_improvements for level in class_.levels]
        assert improvements == sorted(improvements)
        assert improvements[-1] == {"fighter": 7, "rogue": 6}.get(class_.slug, 5)
        for level in class_.levels:
            assert len(level.spell_slots) == (9 if class_.spellcasting_ability else 0)
        own = {ref.slug for ref in class_.features}
        for level in class_.levels:
            assert {ref.slug for ref in level.features} <= own
    for feature in srd.features:
        assert feature.text
        assert 1 <= feature.level <= 20
        holder = feature.subclass or feature.class_
        assert feature.slug in {ref.slug for ref in srd.get(holder.kind, holder.slug).features}  # type: ignore[union-attr]
