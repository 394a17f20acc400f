"""Who is meant by what they are."""

from __future__ import annotations

import pytest

from mvp_site.sessions.describing import described, meant
from mvp_site.sessions.types import CampaignPiece, Mention

PERSON = "non_player_character"
PIECES = [CampaignPiece(f"npcs/{at}", part, title, text, mentions=(Mention(name, PERSON),)) for at, (part, title, name, text) in enumerate((
    ("npcs", "NPCs", "Vexath", "**Vexath** (aka the Toll): young green dragon, vain."), ("npcs", "NPCs", "Ferro", "**Ferro**: kobold, found in a trap."),
    ("npcs", "NPCs", "Torvald", "**Torvald**: Brannoc's elder brother."), ("npcs", "NPCs", "Wick", "**Wick**: priest of Saint Orrin, soft voice."),
    ("npcs", "NPCs", "Aldous", "**Aldous**: priest, ink on his cuffs."), ("combat", "Fights", "Rime", "**Rime**: witch, hurt."),
    ("allies", "Vell", "Vell", "Lady Vell, role: patron; place: Sallowgate."),
))]


@pytest.mark.parametrize(("question", "names"), [
    ("the dragon we met, what was it called", ("Vexath",)), ("That kobold guy?", ("Ferro",)), ("where's my brother", ("Torvald",)), ("what does my patron want", ("Vell",)),
    ("a dragon in the rules", ()), ("is the priest lying", ()), ("our brothers in arms", ()), ("the witch", ("Rime",)), ("", ()),
])
def test_who_is_meant(question: str, names: tuple[str, ...]) -> None:
    assert meant(question, described(PIECES)) == names
