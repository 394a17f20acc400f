"""The rulebook's page and API: contents that stay light, safe text, scores part by part, clear refusals."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from werkzeug.datastructures import MultiDict

from mvp_site.rulebook.categories import Category
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.web.openapi import document
from mvp_site.web.rulebook import (
    GROUPS,
    NODES,
    SIBLINGS,
    Contents,
    Gap,
    tree,
)
from mvp_site.web.rulebook_text import SHOWN, html_of

from ..rulebook.books import anything
from .books import LONG, WordsRulebook
from .conftest import TOKEN, MakeApp
from .test_every_page import Outline

ASK = "/rulebook?q=a+creature+falls+in+water"


def test_a_question_goes_to_the_book_as_it_was_asked(local: FlaskClient, book: WordsRulebook) -> None:
    local.get("/rulebook?q=+who+falls%3F%0D%0A&intention=Spell-Details&entities=fb,+Heroes%27+Feast,,%0Abless&hints=3rd+level,area&category=3&category=2&category=3&budget=900")
    assert book.asked == [{
        "intention": Intention.SPELL_DETAILS, "entities": ("fb", "Heroes' Feast", "bless"), "context_hints": ("3rd level", "area"), "user_query": "who falls?",
        "categories": (Category.SPELLCASTING, Category.CLASS_FEATURES), "max_tokens": 900, "continuation": None,
    }]


def test_an_answer_has_sections_citations_and_scores(local: FlaskClient) -> None:
    page = local.get(f"{ASK}&intention=environmental_rules&entities=falling,bless").text
    for text in ("The Little Book, Playing &gt; Falling (lines 5-1", "<strong>1d6</strong> for every ten feet", "Environmental rules: what surroundings do", "no title of the book", "a title of the book"):
        assert text in page
    assert page.count("<article") == 1
    others = re.findall(r'<details class="rule also-one" id="result-\d+".*?</summary>', page, re.DOTALL)
    relevances = re.findall(r'class="value">([\d.]+)<', page[page.index('id="result-1"'):page.index('id="scores"')])
    assert others
    assert len(relevances) == len(others) + 1
    assert relevances == sorted(relevances, reverse=True)
    found = re.findall(r'<details class="scored">.*?</table>', page[page.index('id="scores"'):], re.DOTALL)
    for result, relevance in zip(found, relevances, strict=True):
        values = [float(value.replace("−", "-")) for value in re.findall(r'<td class="num">([+−][\d.]+)</td>', result)]
        assert sum(values[:-1]) == pytest.approx(values[-1], abs=0.003)
        assert f"which is a relevance of {relevance}" in result


def test_nothing_stands_before_the_answer_but_the_question(local: FlaskClient) -> None:
    page = local.get(f"{ASK}&intention=environmental_rules&entities=falling,bless").text
    main = page[page.index("<main"):]
    places = [main.index(text) for text in ('id="q"', 'id="result-1"', "Perhaps also", "tokens are used", "How this was found", 'id="options"', 'class="contents"')]
    assert places == sorted(places)
    assert "<details data-contents>" in main
    assert "<details open data-contents>" in local.get("/rulebook?section=playing/falling").text


def test_more_asks_the_same_with_the_continuation(make_app: MakeApp) -> None:
    book = WordsRulebook(LONG)
    local = make_app(rulebook=book).test_client()
    query = "q=how+is+a+creature+hurt+that+falls&intention=rule_mechanics&entities=falling,water&hints=deep&category=7&category=8&budget=200"
    page = local.get(f"/rulebook?{query}").text
    form = re.search(r'<form method="get" action="/rulebook" class="more">.*?</form>', page, re.DOTALL)
    assert form
    fields = [(name, unescape(value)) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[0])]
    second = local.get("/rulebook", query_string=MultiDict(fields)).text
    assert book.asked[1] == {**book.asked[0], "continuation": dict(fields)["continuation"]}
    assert "More of what the book says" in second
    assert "Back to the beginning of the answer" in second
    assert not set(re.findall(r'id="result-\d-head".*?section=([^"]+)"', page)) & set(re.findall(r'id="result-\d-head".*?section=([^"]+)"', second))


@pytest.mark.parametrize(("query", "says"), [("q=xyzzy", "Nothing was found.</strong>"), ("q=", "Nothing was asked.")])
def test_an_empty_answer_says_why(local: FlaskClient, query: str, says: str) -> None:
    response = local.get(f"/rulebook?{query}")
    assert response.status_code == 200
    assert says in response.text
    assert "Scores side by side" not in response.text


def test_the_form_offers_every_intention_once() -> None:
    offered = " ".join(GROUPS.values()).split()
    assert sorted(offered) == sorted(Intention)


def test_a_section_says_what_it_is_about_and_why(local: FlaskClient) -> None:
    page = local.get("/rulebook?section=playing/falling").text
    for text in ("<h2 id=\"section\">Falling</h2>", "Exploration &amp; Environment", "Title has &#39;falling&#39;", '<a href="/rulebook?section=playing">Playing</a>',
                 '<a href="/rulebook?section=playing/falling/water">Water</a>', "(lines 5–13)", "<code>playing/falling</code>", 'rel="prev"', 'rel="next"'):
        assert text in page
    assert "Who falls into deep water" not in page


def shown(found: Contents) -> list[str]:
    top, rows, _ = found
    return [row.id for row in (*top, *(row for below in rows.values() for row in below)) if not isinstance(row, Gap)]


def large_book() -> str:
    spells = [f"### Spell {n}\n\nA streak of light." for n in range(320)]
    beasts = [f"## Beast {n}\n\nIt bites.\n\n### Actions\n\nBite {n}." for n in range(800)]
    return "\n\n".join(["# Spells\n\n## Descriptions", *spells, "# Beasts", *beasts])


LARGE = parse_rulebook(large_book())


def test_two_thousand_sections_make_no_heavy_page(make_app: MakeApp) -> None:
    client = make_app(rulebook=WordsRulebook(large_book())).test_client()
    assert len(LARGE) > 1900
    for query in ("", "?section=beasts/beast-400/actions", "?section=spells/descriptions", "?q=bites+streak+light"):
        assert len(client.get(f"/rulebook{query}").data) < 150_000


def test_the_contents_are_open_at_the_section() -> None:
    for section in [*LARGE][::97]:
        found = tree(LARGE, section.id)
        assert section.id in shown(found)
        assert {*LARGE.ancestors(section)} <= found[1].keys()
        assert {above.id for above in LARGE.ancestors(section)} <= found[2]
        assert len(shown(found)) <= NODES + 4 * SIBLINGS


def test_a_gap_leads_to_what_it_leaves_out() -> None:
    beasts = tree(LARGE, "beasts/beast-400")[1][LARGE["beasts"]]
    gaps = [row for row in beasts if isinstance(row, Gap)]
    assert sum(gap.count for gap in gaps) + len(beasts) - len(gaps) == 800
    for gap in gaps:
        assert gap.first in shown(tree(LARGE, gap.first))


@given(anything, st.integers(0, 40))
def test_any_book_has_contents(text: str, number: int) -> None:
    try:
        sections = parse_rulebook(text)
    except ValueError:
        return
    current = sections.at(number % len(sections))
    found = shown(tree(sections, current.id, [current.id]))
    assert len(found) == len(set(found))
    assert current.id in found


@pytest.mark.parametrize(("markdown", "html"), [
    ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
    ("a <b onclick='x'>b</b>", "<p>a &lt;b onclick=&#39;x&#39;&gt;b&lt;/b&gt;</p>"),
    ("[a](javascript:x)", "<p>[a](javascript:x)</p>"),
    ("[a](/rules)", '<p><span class="link">a</span></p>'),
    ('[a](https://b.example/"x)', '<p><span class="link">a</span> <span class="address">(https://b.example/%22x)</span></p>'),
    ("<https://b.example>", '<p><span class="link">https://b.example</span></p>'),
    ("![a *map*](https://b.example/x.png)", '<p><span class="picture">a *map*</span></p>'),
    ("one<br>two<BR/>three<br />", "<p>one<br>two<br>three<br></p>"),
    ("```js\" onx=\"\n<i>\n```", "<pre><code>&lt;i&gt;\n</code></pre>"),
    ("~~no~~ **yes** _so_ `<x>`", "<p><s>no</s> <strong>yes</strong> <em>so</em> <code>&lt;x&gt;</code></p>"),
    ("7. seven\n8. eight", '<ol start="7"><li>seven</li><li>eight</li></ol>'),
    ("- one\n- two", "<ul><li>one</li><li>two</li></ul>"),
    ("---", "<hr>"), ("a\\\nb", "<p>a<br>b</p>"), ("", ""),
])
def test_markdown_as_safe_html(markdown: str, html: str) -> None:
    assert str(html_of(markdown, "x")).strip().replace(">\n", ">") == html


def test_a_table_scrolls_and_has_a_name_and_headers() -> None:
    page = html_of('| Feet | |\n|--:|---|\n| 10 | <i> |\n\n| a |\n|---|\n', 'the "x"')
    assert page.count('role="region"') == 2
    assert 'aria-label="Table 2 of the &#34;x&#34;" tabindex="0"' in page
    assert '<th scope="col" class="num">Feet</th><td></td>' in page
    assert '<td class="num">10</td><td>&lt;i&gt;</td>' in page


def test_headings_go_on_from_the_page(local: FlaskClient) -> None:
    page = html_of("##### a\n\n> # b\n\n###### c\n\n### d\n\n#### e\n\n##### f\n\n###### g\n\nh\n-", "x", 4)
    assert re.findall(r"<h(\d)>(\w)</h\1>", page) == [("4", "a"), ("4", "b"), ("5", "c"), ("5", "d"), ("6", "e"), ("6", "f"), ("6", "g"), ("5", "h")]


TAGS = {"p", "ul", "ol", "li", "blockquote", "strong", "em", "s", "thead", "tbody", "tr", "th", "td", "br", "hr", "code", "pre", "h4", "h5", "h6", "span", "div", "table", "caption"}
ATTRIBUTES = {"class", "scope", "role", "aria-label", "tabindex", "start"}


@given(st.one_of(anything, st.lists(st.sampled_from((
    "<script>", "](", "[x](javascript:y)", "![", "<a href='x'>", "`", "```", "|", "\n|-|\n", "\n", "\n\n", "> ", "- ", "# ", "**", "<br", ">", "&lt;", "\"", "' onx='", "&#60;", "<!--", "\0",
)), max_size=40).map("".join)))
def test_no_text_becomes_markup(text: str) -> None:
    outline = Outline(html_of(text, text))
    assert outline.open == []
    assert {tag for tag, _ in outline.tags} <= TAGS
    assert {name for _, attributes in outline.tags for name in attributes} <= ATTRIBUTES
    assert all(after <= before + 1 for before, after in zip([4, *outline.headings], outline.headings, strict=False))


def test_a_page_shows_so_much_of_a_text_and_no_more(make_app: MakeApp) -> None:
    page = make_app(rulebook=WordsRulebook("# Long\n\n" + "A word of it. " * 20_000)).test_client().get("/rulebook?section=long")
    assert "The text is longer than a page shows." in page.text
    assert SHOWN < len(page.data) < 2 * SHOWN


def test_text_that_nests_without_end_is_shown(make_app: MakeApp) -> None:
    text = ("# Deep\n\n" + "> " * 400 + "down here\n\n" + "".join(f"{'  ' * n}- x\n" for n in range(200)) + "*a " * 3000)
    assert make_app(rulebook=WordsRulebook(text)).test_client().get("/rulebook?section=deep").status_code == 200


def described(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": document(token=True)["components"]})


BODY: dict[str, Any] = {"query": "creature falls water", "intention": "rule_mechanics", "entities": ["Falling"], "context_hints": ["deep"], "categories": [8, 7], "max_tokens": 500}


def test_a_program_asks_and_asks_for_more(make_app: MakeApp, player: FlaskClient, book: WordsRulebook) -> None:
    found = player.post("/api/rulebook/query", json=BODY)
    assert found.status_code == 200
    described("RulebookQueryResult").validate(found.json)
    assert book.asked[0] == {
        "intention": Intention.RULE_MECHANICS, "entities": ("Falling",), "context_hints": ("deep",), "user_query": "creature falls water",
        "categories": (Category.EXPLORATION, Category.CORE_MECHANICS), "max_tokens": 500, "continuation": None,
    }
    sections = {one["id"]: one["citation"] for one in found.json["sections"]}
    assert sections["playing/falling/water"] == "The Little Book, Playing > Falling > Water (lines 14-17)"
    assert "1d6" in found.json["text"]
    small = {"query": "how is a creature hurt that falls?", "entities": ["falling"], "max_tokens": 200}
    player = make_app(TOKEN, rulebook=WordsRulebook(LONG)).test_client()
    pages = [player.post("/api/rulebook/query", json=small).json]
    while pages[-1]["continuation"]:
        pages.append(player.post("/api/rulebook/query", json={**small, "continuation": pages[-1]["continuation"]}).json)
        described("RulebookQueryResult").validate(pages[-1])
    assert 1 < len(pages) < 20
    ids = [one["id"] for page in pages for one in page["sections"]]
    assert len(ids) == len(set(ids))


def test_a_program_gets_a_ranking(player: FlaskClient) -> None:
    found = player.post("/api/rulebook/search", json={"query": "creature falls water", "limit": 2})
    described("RulebookRanking").validate(found.json)
    assert found.json["results"][0]["id"] == "playing/falling/water"
    assert (len(found.json["results"]), found.json["source"]) == (2, "The Little Book")
    assert len(player.post("/api/rulebook/search", json={"query": "creature falls water"}).json["results"]) > 2


@pytest.mark.parametrize("path", ["/api/rulebook/query", "/api/rulebook/search"])
@pytest.mark.parametrize(("body", "kind", "says"), [
    ({"intention": "spel_detials"}, "invalid_query", "near it: spell_details"), ({"intention": ""}, "invalid_query", "the 30 intentions are"),
    ({"intention": 3}, "invalid_request", "`intention` is a number"), ({"entities": "fireball"}, "invalid_request", "must be a list"),
    ({"entities": ["x" * 201]}, "invalid_request", "`entities[0]` has 201 characters"), ({"entities": ["x"] * 65}, "invalid_request", "`entities`"),
    ({"categories": [11]}, "invalid_request", "`categories[0]`"), ({"categories": []}, "invalid_request", "`categories`"), ({"nonsense": 1}, "invalid_request", "unknown field"),
    ({"continuation": "abc"}, "invalid_", "continuation"), ({"query": "x" * 4001}, "invalid_request", "4001 characters"), ({"query": "a\0"}, "invalid_json", "NUL"),
])
def test_a_body_that_cannot_be_asked(player: FlaskClient, path: str, body: dict[str, Any], kind: str, says: str) -> None:
    found = player.post(path, json=body)
    assert found.status_code == 400
    assert found.json["error"]["kind"].startswith(kind)
    assert says in found.json["error"]["message"]
