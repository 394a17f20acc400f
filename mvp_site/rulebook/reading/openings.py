"""The line that an entry opens with to the fields it states: of a spell, a creature, a magic item.

"3rd-level evocation (ritual)", "Medium humanoid (any race), any alignment", "Weapon (longsword),
rare (requires attunement)": each is known by its form, and a line of no such form states nothing.
"""

from __future__ import annotations

import re
from typing import Final

from ...retrieval.names import fold

Fields = tuple[tuple[str, str], ...]

MAX_OPENING: Final = 200
_MARKS: Final = re.compile(r"[*_`]+")
_LEVEL: Final = r"(?P<level>\d{1,2})(?:st|nd|rd|th)?"
_ORDINAL: Final = r"(?P<ordinal>\d{1,2}(?:st|nd|rd|th))"
_SCHOOL: Final = r"(?P<school>[^\W\d_]+)"
_REST: Final = r"(?P<rest>(?:[\s,]*\([^()]*\)|[\s,]+ritual(?: tag)?)*)\.?"
_SPELLS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_ORDINAL}[\s-]+level[\s,]+{_SCHOOL}(?: spell)?{_REST}",
        rf"level\s+{_LEVEL}[\s,]+{_SCHOOL}(?: spell)?{_REST}",
        rf"{_SCHOOL}[\s,]+level\s+{_LEVEL}{_REST}",
        rf"{_SCHOOL}[\s,]+{_ORDINAL}[\s-]+level{_REST}",
        rf"{_SCHOOL}[\s,]+(?P<cantrip>cantrip){_REST}",
        rf"(?P<cantrip>cantrip)[\s,]+\(?{_SCHOOL}\)?{_REST}",
    )
)
_NO_SCHOOL: Final = frozenset(
    {"spell", "feature", "slot", "ability", "character", "class", "spells", "ritual", "power"}
)
SCHOOLS: Final = frozenset(
    {"abjuration", "conjuration", "divination", "enchantment", "evocation", "illusion",
     "necromancy", "transmutation"}
)
"""The schools that make a line a spell's; with another word it needs a spell's other lines."""

_NO_ITEM: Final = frozenset({"rarity", "cost", "item", "value", "level"})

_SIZE: Final = r"(?:tiny|small|medium|large|huge|gargantuan)"
_CREATURE: Final = re.compile(
    rf"(?P<size>{_SIZE}(?:(?:\s+or\s+|\s*/\s*|,\s+){_SIZE})*)\s+(?P<type>[^,()]+?(?:\s*\([^()]*\))?)"
    r"(?:\s*,\s*(?P<alignment>[^,].*?))?\.?",
    re.IGNORECASE,
)
_ALIGNMENT: Final = frozenset(
    """lawful chaotic neutral unaligned good evil any alignment alignments non or and typically
    usually often mostly true of the same as its""".split()  # noqa: SIM905 - reads best as text
)
_IN_PARENTHESES: Final = re.compile(r"\([^()]*\)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_RARITY: Final = re.compile(
    r"(?:very rare|uncommon|common|rare|legendary|artifact|unique|rarity|varies|unknown rarity)\b",
    re.IGNORECASE,
)
_RARITIES: Final = frozenset(
    {"very", "rare", "uncommon", "common", "legendary", "artifact", "unique", "or", "and"}
)
_RARITY_FIRST: Final = re.compile(
    r"(?P<rarity>very rare|uncommon|common|rare|legendary)\s+(?P<type>(?:wondrous )?"
    r"(?:item|weapon|armou?r|potion|ring|rod|staff|scroll|wand|ammunition)(?: \([^()]*\))?)",
    re.IGNORECASE,
)
_ATTUNEMENT: Final = re.compile(
    r"[\s,(]*(?:requires\s+)?attunement(?:\s+required)?(?P<by>\s+[^()]*)?[\s)]*", re.IGNORECASE
)
_AFTER_OR: Final = re.compile(r"^(?:or|and)\s+", re.IGNORECASE)
_MAX_TYPE_WORDS: Final = 8
_MAX_ITEM_WORDS: Final = 4
_MAX_RARITY_WORDS: Final = 16
REQUIRED: Final = "required"


def read_opening(line: str) -> Fields:
    """The fields that ``line`` states, in order; none where it has no such form.

    Of a spell ``level``, ``school``, ``ritual`` and, where it lists any, ``classes``; of a creature
    ``size``, ``type`` and ``alignment``; of a magic item ``type``, ``rarity`` and ``attunement``.
    """
    text = " ".join(_MARKS.sub("", line).split()).strip()
    if not text or len(text) > MAX_OPENING:
        return ()
    return _spell(text) or _creature(text) or _item(text)


def is_sure(fields: Fields) -> bool:
    """Whether a line of these ``fields`` can be nothing else; else other lines must bear it out."""
    read = dict(fields)
    if "school" in read:
        return fold(read["school"]) in SCHOOLS
    return "alignment" in read or ("rarity" in read and fold(read["type"]) not in _NO_ITEM)


def _spell(text: str) -> Fields:
    for pattern in _SPELLS:
        found = pattern.fullmatch(text)
        if found is None or found["school"].lower() in _NO_SCHOOL:
            continue
        named = found.groupdict()
        level = named.get("ordinal") or named.get("level") or "cantrip"
        listed = [
            part.strip() for part in re.split(r"[(),]", found["rest"]) if part.strip()
        ]
        ritual = any(part.lower().startswith("ritual") for part in listed)
        classes = [part for part in listed if not part.lower().startswith("ritual")]
        fields = (("level", level.lower()), ("school", found["school"].lower()),
                  ("ritual", "yes" if ritual else "no"))
        return (*fields, ("classes", ", ".join(classes))) if classes else fields
    return ()


def _creature(text: str) -> Fields:
    found = _CREATURE.fullmatch(text)
    if found is None:
        return ()
    kind, alignment = found["type"], found["alignment"]
    named = _WORD.findall(_IN_PARENTHESES.sub("", kind))
    fields = (("size", found["size"]), ("type", kind))
    if alignment is None:
        return fields if len(named) == 1 or named[0].lower() == "swarm" else ()
    said = _WORD.findall(_IN_PARENTHESES.sub("", alignment).lower())
    if len(named) > _MAX_TYPE_WORDS or not said or not _ALIGNMENT.issuperset(said):
        return ()
    return (*fields, ("alignment", alignment))


def _item(text: str) -> Fields:
    attunement = _ATTUNEMENT.search(text)
    needs = "no"
    if attunement:
        needs = f"{REQUIRED}{(attunement['by'] or '').rstrip()}"
        text = f"{text[: attunement.start()]}{text[attunement.end() :]}"
    kind, *groups = (part.strip(" .;") for part in _at_commas(text))
    rarity = ", ".join(group for group in groups if _is_rarity(_AFTER_OR.sub("", group)))
    if not rarity:
        found = _RARITY_FIRST.fullmatch(kind)
        if found is None or groups:
            return ()
        kind, rarity = found["type"], found["rarity"]
    elif not _is_rarity(groups[0]):
        return ()
    named = _WORD.findall(_IN_PARENTHESES.sub("", kind))
    if not 0 < len(named) <= _MAX_ITEM_WORDS or len(rarity.split()) > _MAX_RARITY_WORDS:
        return ()
    return (("type", kind), ("rarity", rarity.lower()), ("attunement", needs))


def _is_rarity(group: str) -> bool:
    """Whether a group of words is a rarity, several of them, or what a rarity varies by."""
    if not _RARITY.match(group):
        return False
    named = set(_WORD.findall(_IN_PARENTHESES.sub("", group).lower()))
    return named <= _RARITIES or "rarity" in named or "varies" in named


def _at_commas(text: str) -> list[str]:
    """``text`` in parts, cut at each comma that stands outside parentheses."""
    parts, start, depth = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
