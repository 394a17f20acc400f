"""How people speak of the fields of each type: the words in which they state constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Final

from ...retrieval.filters import AnyOf, Clause, Contains, Range
from ..types import DAMAGE_TYPES, RARITIES, SENSES, SIZES, EntityType
from .quantities import Noun, noun


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
class Speech:
    """How a type's fields are spoken of.

    ``numbers`` gives a field's nouns and units ("CR 5", "100 hit points", "10 gp"). ``flags`` are
    words that say true, ``phrases`` clauses by what says them, both regular expressions; a range
    without ends is up to the number in the phrase. ``ways`` are those to say values, ``orders`` the
    values of fields that have more and less, ``aliases`` other words for values. ``within`` are
    fields of values that are the nouns of numbers ("20-foot cube").
    """

    numbers: Mapping[str, Noun] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    ways: tuple[Way, ...] = ()
    phrases: Mapping[str, Clause] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    within: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def said(self) -> frozenset[str]:
        """The fields whose values are said."""
        return frozenset({*self.orders, *(way.field for way in self.ways)})


_COINS: Final = {
    r"(?:gp|gold(?: pieces?| coins?)?|gps)": 1.0, r"(?:sp|silver(?: pieces?| coins?)?)": 0.1,
    r"(?:cp|copper(?: pieces?| coins?)?)": 0.01, r"(?:pp|platinum(?: pieces?| coins?)?)": 10.0,
}
"""The coins in gp."""
_WARES: Final = {"cost": noun(*_COINS, worths=tuple(_COINS.values())),
                 "weight": noun(r"(?:pounds?|lbs?\.?)")}
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
_WARDS: Final = (
    r"(?:(?:protect(?:s|ed|ing|ion)?|shield(?:s|ed|ing)?|guard(?:s|ed|ing)?|ward(?:s|ed|ing)?|safe|"
    r"defen[sc]es?|defends?|resistan(?:t|ce)|resists?|immun(?:e|ity))"
    r"(?:\s+(?:me|us|you|him|her|them|myself|ourselves|somebody|someone|(?:my|our|the|an?)\s+\w+))?"
    r"(?:\s+(?:from|against|to))?)"
)
"""What somebody wants to withstand stands behind these."""
_HARM: Final = r"(?:[\s-]+damage)?[\s-]+"


def _some(name: str) -> Clause:
    return Range(name, 1.0, None)


def _said(name: str, before: str = "", behind: str = "") -> Way:
    """The values as they are ("undead", "evocation"), between words of which one has to stand."""
    return Way(name, rf"(?:{before})\s+(?:the\s+)?" if before else "",
               rf"[\s-]+(?:{behind})" if behind else "")


_WHOLE: Final = partial(noun, whole=True)
_FEET: Final = partial(noun, unit="feet")
_ARMOR_CLASS: Final = _WHOLE(r"(?:ac|armou?r class)")

SPEECH: Final[Mapping[EntityType, Speech]] = {
    EntityType.SPELLS: Speech(
        {"level": _WHOLE(r"(?:spell[- ])?(?:levels?|lvls?)"),
         "range_feet": _FEET(r"(?:ranges?|ranged)"),
         "area_size": _FEET(r"(?:cones?|cubes?|cylinders?|lines?|spheres?|radius|radii)")},
        {"ritual": "rituals?",
         "concentration": "(?<!'s )(?:concentration|concentrating|concentrate on)"},
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
            _said("school"), _said("classes"), _said("damage_type", behind="damage"),
            _said("resistances", _WARDS),
            _said("save", behind=r"(?:saving throws?|saves?)"),
            _said("area_shape", behind=r"(?:spells?|shaped|area|effect)"),
        ),
        {
            "cantrips?": AnyOf("level", (0.0,)),
            r"bonus actions?": Contains("casting_time", "bonus action"),
            r"(?:as|with|using|for) (?:a|my|your|his|her|their) reaction|reaction spells?":
            Contains("casting_time", "reaction"),
            r"(?:restor(?:e|es|ing)|heals?|healing)(?: (?:lost|some|its|his|her|their|your|my))*"
            r" (?:hit points|hps?|wounds?|injur(?:y|ies))|healing (?:spells?|magic|cantrips?)":
            AnyOf("healing", (True,)),
            r"(?:combat|attack|deals?|dealing|do(?:es)?) damage"
            r"|(?<!\w )damag(?:e|ing) (?:spells?|magic|cantrips?)":
            AnyOf("damage_type", DAMAGE_TYPES),
            **{rf"(?<!or )(?<!and )(?<!, ){said} components?": AnyOf("components", (letter,))
               for said, letter in (("verbal", "v"), ("somatic", "s"), ("material", "m"))},
            r"touch spells?": AnyOf("range", ("touch",)),
            r"concentration[- ]free|concentration (?:is )?(?:not|isn't) (?:required|needed)":
            AnyOf("concentration", (False,)),
        },
        within={"area_size": "area_shape"},
    ),
    EntityType.MONSTERS: Speech(
        {
            "challenge_rating": noun(r"(?:crs?|challenge(?: ratings?)?)"),
            "armor_class": _ARMOR_CLASS, "hit_points": _WHOLE(r"(?:hps?|hit points?)"),
            "xp": _WHOLE(r"(?:xp|experience(?: points)?)"),
            **{name: _FEET(said, whole=True)
               for name, said in {**_MOVES, **dict(zip(SENSES, SENSES, strict=True))}.items()},
            **{name: _WHOLE(rf"(?:{said})(?:\s+scores?)?(?!\s+(?:sav|check|mod|bonus))",
                            bounded=True) for name, said in _ABILITIES.items()},
        },
        {
            "flying": "flying|flies|fly|fliers?|flyers?|airborne|winged",
            "legendary": "legendary(?: actions?| creatures?| monsters?)?",
            "spellcaster": _CASTS,
        },
        (
            Way("immunities", "", rf"{_HARM}(?:immune|immunity|immunities)"),
            Way("resistances", "", rf"{_HARM}(?:resistant|resistances?)"),
            Way("vulnerabilities", "", rf"{_HARM}(?:vulnerable|vulnerability|vulnerabilities)"),
            Way("damage_types", r"(?:deal(?:s|ing)?|does|do|inflict(?:s|ing)?)\s+(?:extra\s+)?",
                r"\s+damage"),
            Way("alignment", "", r"(?:[\s-]+(?:aligned|alignments?)|(?=\s+(?:{type})))",
                Meaning.WORD, ("evil", "lawful", "chaotic")),
            Way("alignment", "", r"[\s-]+(?:aligned|alignments?)", Meaning.WORD, ("good",)),
            Way("alignment", "", r"(?=\s+(?:creatures?|monsters?|beings?))",
                Meaning.WORD, ("evil", "lawful", "chaotic")),
            Way("subtype", meaning=Meaning.LISTED),
            _said("type"), _said("size"), _said("alignment"), _said("subtype"),
            _said("immunities", r"(?:immune|immunity) to(?: damage from)?"),
            _said("resistances", r"(?:resistan(?:t|ce)|resists?)(?: to)?"),
            _said("vulnerabilities", r"(?:vulnerable|vulnerability|weak) to"),
            _said("condition_immunities",
                  r"(?:immune|immunity) to(?: being)?|(?:cannot|can't) be"),
            _said("languages", r"(?:speaks?|speaking|understands?|knows?)"),
        ),
        {
            r"swimming|swims?|swimmers?": _some("swim"), r"climbing|climbs?": _some("climb"),
            r"burrowing|burrows?|burrowers?": _some("burrow"),
            **{sense: _some(sense) for sense in SENSES},
            r"telepath(?:y|ic|s)?|telepathically": Contains("languages", "telepathy"),
        },
        {"size": SIZES},
        aliases={"shapeshifter": "shapechanger", "shape changer": "shapechanger",
                 "shape shifter": "shapechanger"},
    ),
    EntityType.WEAPONS: Speech(
        {**_WARES, "range_long": _FEET(r"(?:long|maximum|max)\s+range"),
         "range_normal": _FEET(r"(?:normal|short)\s+range"),
         "damage_average": noun(r"(?:average|avg\.?|mean)\s+damage")},
        _WEAPON_FLAGS,
        (
            Way("damage_dice", "", r"(?:\s+(?:of\s+)?damage)?"),
            Way("properties", "", r"\s+(?:weapons?|propert(?:y|ies))",
                never=frozenset(flag.replace("_", " ") for flag in _WEAPON_FLAGS)),
            _said("category"), _said("style"), _said("damage_type"),
        ),
    ),
    EntityType.ARMOR: Speech(
        {**_WARES, "armor_class": _ARMOR_CLASS, "strength": _WHOLE(
            r"str(?:ength)?(?:\s+(?:score|requirement|minimum))?", bounded=True)},
        {"stealth_disadvantage":
         "(?:stealth )?disadvantage(?: on stealth| to stealth)?(?: checks?)?"},
        (Way("category", r"(?:^|(?<=, ))", r"(?=\s*(?:,|$))"),
         _said("category", behind=r"(?:armou?rs?|suits?)")),
        {r"(?:no|without (?:a|any)) strength(?: score| requirement| minimum)?":
         AnyOf("strength", (0.0,)),
         r"(?:wear|worn|use|used|usable|wearable)(?: it)? (?:with|at) (?:only )?(?:an? )?"
         r"(?:\d+ strength|strength (?:score )?(?:of )?\d+)": Range("strength", None, None)},
    ),
    EntityType.EQUIPMENT: Speech(_WARES, ways=(_said("category"), _said("group"))),
    EntityType.MAGIC_ITEMS: Speech(
        flags={"attunement": "attunement|attuned?|attuning|attunes"},
        phrases={r"unattuned|attunement[- ]free|attunement (?:is )?(?:not|isn't) "
                 r"(?:required|needed|necessary)": AnyOf("attunement", (False,))},
        ways=(
            Way("attunement_by", r"(?:attune(?:ment|d|s)?|attunable)\s+(?:by|to)\s+(?:an?\s+)?",
                meaning=Meaning.PART),
            Way("attunement_by", r"(?:only\s+)?(?:an?\s+)?",
                r"\s+(?:can\s+|may\s+)?(?:only\s+)?attune(?:ment|s)?(?:\s+to)?\b", Meaning.PART),
            _said("rarity"), _said("item_type"),
        ),
        orders={"rarity": RARITIES}, aliases={"wondrous": "wondrous item"},
    ),
    EntityType.CLASSES: Speech(
        {"hit_die": _WHOLE(r"(?:(?:for |as )?(?:a |its |their )?hit (?:die|dice)|for hit points)",
                           unit="die")},
        {"spellcaster": _CASTS},
        (
            Way("proficiencies", r"(?:proficien(?:t|cy|cies)\s+(?:with|in)|uses?|using|wears?|"
                                 r"wearing|trained\s+(?:in|with))\s+(?:an?\s+|the\s+)?"),
            Way("proficiencies", "", r"\s+proficien(?:t|cy|cies)"),
            _said("spellcasting_ability", behind=r"(?:spell ?casters?|spell ?casting|casters?)"),
            _said("saving_throws", behind=r"(?:saving throws?|saves?)"),
        ),
    ),
    EntityType.SUBCLASSES: Speech(flags={"spellcaster": _CASTS}, ways=(_said("class"),)),
    EntityType.RACES: Speech(
        {"speed": _FEET(r"(?:(?:walking|base)\s+)?speeds?", whole=True)},
        ways=(
            Way("race", r"(?:subraces?|kinds?)\s+of\s+(?:the\s+|an?\s+)?"),
            Way("race", "", r"\s+subraces?"),
            Way("ability_bonuses", "", r"\s+(?:score\s+)?(?:increases?|bonus(?:es)?|boosts?)"),
            Way("ability_bonuses", r"(?:(?:increases?|bonus(?:es)?|boosts?)\s+(?:to|in)|increases?|"
                                   r"increasing|boosts?|boosting|raises?)\s+"),
            _said("size"), _said("languages", r"(?:speaks?|speaking|knows?)"),
        ),
        orders={"size": SIZES},
    ),
    EntityType.FEATURES: Speech(
        {"level": _WHOLE(r"(?:levels?|lvls?)")}, ways=(_said("class"), _said("subclass")),
        phrases={"cantrips?": AnyOf("level", (0.0,))},
    ),
    EntityType.TRAITS: Speech(ways=(
        Way("races", r"traits?\s+(?:of|for)\s+(?:an?\s+|the\s+)?"),
        Way("damage_type", "", r"\s+damage"), _said("races"),
    )),
    EntityType.RULES: Speech(ways=(
        Way("category", r"^(?:(?:the|all|list|every|what|which)\s+)*",
            # Alone only the plural: "alignment" may be the rule of that name.
            r"(?:(?<=[sc])(?=\s*$)|(?=\s+(?:for|to|that|which|used|spoken|with)\b))",
            never=frozenset({"section", "chapter", "ability score"})),
        Way("chapter", "", r"\s+chapter"),
    )),
    EntityType.BACKGROUNDS: Speech(ways=(
        Way("proficiencies", r"proficien(?:t|cy|cies)\s+(?:with|in)\s+"),
        Way("proficiencies", "", r"\s+(?:skill\s+)?proficien(?:t|cy|cies)"),
    )),
    EntityType.FEATS: Speech(ways=(
        Way("prerequisites", r"(?:requir(?:e|es|ed|ing)|needs?|prerequisites?:?(?:\s+of)?)\s+"
                             r"(?:an?\s+)?"),
        Way("prerequisites", "", r"\s+(?:score\s+)?(?:prerequisites?|requirements?)"),
    )),
}
"""The types without an entry have nothing that people state."""
