"""A creature's stat block, as it was printed in 2014 and as since 2024."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ...retrieval.filters import fold
from ...text.vocabulary import ABILITIES, DAMAGE_TYPES, SIZES
from ..srd_documents.monsters import spoken
from .labels import label, plain, read, rows
from .parts import Blocks, lines_of, named, parts, together, told

_SIZE: Final = rf"(?:{'|'.join(SIZES)})"
_ALIGNED: Final = (
    r"(?:typically |usually )?(?:unaligned|(?:any|lawful|neutral|chaotic|good|evil|non-?\w+|"
    r"alignment|or|but|\(\d+ ?%\)|,|\s)+(?<=\S))"
)
_TO: Final = r"(?P<{}>.+)"
_LABELS: Final = (
    label("", rf"(?P<size>{_SIZE}(?: or {_SIZE})?) (?P<type>swarm of {_SIZE} [a-z]+|[a-z]+)"
              rf"\s*(?:\((?P<subtype>[^()]+)\))?,\s*(?P<alignment>{_ALIGNED})"),
    label("Armor Class|AC", r"(?P<armor_class>\d+)(?:\s*\((?P<armor_class_note>[^()]*)\))?"),
    label("Hit Points|HP", r"(?P<hit_points>\d+)(?:\s*\((?P<hit_dice>[\dd\s+–−-]+)\))?"),
    label("Speed", r"(?P<speed>(?:\w+ )?\d+ ?(?:ft|feet)\b.*)"),
    label("Initiative", r"(?P<initiative>[+–−-]\d+(?: \(\d+\))?)"),
    label("Saving Throws|Saves", _TO.format("saves")),
    label("Skills", r"(?P<skills>[a-z].*?[+–−-]\s?\d+.*)"),
    label("Damage Vulnerabilities|Vulnerabilities", _TO.format("vulnerable_to")),
    label("Damage Resistances|Resistances", _TO.format("resists")),
    label("Damage Immunities|Immunities", _TO.format("immune_to")),
    label("Condition Immunities", _TO.format("condition_immunities")),
    label("Gear", _TO.format("gear")),
    label("Senses", _TO.format("senses")),
    label("Languages", _TO.format("languages_printed")),
    label("Challenge Rating|Challenge|CR",
          r"(?P<challenge_rating>\d+(?:/\d+)?|[½¼⅛])\s*(?:\((?:XP )?(?P<xp>[\d,]+)[^()]*?"
          r"(?:PB \+(?P<proficiency_bonus>\d))?\))?"),
    label("Proficiency Bonus", r"\+(?P<proficiency_bonus>\d)"),
)
_GROUPS: Final = {
    "traits": "special_abilities", "special abilities": "special_abilities", "actions": "actions",
    "bonus actions": "actions", "reactions": "reactions", "legendary actions": "legendary_actions",
}
_GLUED: Final = re.compile(
    r"(?:^|(?<=[.!?)]) )((?:Bonus |Legendary )?Actions|Reactions|Traits) (?=[A-Z])"
)
_NAMES: Final = "|".join((*ABILITIES, *(name[:3] for name in ABILITIES)))
_NAME: Final = re.compile(rf"\b(?:{_NAMES})\b", re.IGNORECASE)
_SCORES: Final = re.compile(
    rf"\b(?:STAT|ABILITY|(?:{_NAMES})\b)(?:[\s|:.,()-]|\b(?:{_NAMES}|MOD|SAVE|SCORE|STAT|ABILITY)\b"
    r"|[+–−-]?\d+){0,300}(?<=[\d)])", re.IGNORECASE,
)
_BONUS: Final = re.compile(r"([A-Za-z][A-Za-z' ]*?)\s*([+–−-])\s?(\d+)")
_PASSIVE: Final = re.compile(r"passive perception:? (\d+)", re.IGNORECASE)
_KINDS: Final = [kind.capitalize() for kind in DAMAGE_TYPES]


def monster(name: str, blocks: Blocks, _: Sequence[str]) -> dict[str, Any]:
    """The fields of a creature as they are printed; its flavour is the description."""
    pieces = [(part, level) for text, level in blocks
              for part in ([text] if level else _GLUED.split(plain(text)))]
    head, *below = parts(name, pieces, _GROUPS)
    scores, texts = _scores(head.texts)
    values = read(lines_of(texts), _LABELS)
    traits, more = named(values.after, split=True)
    fields: dict[str, Any] = {**scores, **values.given, "special_abilities": traits}
    others = []
    for part in below:
        group = _GROUPS.get(fold(part.title))
        if group is None:
            others.append(part)
            continue
        several, before = named(part.texts, split=True)
        if "bonus" in fold(part.title):
            several = [
                text | {"usage": "; ".join(filter(None, ("Bonus Action", text.get("usage"))))}
                for text in several
            ]
        fields[group] = [*fields.get(group, ()), *several]
        if before:
            fields[f"{group}_note"] = together(before)
    return _derived(fields) | told((*values.before, *more), others)


def _scores(texts: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    """The scores, with saving throws where each has one, and the texts without them."""
    text = "\n\x00".join("\n".join(" | ".join(row) for row in rows(text)) or text for text in texts)
    for match in _SCORES.finditer(text.replace("\x00", " ")):
        abilities = [_ability(part[:3]).lower() for part in _NAME.findall(match[0])]
        numbers = re.findall(r"(?<![\d+–−-])\d+", match[0])
        if [*dict.fromkeys(abilities)] != [*ABILITIES] or len(numbers) != len(ABILITIES):
            continue
        scores: dict[str, Any] = dict(zip(abilities, map(int, numbers), strict=True))
        bonuses = re.findall(r"([+–−-])(\d+)", match[0])
        if len(bonuses) == 2 * len(abilities):
            # A saving throw that is the modifier itself is nothing special.
            pairs = zip(abilities, bonuses[::2], bonuses[1::2], strict=True)
            scores["saves"] = {part.capitalize(): _signed(*save) for part, plain, save in pairs
                               if save != plain}
        rest = text[: match.start()] + "\n\x00" + text[match.end() :]
        return scores, [part.strip() for part in rest.split("\x00") if part.strip()]
    return {}, list(texts)


def _ability(name: str) -> str:
    """``Dexterity`` of ``DEX``; another text as it is."""
    return next((full.capitalize() for full in ABILITIES if full[:3] == name.lower()), name)


def _signed(sign: str, digits: str) -> int:
    return int(digits) if sign == "+" else -int(digits)


def _derived(fields: dict[str, Any]) -> dict[str, Any]:
    """``fields`` with what its texts say: bonuses by name, kinds of damage, senses."""
    for key in ("saves", "skills"):
        if isinstance(fields.get(key), str):
            fields[key] = {_ability(said.strip()): _signed(sign, digits)
                          for said, sign, digits in _BONUS.findall(fields[key])}
    for printed, key in (("resists", "resistances"), ("immune_to", "immunities"),
                         ("vulnerable_to", "vulnerabilities")):
        words = set(re.findall(r"\w+", str(fields.get(printed, "")).lower()))
        fields[key] = [kind for kind in _KINDS if kind.lower() in words]
    if "condition_immunities" not in fields:  # since 2024 they stand behind those to damage
        others = re.split(r"[;,]", fields.get("immune_to", ""))
        fields["condition_immunities"] = [
            said.capitalize() for part in others
            if re.fullmatch("[a-z]+", said := part.strip().lower()) and said not in DAMAGE_TYPES
        ]
    else:
        fields["condition_immunities"] = fields["condition_immunities"].title()
    if passive := _PASSIVE.search(fields.get("senses", "")):
        fields["passive_perception"] = int(passive[1])
    if bonus := fields.get("proficiency_bonus"):
        fields["proficiency_bonus"] = int(bonus)
    languages = fields.get("languages_printed", "")
    return fields | {
        "languages": spoken(languages.strip("-–—").replace(";", ",")),
        "hit_dice": re.sub("[–−]", "-", "".join(fields.get("hit_dice", "").split())),
        "legendary": bool(fields.get("legendary_actions")),
    }
