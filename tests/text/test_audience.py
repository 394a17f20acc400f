"""What reads as if it were for the game master alone, and what merely speaks of secrets."""

from __future__ import annotations

import pytest

from mvp_site.text.audience import hides


@pytest.mark.parametrize("text", [
    "Keep who lit the fire from the players.", "The way down is hidden from your party.", "Do not reveal the aunt's debt until the wake.",
    "Don’t let the players find out.", "The players must not know that the duke is dead.", "GM only: the well is dry.", "# GM notes\n\nThe well is dry.",
    "For the DM's eyes only.", "Only the Game Master knows who it was.", "You alone know it.", "Unknown to the party, the guide lies.",
    "This page is not for players.", "Roll it at the start and keep the\nresult secret.", "Her name stays secret until the end.",
    "Keep this sheet behind the screen.", "NEVER TELL THE PARTY about the twin.",
])
def test_what_asks_for_silence_towards_players_is_found(text: str) -> None:
    assert hides(text)


@pytest.mark.parametrize("text", [
    "", "A secret door needs DC 15 to find.", "Each noble has a secret and a price.", "Never speak for the player.", "Tell the player what it costs.",
    "Never let a companion take over a player's choice.", "Curses are not revealed by a look.", "The party keeps watch.", "She hides from the guard.",
    "Until the bell rings the players may not leave.", "The game master knows the clock and says it.", "Rolls are hidden.", "Do not end a scene with a moral.",
])
def test_what_merely_speaks_of_secrets_or_players_is_not(text: str) -> None:
    assert not hides(text)
