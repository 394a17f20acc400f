"""Fields: one name for all labels of a field, and what a label says of the unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.reading.fields import field_name, is_label, known, with_unit


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Casting Time:", "casting time"), ("Cast Time", "casting time"), ("AC", "armor class"), ("Armor Class (AC)", "armor class"), ("Armour Class", "armor class"),
        ("HP", "hit points"), ("CR", "challenge rating"), ("Challenge", "challenge rating"), ("Challenge Rating", "challenge rating"),
        ("Cost (gp)", "cost"), ("Price", "cost"), ("Value in GP", "cost"), ("Price per dose", "cost"), ("Cost/Day", "cost"), ("Wt.", "weight"), ("Weight (lb.)", "weight"),
        ("STR", "strength"), ("Component", "components"), ("Property", "properties"), ("Classes", "classes"), ("Requires Attunement", "attunement"),
        ("Costume", "costume"), ("Hit Points at 1st Level", "hit points at 1st level"), ("Favoured Terrain", "favoured terrain"),
        ("***", ""), ("", ""), ("12", ""), ("(AC)", "armor class"),
    ],
)
def test_field_name(label: str, expected: str) -> None:
    assert field_name(label) == expected


@pytest.mark.parametrize(
    ("value", "label", "expected"),
    [
        ("15", "Cost (gp)", "15 gp"), ("1/2", "Wt. (lb.)", "1/2 lb."), ("15", "Price in gp", "15 gp"), ("5 gp", "Cost (gp)", "5 gp"), ("15", "Cost", "15"),
        ("200 gp", "Price per dose", "200 gp per dose"), ("1 gp", "Cost/Day", "1 gp per day"), ("—", "Price per dose", "—"), ("14", "Armor Class (AC)", "14"),
    ],
)
def test_with_unit(value: str, label: str, expected: str) -> None:
    assert with_unit(value, label) == expected


@given(st.text(max_size=60))
def test_any_label_has_one_name(label: str) -> None:
    name = field_name(label)
    assert field_name(name) == name or not known(label)
    assert isinstance(is_label(label), bool)
    assert isinstance(with_unit(label, label), str)
