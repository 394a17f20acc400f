"""A story turn: the action, its dice, its time, and what it changes in the state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from ...llm.protocol import ToolCall
from . import choices, prose
from .actions import Action, classify
from .answers import answer, count_turn, passage_note, touch
from .draft import Draft
from .hand import Hand, Throw
from .people import Foe, Person, addressed, foe, present
from .reading import Reading
from .rests import rest
from .sheet import PC, ability_modifier, modifier, place
from .timing import FIRST, MINUTE, pass_time, span, units_of
from .travel import destination, minutes_to

_SOCIAL: Final = frozenset({"talk", "persuade", "deceive", "threaten"})
_FIGHT_FLAGS: Final = ("in_combat", "active", "is_active", "combat_active")
_ATTITUDES: Final = ((-6, "hostile"), (-2, "suspicious"), (2, "indifferent"), (6, "friendly"))
_DAMAGE_DIE: Final = 8


@dataclass(slots=True)
class _Scene:
    """A turn while it is being told. ``kind`` and ``outcome`` choose the words."""

    draft: Draft
    hand: Hand
    action: Action
    kind: str
    outcome: prose.Outcome = "plain"
    other: Person | None = None
    enemy: Foe | None = None
    changes: list[str] = field(default_factory=list)


def tell(reading: Reading) -> dict[str, Any] | ToolCall:
    """The answer to a story turn, or the call for the roll that it needs first."""
    draft = Draft(reading.state)
    fighting = any(draft.get("combat_state", flag) is True for flag in _FIGHT_FLAGS)
    action = classify(reading.text, fighting=fighting)
    people = present(draft)
    scene = _Scene(draft, Hand(reading), action, action.kind)
    if action.kind in _SOCIAL:
        scene.other = addressed(people, reading.text)
    if action.kind == "attack":
        scene.enemy = foe(draft, people, reading.text)
        scene.other = scene.enemy.person if scene.enemy else None
    _roll(scene)
    if call := scene.hand.call():
        return call
    _change(scene, reading.text)
    return _told(scene, reading)


def _roll(scene: _Scene) -> None:
    """Make the action's check, and roll the damage of a blow that counts somewhere."""
    check = scene.action.check
    if check is None:
        return
    draft, enemy = scene.draft, scene.enemy
    if scene.kind == "attack":
        bonus = draft.integer(PC, "proficiency_bonus") or 0
        able = max(ability_modifier(draft, "str"), ability_modifier(draft, "dex"))
        plus = able + (bonus if 0 <= bonus <= 6 else 0)
    else:
        able, plus = 0, modifier(draft, check.ability, check.skill)
    value = enemy.armor_class if enemy and enemy.armor_class else check.value
    entry = scene.hand.throw(Throw(20, plus, check.purpose, check.target, value))
    if entry is None:
        return
    scene.outcome = "success" if entry.get("success") is True else "failure"
    if scene.outcome == "success" and enemy and enemy.hp_path:
        damage = scene.hand.throw(Throw(_DAMAGE_DIE, max(able, 0), "damage"))
        if damage is not None:
            _wound(scene, enemy, damage["total"])


def _wound(scene: _Scene, enemy: Foe, damage: int) -> None:
    draft, path = scene.draft, enemy.hp_path or ()
    left = max(0, (draft.integer(*path) or 0) - max(damage, 0))
    draft.write(left, *path)
    scene.changes.append(f"{enemy.person.id} takes {damage} damage, {left} hit points left")
    if left == 0:
        scene.kind = "fell"
        if draft.text("npc_data", enemy.person.id, "status") is not None:
            draft.write("dead", "npc_data", enemy.person.id, "status")


def _change(scene: _Scene, text: str) -> None:
    """Write what the turn changes: time first, then what needed it."""
    draft, action, cost = scene.draft, scene.action, scene.action.cost
    goal = destination(draft, text) if action.kind == "travel" else None
    if goal:
        cost = minutes_to(draft, goal) * MINUTE
    fresh = units_of(draft) == {}
    if not pass_time(draft, cost):
        scene.changes.append("the state's world_time cannot be read, so it was left alone")
        if not draft.updates and not count_turn(draft):
            touch(draft)
        return
    if fresh:
        scene.changes.append(
            f"the state had no world_time: it begins with year {FIRST.year}, month {FIRST.month}, "
            f"day {FIRST.day}, {FIRST.hour:02}:00"
        )
    scene.changes.append(f"{span(cost)} for the action {action.kind.replace('_', ' ')}")
    if goal and draft.write(goal, "world_data", "current_location_id"):
        scene.kind = "arrive"
        scene.changes.append(f"the party goes to {goal}")
    if action.kind in {"short_rest", "long_rest"} and (back := rest(draft, action.kind)):
        scene.changes.append(f"the rest gives back: {', '.join(back)}")
    if action.kind == "persuade" and scene.outcome == "success" and scene.other:
        _win_over(scene, scene.other)


def _win_over(scene: _Scene, person: Person) -> None:
    """Raise a trust that is counted by one, and the attitude with it."""
    record = ("npc_data", person.id)
    trust = scene.draft.integer(*record, "trust")
    if trust is None or not -10 <= trust < 10:
        return
    trust += 1
    scene.draft.write(trust, *record, "trust")
    if scene.draft.text(*record, "attitude") is not None:
        word = next((word for most, word in _ATTITUDES if trust <= most), "loyal")
        scene.draft.write(word, *record, "attitude")
    scene.changes.append(f"{person.id} was won over: trust {trust - 1} to {trust}")


def _told(scene: _Scene, reading: Reading) -> dict[str, Any]:
    draft, other = scene.draft, scene.other
    who = other.name if other else None
    thinking = (
        f"Offline narrator: taken as the action “{scene.action.kind.replace('_', ' ')}”, told from "
        "set phrases."
    )
    return answer(
        draft,
        narrative=prose.narrative(reading.seed, scene.kind, scene.outcome, place(draft), who),
        planning=choices.block(thinking, choices.after(scene.kind, scene.outcome)),
        rolls=scene.hand.entries,
        mentioned=[other.id] if other else [],
        notes=[*passage_note(reading), "others do not act of their own accord offline"],
        rationale="; ".join(scene.changes),
    )
