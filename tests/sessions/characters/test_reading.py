"""Sheets read and written; their JSON Schema."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mvp_site.errors import SessionsError
from mvp_site.sessions.characters.character import Character, Headed
from mvp_site.sessions.characters.reading import read_sheet, schema, write_character
from mvp_site.sessions.intentions import CharacterPromptHelper, parts_of

from .sheets import SAMPLES, characters, sample


@pytest.mark.slow
@given(characters())
def test_what_is_written_reads_back_equal(character):
    text = write_character(character)
    assert read_sheet(text, "a sheet") == (character, ())
    Draft202012Validator(schema()).validate(json.loads(text))


def test_half_a_pair_is_not_written():
    with pytest.raises(SessionsError, match="surrogate"):
        write_character(replace(sample(SAMPLES[0]), notes=(Headed("", "\ud800"),)))


def test_intentions_name_parts_that_a_sheet_has():
    parts = {one.name for one in fields(Character)}
    assert all(set(parts_of("character", one)) <= parts for one in CharacterPromptHelper.intents)


@given(st.text())
def test_any_text_reads_or_is_refused(text):
    with pytest.raises(SessionsError, match=r"^a sheet"):
        read_sheet(f"{text}\nbase: 5", "a sheet")
