"""Records as Open5e's interface gives them, versions 1 and 2, as entities of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..text.vocabulary import ABILITIES, SENSES
from .export_fields import definition, rows, text
from .types import Format, Sample

_NAMES: Final = frozenset("""
    name desc higher_level size type subtype alignment armor_class armor_desc hit_points hit_dice
    speed damage_resistances damage_immunities damage_vulnerabilities condition_immunities senses
    languages challenge_rating actions reactions legendary_desc legendary_actions special_abilities
    skills passive_perception school casting_time duration components material category cost weight
    damage_dice damage_type damage_types properties rarity requires_attunement prerequisite
    stealth_disadvantage base_ac range concentration ritual
    """.split())  # noqa: SIM905 - a word list reads best as text
"""Keys that an own entity has too, or that are told of it."""
_KEPT: Final = _NAMES | {*ABILITIES}
_TEXTS: Final = ("actions", "bonus_actions", "reactions", "legendary_actions",
                 "special_abilities", "traits")


def entity(sample: Sample) -> dict[str, Any]:
    """A record as an own entity of the type whose folder it stands in."""
    of = sample.value
    fields = {key: text(value, "name") if isinstance(value, Mapping) and "name" in value else value
              for key, value in of.items() if key in _KEPT}
    fields["document"] = text(of, "document__title") or text(of, "document", "name")
    if "level" in of or "level_int" in of:
        fields |= _spell(of)
    if isinstance(of.get("ability_scores"), Mapping):
        fields |= _creature(of)
    if saves := {ability.capitalize(): of[f"{ability}_save"] for ability in ABILITIES
                 if isinstance(of.get(f"{ability}_save"), int)}:
        fields["saves"] = saves
    texts = {key: [{"name": name, "desc": desc} for row in rows(of, key)
                   if (name := text(row, "name")) and (desc := text(row, "desc"))]
             for key in _TEXTS}
    fields |= {key: texts[key] for key in ("reactions", "legendary_actions")}
    return fields | {"actions": texts["actions"] + texts["bonus_actions"],
                     "special_abilities": texts["special_abilities"] + texts["traits"]}


def _spell(of: Mapping[str, Any]) -> dict[str, Any]:
    marks = [letter for letter, key in (("V", "verbal"), ("S", "somatic"), ("M", "material"))
             if of.get(key) is True]
    return {
        "level": of.get("level_int", of.get("level")),
        "classes": text(of, "dnd_class") or [text(row, "name") for row in rows(of, "classes")],
        "range": text(of, "range_text") or of.get("range"),
        "components": of.get("components") or marks,
        "material": text(of, "material_specified") or text(of, "material"),
        "save": text(of, "saving_throw_ability")}


def _creature(of: Mapping[str, Any]) -> dict[str, Any]:
    """What version 2 says of a creature in objects."""
    defences = definition(of, "resistances_and_immunities")
    return {
        **of["ability_scores"], "challenge_rating": text(of, "challenge_rating_text"),
        "speed": ", ".join(_measures(definition(of, "speed"))),
        "senses": ", ".join(_measures({sense: of.get(f"{sense}_range") for sense in SENSES})),
        "languages": text(of, "languages", "as_string"), "skills": of.get("skill_bonuses"),
        "saves": of.get("saving_throws"),
        **{key: text(defences, f"{key}_display") for key in (
            "damage_resistances", "damage_immunities", "damage_vulnerabilities",
            "condition_immunities")}}


def _measures(measures: Mapping[str, Any]) -> Iterator[str]:
    return (f"{name} {int(feet)} ft." for name, feet in measures.items()
            if isinstance(feet, (int, float)) and feet is not True and feet)


FORMATS: Final = (Format(
    "an Open5e record", "entities", lambda sample: sample.has("name") and (
        sample.has("document__slug") or (
            sample.has("url", "document") and isinstance(sample.value["document"], Mapping))),
    "the fields that an entity of the type has, and texts", "addresses, pictures, licences, lists",
    extent="read in part", read=entity),)
