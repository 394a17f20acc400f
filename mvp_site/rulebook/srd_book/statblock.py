"""A monster's stat block: figures, traits, actions and reactions; legendary actions below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ...srd import Action, MonsterRecord, Senses, Speed
from .part import Part
from .words import NOTHING, dice, listed, signed, table

_SCORES: Final = (
    ("STR", "strength"), ("DEX", "dexterity"), ("CON", "constitution"), ("INT", "intelligence"),
    ("WIS", "wisdom"), ("CHA", "charisma"),
)  # fmt: skip
_LEGENDARY: Final = (
    "An option costs one legendary action unless its name says that it costs more."
)


def stat_block(monster: MonsterRecord) -> Part:
    """The part of a monster; its legendary actions are a part below it."""
    blocks = (
        f"*{kind_line(monster)}*",
        *_figures(monster),
        *monster.text,
        *_actions("", monster.special_abilities),
        *_actions("Actions", monster.actions),
        *_actions("Reactions", monster.reactions),
    )
    legendary = tuple(_actions("", monster.legendary_actions))
    below = (Part("Legendary Actions", (_LEGENDARY, *legendary)),) if legendary else ()
    return Part(monster.name, blocks, below)


def kind_line(monster: MonsterRecord) -> str:
    """``Small humanoid (goblinoid), neutral evil``."""
    subtype = f" ({monster.subtype})" if monster.subtype else ""
    return f"{monster.size} {monster.type}{subtype}, {monster.alignment}"


def challenge_line(monster: MonsterRecord) -> str:
    """``1/4 (50 XP)``."""
    return f"{monster.challenge} ({monster.xp:,} XP)"


def _figures(monster: MonsterRecord) -> Iterator[str]:
    yield f"**Armor Class** {monster.armor_class}"
    yield f"**Hit Points** {monster.hit_points} ({dice(monster.hit_dice)})"
    yield f"**Speed** {_speed(monster.speed)}"
    yield _abilities(monster)
    for label, bonuses in (("Saving Throws", monster.saves), ("Skills", monster.skills)):
        if bonuses:
            yield f"**{label}** {listed(f'{one.ref.name} {signed(one.value)}' for one in bonuses)}"
    for label, kinds in (
        ("Damage Vulnerabilities", monster.vulnerabilities),
        ("Damage Resistances", monster.resistances),
        ("Damage Immunities", monster.immunities),
        ("Condition Immunities", tuple(r.name.lower() for r in monster.condition_immunities)),
    ):
        if kinds:
            yield f"**{label}** {_kinds(kinds)}"
    yield f"**Senses** {_senses(monster.senses)}"
    yield f"**Languages** {monster.languages or NOTHING}"
    yield f"**Challenge** {challenge_line(monster)}"


def _abilities(monster: MonsterRecord) -> str:
    scores = (
        f"{getattr(monster.abilities, name)} ({signed(monster.abilities.modifier(name))})"
        for _, name in _SCORES
    )
    return table([short for short, _ in _SCORES], [list(scores)])


def _kinds(kinds: tuple[str, ...]) -> str:
    """Kinds that are several words with commas are set off by semicolons."""
    plain = [kind for kind in kinds if "," not in kind]
    long = [kind for kind in kinds if "," in kind]
    return "; ".join(part for part in (", ".join(plain), *long) if part)


def _speed(speed: Speed) -> str:
    others = (
        ("burrow", speed.burrow), ("climb", speed.climb), ("fly", speed.fly), ("swim", speed.swim),
    )
    shown = [f"{speed.walk} ft."]
    shown += [
        f"{name} {feet} ft.{' (hover)' if name == 'fly' and speed.hover else ''}"
        for name, feet in others if feet
    ]
    return ", ".join(shown)


def _senses(senses: Senses) -> str:
    ranges = (
        ("blindsight", senses.blindsight), ("darkvision", senses.darkvision),
        ("tremorsense", senses.tremorsense), ("truesight", senses.truesight),
    )
    shown = [f"{name} {feet} ft." for name, feet in ranges if feet]
    if senses.note and shown:
        shown[0] = f"{shown[0]} {senses.note}"
    return ", ".join([*shown, f"passive Perception {senses.passive_perception}"])


def _actions(label: str, actions: Iterable[Action]) -> Iterator[str]:
    opening = f"**{label}**" if label else ""
    for action in actions:
        if opening:
            yield opening
            opening = ""
        usage = f" ({action.usage})" if action.usage else ""
        first, *rest = action.text or ("",)
        yield f"***{action.name}{usage}.*** {first}".rstrip()
        yield from rest
