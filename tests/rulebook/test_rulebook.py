from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from mvp_site.errors import (
    EncoderError,
    MissingIndexError,
    RulebookError,
    RulebookQueryError,
)
from mvp_site.rulebook.build import build_rulebook
from mvp_site.rulebook.categories import Category
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.results import RulebookQuery
from mvp_site.rulebook.rulebook import Rulebook
from mvp_site.settings import Settings
from mvp_site.text.tokens import count_tokens
from tests.rulebook.small_book import TEXT, opened

from ..hashing import HashingEncoder


@pytest.fixture(scope="module")
def book() -> Rulebook:
    return opened()


@pytest.mark.parametrize(("intention", "entities", "question", "first"), [
    ("spell_details", ["emberburst"], "", "spells/spell-descriptions/emberburst"),
    (None, [], "emberburst deals fire damage", "spells/spell-descriptions/emberburst"),
    (None, [], "embreburst deals fire damage", "spells/spell-descriptions/emberburst"),
    ("spell_details", ["Emberbursts"], "", "spells/spell-descriptions/emberburst"),
    ("rule_mechanics", ["reaver", "extra attack"], "", "classes/reaver/extra-attack"),
    ("rule_mechanics", ["sage", "extra attack"], "", "classes/sage/extra-attack"),
    ("describe_entity", ["rage"], "", "classes/reaver/rage"),
])
def test_the_section_asked_for_comes_first(
    book: Rulebook, intention: str | None, entities: list[str], question: str, first: str
) -> None:
    assert book.search(question, intention, entities)[0].id == first


def test_relevance_is_in_range_and_falls_off_with_the_sum_of_the_parts(book: Rulebook) -> None:
    hits = book.search("rest and hit points", "rest_mechanics", ["short rest"], ["quiet"])
    found = [hit.relevance for hit in hits]
    assert found == sorted(found, reverse=True)
    assert len(set(found[:5])) == 5, "the best are not tied"
    for hit in hits:
        assert 0 < hit.relevance < 1
        assert 0 <= hit.evidence <= 1
    sums = [sum(part.value for part in hit.parts) for hit in hits]
    assert sums == sorted(sums, reverse=True)
    weights, odds = book._opened.book.manifest.weights, [math.log(r / (1 - r)) for r in found[:3]]
    assert odds[0] - odds[1] == pytest.approx(weights.fall * (sums[0] - sums[1]), abs=1e-2)


def test_the_map_of_intentions_is_no_wall_and_categories_are(book: Rulebook) -> None:
    hit = book.search("emberburst", Intention.MONSTER_STATS)[0]
    assert hit.id == "spells/spell-descriptions/emberburst"
    only = book.search("emberburst", categories=[Category.EXPLORATION])
    assert all(
        any(found.category == Category.EXPLORATION for found in hit.section.categories)
        for hit in only
    )


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
    assert top.section.id == "playing/resting"
    assert top.includes_children
    assert "Eight hours of sleep" in top.content
    assert book.sections["playing/resting"].content == "Two ways to recover."
    assert "Small Book, Playing > Resting (lines " in response.text
    assert count_tokens(response.text) <= response.total_tokens <= 8000
    assert response.reason is None


def test_the_continuation_gives_the_rest_once() -> None:
    text = "# Marsh\n\nA marsh.\n\n" + "\n\n".join(
        f"## Marsh {name}\n\n" + f"The marsh of {name} is wet. " * 12
        for name in ("North", "South", "East", "West")
    )
    book = opened(text)
    seen: list[str] = []
    word = None
    for _ in range(8):
        response = book.query("describe_entity", ["marsh"], max_tokens=300, continuation=word)
        assert count_tokens(response.text) <= response.total_tokens <= 300
        seen += [line for line in response.text.split("\n") if line.startswith("The marsh")]
        word = response.continuation
        if word is None:
            break
    assert len(seen) == len(set(seen)) == 4


@pytest.mark.parametrize(("arguments", "reason"), [
    ({}, "nothing_asked"), ({"user_query": "  "}, "nothing_asked"),
    ({"user_query": "quarterly tax returns of a limited company"}, "no_evidence"),
    ({"intention": "rest_mechanics", "entities": ["short rest"], "categories": [Category.WORLD_LORE]}, "filtered"),
])
def test_an_empty_response_says_why(
    book: Rulebook, arguments: dict[str, object], reason: str
) -> None:
    response = book.query(**arguments)  # type: ignore[arg-type]
    assert response.sections == ()
    assert response.reason == reason
    assert response.explanation


BAD: list[tuple[Callable[[Rulebook], object], str]] = [
    (lambda b: b.search("x", "spel_details"), "spell_details"),
    (lambda b: b.search(entities=["x" * 300]), "300 characters"),
    (lambda b: b.search(context_hints=["x"] * 1000), "1000 context hints"),
    (lambda b: b.search(entities="goblin"), "list of texts"),
    (lambda b: b.search("x", categories=[11]), "unknown category 11"),
    (lambda b: b.search("x", categories=[]), "categories is empty"),
    (lambda b: b.search("x", limit=-1), "limit=-1"),
    (lambda b: b.query(user_query="x", max_tokens=10), "max_tokens=10"),
    (lambda b: b.query(user_query="x", continuation="nonsense"), "no continuation"),
]


@pytest.mark.parametrize(("call", "says"), BAD)
def test_a_bad_question_is_told_what_is_wrong(
    book: Rulebook, call: Callable[[Rulebook], object], says: str
) -> None:
    with pytest.raises(RulebookQueryError, match=says):
        call(book)


def test_what_was_taken_for_something_else_is_said(book: Rulebook) -> None:
    response = book.query("spell_details", ["embreburst"])
    assert response.entities[0].how == "typo"
    assert "emberburst" in response.explanation


def test_a_build_is_opened_again_and_has_nothing_to_do_twice(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text(TEXT, encoding="utf-8")
    settings = Settings(mvp_site_data_dir=tmp_path / "data")
    encoder = HashingEncoder()
    with pytest.raises(MissingIndexError, match="mvp-site rulebook build"):
        Rulebook.open(settings, encoder=encoder)
    first = build_rulebook(settings, file, encoder=encoder)
    assert first.built
    assert (first.source, first.sections) == ("mine.md", len(opened().sections))
    again = build_rulebook(settings, file, encoder=encoder)
    assert not again.built
    assert again.fingerprint == first.fingerprint
    book = Rulebook.open(settings, encoder=encoder)
    assert [s for s in book.sections] == [s for s in opened().sections]  # noqa: C416
    assert [hit.id for hit in book.search("emberburst")] == [
        hit.id for hit in opened().search("emberburst")
    ]
    file.write_text(TEXT + "\n# More\n\nMore text.\n", encoding="utf-8")
    encoded = encoder.encoded
    changed = build_rulebook(settings, file, encoder=encoder)
    assert changed.fingerprint != first.fingerprint
    assert encoder.encoded - encoded == changed.encoded == 1
    with pytest.raises(EncoderError, match=f"release {changed.fingerprint} of the rulebook was built with .* same encoder: mvp-site rulebook build"):
        Rulebook.open(settings, encoder=HashingEncoder(32))


@pytest.mark.parametrize(("content", "says"), [
    (b"", "is empty"), (b"\x00\x01\x02" * 100, "not text"), (b"%PDF-1.7", "a PDF"),
    (b"\xff\xfe#\x00", "UTF-16"), (b"# \xff", "not UTF-8"),
])
def test_a_file_without_text_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "book.md"
    file.write_bytes(content)
    with pytest.raises(RulebookError, match=says) as error:
        build_rulebook(Settings(mvp_site_data_dir=tmp_path), file, encoder=HashingEncoder())
    assert "book.md" in str(error.value)


@pytest.mark.parametrize("line", ["x" * 9_000, "\u6c34" * 3_000, "data:" + "aB3/" * 2_000])
def test_a_line_without_a_break_ends_and_nothing_behind_it_is_lost(line: str) -> None:
    book = opened(f"# Marsh\n\nBefore it.\n{line}\nBehind it.\n")
    text, word = "", None
    for _ in range(200):
        response = book.query("describe_entity", ["marsh"], max_tokens=300, continuation=word)
        assert count_tokens(response.text) <= response.total_tokens <= 300
        text += "".join(section.content for section in response.sections)
        word = response.continuation
        if word is None:
            break
    assert text.replace("\n", "") == f"Before it.{line}Behind it."


def test_a_very_long_title_is_cut_where_it_is_printed() -> None:
    title = "marsh " * 200
    response = opened(f"# {title}\n\nWet.\n").query("describe_entity", ["marsh"], max_tokens=200)
    assert response.sections[0].content == "Wet."
    assert count_tokens(response.text) <= 200


@pytest.mark.parametrize("arguments", [
    {"intention": 5}, {"entities": None}, {"entities": [1]}, {"context_hints": 3},
    {"continuation": 5}, {"categories": 3}, {"max_tokens": "100"}, {"user_query": 7},
])
def test_what_is_of_the_wrong_kind_is_refused(
    book: Rulebook, arguments: dict[str, object]
) -> None:
    with pytest.raises(RulebookQueryError):
        book.query(**{"user_query": "emberburst"} | arguments)  # type: ignore[arg-type]


def test_both_things_compared_have_their_place_before_what_stands_below_one() -> None:
    below = "\n\n".join(f"### Part {n}\n\n{'words of it ' * 20}" for n in range(8))
    book = opened(f"# Crafts\n\n## Warden\n\nStrong.\n\n{below}\n\n## Sage\n\nWise.\n")
    response = book.query("compare_entities", ["warden", "sage"], max_tokens=400)
    assert {one.section.title for one in response.sections[:2]} == {"Warden", "Sage"}


def test_a_citation_reaches_down_to_the_last_section_given_with_it(book: Rulebook) -> None:
    top = book.query("describe_entity", ["resting"]).sections[0]
    assert top.children == ("playing/resting/short-rest", "playing/resting/long-rest")
    first, last = book.sections["playing/resting"], book.sections["playing/resting/long-rest"]
    assert top.citation.lines == (first.lines[0], last.lines[1])
    assert str(top.citation) in book.query("describe_entity", ["resting"]).text
