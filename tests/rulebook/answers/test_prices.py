"""Prices of things, of categories, and of what only sounds like either."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.answers.prices import prices
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.reading.fact_book import FactBook

BOOK = """\
# Equipment

## Armor

*Light Armor*

| Armor | Cost | Weight |
|---|---|---|
| Quilt | 5 gp | 8 lb. |
| Leather | 10 gp | 10 lb. |

## Gear

| Item | Cost | Weight |
|---|---|---|
| Rope, hempen (50 feet) | 1 gp | 10 lb. |
| Rope, silk (50 feet) | 10 gp | 5 lb. |
| Vial | 1 gp | — |

### Vial

**Cost:** 1 gp

Holds little.

## Mounts and Vehicles

### Mounts and Other Animals

| Item | Cost | Speed |
|---|---|---|
| Camel | 50 gp | 50 ft. |
| Pony | 30 gp | 40 ft. |

### Carts

| Item | Cost |
|---|---|
| Cart | 15 gp |

# Treasure

## Cloak of Reeds

*Wondrous item, rare*

Green.
"""


@pytest.fixture(scope="module")
def book() -> FactBook:
    return FactBook.build(parse_rulebook(BOOK))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["vials"], [("Vial", "1 gp", "Equipment > Gear > Vial"), ]),
        (["leather armor"], [("Leather", "10 gp", "10 lb.", "Equipment > Armor")]),
        (["silk rope", "Camel"], [("Rope, silk (50 feet)", "10 gp", "5 lb.", "Equipment > Gear"), ("Camel", "50 gp", "—", "Equipment > Mounts and Vehicles > Mounts and Other Animals")]),
        (["rope"], [("Rope, hempen (50 feet)", "1 gp", "10 lb.", "Equipment > Gear"), ("Rope, silk (50 feet)", "10 gp", "5 lb.", "Equipment > Gear")]),
        (["armor"], [("Quilt", "5 gp", "8 lb.", "Equipment > Armor"), ("Leather", "10 gp", "10 lb.", "Equipment > Armor")]),
        (["light armor"], [("Quilt", "5 gp", "8 lb.", "Equipment > Armor"), ("Leather", "10 gp", "10 lb.", "Equipment > Armor")]),
        (["mounts"], [("Camel", "50 gp", "Equipment > Mounts and Vehicles > Mounts and Other Animals"), ("Pony", "30 gp", "Equipment > Mounts and Vehicles > Mounts and Other Animals")]),
        (["Vial", "Cloak of Reeds"], [("Vial", "1 gp", "Equipment > Gear > Vial"), ("Cloak of Reeds", "—", "Treasure > Cloak of Reeds")]),
        (["camel", "unicorn", ""], [("Camel", "50 gp", "Equipment > Mounts and Vehicles > Mounts and Other Animals")]),
    ],
)
def test_prices(book: FactBook, names: list[str], expected: list[tuple[str, ...]]) -> None:
    table = prices(book, names)
    assert table is not None
    assert list(table.rows) == expected
    assert table.columns == ("name", "cost", "weight", "where") if len(expected[0]) == 4 else ("name", "cost", "where")
    assert all(section_id for section_id in table.section_ids)


@pytest.mark.parametrize("names", [[], [""], ["unicorn"], ["Cloak of Reeds"], ["*"]])
def test_nothing_has_a_price(book: FactBook, names: list[str]) -> None:
    assert prices(book, names) is None


def test_a_thing_is_listed_once(book: FactBook) -> None:
    table = prices(book, ["gear", "vial"])
    assert table is not None
    assert [row[0] for row in table.rows] == ["Rope, hempen (50 feet)", "Rope, silk (50 feet)", "Vial"]
