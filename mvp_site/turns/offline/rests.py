"""Rests: what an hour or a night gives back, as narrow writes on numbers that are there."""

from __future__ import annotations

from typing import Final

from .draft import Draft
from .sheet import PC

_RECHARGES: Final = {"short_rest": ("short",), "long_rest": ("short", "long")}


def rest(draft: Draft, kind: str) -> list[str]:
    """What a rest of ``kind`` gave back, in words; it is in the draft's updates."""
    back = [
        pool.replace("_", " ") for pool in draft.keys(PC, "resources")
        if draft.get(PC, "resources", pool, "recharge") in _RECHARGES[kind]
        and _fill(draft, PC, "resources", pool)
    ]
    if kind == "long_rest":
        back += _night(draft)
    return back


def _night(draft: Draft) -> list[str]:
    back = []
    hp, most = draft.integer(PC, "hp_current"), draft.integer(PC, "hp_max")
    if hp is not None and most is not None and 0 < hp < most:
        draft.write(most, PC, "hp_current")
        back.append("hit points")
    dice, all_dice = (draft.integer(PC, "hit_dice", part) for part in ("current", "max"))
    if dice is not None and all_dice is not None and 0 <= dice < all_dice:
        draft.write(min(all_dice, dice + max(1, all_dice // 2)), PC, "hit_dice", "current")
        back.append("hit dice")
    filled = [_fill(draft, PC, "spell_slots", slot) for slot in draft.keys(PC, "spell_slots")]
    if any(filled):
        back.append("spell slots")
    tired = draft.integer(PC, "exhaustion")
    if tired is not None and 0 < tired <= 6:
        draft.write(tired - 1, PC, "exhaustion")
        back.append("a level of exhaustion less")
    return back


def _fill(draft: Draft, *pool: str) -> bool:
    """Whether the pool at this path was short of its maximum; it no longer is."""
    current, most = draft.integer(*pool, "current"), draft.integer(*pool, "max")
    if current is None or most is None or not 0 <= current < most:
        return False
    return draft.write(most, *pool, "current")
