"""How people speak of the fields of each type: the words in which they state constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ...retrieval.filters import AnyOf, Clause, Contains, Range
from ..types import RARITIES, SENSES, SIZES, EntityType


class Meaning(StrEnum):
    """What a value that is said stands for."""

    ITSELF = "the value"
    LISTED = "every value that lists it: a demon is also a demon, shapechanger"
    PART = "every value that has it as a part: a druid may attune what a bard or druid may"
    WORD = "every value that has the word: evil is lawful evil and chaotic evil"


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which values of a field are said.

    ``before`` and ``behind`` are regular expressions of what must stand around, with its white
    space; ``{type}`` in them is any value of that field. ``only`` are the words of
    :attr:`Meaning.WORD`; ``never`` are values that are not said so.
    """

    field: str
    before: str = ""
    behind: str = ""
    meaning: Meaning = Meaning.ITSELF
    only: tuple[str, ...] = ()
    never: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class UpTo:
    """A clause that the field is at most the number in the phrase."""

    field: str


@dataclass(frozen=True, slots=True)
class Speech:
    """How a type's fields are spoken of.

    ``numbers`` gives a field's nouns and units ("CR 5", "100 hit points", "10 gp"), as a regular
    expression; ``whole`` are fields of whole numbers, ``feet`` those whose numbers have feet with
    them, ``dice`` those that are sides of a die, ``bounded`` those that no bare number in front
    is said of. ``flags`` are words that say true. ``values`` are fields whose values are said as
    they are ("undead", "evocation"), each with the words that must stand before the value and
    behind it, as regular expressions; '' where none has to. ``ways`` are further ways to say
    values, ``orders`` the values of fields that have more and less, ``aliases`` other words for
    values. ``phrases`` are clauses by what says them. ``within`` are fields of values that are
    the nouns of numbers ("20-foot cube").
    """

    numbers: Mapping[str, str]
    flags: Mapping[str, str]
    values: Mapping[str, tuple[str, str]]
    whole: frozenset[str] = frozenset()
    phrases: Mapping[str, Clause | UpTo] = field(default_factory=dict)
    ways: tuple[Way, ...] = ()
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    feet: frozenset[str] = frozenset()
    dice: frozenset[str] = frozenset()
    bounded: frozenset[str] = frozenset()
    within: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def said(self) -> frozenset[str]:
        """The fields whose values are said."""
        return frozenset({*self.values, *self.orders, *(way.field for way in self.ways)})


COINS: Final = {
    r"(?:gp|gold(?: pieces?| coins?)?|gps)": 1.0, r"(?:sp|silver(?: pieces?| coins?)?)": 0.1,
    r"(?:cp|copper(?: pieces?| coins?)?)": 0.01, r"(?:pp|platinum(?: pieces?| coins?)?)": 10.0,
}
"""The coins in gp."""
_COST: Final = "|".join(COINS)
_POUNDS: Final = r"(?:pounds?|lbs?\.?)"
_DAMAGE: Final = ("", r"damage")
_ALONE: Final = ("", "")
_WARES: Final = {"cost": _COST, "weight": _POUNDS}
_WEAPON_FLAGS: Final = {
    "finesse": "finesse", "heavy": "heavy", "light": "light", "two_handed": "two[- ]?handed",
    "versatile": "versatile", "thrown": "thrown|throwing|throwable",
    "reach": r"(?<!to )(?<!can )(?<!out of )reach(?! (?:an?|the|some|my|your|out|over|any|every)\b)"
             r"(?! (?:some|any|every)\w)",
    "loading": "loading", "ammunition": "ammunition|ammo", "special": "special(?= propert)",
}
_ABILITIES: Final = {
    "strength": "str(?:ength)?", "dexterity": "dex(?:terity)?", "constitution": "con(?:stitution)?",
    "intelligence": "int(?:elligence)?", "wisdom": "wis(?:dom)?", "charisma": "cha(?:risma)?",
}
_CASTS: Final = r"spell ?casters?|spell ?casting|casts? spells"
_SPEED: Final = r"(?:[\s-]+speeds?)"
_MOVES: Final = {
    "walk": rf"(?:walk(?:ing)?|land|ground){_SPEED}",
    "fly": rf"(?:fly(?:ing)?|flight){_SPEED}|flies(?: at)?",
    "swim": rf"swim(?:ming)?{_SPEED}|swims(?: at)?", "burrow": rf"burrow(?:ing)?{_SPEED}",
    "climb": rf"climb(?:ing)?{_SPEED}",
}
_RESIST: Final = r"(?:resistan(?:t|ce)|resists?)"


def _some(name: str) -> Clause:
    return Range(name, 1.0, None)


def _damage(name: str, noun: str) -> Way:
    return Way(name, "", rf"(?:[\s-]+damage)?[\s-]+(?:{noun})")


SPEECH: Final[Mapping[EntityType, Speech]] = {
    EntityType.SPELLS: Speech(
        {"level": r"(?:spell[- ])?(?:levels?|lvls?)", "range_feet": r"(?:ranges?|ranged)",
         "area_size": r"(?:cones?|cubes?|cylinders?|lines?|spheres?|radius|radii)"},
        {"ritual": "rituals?",
         "concentration": "(?<!'s )(?:concentration|concentrating|concentrate on)"},
        {
            "school": _ALONE, "classes": _ALONE, "damage_type": _DAMAGE,
            "save": ("", r"(?:saving throws?|saves?)"),
            "area_shape": ("", r"(?:spells?|shaped|area|effect)"),
        },
        frozenset({"level"}),
        {
            "cantrips?": AnyOf("level", (0.0,)),
            r"bonus actions?": Contains("casting_time", "bonus action"),
            r"(?:as|with|using|for) (?:a|my|your|his|her|their) reaction|reaction spells?":
            Contains("casting_time", "reaction"),
            r"(?:restor(?:e|es|ing)|heals?|healing)(?: (?:lost|some|its|his|her|their|your|my))*"
            r" (?:hit points|hps?)|healing (?:spells?|magic|cantrips?)": AnyOf("healing", (True,)),
            **{rf"(?<!or )(?<!and )(?<!, ){said} components?": AnyOf("components", (letter,))
               for said, letter in (("verbal", "v"), ("somatic", "s"), ("material", "m"))},
            r"touch spells?": AnyOf("range", ("touch",)),
            r"concentration[- ]free|concentration (?:is )?(?:not|isn't) (?:required|needed)":
            AnyOf("concentration", (False,)),
        },
        (
            Way("casting_time", r"(?:casting time (?:of |is )?|cast(?:ing)? time: ?)(?:an? )?"),
            Way("casting_time", "", r"(?:[\s-]+casting[\s-]+times?|\s+to cast)"),
            Way("casting_time", r"(?:takes? |taking )", r"\s+to cast"),
            Way("duration", r"(?:last(?:s|ing)?(?: for)? |durations?(?::| of| is)? )(?:up to )?",
                meaning=Meaning.PART),
            Way("duration", "", r"[\s-]+durations?", Meaning.PART),
            Way("duration", "", "", Meaning.WORD, ("instantaneous", "until dispelled")),
            Way("range", r"ranges?(?::| of| is)? ", never=frozenset({"special"})),
            Way("range", "", r"[\s-]+(?:ranged?|only)", never=frozenset({"special", "sight"})),
            Way("attack", "", r"\s+(?:spell attacks?|attack spells?|attack cantrips?)"),
            Way("area_shape", "", r"\s+of(?=\s+\w+\s+damage\b)"),
            Way("subclasses", "", r"\s+spells?"),
        ),
        feet=frozenset({"range_feet", "area_size"}), within={"area_size": "area_shape"},
    ),
    EntityType.MONSTERS: Speech(
        {
            "challenge_rating": r"(?:crs?|challenge(?: ratings?)?)",
            "armor_class": r"(?:ac|armou?r class)", "hit_points": r"(?:hps?|hit points?)",
            "xp": r"(?:xp|experience(?: points)?)", **_MOVES, **{sense: sense for sense in SENSES},
            **{ability: rf"(?:{said})(?:\s+scores?)?(?!\s+(?:sav|check|mod|bonus))"
               for ability, said in _ABILITIES.items()},
        },
        {
            "flying": "flying|flies|fly|fliers?|flyers?|airborne|winged",
            "legendary": "legendary(?: actions?| creatures?| monsters?)?",
            "spellcaster": _CASTS,
        },
        {
            "type": _ALONE, "size": _ALONE, "alignment": _ALONE, "subtype": _ALONE,
            "immunities": (r"(?:immune|immunity) to(?: damage from)?", ""),
            "resistances": (rf"{_RESIST}(?: to)?", ""),
            "vulnerabilities": (r"(?:vulnerable|vulnerability|weak) to", ""),
            "condition_immunities": (
                r"(?:immune|immunity) to(?: being)?|(?:cannot|can't) be", ""),
            "languages": (r"(?:speaks?|speaking|understands?|knows?)", ""),
        },
        frozenset({"armor_class", "hit_points", "xp", *_MOVES, *SENSES, *_ABILITIES}),
        {
            r"swimming|swims?|swimmers?": _some("swim"), r"climbing|climbs?": _some("climb"),
            r"burrowing|burrows?|burrowers?": _some("burrow"),
            **{sense: _some(sense) for sense in SENSES},
            r"telepath(?:y|ic|s)?|telepathically": Contains("languages", "telepathy"),
        },
        (
            _damage("immunities", "immune|immunity|immunities"),
            _damage("resistances", "resistant|resistances?"),
            _damage("vulnerabilities", "vulnerable|vulnerability|vulnerabilities"),
            Way("damage_types", r"(?:deal(?:s|ing)?|does|do|inflict(?:s|ing)?)\s+(?:extra\s+)?",
                r"\s+damage"),
            Way("alignment", "", r"(?:[\s-]+(?:aligned|alignments?)|(?=\s+(?:{type})))",
                Meaning.WORD, ("evil", "lawful", "chaotic")),
            Way("alignment", "", r"[\s-]+(?:aligned|alignments?)", Meaning.WORD, ("good",)),
            Way("alignment", "", r"(?=\s+(?:creatures?|monsters?|beings?))",
                Meaning.WORD, ("evil", "lawful", "chaotic")),
            Way("subtype", meaning=Meaning.LISTED),
        ),
        {"size": SIZES}, feet=frozenset({*_MOVES, *SENSES}), bounded=frozenset(_ABILITIES),
        aliases={"shapeshifter": "shapechanger", "shape changer": "shapechanger",
                 "shape shifter": "shapechanger"},
    ),
    EntityType.WEAPONS: Speech(
        {**_WARES, "range_long": r"(?:long|maximum|max)\s+range", "range_normal":
         r"(?:normal|short)\s+range", "damage_average": r"(?:average|avg\.?|mean)\s+damage"},
        _WEAPON_FLAGS, {"category": _ALONE, "style": _ALONE, "damage_type": _ALONE},
        ways=(Way("damage_dice", "", r"(?:\s+(?:of\s+)?damage)?"),
              Way("properties", "", r"\s+(?:weapons?|propert(?:y|ies))",
                  never=frozenset(flag.replace("_", " ") for flag in _WEAPON_FLAGS))),
        feet=frozenset({"range_long", "range_normal"}),
    ),
    EntityType.ARMOR: Speech(
        {**_WARES, "armor_class": r"(?:ac|armou?r class)",
         "strength": r"str(?:ength)?(?:\s+(?:score|requirement|minimum))?"},
        {"stealth_disadvantage":
         "(?:stealth )?disadvantage(?: on stealth| to stealth)?(?: checks?)?"},
        {"category": ("", r"(?:armou?rs?|suits?)")},
        frozenset({"armor_class", "strength"}),
        {r"(?:no|without (?:a|any)) strength(?: score| requirement| minimum)?":
         AnyOf("strength", (0.0,)),
         r"(?:wear|worn|use|used|usable|wearable)(?: it)? (?:with|at) (?:only )?(?:an? )?"
         r"(?:\d+ strength|strength (?:score )?(?:of )?\d+)": UpTo("strength")},
        (Way("category", r"(?:^|(?<=, ))", r"(?=\s*(?:,|$))"),),
        bounded=frozenset({"strength"}),
    ),
    EntityType.EQUIPMENT: Speech(_WARES, {}, {"category": _ALONE, "group": _ALONE}),
    EntityType.MAGIC_ITEMS: Speech(
        {}, {"attunement": "attunement|attuned?|attuning|attunes"},
        {"rarity": _ALONE, "item_type": _ALONE},
        phrases={r"unattuned|attunement[- ]free|attunement (?:is )?(?:not|isn't) "
                 r"(?:required|needed|necessary)": AnyOf("attunement", (False,))},
        ways=(
            Way("attunement_by", r"(?:attune(?:ment|d|s)?|attunable)\s+(?:by|to)\s+(?:an?\s+)?",
                meaning=Meaning.PART),
            Way("attunement_by", r"(?:only\s+)?(?:an?\s+)?",
                r"\s+(?:can\s+|may\s+)?(?:only\s+)?attune(?:ment|s)?(?:\s+to)?\b", Meaning.PART),
        ),
        orders={"rarity": RARITIES}, aliases={"wondrous": "wondrous item"},
    ),
    EntityType.CLASSES: Speech(
        {"hit_die": r"(?:(?:for |as )?(?:a |its |their )?hit (?:die|dice)|for hit points)"},
        {"spellcaster": _CASTS},
        {"spellcasting_ability": ("", r"(?:spell ?casters?|spell ?casting|casters?)"),
         "saving_throws": ("", r"(?:saving throws?|saves?)")},
        ways=(Way("proficiencies", r"(?:proficien(?:t|cy|cies)\s+(?:with|in)|uses?|using|wears?|"
                                   r"wearing|trained\s+(?:in|with))\s+(?:an?\s+|the\s+)?"),
              Way("proficiencies", "", r"\s+proficien(?:t|cy|cies)")),
        whole=frozenset({"hit_die"}), dice=frozenset({"hit_die"}),
    ),
    EntityType.SUBCLASSES: Speech({}, {"spellcaster": _CASTS}, {"class": _ALONE}),
    EntityType.RACES: Speech(
        {"speed": r"(?:(?:walking|base)\s+)?speeds?"}, {},
        {"size": _ALONE, "languages": (r"(?:speaks?|speaking|knows?)", "")}, frozenset({"speed"}),
        ways=(
            Way("race", r"(?:subraces?|kinds?)\s+of\s+(?:the\s+|an?\s+)?"),
            Way("race", "", r"\s+subraces?"),
            Way("ability_bonuses", "", r"\s+(?:score\s+)?(?:increases?|bonus(?:es)?|boosts?)"),
            Way("ability_bonuses", r"(?:(?:increases?|bonus(?:es)?|boosts?)\s+(?:to|in)|increases?|"
                                   r"increasing|boosts?|boosting|raises?)\s+"),
        ),
        orders={"size": SIZES}, feet=frozenset({"speed"}),
    ),
    EntityType.FEATURES: Speech(
        {"level": r"(?:levels?|lvls?)"}, {}, {"class": _ALONE, "subclass": _ALONE},
        frozenset({"level"}), {"cantrips?": AnyOf("level", (0.0,))},
    ),
    EntityType.TRAITS: Speech(
        {}, {}, {"races": _ALONE},
        ways=(Way("races", r"traits?\s+(?:of|for)\s+(?:an?\s+|the\s+)?"),
              Way("damage_type", "", r"\s+damage")),
    ),
    EntityType.RULES: Speech({}, {}, {}, ways=(
        Way("category", r"^(?:(?:the|all|list|every|what|which)\s+)*",
            # Alone only the plural: "alignment" may be the rule of that name.
            r"(?:(?<=[sc])(?=\s*$)|(?=\s+(?:for|to|that|which|used|spoken|with)\b))",
            never=frozenset({"section", "chapter", "ability score"})),
        Way("chapter", "", r"\s+chapter"),
    )),
    EntityType.BACKGROUNDS: Speech({}, {}, {}, ways=(
        Way("proficiencies", r"proficien(?:t|cy|cies)\s+(?:with|in)\s+"),
        Way("proficiencies", "", r"\s+(?:skill\s+)?proficien(?:t|cy|cies)"),
    )),
    EntityType.FEATS: Speech({}, {}, {}, ways=(
        Way("prerequisites", r"(?:requir(?:e|es|ed|ing)|needs?|prerequisites?:?(?:\s+of)?)\s+"
                             r"(?:an?\s+)?"),
        Way("prerequisites", "", r"\s+(?:score\s+)?(?:prerequisites?|requirements?)"),
    )),
}
"""The types without an entry have nothing that people state."""
