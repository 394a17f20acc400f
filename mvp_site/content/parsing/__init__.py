"""A book's text of one entity, parsed into the form of documents. Pure.

Labelled values, tables and named paragraphs are found in the text as it comes out of files, in the
wording of 2014 and of 2024, and go through :mod:`..own_model` as what people write does. What no
field takes stays in ``desc`` and ``sections``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...text.normalising import clean
from ..own_model import MAX_NAME, read_entity
from ..slugs import slug_of
from ..types import ABILITIES, EntityType
from .characters import FEATURES, background, class_, feat, race, subclass
from .gear import equipment, gear, gear_type, magic_item, weapon
from .labels import plain
from .monsters import monster
from .parts import Blocks, parts, told
from .spells import spell

__all__ = ["EXPECTED", "Blocks", "Parsed", "gear_type", "parsed", "validated"]

EXPECTED: Final[Mapping[EntityType, Mapping[str, float]]] = {
    EntityType.SPELLS: {"level": 2, "school": 2, "casting_time": 2, "range": 2, "components": 2,
                        "duration": 2, "desc": 1},
    EntityType.MONSTERS: {"size": 1, "type": 1, "alignment": 1, "armor_class": 2, "hit_points": 2,
                          "walk": 1, "challenge_rating": 2, "senses": 1, "actions": 2,
                          **dict.fromkeys(ABILITIES, 0.5)},
    EntityType.MAGIC_ITEMS: {"item_type": 2, "rarity_printed": 2, "desc": 1},
    EntityType.WEAPONS: {"damage_dice": 2, "damage_type": 2, "cost": 1, "weight": 1},
    EntityType.ARMOR: {"armor_class": 2, "cost": 1, "weight": 1},
    EntityType.EQUIPMENT: {"cost": 2, "desc": 1},
    EntityType.CLASSES: {"hit_die": 2, "saving_throws": 2, "proficiencies": 1, "features": 2,
                         "levels": 1},
    EntityType.SUBCLASSES: {"class": 1, "features": 2},
    EntityType.RACES: {"size": 1, "speed": 2, "traits": 1},
    EntityType.FEATURES: {"level": 1, "class": 1, "desc": 1},
    EntityType.BACKGROUNDS: {"proficiencies": 2, "starting_equipment": 1},
}
"""What an entity of a type states, by weight; of the other types, a text."""
_TEXT: Final = {"desc": 1.0}
_READERS: Final[Mapping[EntityType, Callable[[str, Blocks, Sequence[str]], dict[str, Any]]]] = {
    EntityType.SPELLS: spell, EntityType.MONSTERS: monster, EntityType.MAGIC_ITEMS: magic_item,
    EntityType.WEAPONS: weapon, EntityType.ARMOR: gear, EntityType.EQUIPMENT: equipment,
    EntityType.CLASSES: class_, EntityType.SUBCLASSES: subclass, EntityType.RACES: race,
    EntityType.BACKGROUNDS: background, EntityType.FEATS: feat,
}
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document that its type's schema accepts, and how much of it was read.

    ``confidence``, in (0, 1], is the share of the fields of :data:`EXPECTED` that were read, by
    weight, the name counting 1; ``missing`` are the others. ``features`` are documents of what a
    class or subclass brings by level.
    """

    document: dict[str, Any]
    confidence: float
    missing: tuple[str, ...]
    features: tuple[dict[str, Any], ...] = ()


def parsed(type_: EntityType, name: str, blocks: Blocks, above: Sequence[str] = ()) -> Parsed:
    """The entity called ``name`` that ``blocks`` are about.

    ``above`` are the titles of the headings that it stands under, the outermost first.
    """
    blocks = [(_CONTROL.sub(" ", clean(text)), level) for text, level in blocks]
    fields = _READERS.get(type_, _text)(name, blocks, above)
    features = fields.pop(FEATURES, ())
    return validated(type_, name, fields, [
        validated(EntityType.FEATURES, row["name"], row, ()).document for row in features
    ])


def _text(name: str, blocks: Blocks, _: Sequence[str]) -> dict[str, Any]:
    head, *below = parts(name, blocks)
    return told(head.texts, below)


def validated(type_: EntityType, name: str, values: Mapping[str, Any],
              features: Sequence[dict[str, Any]]) -> Parsed:
    """``values`` in the form of documents, with the confidence that it deserves.

    A value that the schema refuses stands in the description instead.
    """
    raw = {"name": plain(name)[:MAX_NAME] or "?"} | {
        key: value for key, value in values.items() if value not in (None, "", [], {}, ())
    }
    if not slug_of(raw["name"]):
        raw["slug"] = "entry"
    document, wrong = read_entity(type_, raw)
    if refused := {problem.partition(":")[0] for problem in wrong} & raw.keys() - {"name"}:
        texts = [f"{key}: {text}" for key, text in raw.items()
                 if key in refused and isinstance(text, str | int | float)]
        raw = {key: value for key, value in raw.items() if key not in refused}
        raw["desc"] = "\n\n".join(filter(None, (raw.get("desc"), *texts)))
        document, _ = read_entity(type_, raw)
    expected = EXPECTED.get(type_, _TEXT)
    missing = tuple(key for key in expected if document.get(key) in (None, "", [], {}))
    weight = 1 + sum(expected.values())
    return Parsed(document, round(1 - sum(expected[key] for key in missing) / weight, 3), missing,
                  tuple(features))
