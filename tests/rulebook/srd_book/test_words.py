"""Small pieces of print."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mvp_site.rulebook.srd_book import words
from mvp_site.srd import Amount, Choice, Kind, Ref


def ref(name: str, kind: Kind = Kind.EQUIPMENT) -> Ref:
    return Ref(kind, name.lower(), name)


@pytest.mark.parametrize(
    ("print_", "value", "shown"),
    [
        (words.bullets, ["a", "b"], "- a\n- b"),
        (words.pounds, None, "—"),
        (words.pounds, 0.0, "—"),
        (words.pounds, 0.25, "1/4 lb."),
        (words.pounds, 1.5, "1 1/2 lb."),
        (words.pounds, 55.0, "55 lb."),
        (words.in_prose, "Crossbow, light", "light crossbow"),
        (words.in_prose, "Chain Mail", "chain mail"),
        (words.amount, Amount(ref("Crossbow, light")), "light crossbow"),
        (words.amount, Amount(ref("Javelin"), 4), "four javelins"),
        (words.amount, Amount(ref("Caltrops"), 2), "two caltrops"),
        (words.names, [ref("Skill: Stealth"), ref("Saving Throw: DEX"), ref("Rod")],
         ["Stealth", "DEX", "Rod"]),
        (words.choice_text, Choice(2, (ref("Skill: Arcana"), ref("Skill: Nature"))),
         "choose two from Arcana and Nature"),
    ],
)  # fmt: skip
def test_shown(print_: Callable[[object], object], value: object, shown: object) -> None:
    assert print_(value) == shown


def test_a_table_escapes_bars_and_is_nothing_without_rows() -> None:
    assert words.table(("a", "b"), [("1|2", "3")]) == "| a | b |\n|---|---|\n| 1\\|2 | 3 |"
    assert words.table(("a",), []) == ""


def test_facts_are_labelled_and_what_is_empty_is_none() -> None:
    assert words.facts({"Range": "Touch", "Save": ""}) == ["**Range:** Touch"]
