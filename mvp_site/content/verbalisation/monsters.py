"""The card of a monster."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from ..reading import Reading
from ..types import SENSES
from ..wording import a, commas, enumerated, joined

_TIERS: Final = (
    (0.5, "a weak foe for beginners"), (4, "a foe for low levels"),
    (10, "a dangerous foe for middle levels"), (16, "a powerful foe for high levels"),
)
_EPIC: Final = "a deadly, epic foe for the highest levels"
_MOVES: Final = {
    "fly": "flies (flying creature, {})", "swim": "swims ({})", "climb": "climbs ({})",
    "burrow": "burrows ({})",
}
_SUFFERED: Final = {"exhaustion": "exhausted"}
_OUTSTANDING: Final = 18
_ABILITIES: Final = {
    "strength": "very strong", "dexterity": "very agile", "constitution": "very tough",
    "intelligence": "highly intelligent", "wisdom": "very wise", "charisma": "very charismatic",
}
_ACTS: Final = {
    "special_abilities": "traits", "actions": "actions", "reactions": "reactions",
    "legendary_actions": "legendary actions",
}


def monster(of: Reading) -> Iterator[str]:
    """What it is and how dangerous; how it moves; what it withstands, knows, deals and does."""
    yield _kind(of)
    yield _challenge(of)
    walk = of.number("walk")
    speed = of.text("speed", "speed {}").rstrip(".") or (f"speed {walk:g} ft" if walk else "")
    yield commas(of.text("armor_class", "armor class {}"),
                 of.text("hit_points", "{} hit points"), speed)
    yield _moves(of)
    yield _mind(of)
    yield from _withstands(of)
    yield of.several("damage_types", "deals {} damage").lower()
    if of.has("spellcaster") or of.texts("spells"):
        spells = ", ".join(of.texts("spells"))
        yield f"spellcaster, casts spells{f': {spells}' if spells else ''}"
    if of.has("legendary"):
        yield "legendary creature"
    for key, name in _ACTS.items():
        if acts := of.texts(key):
            yield f"{name}: {', '.join(dict.fromkeys(acts))}"
    of.passed("hit_dice", "proficiency_bonus", "passive_perception", "senses", "speed", "hover")


def _kind(of: Reading) -> str:
    kind = joined(of.lower("size"), of.lower("type") or "creature", of.text("subtype", "({})"))
    return commas(a(kind), of.lower("alignment"))


def _challenge(of: Reading) -> str:
    rating = of.number("challenge_rating")
    printed = of.text("challenge")
    if rating is None:
        return f"challenge {printed}" if printed else ""
    rating_text = printed or str(Fraction(rating).limit_denominator(8))
    tier = next((phrase for most, phrase in _TIERS if rating <= most), _EPIC)
    return commas(f"challenge {rating_text} (CR {rating_text})", of.text("xp", "{} XP"), tier)


def _moves(of: Reading) -> str:
    phrases = []
    for key, phrase in _MOVES.items():
        feet = of.number(key)
        if feet:
            phrases.append(phrase.format(f"{feet:g} feet"))
        elif key == "fly" and of.has("flying"):
            phrases.append("flies (flying creature)")
    of.passed("flying")
    return f"it {enumerated(phrases)}" if phrases else ""


def _mind(of: Reading) -> str:
    parts = [f"{sense} {of.number(sense):g} feet" for sense in sorted(SENSES) if of.number(sense)]
    languages = of.text("languages_printed") or ", ".join(of.texts("languages"))
    parts.append(languages and f"languages {languages}")
    of.passed("languages")
    for key, phrase in _ABILITIES.items():
        score = of.number(key)
        if score is not None and score >= _OUTSTANDING:
            parts.append(phrase)
    of.passed("saves")
    return commas(*parts, of.several("skills", "skilled in {}"))


def _withstands(of: Reading) -> Iterator[str]:
    for phrase, printed, key in (
        ("vulnerable to", "vulnerable_to", "vulnerabilities"),
        ("resists", "resists", "resistances"),
        ("immune to", "immune_to", "immunities"),
    ):
        kinds = of.text(printed) or enumerated(kind.lower() for kind in of.texts(key))
        of.passed(key)
        if kinds:
            yield f"{phrase} {kinds} damage" if "from" not in kinds else f"{phrase} {kinds}"
    if conditions := [text.lower() for text in of.texts("condition_immunities")]:
        yield f"cannot be {enumerated((_SUFFERED.get(kind, kind) for kind in conditions), 'or')}"
