"""Monsters as documents: the stat block, each ability and action a text of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...srd import AbilityBonus, Action, MonsterRecord, Senses, Speed, Srd
from ...text.vocabulary import ABILITIES, SENSES, SPEEDS
from ..document import Document
from ..effects import types_dealt
from .values import document, passage


def monster_document(record: MonsterRecord, srd: Srd | None = None) -> Document:
    """A monster: its figures as fields and as they are printed, each action a text.

    Without the SRD the types of damage that texts name are left out.
    """
    kinds = [kind.name for kind in srd.damage_types] if srd else []
    return document(
        record, "size type subtype alignment armor_class hit_points hit_dice challenge_rating "
                "challenge xp proficiency_bonus condition_immunities spells forms",
        speed=_speed(record.speed),
        **{name: getattr(record.speed, name) for name in SPEEDS},
        hover=record.speed.hover or None,
        **{name: getattr(record.abilities, name) for name in ABILITIES},
        saves=_bonuses(record.saves), skills=_bonuses(record.skills),
        senses=_senses(record.senses), **{name: getattr(record.senses, name) for name in SENSES},
        passive_perception=record.senses.passive_perception,
        languages=spoken(record.languages), languages_printed=record.languages,
        damage_types=_dealt(record, texts=srd is not None),
        resistances=_named(record.resistances, kinds), resists=_printed(record.resistances),
        immunities=_named(record.immunities, kinds), immune_to=_printed(record.immunities),
        vulnerabilities=_named(record.vulnerabilities, kinds),
        vulnerable_to=_printed(record.vulnerabilities),
        legendary=bool(record.legendary_actions), spellcaster=bool(record.spells),
        special_abilities=_actions(record.special_abilities), actions=_actions(record.actions),
        reactions=_actions(record.reactions), legendary_actions=_actions(record.legendary_actions),
    )


def _actions(actions: Iterable[Action]) -> list[dict[str, str]]:
    return [passage(action.name, action.text, action.usage) for action in actions]


def _bonuses(bonuses: Iterable[AbilityBonus]) -> dict[str, int]:
    return {bonus.ref.name: bonus.value for bonus in bonuses}


def _dealt(row: MonsterRecord, *, texts: bool) -> list[str]:
    """The damage of everything that it does: the figures, and with ``texts`` what these say."""
    # A trait says what harms the monster itself, too, so that there only the figures count.
    acts = (*row.actions, *row.legendary_actions, *row.reactions)
    figures = [
        damage.type.name for action in (*acts, *row.special_abilities) for damage in action.damage
        if damage.type is not None
    ]
    written = [kind for action in acts if texts for kind in types_dealt(" ".join(action.text))]
    return list(dict.fromkeys([*figures, *written]))


def _named(printed: Iterable[str], kinds: Sequence[str]) -> list[str]:
    """The types of damage that are named, whatever is said about where the damage comes from."""
    words = [set(re.findall(r"\w+", text.casefold())) for text in printed]
    return [kind for kind in kinds if any(kind.casefold() in word for word in words)]


def _printed(kinds: Iterable[str]) -> str:
    """Kinds that are several words with commas are set off by semicolons."""
    listed = list(kinds)
    plain = [kind for kind in listed if "," not in kind]
    return "; ".join(filter(None, (", ".join(plain), *(k for k in listed if "," in k))))


def _speed(speed: Speed) -> str:
    others = (
        f"{name} {getattr(speed, name)} ft." for name in SPEEDS[1:] if getattr(speed, name)
    )
    return ", ".join((f"{speed.walk} ft.", *others)) + (" (hover)" if speed.hover else "")


def _senses(senses: Senses) -> str:
    listed = [
        f"{name} {getattr(senses, name)} ft." for name in SENSES if getattr(senses, name)
    ]
    if senses.note and listed:
        listed[0] = f"{listed[0]} {senses.note}"
    return ", ".join((*listed, f"passive Perception {senses.passive_perception}"))


def spoken(printed: str) -> list[str]:
    """The languages one by one, without notes; what it only understands stays one text."""
    spoken, understands, rest = re.sub(r"\s*\([^()]*\)", "", printed).partition("understands ")
    understood, ends, more = rest.partition("speak")
    ending, _, others = more.partition(",")
    parts = [part.strip() for part in re.sub(r" plus | and (?=telepathy)", ", ", spoken).split(",")]
    parts.append(f"{understands}{understood}{ends}{ending}".strip())
    parts += [part.strip() for part in others.split(",")]
    return list(dict.fromkeys(filter(None, parts)))
