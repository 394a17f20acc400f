"""Sheets in pieces: readable alone, complete, and with nothing of the DM's for players."""

from dataclasses import fields, is_dataclass, replace

import pytest
from hypothesis import given

from mvp_site.errors import SessionsError
from mvp_site.sessions.characters.character import Character, Headed
from mvp_site.sessions.characters.pieces import document_of, sheet_document
from mvp_site.sessions.intentions import CharacterPromptHelper

from .sheets import characters, sample


def texts(value):
    if isinstance(value, str):
        yield from (line.strip() for line in value.splitlines() if line.strip())
    elif is_dataclass(value):
        for field in fields(value):
            if field.name != "kind":
                yield from texts(getattr(value, field.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from texts(one)


@pytest.mark.slow
@given(characters())
def test_every_text_is_in_a_piece(character):
    document = document_of(character)
    said = "\n".join(f"{piece.title}\n{piece.text}" for piece in document.pieces)
    assert all(text in said for text in texts(character))
    assert len({piece.id for piece in document.pieces}) == len(document.pieces)
    types = CharacterPromptHelper.get_all_entity_types()
    assert all(one.type in types and one.name for one in document.known)
    assert {piece.part for piece in document.pieces} <= {one.name for one in fields(Character)}


@given(characters())
def test_nothing_of_the_dms_is_for_players(character):
    secret = replace(character, dm_notes=(Headed("Qx7 omen", "Qx7 Baron\n\nQx7 more"),))
    document = document_of(secret)
    told = [piece for piece in document.pieces if "Qx7" in piece.text or "Qx7" in piece.title]
    assert told
    assert all(piece.audience == "dm" and piece.part == "dm_notes" for piece in told)
    assert not any("Qx7" in one.name for one in document.known)
    assert document.known == document_of(replace(character, dm_notes=())).known


def test_a_long_text_is_cut_between_paragraphs_and_ids_stay_apart():
    story = "\n\n".join(f"Paragraph {at} {'word ' * 60}".strip() for at in range(6))
    found = document_of(replace(sample("brannoc_ashdown"), backstory=(
        Headed("Youth", story), Headed("Youth", "Other"))))
    ids = [piece.id for piece in found.pieces if piece.part == "backstory"]
    assert ids == ["backstory/youth", "backstory/youth-2", "backstory/youth-3",
                   "backstory/youth-4"]


def test_a_sheet_of_too_much_is_refused():
    few, many = (f"base: A\ninventory: [{', '.join(['rope'] * size)}]" for size in (3, 5_000))
    assert [one.id for one in sheet_document(few, "a.yaml").pieces][2:] == [
        "inventory/rope", "inventory/rope-2", "inventory/rope-3"]
    with pytest.raises(SessionsError, match=r"a\.yaml has more than 5,000 items"):
        sheet_document(many, "a.yaml")
