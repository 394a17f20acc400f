"""What the numbers of a D&D Beyond export come to, by the rules of the fifth edition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..text.shipped_tables import shipped_tables
from ..text.vocabulary import ABILITIES
from .export_fields import definition, number, rows, text

TABLES: Final[dict[str, Any]] = shipped_tables(__package__, "dnd_beyond.toml")
BY_HAND: Final[dict[str, int]] = TABLES["by_hand"]
_HALF: Final = {"paladin", "ranger", "artificer"}
_KINDS: Final = ("expertise", "proficiency", "half-proficiency-round-up", "half-proficiency")
LEARNT: Final = {1: "", 2: "half-proficiency", 3: "proficiency", 4: "expertise"}
"""How well something is learnt, by what is set by hand."""
_MONK: Final = 5
"""The ability that only a monk's armor class has without armor, and without a shield."""


def is_active(item: Mapping[str, Any], of: Mapping[str, Any]) -> bool:
    """Whether a thing does what it does: put on or carried as a stone is, attuned where it must be.

    What is drunk or used up does it then, and not while it is carried.
    """
    carried = item.get("equipped") or (of.get("canEquip") is False and of.get("canAttune"))
    attuned = item.get("isAttuned") or not of.get("canAttune")
    return bool(carried and attuned and not of.get("isConsumable"))


def class_features(kind: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """What a class and its subclass give up to its level, each once, with what it scales to."""
    pairs = [(definition(row) or row, row) for row in (
        *rows(kind, "classFeatures"), *rows(kind, "definition", "classFeatures"),
        *rows(kind, "subclassDefinition", "classFeatures"))]
    once: dict[tuple[str, str], tuple[Mapping[str, Any], str]] = {}
    for of, row in pairs:
        if (number(of, "requiredLevel") or 0) <= kind["level"]:
            scaled = of, _scale(of, row, kind["level"])
            once.setdefault((text(of, "id"), text(of, "name")), scaled)
    return [*once.values()]


def _scale(of: Mapping[str, Any], row: Mapping[str, Any], level: int) -> str:
    """What a feature scales to at a level, as "3d6"; '' where it does not."""
    reached = [scale for scale in rows(of, "levelScales") if (number(scale, "level") or 0) <= level]
    scale = definition(row, "levelScale") or max(
        reached, key=lambda scale: number(scale, "level") or 0, default={})
    return text(scale, "dice", "diceString") or text(scale, "description") or text(
        scale, "fixedValue")


class Numbers:
    """An export with what follows from its modifiers."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.classes = [row for row in rows(data, "classes")
                        if type(row.get("level")) is int and 0 < row["level"] <= 20]
        self.level = sum(entry["level"] for entry in self.classes)
        self.features = [(kind, *row) for kind in self.classes for row in class_features(kind)]
        self.items = [(row, definition(row)) for row in rows(data, "inventory")]
        self.worn = [of for entry, of in self.items if is_active(entry, of)]
        self._by_hand = {(number(row, "typeId"), text(row, "valueId")): row.get("value")
                         for row in rows(data, "characterValues")}
        self.modifiers = [*self._granted()]
        self.scores: dict[int, int] = {}
        self.bonus = 0
        self.scores = {ability: self._score(ability, name)
                       for ability, name in enumerate(ABILITIES, 1)}
        self.bonus = 2 + (max(self.level, 1) - 1) // 4 + self.total("bonus", "proficiency-bonus")

    def _granted(self) -> Iterator[Mapping[str, Any]]:
        """The modifiers that hold: of items that are active, of a second class what it teaches."""
        idle = {text(of, "id") for _, of in self.items} - {text(of, "id") for of in self.worn}
        later = {text(of, "id") for kind, of, _ in self.features
                 if kind.get("isStartingClass") is False}
        for source in definition(self.data, "modifiers"):
            for row in rows(self.data, "modifiers", source):
                once = row.get("availableToMulticlass") is False
                replaced = (later if once else ()) if source != "item" else idle
                if text(row, "componentId") not in replaced:
                    yield row

    def _score(self, ability: int, name: str) -> int:
        def given(key: str) -> int | None:
            return next((number(row, "value") for row in rows(self.data, key)
                         if row.get("id") == ability), None)
        key = f"{name.lower()}-score"
        total = (given("stats") or 10) + (given("bonusStats") or 0) + self.total("bonus", key)
        least = [number(modifier, "value") or 0 for modifier in self.of("set", key)]
        return min(30, max(1, given("overrideStats") or max([total, *least])))

    def by_hand(self, kind: int, of: object = "") -> Any:
        """What is set by hand, for a thing by its id; None where nothing is."""
        return self._by_hand.get((kind, str(of)))

    def of(self, kind: str, *sub: str) -> list[Mapping[str, Any]]:
        """Modifiers of a kind, without those that hold at times alone; of all things, or some."""
        return [modifier for modifier in self.modifiers if modifier.get("type") == kind
                and (not sub or modifier.get("subType") in sub) and not modifier.get("restriction")]

    def mod(self, ability: int) -> int:
        """The modifier of an ability by its number; 0 for none."""
        return self.scores.get(ability, 10) // 2 - 5

    def worth(self, modifier: Mapping[str, Any]) -> int:
        """What a modifier adds: its value, or the modifier of the ability that it names.

        What is rolled, as healing, adds nothing.
        """
        if text(modifier, "dice", "diceString"):
            return 0
        types = modifier.get("bonusTypes")
        trained = self.bonus if isinstance(types, list) and 1 in types else 0
        amount = number(modifier, "value") or number(modifier, "fixedValue")
        return trained + (amount or self.mod(number(modifier, "statId") or 0))

    def total(self, kind: str, *sub: str) -> int:
        """What all modifiers of a kind to one of ``sub`` add."""
        return sum(map(self.worth, self.of(kind, *sub)))

    def learnt(self, kind: str) -> int:
        """What proficiency of a kind adds to a roll."""
        return {"half-proficiency": self.bonus // 2, "proficiency": self.bonus,
                "half-proficiency-round-up": -(-self.bonus // 2),
                "expertise": 2 * self.bonus}.get(kind, 0)

    def roll(self, ability: int, *sub: str, by_hand: int = 0, of: int = 0) -> tuple[int, str]:
        """What is added to a roll of an ability, and how it was learnt.

        ``by_hand`` is the first number of what may be set by hand for the thing ``of``.
        """
        total, magic, other, level = (number(self.by_hand(by_hand + step, of)) for step in range(4))
        kind = LEARNT[level] if level in LEARNT else next(
            (kind for kind in _KINDS if self.of(kind, *sub)), "")
        if total is None:
            total = self.mod(ability) + self.learnt(kind) + self.total("bonus", *sub)
            total += (magic or 0) + (other or 0)
        return total, kind

    def hit_points(self) -> tuple[int, int]:
        """The most that it has, and what it has now."""
        data, most = self.data, number(self.data, "overrideHitPoints")
        if most is None:
            most = (number(data, "baseHitPoints") or 0) + self.mod(3) * self.level
            most += (number(data, "bonusHitPoints") or 0) + self.total("bonus", "hit-points")
            for bonus in self.of("bonus", "hit-points-per-level"):
                most += self.worth(bonus) * self.level_of(bonus.get("componentId"), self.level)
        most = max(most, 0)
        return most, most - (number(data, "removedHitPoints") or 0)

    def armor_class(self) -> tuple[int, str]:
        """The armor class, and what it is of."""
        worn = [of for of in self.worn if number(of, "armorTypeId") in {1, 2, 3, 4}]
        best = {kind: max((number(of, "armorClass") or 0 for of in worn
                           if of["armorTypeId"] == kind), default=0) for kind in (1, 2, 3, 4)}
        dex = self.mod(2)
        limit = max([2, *map(self.worth, self.of("set", "ac-max-dex-armored-modifier"))])
        most = {1: dex, 2: min(dex, limit), 3: 0}
        total = max((best[kind] + more for kind, more in most.items() if best[kind]), default=0)
        if total:
            total += self.total("bonus", "armored-armor-class")
        else:
            more = [self.worth(modifier) for modifier in self.of("set", "unarmored-armor-class")
                    if not (best[4] and number(modifier, "statId") == _MONK)]
            bare = [*map(self.worth, self.of("set", "ac-max-dex-unarmored-modifier"))]
            total = 10 + min([dex, *bare]) + max([0, *more])
            total += self.total("bonus", "unarmored-armor-class")
        own = {key: number(self.by_hand(BY_HAND[f"armor_{key}"]))
               for key in ("base", "class", "magic", "other")}
        total = (own["base"] or total) + best[4] + self.total("bonus", "armor-class")
        total = own["class"] or total + (own["magic"] or 0) + (own["other"] or 0)
        return max(0, total), " and ".join(text(of, "name") for of in worn) or "unarmored"

    def uses(self, limited: Mapping[str, Any]) -> int:
        """How often something can be done until it is had again, 0 where that is not limited."""
        uses = number(limited, "maxUses") or 0
        if ability := number(limited, "statModifierUsesId"):
            more = self.mod(ability)
            uses = uses * more if limited.get("operator") == 2 else uses + more
        if limited.get("useProficiencyBonus"):
            many = limited.get("proficiencyBonusOperator") == 2
            uses = uses * self.bonus if many else uses + self.bonus
        scaled = limited.get("statModifierUsesId") or limited.get("useProficiencyBonus")
        return max(uses, 1 if scaled else 0)

    def slots(self, pact: bool) -> list[dict[str, int]]:
        """Spell slots by level: those of pact magic, or all others together."""
        casters = []  # level, divisor, whether it is rounded up
        for class_ in self.classes:
            of, sub = definition(class_), definition(class_, "subclassDefinition")
            name = text(of, "name").lower()
            caster = next((by for by in (of, sub) if by.get("canCastSpells")), None)
            if caster is not None and (name == "warlock") == pact:
                rules = definition(caster, "spellRules")
                usual = 3 if caster is sub else 2 if name in _HALF else 1
                up = name == "artificer" or number(rules, "multiClassSpellSlotRounding") == 2
                casters.append((class_["level"], max(1, number(
                    rules, "multiClassSpellSlotDivisor") or usual), up))
        counts: list[int] = []
        if casters and pact:
            level = casters[0][0]
            counts = [0] * ((min(level, 9) + 1) // 2 - 1)
            counts.append(1 + (level > 1) + (level > 10) + (level > 16))
        elif casters:
            alone = len(casters) == 1 and casters[0][0] >= casters[0][1]
            whole = sum(-(-level // by) if up or alone else level // by
                        for level, by, up in casters)
            counts = [*map(int, TABLES["slots"][min(20, whole)])]
        used = {number(row, "level"): number(row, "used") or 0
                for row in rows(self.data, "pactMagic" if pact else "spellSlots")}
        return [{"level": level, "total": many, "used": max(0, used.get(level, 0))}
                for level, many in enumerate(counts, 1) if many]

    def casting(self, ability: int | None, name: str = "") -> dict[str, Any]:
        """What spells are cast with, by the number of the ability and the name of the class."""
        if ability not in self.scores:
            return {}
        base = self.bonus + self.mod(ability)
        kind = name.lower()
        return {"ability": ABILITIES[ability - 1].capitalize(),
                "save_dc": max(0, 8 + base + self.total(
                    "bonus", "spell-save-dc", f"{kind}-spell-save-dc")),
                "attack_bonus": base + self.total(
                    "bonus", "spell-attacks", f"{kind}-spell-attacks")}

    def speeds(self) -> dict[str, str]:
        """Speeds by their kind."""
        normal = definition(definition(definition(self.data, "race"), "weightSpeeds"), "normal")
        bare = not any(number(of, "armorTypeId") for of in self.worn)
        own = {number(row, "movementId"): number(row, "distance")
               for row in rows(self.data, "customSpeeds")}
        moves = {}
        for id_, (kind, name) in enumerate(TABLES["speeds"].items(), 1):
            innate = [self.worth(modifier) or number(normal, "walk") or 0
                      for modifier in self.of("set", f"innate-speed-{name}")]
            base = max([number(normal, kind) or 0, *innate])
            also = ("speed", "unarmored-movement") if bare and kind == "walk" else ("speed",)
            feet = base + self.total("bonus", *also, f"speed-{name}") if base else 0
            if feet := own.get(id_) or feet:
                moves[kind] = f"{feet} ft."
        return moves

    def value(self, name: str, level: int = 0, uses: int = 0,
              scale: str = "") -> float | str | None:
        """What a name in a template stands for, in a text of a class of ``level``."""
        name, _, argument = name.partition(":")
        numbers = {name[:3]: ability for ability, name in enumerate(ABILITIES, 1)}
        abilities = [numbers[short] for short in argument.split(",") if short in numbers]
        if abilities:
            best = max(map(self.mod, abilities))
            return {"modifier": best, "savedc": 8 + self.bonus + best,
                    "spellattack": self.bonus + best,
                    "abilityscore": max(self.scores[ability] for ability in abilities)}.get(name)
        return {"proficiency": self.bonus, "characterlevel": self.level,
                "classlevel": level or None, "maxhp": self.hit_points()[0],
                "limiteduse": uses or None,
                "scalevalue": int(scale) if scale.isdecimal() else scale or None}.get(name)

    def level_of(self, component: object, default: int) -> int:
        """The level of the class that has a feature; ``default`` where none has."""
        return next((kind["level"] for kind, of, _ in self.features
                     if component is not None and of.get("id") == component), default)
