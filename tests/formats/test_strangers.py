"""Files of 33 kinds by three people who had not seen this program: no line is lost, no secret shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hashing import HashingEncoder

from .strangers import Stranger, plain, read, strangers, words

CASES = Path(__file__).resolve().parents[1] / "cases/strangers"
FILES = [stranger for folder in sorted(CASES.iterdir()) for stranger in strangers(folder)]
REFUSED = {
    "a-own_entities.json": ('document 4: name: is missing; its keys are "nome"', "document 6: is empty"),
    "b-own_entities.json": ("Winda (Hungry Lift): secret: is not read", "Śrubojad (Screw-eater): lacks armor_class and hit_points"),
    "c-own_entities.json": ('Tintenlüge: "Zauber" is no type', "Lampless Page: gm: is not read", "Etiquette duel: stands in no type's folder", "TODO: fog magistrate: challenge_rating"),
}
"""What of own entities is refused: secrets, keys in other languages, too little said."""
LOST = {"a-own_entities.json": 2, "b-own_entities.json": 3, "c-own_entities.json": 4}
"""The lines of what is refused."""
IN_AN_ORDER = {"b-plain_prompt.txt"}
"""Secrets in an order to the narrator ("never reveal that …"), which is of the prompt."""


@pytest.mark.parametrize("stranger", FILES, ids=lambda stranger: stranger.id)
def test_no_line_is_lost_and_no_secret_shown(stranger: Stranger, tmp_path: Path) -> None:
    reading = read(stranger, tmp_path, HashingEncoder())
    refused = REFUSED.get(stranger.id, ())
    assert len(reading.refused) == len(refused)
    assert all(why in given for why, given in zip(refused, reading.refused, strict=True))
    whole, shown = words(reading.text), plain(reading.shown)
    lost = [line for line in stranger.lines if words(line) not in whole]
    assert len(lost) == LOST.get(stranger.id, 0), lost
    if stranger.id not in IN_AN_ORDER:
        assert not [secret for secret in stranger.secrets if plain(secret) in shown]


def test_there_are_three_of_each_kind() -> None:
    assert len(FILES) == 99
    assert {stranger.kind for stranger in FILES} == {"prompt", "sheet", "entity", "note", "book"}
