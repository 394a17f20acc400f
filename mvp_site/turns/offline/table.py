"""A dm turn: a plain answer out of character that points to the rule that was found."""

from __future__ import annotations

from typing import Any, Final

from . import choices
from .answers import answer, passage_note
from .draft import Draft
from .names import heading
from .prose import pick
from .reading import Reading

_SAYS: Final = (
    "This is the offline narrator: no language model is connected, so nobody has weighed your "
    "question."
)
_FOUND: Final = (
    "The rule that was found for it stands under “{heading}”; read that passage first.",
    "Look under “{heading}”: that passage was the nearest to what you asked.",
    "The archive's nearest passage is headed “{heading}”. What it says goes for this table.",
)
_HIDDEN: Final = "A passage was found for it, under a heading that is not for reading out."
_NOTHING: Final = (
    "No passage of the rules was found for it, so fifth edition's own rule holds.",
    "The archive has nothing near it. Until somebody rules otherwise, play it by fifth edition.",
)
_STILL: Final = "The story and its clock stand still while we talk, and nothing was changed."


def answer_table(reading: Reading) -> dict[str, Any]:
    """The answer to a dm turn; the state stays as it is."""
    draft = Draft(reading.state)
    if shown := heading(reading.heading):
        found = pick(reading.seed, "found", _FOUND).format(heading=shown)
    elif reading.heading:
        found = _HIDDEN
    else:
        found = pick(reading.seed, "nothing", _NOTHING)
    return answer(
        draft,
        narrative=f"{found} {_STILL}\n\n{_SAYS}",
        planning=choices.block(
            "Offline narrator: it points at the rule and does not judge the case.", choices.DM
        ),
        notes=passage_note(reading), rationale="nothing changed",
    )
