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
from ..types import DESCRIPTIONS, EntityType
from .characters import FEATURES, background, class_, feat, race, subclass
from .gear import equipment, gear, gear_type, magic_item, weapon
from .labels import plain
from .monsters import monster
from .parts import Blocks, parts, told
from .spells import spell

__all__ = ["Blocks", "Parsed", "gear_type", "parsed", "validated"]

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

    ``confidence``, in (0, 1], is the share of the fields that such an entity is expected to state
    and that were read, by weight, the name counting 1; ``missing`` are the others. ``features`` are
    documents of what a class or subclass brings by level.
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
    expected = DESCRIPTIONS[type_].expected
    missing = tuple(key for key in expected if document.get(key) in (None, "", [], {}))
    weight = 1 + sum(expected.values())
    return Parsed(document, round(1 - sum(expected[key] for key in missing) / weight, 3), missing,
                  tuple(features))
