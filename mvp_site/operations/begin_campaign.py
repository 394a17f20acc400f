"""A campaign is begun: with a title, and with an imported sheet, which is then the state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from ..archive.header_files import first_state
from ..content.slugs import slug_of
from ..formats.export_fields import MAX_NAME
from ..sessions.characters.character import Character
from ..text.vocabulary import ABILITIES, COINS
from .campaigns import OneCampaign, ShowCampaign, Title, shown_campaign
from .operation import declared
from .requests import CampaignId
from .services import Services

_PC: Final = "player_character_data"
_FEET: Final = re.compile(r"\d+")
_HIT_DICE: Final = re.compile(r"(\d+)(d\d+)")


@dataclass(frozen=True, slots=True)
class BeginCampaign(ShowCampaign):
    """A new campaign, and what it begins with."""

    title: Title = ""
    """What people call it."""
    character: Annotated[str, Field(max_length=MAX_NAME)] = ""
    """The name of an imported sheet, which becomes the state; by default the archive's first."""
    source: CampaignId | None = None
    """The campaign that has the sheet; by default the one that is begun, or any."""


@declared("campaign.begin", needs="the beginning of a campaign")
def _begin(services: Services, request: BeginCampaign, entitled: bool) -> OneCampaign:
    """Begin a campaign, with a title, and with an imported sheet as its state."""
    state: Mapping[str, Any] = first_state(services.beside()) or {}
    notes = sheet = None
    if request.character:
        notes = services.session_notes()
        stamp = notes.resolve(request.character, request.source)
        sheet = notes.character(stamp.campaign, stamp.id)
        state = begun_with(state, sheet)
    campaign = services.store().create(request.campaign_id, state, request.title.strip())
    if notes is not None and stamp.campaign != request.campaign_id:
        # The table asks the sheets of its own campaign.
        notes.copy_character(stamp, request.campaign_id)
    return shown_campaign(campaign, entitled)


def begun_with(state: Mapping[str, Any], sheet: Character) -> dict[str, Any]:
    """``state`` with the character of ``sheet`` in place of its own, and what each carries.

    What the sheet does not say is left out. Leaves have the names of the state's own table
    (``turns/leaves.json``).
    """
    before = state.get(_PC)
    holder = before.get("id") if isinstance(before, Mapping) else None
    name = _key(sheet.base.name) or "hero"
    pc_id = f"pc_{name}_001"
    items = state.get("item_data")
    others = {key: item for key, item in items.items() if not (
        isinstance(item, Mapping) and holder is not None and item.get("holder_id") == holder
    )} if isinstance(items, Mapping) else {}
    return {**state, _PC: {"id": pc_id, **_character(sheet)},
            "item_data": {**others, **_items(sheet, pc_id)}}


def _character(sheet: Character) -> dict[str, Any]:
    base, stats = sheet.base, sheet.combat_stats
    most = stats.max_hit_points
    dice = _HIT_DICE.fullmatch(stats.hit_dice.strip())
    walk = next((_FEET.search(speed.description) for speed in stats.speeds
                 if speed.name.casefold() in {"walk", "walking", ""}), None)
    slots = {f"level_{row.level}": {"current": max(0, (row.total or 0) - (row.used or 0)),
                                    "max": row.total or 0}
             for casting in sheet.spell_list for row in casting.slots}
    spells = [spell for casting in sheet.spell_list for spell in casting.spells]
    proficiencies, personality = sheet.proficiencies, sheet.personality
    levels = [kind.level for kind in base.classes if kind.level]
    values: dict[str, Any] = {
        "name": base.name, "race": base.subrace or base.race,
        "class": "/".join(kind.name.title() for kind in base.classes),
        "subclass": "/".join(kind.subclass for kind in base.classes if kind.subclass),
        "background": base.background or sheet.background.name, "level": sum(levels) or None,
        "xp": _whole(base.xp), "hp_max": _whole(most), "hp_current": _whole(
            most if stats.current_hit_points is None else max(0, stats.current_hit_points)),
        "hp_temp": _whole(stats.temporary_hit_points) or None,
        "armor_class": _whole(stats.armor_class), "speed": int(walk[0]) if walk else None,
        "proficiency_bonus": _whole(stats.proficiency_bonus),
        "abilities": {name[:3]: _whole(score) for name in ABILITIES
                      if (score := getattr(sheet.ability_scores, name)) is not None},
        "skills": {_key(row.name): _whole(row.bonus) for row in proficiencies.skills
                   if row.bonus is not None},
        "hit_dice": {"die": dice[2], "max": int(dice[1]), "current": _whole(
            int(dice[1]) if stats.hit_dice_left is None else stats.hit_dice_left)} if dice else {},
        "spell_slots": slots,
        "spells_known": [spell.name for spell in spells if not spell.prepared],
        "spells_prepared": [spell.name for spell in spells if spell.prepared],
        "features": [feature.name for feature in sheet.features_and_traits],
        "proficiencies": [*proficiencies.armor, *proficiencies.weapons, *proficiencies.tools],
        "languages": [*proficiencies.languages], "inspiration": stats.inspiration,
        **{leaf: " ".join(getattr(personality, f"{leaf}s"))
           for leaf in ("trait", "ideal", "bond", "flaw")},
    }
    coins = sheet.inventory.coins
    return {
        **{name: value for name, value in values.items() if value not in (None, "", [], {})},
        "currency": {coin: getattr(coins, coin) or 0 for coin in COINS}, "exhaustion": 0,
        "conditions": {key: {"name": text} for key, text in _keyed(stats.conditions)},
        "concentration": None,
    }


def _items(sheet: Character, holder: str) -> dict[str, Any]:
    items: dict[str, Any] = {}
    for item in sheet.inventory.items:
        key = _key(item.name) or "thing"
        number = 1 + sum(name.startswith(f"item_{key}_") for name in items)
        items[f"item_{key}_{number:03}"] = {
            "name": item.name, "kind": item.kind, "quantity": item.quantity, "holder_id": holder,
            **({} if item.equipped is None else {"equipped": item.equipped}),
            **({"attuned_to": holder} if item.attuned else {}),
            **({} if item.weight is None else {"weight_lb": item.weight}),
        }
    return items


def _keyed(texts: Iterable[str]) -> list[tuple[str, str]]:
    return [(_key(text)[:40].strip("_"), text) for text in texts if _key(text)]


def _key(name: str) -> str:
    """The words of a name as a key of the state has them: a to z, digits and _."""
    plain = slug_of(name).encode("ascii", "ignore").decode()
    return "_".join(re.findall("[a-z0-9]+", plain))


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
