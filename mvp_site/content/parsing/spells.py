"""A spell: its lines and its texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from .labels import label, read
from .parts import Blocks, lines_of, parts, together, told

_SCHOOL: Final = r"(?!level|cantrip)[a-z]{5,20}"
_LISTED: Final = r"(?:\s*\((?P<{}>[^()]+)\))?"
_TIME: Final = r"(?:rounds?|minutes?|hours?|days?|weeks?|months?|years?|turns?)"
_SHORT: Final = r"[^.]{1,60}$"
_LABELS: Final = (
    label("", rf"(?P<level>\d)(?:st|nd|rd|th)[- ]level (?P<school>{_SCHOOL})"
              rf"{_LISTED.format('notes')}"),
    label("", rf"level (?P<level>\d) (?P<school>{_SCHOOL}){_LISTED.format('classes')}"),
    label("", rf"(?P<school>{_SCHOOL}) (?P<level>cantrip){_LISTED.format('classes')}"),
    label("Casting Time", r"(?P<casting_time>.{1,400})"),
    label("Range", r"(?P<range>(?:self|touch|sight|special|unlimited)\b(?:\s*\([^()]*\))?|"
                   rf"[\d,]+[- ](?:feet|foot|ft|miles?)\b\.?(?:\s*\([^()]*\))?|{_SHORT})"),
    label("Components?", r"(?P<components>[VSM](?:\s*,\s*[VSM])*)\b(?:\s*\((?P<material>[^()]*"
                         r"(?:\([^()]*\)[^()]*)*)\)?)?"),
    label("Duration", r"(?P<duration>(?:concentration,? ?)?(?:up to )?(?:instantaneous|special|"
                      rf"until dispelled(?: or triggered)?|(?:\d+|one|an?) {_TIME})\b"
                      rf"(?:\s*\([^()]*\))?|{_SHORT})"),
    label("Classes", r"(?P<classes>[A-Z].*)"),
)
_MORE: Final = r"(?:at higher levels|using a higher-level spell slot|cantrip upgrade)\s*[.:]"
_HIGHER: Final = re.compile(rf"{_MORE}\s*(?=.)", re.IGNORECASE)
_GLUED: Final = re.compile(rf"(?<=[.!?)]) (?=(?i:{_MORE})|Classes:)")


def spell(name: str, blocks: Blocks, _: Sequence[str]) -> dict[str, Any]:
    """The fields of a spell as they are printed; what it does not say is left out or ''.

    The third argument, the headings above it, says nothing of a spell.
    """
    head, *below = parts(name, blocks)
    values = read((part for line in lines_of(head.texts) for part in _GLUED.split(line)), _LABELS)
    fields, rest = values.given, values.rest
    more = next((at for at, text in enumerate(rest) if _HIGHER.match(text)), len(rest))
    desc, higher = together(rest[:more]), together(_HIGHER.sub("", part) for part in rest[more:])
    time, notes = fields.get("casting_time", ""), fields.pop("notes", "")
    if ritual := re.search(r"(?:,| or) ritual\b.*", time, re.IGNORECASE):
        fields["casting_time"] = time[: ritual.start()]
    fields["ritual"] = bool(ritual) or "ritual" in notes.lower()
    if notes.lower() != "ritual":
        fields.setdefault("classes", notes)
    fields["concentration"] = "concentration" in fields.get("duration", "").lower()
    fields["school"] = fields.get("school", "").capitalize()
    return fields | told((desc,), below) | {"higher_level": higher}
