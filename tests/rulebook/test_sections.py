"""The collection: order, lookups, the tree; reading it changes nothing."""

from __future__ import annotations

import pytest

from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Section, Sections

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


@pytest.mark.parametrize(("title", "found"), [
    ("the RAGE", ["classes/barbarian/rage"]), ("heroes' feast", ["heroes-feasts"]),
    ("class feature", ["classes/bard/class-features"]), ("damage", []), ("", []),
])
def test_lookup_by_title(sections: Sections, title: str, found: list[str]) -> None:
    assert ids(sections.titled(title)) == found


def test_content_with_children(sections: Sections) -> None:
    assert sections.full_content("classes/barbarian") == "Angry."
    assert sections.full_content("classes/barbarian", include_children=True) == (
        "Angry.\n\n### Rage\n\nYou fume.\n\n#### Rage Damage\n\nMore and more.\n\n### Reckless Attack"
    )
    assert sections.full_content("classes/bard/class-features", include_children=True) == ""
