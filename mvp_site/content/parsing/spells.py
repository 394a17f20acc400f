"""A spell: its lines, and what its text deals, heals and asks for."""

from __future__ import annotations

import re
from typing import Any, Final

from ..srd_documents.spells import heals, types_dealt, types_withstood
from ..types import ABILITIES, DAMAGE_TYPES
from .labels import Label, markdown, read
from .parts import Blocks, lines_of, parts

_SCHOOL: Final = r"(?!level|cantrip)[a-z]{5,20}"
_LISTED: Final = r"(?:\s*\((?P<{}>[^()]+)\))?"
_TIME: Final = r"(?:rounds?|minutes?|hours?|days?|weeks?|months?|years?|turns?)"
_SHORT: Final = r"[^.]{1,60}$"
LABELS: Final = (
    Label("", rf"(?P<level>\d)(?:st|nd|rd|th)[- ]level (?P<school>{_SCHOOL})"
              rf"{_LISTED.format('notes')}"),
    Label("", rf"level (?P<level>\d) (?P<school>{_SCHOOL}){_LISTED.format('classes')}"),
    Label("", rf"(?P<school>{_SCHOOL}) (?P<level>cantrip){_LISTED.format('classes')}"),
    Label("Casting Time", r"(?P<casting_time>.{1,400})"),
    Label("Range", r"(?P<range>(?:self|touch|sight|special|unlimited)\b(?:\s*\([^()]*\))?|"
                   rf"[\d,]+[- ](?:feet|foot|ft|miles?)\b\.?(?:\s*\([^()]*\))?|{_SHORT})"),
    Label("Components?", r"(?P<components>[VSM](?:\s*,\s*[VSM])*)\b(?:\s*\((?P<material>[^()]*"
                         r"(?:\([^()]*\)[^()]*)*)\)?)?"),
    Label("Duration", r"(?P<duration>(?:concentration,? ?)?(?:up to )?(?:instantaneous|special|"
                      rf"until dispelled(?: or triggered)?|(?:\d+|one|an?) {_TIME})\b"
                      rf"(?:\s*\([^()]*\))?|{_SHORT})"),
    Label("Classes", r"(?P<classes>[A-Z].*)"),
)
_MORE: Final = r"(?:at higher levels|using a higher-level spell slot|cantrip upgrade)\s*[.:]"
_HIGHER: Final = re.compile(rf"{_MORE}\s*(.+)", re.IGNORECASE | re.DOTALL)
_GLUED: Final = re.compile(rf"(?<=[.!?)]) (?=(?i:{_MORE})|Classes:)")
_ABILITY: Final = "|".join(ABILITIES)
_SAVE: Final = re.compile(
    r"\b(?:makes?|succeeds? on|fails?)\b[^.]{0,60}?"
    rf"\b({_ABILITY}) sav(?:ing throws?|es?)\b", re.IGNORECASE
)
_ATTACK: Final = re.compile(r"\b(melee|ranged) spell attack", re.IGNORECASE)
_SHAPE: Final = "cone|cube|cylinder|line|sphere"
_AROUND: Final = re.compile(r"(\d+)[- ](?:foot|feet)[- ]radius\b", re.IGNORECASE)
_AREA: Final = re.compile(
    rf"(\d+)[- ](?:foot|feet)(?:[- ](?:radius|high|tall|long|wide|diameter))*,?\s+"
    rf"(?:[\w-]+,?\s+){{0,4}}?({_SHAPE})\b|\b({_SHAPE}) (?:that is )?(\d+) feet (?:long|on)",
    re.IGNORECASE,
)
_MOST: Final = 4_000
"""Characters of a text in which something is sought."""
_KINDS: Final = [kind.capitalize() for kind in DAMAGE_TYPES]


def spell(name: str, blocks: Blocks) -> dict[str, Any]:
    """The fields of a spell as they are printed, and those that its text states."""
    held = parts(name, blocks)
    lines = (one for line in lines_of(held[0].texts) for one in _GLUED.split(line))
    found = read(lines, LABELS)
    given: dict[str, Any] = dict(found.given)
    desc: list[str] = []
    higher: list[str] = []
    for text in (*found.before, *found.after):
        if said := _HIGHER.fullmatch(text):
            higher.append(said[1])
        elif higher:
            higher.append(markdown(text))
        else:
            desc.append(markdown(text))
    time, notes = given.get("casting_time", ""), given.pop("notes", "")
    ritual = re.search(r"(?:,| or) ritual\b.*", time, re.IGNORECASE)
    if ritual:
        given["casting_time"] = time[: ritual.start()]
    given["ritual"] = bool(ritual) or "ritual" in notes.lower()
    if notes and notes.lower() != "ritual":
        given["classes"] = given.get("classes") or notes
    given["concentration"] = "concentration" in given.get("duration", "").lower()
    if "school" in given:
        given["school"] = given["school"].capitalize()
    told = " ".join(desc)[:_MOST]
    everything = " ".join((told, *higher))
    given["damage_type"] = types_dealt(everything, _KINDS)
    given["resistances"] = types_withstood(told, _KINDS)
    given["healing"] = heals(told)
    for field, pattern in (("save", _SAVE), ("attack", _ATTACK)):
        if said := pattern.search(told):
            given[field] = said[1].capitalize() if field == "save" else said[1].lower()
    if area := _AREA.search(given.get("range", "")) or _AREA.search(told):
        given |= {"area_shape": (area[2] or area[3]).lower(), "area_size": area[1] or area[4]}
    elif around := _AROUND.search(told):
        given |= {"area_shape": "sphere", "area_size": around[1]}
    sections = [{"name": part.title, "desc": part.text} for part in held[1:] if part.text]
    return given | {"desc": "\n\n".join(desc), "higher_level": "\n\n".join(higher),
                    "sections": sections}
