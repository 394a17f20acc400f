"""The card of a spell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..reading import Reading
from ..wording import a, commas, enumerated, joined, ordinal

_COMPONENTS: Final = {"V": "verbal", "S": "somatic", "M": "material"}
_GROWTH: Final = {
    "slot level": "more with a higher-level spell slot",
    "character level": "more at higher character levels",
}


def spell(of: Reading) -> Iterator[str]:
    """Level, school and lists; how it is cast; whom it reaches; what it deals and heals."""
    classes = enumerated(f"{text.lower()}s" for text in of.texts("classes"))
    yield joined(_kind(of), f"for {classes}" if classes else "")
    yield commas(of.lower("casting_time", "casting time {}"), of.lower("range", "range {}"),
                 of.lower("duration", "duration {}"))
    if of.has("concentration"):
        yield "requires concentration"
    if of.has("ritual"):
        yield "can be cast as a ritual"
    yield _components(of)
    yield _reach(of)
    yield _dealt(of)
    yield of.several("resistances", "protects from {} damage").lower()
    if of.has("healing"):
        yield joined("heals: restores hit points", _amount(of, "healing_at"))
    if of.mapping("temporary_hit_points_at"):
        yield joined("gives temporary hit points", _amount(of, "temporary_hit_points_at"))
    yield of.several("subclasses", "also given by {}")
    of.passed("range_feet", "grows_with")


def _kind(of: Reading) -> str:
    level, school = of.number("level"), of.lower("school")
    if level is None:
        return joined("a spell of", school) if school else "a spell"
    if level == 0:
        return a(joined(school, "cantrip (level 0 spell)"))
    return a(joined(f"{ordinal(int(level))}-level", school, f"spell (level {level:.0f})"))


def _components(of: Reading) -> str:
    parts = [_COMPONENTS.get(text.upper(), text) for text in of.texts("components")]
    material = of.text("material").rstrip(".")
    phrase = f"{enumerated(parts)} components" if parts else ""
    if not material:
        return phrase
    return f"{phrase or 'material component'} ({material[:1].lower()}{material[1:]})"


def _reach(of: Reading) -> str:
    shape, size, save = of.lower("area_shape"), of.number("area_size"), of.text("save")
    area = ""
    if shape:
        feet = "" if size is None else f"{size:g}-foot{'-radius' * (shape == 'sphere')}"
        area = joined("affects an area:", feet, shape)
    halved = " for half damage" if of.has("save_halves") else ""
    saving = f"{save} saving throw{halved}" if save else ""
    attack = of.lower("attack", "{} spell attack")
    return commas(area, saving, attack)


def _dealt(of: Reading) -> str:
    kinds = [kind.lower() for kind in of.texts("damage_type")]
    if not kinds and not of.mapping("damage_at"):
        return ""
    return joined("deals", enumerated(kinds), "damage", _amount(of, "damage_at"))


def _amount(of: Reading, key: str) -> str:
    """The dice of the lowest level, and whether there are more of them later."""
    steps = [step for step in of.mapping(key).values() if isinstance(step, str)]
    growth = _GROWTH.get(of.text("grows_with"), "") if len(steps) > 1 else ""
    phrase = commas(steps[0] if steps else "", growth)
    return f"({phrase})" if phrase else ""
