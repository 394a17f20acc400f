"""Small pieces of print."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mvp_site.rulebook.srd_book import words
from mvp_site.srd import Amount, Choice, Cost, Kind, Ref


def ref(name: str, kind: Kind = Kind.EQUIPMENT) -> Ref:
    return Ref(kind, name.lower(), name)


@pytest.mark.parametrize(
    ("print_", "value", "shown"),
    [
        (words.ordinal, 1, "1st"),
        (words.ordinal, 2, "2nd"),
        (words.ordinal, 3, "3rd"),
        (words.ordinal, 11, "11th"),
        (words.ordinal, 13, "13th"),
        (words.ordinal, 22, "22nd"),
        (words.number_word, 2, "two"),
        (words.number_word, 20, "20"),
        (words.signed, 2, "+2"),
        (words.signed, 0, "+0"),
        (words.signed, -1, "-1"),
        (words.enumerated, [], ""),
        (words.enumerated, ["a"], "a"),
        (words.enumerated, ["a", "b"], "a and b"),
        (words.enumerated, ["a", "b", "c"], "a, b, and c"),
        (words.listed, ["a", "b", "c"], "a, b, c"),
        (words.listed, [], "—"),
        (words.bullets, ["a", "b"], "- a\n- b"),
        (words.price, Cost(1500, "gp"), "1,500 gp"),
        (words.price, None, "—"),
        (words.pounds, None, "—"),
        (words.pounds, 0.0, "—"),
        (words.pounds, 0.25, "1/4 lb."),
        (words.pounds, 1.5, "1 1/2 lb."),
        (words.pounds, 55.0, "55 lb."),
        (words.dice, "2d6", "2d6"),
        (words.dice, "2d6+3", "2d6 + 3"),
        (words.dice, "1d4 - 1", "1d4 - 1"),
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


def test_a_label_is_bold() -> None:
    assert words.labelled("Range", "Touch") == "**Range:** Touch"
