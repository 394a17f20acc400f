"""The collection: order, lookups, the tree; reading it changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvp_site.errors import RulebookError
from mvp_site.rulebook.categories import Assignment, Category
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Section, Sections

from .books import Part, book, parts

BOOK = """\
# Classes

All twelve.

## Barbarian

Angry.

### Rage

You fume.

#### Rage Damage

More and more.

### Reckless Attack

## Bard

Merry.

### Class Features

# Heroes’ Feasts
"""


@pytest.fixture(scope="module")
def sections() -> Sections:
    return parse_rulebook(BOOK)


def ids(found: tuple[Section, ...]) -> list[str]:
    return [section.id for section in found]


def test_order_length_and_membership(sections: Sections) -> None:
    assert [section.title for section in sections] == [
        "Classes", "Barbarian", "Rage", "Rage Damage", "Reckless Attack", "Bard", "Class Features", "Heroes’ Feasts",
    ]
    assert len(sections) == 8
    assert "classes/bard" in sections
    assert "bard" not in sections
    assert [sections.number(section.id) for section in sections] == list(range(8))


def test_lookup_by_id(sections: Sections) -> None:
    assert sections["classes/barbarian/rage"].title == "Rage"
    assert sections.get("classes/barbarian/rage") is sections["classes/barbarian/rage"]
    assert sections.get("nowhere") is None
    with pytest.raises(KeyError):
        sections["nowhere"]


def test_the_tree(sections: Sections) -> None:
    rage = sections["classes/barbarian/rage"]
    assert ids(sections.roots) == ["classes", "heroes-feasts"]
    assert sections.parent(rage) is sections["classes/barbarian"]
    assert sections.parent(sections["classes"]) is None
    assert ids(sections.children(sections["classes"])) == ["classes/barbarian", "classes/bard"]
    assert ids(sections.ancestors(rage)) == ["classes/barbarian", "classes"]
    assert ids(sections.descendants(sections["classes/barbarian"])) == [
        "classes/barbarian/rage", "classes/barbarian/rage/rage-damage", "classes/barbarian/reckless-attack",
    ]
    assert sections.descendants(sections["heroes-feasts"]) == ()


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Rage", ["classes/barbarian/rage"]),
        ("the RAGE", ["classes/barbarian/rage"]),
        ("heroes' feast", ["heroes-feasts"]),
        ("class feature", ["classes/bard/class-features"]),
        ("damage", []),
        ("", []),
    ],
)
def test_lookup_by_title(sections: Sections, title: str, found: list[str]) -> None:
    assert ids(sections.titled(title)) == found


def test_titles_by_their_keys(sections: Sections) -> None:
    assert sections.titles()["hero feast"] == "Heroes’ Feasts"
    assert parse_rulebook("# !?\n# A\n# a").titles() == {"a": "A"}


def test_content_with_children(sections: Sections) -> None:
    assert sections.full_content("classes/barbarian") == "Angry."
    assert sections.full_content("classes/barbarian", include_children=True) == (
        "Angry.\n\n### Rage\n\nYou fume.\n\n#### Rage Damage\n\nMore and more.\n\n### Reckless Attack"
    )
    assert sections.full_content("classes/bard/class-features", include_children=True) == ""


@settings(max_examples=100, deadline=None)
@given(st.lists(parts, min_size=1, max_size=10))
def test_content_with_children_changes_no_section(held: list[Part]) -> None:
    sections = parse_rulebook(book(held))
    before = list(sections)
    for section in sections:
        full = sections.full_content(section.id, include_children=True)
        assert full.startswith(section.content)
        assert all(below.content in full for below in sections.descendants(section))
        assert sections.full_content(section.id) == section.content
    assert list(sections) == before


def test_replaced_gives_other_sections(sections: Sections) -> None:
    lore = (Assignment(Category.WORLD_LORE, "said so", 1.0),)
    others = sections.replaced([lore] * len(sections))
    assert {section.categories for section in others} == {lore}
    assert sections["classes"].categories != lore


def test_sections_that_do_not_fit_together() -> None:
    one, two = parse_rulebook("# A\n## B")
    with pytest.raises(RulebookError, match="1 sections have the id of another one"):
        Sections([one, one])
    with pytest.raises(RulebookError, match="'a/b' names the parent 'a', which does not stand before it"):
        Sections([two, one])
    with pytest.raises(RulebookError, match="names the parent 'x'"):
        Sections([one, replace(two, parent_id="x")])
