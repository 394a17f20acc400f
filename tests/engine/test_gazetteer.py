"""Names in questions: a campaign's, a rulebook's, misspelt ones, and words that are none."""

from __future__ import annotations

import pytest

from mvp_site.engine.gazetteer import HELPERS, SAME, Gazetteer, titles_of, type_of
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.sections import Sections
from mvp_site.sessions.types import KnownName
from mvp_site.text.names import words
from tests.texts import case_text

BOOK = case_text("gazetteer_book.md")
KNOWN = (
    KnownName("Mayor Edda Crane", "non_player_character", ("the Heron",), sessions=(1,)),
    KnownName("Torvald Ashdown", "non_player_character", sessions=(2,)),
    KnownName("Clear Torvald's name", "quest", sessions=(2,)),
    KnownName("the Sunken Mill", "location", sessions=(2, 3)), KnownName("Old Mill", "location", sessions=(2,)),
    KnownName("Deep Ford", "location", sessions=(1,)), KnownName("Stone Ford", "location", sessions=(2,)),
    KnownName("Lantern of Tides", "artifact", sessions=(1,)), KnownName("Lantern Road", "location", sessions=(1,)),
    KnownName("Tide Wardens", "organization", ("Wardens",), sessions=(1,)), KnownName("Rest the Weary", "ability"), KnownName("Snowfall", "spell"), KnownName("Vexath", "creature", sessions=(3,)),
)
SECTIONS: Sections = parse_rulebook(BOOK)
COMMON = frozenset(words("what does the light of a mill mean who is long where do we rest and which one cast to lantern"))
HELD = Gazetteer(KNOWN, titles_of(SECTIONS, COMMON), COMMON, frozenset({"light"}))


@pytest.mark.parametrize(("question", "names"), [
    ("who is Mayor Crane", ["Mayor Edda Crane"]),
    ("who is edda", ["Mayor Edda Crane"]),
    ("who is Edda Holm", ["Edda Holm"]), ("Who Perpetua?", ["Perpetua"]),
    ("what does the heron mean", ["Mayor Edda Crane"]),
    ("Torvald?", ["Torvald Ashdown"]),
    ("do we clear torvald's name", ["Clear Torvald's name"]),
    ("where is the mill", ["the Sunken Mill"]),
    ("what does a mill mean", []),
    ("where is the Lantern", ["Lantern of Tides"]),  # it is one; the road only has its name
    ("where is the ford", []),  # of two, neither
    ("where is our mill", ["the Sunken Mill"]), ("how do we long rest with snowfall", ["Snowfall"]), ("where is vexaht", ["Vexath"]),
    ("what does Frost ring do", ["Frost Ring"]),
    ("what does snow fall do", ["Snowfall"]),
    ("who is the light of a ghoul", ["Ghoul"]), ("who is the ghoul", []),  # somebody who is there
    ("do we cast light", ["Light"]), ("where is the lantern of the tides", ["Lantern of Tides"]),
    ('what does "light" mean', ["Light"]),
    ("what does Light mean", ["Light"]),
    ("where do wardens rest", ["Tide Wardens"]), ("where is the warden", []), ("do we long rest", []),  # a rule's title is a name only where it is marked as one
    ("what does the rule long rest do", ["Long Rest"]),
    ("who is Marla Hollow of the Westgate and where", ["Marla Hollow of the Westgate"]),
    ("Where is the DM", []),
    ("", []),
])
def test_names_are_found(question: str, names: list[str]) -> None:
    assert [one.name for one in HELD.find(question)] == names


def test_chapters_and_groups_are_no_names() -> None:
    assert not {"spell", "undead", "monster"} & titles_of(SECTIONS, COMMON).keys()


def test_types_exist() -> None:
    every = {type_ for helper in HELPERS.values() for type_ in helper.entity_types}
    assert {*SAME, *(other for others in SAME.values() for other in others)} <= every
    assert {type_of(section) for section in SECTIONS} <= HELPERS["rulebook"].entity_types.keys()
