from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from mvp_site.errors import RulebookQueryError
from mvp_site.rulebook.categories import Category
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.query_parsing import RulebookQuery
from mvp_site.rulebook.results import RulebookResponse
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.text.tokens import count_tokens
from tests.rulebook.small_book import TEXT, opened

from ..hashing import HashingEncoder


@pytest.fixture(scope="module")
def book() -> Rulebook:
    return opened()


def test_the_section_asked_for_comes_first(book: Rulebook) -> None:
    for intention, entities, question, first in (
        ("spell_details", ["emberburst"], "", "spells/spell-descriptions/emberburst"),
        (None, [], "emberburst deals fire damage", "spells/spell-descriptions/emberburst"),
        (None, [], "embreburst deals fire damage", "spells/spell-descriptions/emberburst"),
        ("spell_details", ["Emberbursts"], "", "spells/spell-descriptions/emberburst"),
        ("rule_mechanics", ["reaver", "extra attack"], "", "classes/reaver/extra-attack"),
        ("rule_mechanics", ["sage", "extra attack"], "", "classes/sage/extra-attack"),
        ("describe_entity", ["rage"], "", "classes/reaver/rage"),
    ):
        assert book.search(question, intention, entities)[0].id == first


def test_relevance_is_in_range_and_falls_off_with_the_sum_of_the_parts(book: Rulebook) -> None:
    hits = book.search("rest and hit points", "rest_mechanics", ["short rest"], ["quiet"])
    found = [hit.relevance for hit in hits]
    assert found == sorted(found, reverse=True)
    assert len(set(found[:5])) == 5, "the best are not tied"
    for hit in hits:
        assert 0 < hit.relevance < 1
    sums = [sum(part.value for part in hit.parts) for hit in hits]
    assert sums == sorted(sums, reverse=True)
    weights, odds = book._opened.book.manifest.weights, [math.log(r / (1 - r)) for r in found[:3]]
    assert odds[0] - odds[1] == pytest.approx(weights.fall * (sums[0] - sums[1]), abs=1e-2)


def test_the_map_of_intentions_is_no_wall_and_categories_are(book: Rulebook) -> None:
    hit = book.search("emberburst", Intention.MONSTER_STATS)[0]
    assert hit.id == "spells/spell-descriptions/emberburst"
    only = book.search("emberburst", categories=[Category.EXPLORATION])
    assert all(any(found.category == Category.EXPLORATION for found in hit.section.categories) for hit in only)


def test_a_section_titled_as_the_caller_named_it_is_never_refused() -> None:
    book = opened("# Marsh\n\n" + "data:aB3/" * 900 + "\n")
    assert book.search(entities=["marsh"])[0].relevance < book.floor
    assert book.query(entities=["marsh"]).sections
    assert book.query(user_query="wet ground").reason == "no_evidence"


def test_what_people_say_of_things_that_the_book_lacks_leads_nowhere() -> None:
    said = "she drops off the cliff"
    assert any(part.name == "talk" for hit in opened().search(said) for part in hit.parts)
    other = opened("# Coins\n\nTen silver make one gold.\n\n# Lamps\n\nA lamp burns six hours.\n")
    assert not any(part.name == "talk" for hit in other.search(said) for part in hit.parts)


def test_a_word_that_people_say_is_not_misspelt() -> None:
    book = opened("# Knap\n\nStone work.\n\n# Plumet\n\nA feather.\n")
    assert not book.query(user_query="I plummet down").explanation.startswith("read")
    assert "read 'plumeet' as 'plumet'" in book.query(entities=["plumet"], user_query="a plumeet").explanation


def test_a_list_gives_what_each_gives_and_is_encoded_at_once() -> None:
    encoder = HashingEncoder()
    book = Rulebook.from_markdown(TEXT, encoder=encoder)
    queries = [
        RulebookQuery(query="emberburst"), RulebookQuery(query="resting"),
        RulebookQuery(query="emberburst"), RulebookQuery(),
    ]
    before = encoder.encoded
    found = book.search_many(queries)
    assert encoder.encoded == before + 2
    assert [hit.id for hit in found[0]] == [hit.id for hit in book.search("emberburst")]
    assert found[0] == found[2]
    assert found[3] == ()
    assert encoder.encoded == before + 2, "the second time it came from the cache"


def test_a_response_is_the_sections_within_the_budget(book: Rulebook) -> None:
    response = book.query("describe_entity", ["resting"], user_query="how do we recover?")
    top = response.sections[0]
    assert (top.section.id, top.includes_children, response.reason) == ("playing/resting", True, None)
    assert "Eight hours of sleep" in top.content
    assert book.sections["playing/resting"].content == "Two ways to recover."
    assert "Small Book, Playing > Resting (lines " in response.text
    assert count_tokens(response.text) <= response.total_tokens <= 8000
    assert top.children == ("playing/resting/short-rest", "playing/resting/long-rest")
    first, last = book.sections["playing/resting"], book.sections["playing/resting/long-rest"]
    assert top.citation.lines == (first.lines[0], last.lines[1])  # down to the last that is given with it
    assert str(top.citation) in response.text


MARSH = "# Marsh\n\nA marsh.\n\n" + "\n\n".join(
    f"## Marsh {name}\n\n" + f"The marsh of {name} is wet. " * 12 for name in ("North", "South", "East", "West"))


def pages(book: Rulebook, entity: str) -> Iterator[RulebookResponse]:
    """What is given in pages of 300 tokens, until nothing is left."""
    word = None
    for _ in range(200):
        response = book.query("describe_entity", [entity], max_tokens=300, continuation=word)
        assert count_tokens(response.text) <= response.total_tokens <= 300
        yield response
        if (word := response.continuation) is None:
            return
    pytest.fail("the pages do not end")


def test_the_continuation_gives_the_rest_once_and_long_lines_lose_nothing() -> None:
    lines = [line for response in pages(opened(MARSH), "marsh") for line in response.text.split("\n") if line.startswith("The marsh")]
    assert len(lines) == len(set(lines)) == 4
    for line in ("x" * 9_000, "\u6c34" * 3_000, "data:" + "aB3/" * 2_000):  # without a place to break
        book = opened(f"# Marsh\n\nBefore it.\n{line}\nBehind it.\n")
        text = "".join(section.content for response in pages(book, "marsh") for section in response.sections)
        assert text.replace("\n", "") == f"Before it.{line}Behind it."


def packed(state: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(state).encode())).decode().rstrip("=")


def test_what_is_no_continuation_or_of_another_question_is_refused() -> None:
    book = opened(MARSH)

    def ask(word: object, entity: str = "marsh", of: Rulebook = book) -> RulebookResponse:
        return of.query("describe_entity", [entity], max_tokens=300, continuation=word)  # type: ignore[arg-type]

    word = ask(None).continuation
    assert word
    release, question, *_ = json.loads(zlib.decompress(base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))))
    for wrong in (
        "", "x", "é", "=" * 40, "nonsense", 5, packed({}), packed(None), packed([]), packed([[]] * 5), "A" * 30_000,
        base64.urlsafe_b64encode(zlib.compress(b"[" * 10**6)).decode(), packed([release, question, [], None]),
        *(packed([release, question, *rest]) for rest in (
            (["1"], None, 0), ([True], None, 0), ([-1], None, 0), ([99], None, 0), ([], 99, 0), ([], None, -1), ("12", None, 0),
        )),
    ):
        with pytest.raises(RulebookQueryError, match="is no continuation"):
            ask(wrong)
    with pytest.raises(RulebookQueryError, match="another question"):
        ask(word, "fen")
    with pytest.raises(RulebookQueryError, match="built anew"):
        ask(word, of=opened(f"{MARSH}\n\n# More\n\nText.\n"))


def test_an_empty_response_says_why(book: Rulebook) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "nothing_asked"), ({"user_query": "  "}, "nothing_asked"),
        ({"user_query": "quarterly tax returns of a limited company"}, "no_evidence"),
        ({"intention": "rest_mechanics", "entities": ["short rest"], "categories": [Category.WORLD_LORE]}, "filtered"),
    ]
    for arguments, reason in cases:
        response = book.query(**arguments)
        assert (response.sections, response.reason) == ((), reason)
        assert response.explanation


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"intention": "spel_details"}, "spell_details"), ({"entities": ["x" * 201]}, r"length <= 200 .*entities\[0\].*user_query"),
    ({"context_hints": ["x"] * 1000}, "length <= 64 .*context_hints"), ({"entities": "goblin"}, "got `str` .*entities"),
    ({"categories": [11]}, "value 11 .*9 Creatures"), ({"categories": []}, "length >= 1 .*categories"), ({"categories": 3}, "got `int` .*categories"),
    ({"max_tokens": 10}, "max_tokens=10"), ({"max_tokens": "100"}, "whole number"), ({"intention": 5}, "got `int` .*intention"),
    ({"entities": None}, "got `null` .*entities"), ({"entities": [1]}, "got `int` .*entities"), ({"user_query": 7}, "got `int` .*query"),
]


def test_a_bad_question_is_told_what_is_wrong(book: Rulebook) -> None:
    for arguments, says in WRONG:
        with pytest.raises(RulebookQueryError, match=says):
            book.query(**{"user_query": "x"} | arguments)
    with pytest.raises(RulebookQueryError, match="limit=-1"):
        book.search("x", limit=-1)


def test_a_very_long_title_is_cut_where_it_is_printed() -> None:
    title = "marsh " * 200
    response = opened(f"# {title}\n\nWet.\n").query("describe_entity", ["marsh"], max_tokens=200)
    assert response.sections[0].content == "Wet."
    assert count_tokens(response.text) <= 200


def test_both_things_compared_have_their_place_before_what_stands_below_one() -> None:
    below = "\n\n".join(f"### Part {n}\n\n{'words of it ' * 20}" for n in range(8))
    book = opened(f"# Crafts\n\n## Warden\n\nStrong.\n\n{below}\n\n## Sage\n\nWise.\n")
    response = book.query("compare_entities", ["warden", "sage"], max_tokens=400)
    assert {one.section.title for one in response.sections[:2]} == {"Warden", "Sage"}
