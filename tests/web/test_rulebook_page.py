"""The rulebook's page and API: contents that stay light, safe text, scores part by part, clear refusals."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from mvp_site.rulebook.categories import Category
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.web.rulebook import GROUPS, NODES, SIBLINGS, Contents, Gap, tree
from mvp_site.web.rulebook_text import MOST_SHOWN, html_of

from ..rulebook.books import anything
from .books import LONG, WordsRulebook
from .conftest import MakeApp, described
from .test_every_page import Outline

ASK = "/rulebook?q=a+creature+falls+in+water"


def test_a_question_goes_to_the_book_as_it_was_asked(local: FlaskClient, book: WordsRulebook) -> None:
    local.get("/rulebook?q=+who+falls%3F%0D%0A&intention=Spell-Details&entities=fb,+Heroes%27+Feast,,%0Abless&hints=3rd+level,area&category=3&category=2&category=3&budget=900")
    assert book.asked == [{
        "intention": Intention.SPELL_DETAILS, "entities": ("fb", "Heroes' Feast", "bless"), "context_hints": ("3rd level", "area"), "user_query": "who falls?",
        "categories": (Category.SPELLCASTING, Category.CLASS_FEATURES), "max_tokens": 900, "continuation": None,
    }]


def test_an_answer_has_sections_citations_and_scores(local: FlaskClient) -> None:
    page = local.get(f"{ASK}&intention=environmental_rules&entities=falling,armor,bless").text
    for text in ("The Little Book, Playing &gt; Falling (lines 5-1", "<strong>1d6</strong> for every ten feet", "Environmental rules: what surroundings do", "not a title of the book", "a title of the book"):
        assert text in page
    assert page.count("<article") == 1
    others = re.findall(r'<details class="rule also-one" id="result-\d+".*?</summary>', page, re.DOTALL)
    relevances = re.findall(r'class="value">([\d.]+)<', page[page.index('id="result-1"'):page.index('id="scores"')])
    assert others
    assert len(relevances) == len(others) + 1
    assert relevances == sorted(relevances, reverse=True)
    found = re.findall(r'<details class="scored">.*?</table>', page[page.index('id="scores"'):], re.DOTALL)
    places = [page.index(text) for text in ('<main', 'id="q"', 'id="result-1"', "See also", "tokens are used", "How it was ranked", 'id="options"', 'class="contents"')]
    assert places == sorted(places)
    for result, relevance in zip(found, relevances, strict=True):
        values = [float(value.replace("−", "-")) for value in re.findall(r'<td class="num">([+−][\d.]+)</td>', result)]
        assert sum(values[:-1]) == pytest.approx(values[-1], abs=0.003)
        assert f"relevance {relevance}" in result


@pytest.mark.parametrize(("path", "shows", "hides"), [
    ("/rulebook?q=xyzzy", ("Nothing found.</strong>",), ()), ("/rulebook?q=", ("Nothing was asked.",), ()),
    ("/rulebook?section=playing/falling", (
        "<h2 id=\"section\">Falling</h2>", "Exploration &amp; Environment", "Title has &#39;falling&#39;", '<a href="/rulebook?section=playing">Playing</a>', '<a href="/rulebook?section=playing/falling/water">Water</a>', "(lines 5–13)",
        "<code>playing/falling</code>", 'rel="prev"', 'rel="next"', "<details open data-contents>",
    ), ("Who falls into deep water",)),
])
def test_what_a_page_shows(whole: FlaskClient, path: str, shows: tuple[str, ...], hides: tuple[str, ...]) -> None:
    page = whole.get(path).text
    assert [text for text in shows if text not in page] == [text for text in hides if text in page] == []


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
    assert "More results" in second
    assert "Back to the first results" in second
    assert not set(re.findall(r'id="result-\d-head".*?section=([^"]+)"', page)) & set(re.findall(r'id="result-\d-head".*?section=([^"]+)"', second))


def test_the_form_offers_every_intention_once() -> None:
    offered = " ".join(GROUPS.values()).split()
    assert sorted(offered) == sorted(Intention)


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
    for section in [*LARGE][::97]:
        found = tree(LARGE, section.id)
        assert section.id in shown(found)
        assert {above.id for above in LARGE.ancestors(section)} <= found[2] & {row.id for row in found[1] if not isinstance(row, Gap)}
        assert len(shown(found)) <= NODES + 4 * SIBLINGS
    for query in ("", "?section=beasts/beast-400/actions", "?section=spells/descriptions", "?q=bites+streak+light"):
        assert len(client.get(f"/rulebook{query}").data) < 150_000


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
    ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"), ("a <b onclick='x'>b</b>", "<p>a &lt;b onclick=&#39;x&#39;&gt;b&lt;/b&gt;</p>"), ("[a](javascript:x)", "<p>[a](javascript:x)</p>"), ("[a](/rules)", '<p><span class="link">a</span></p>'),
    ('[a](https://b.example/"x)', '<p><span class="link">a</span> <span class="address">(https://b.example/%22x)</span></p>'), ("<https://b.example>", '<p><span class="link">https://b.example</span></p>'),
    ("![a *map*](https://b.example/x.png)", '<p><span class="picture">a *map*</span></p>'), ("one<br>two<BR/>three<br />", "<p>one<br>two<br>three<br></p>"), ("```js\" onx=\"\n<i>\n```", "<pre><code>&lt;i&gt;\n</code></pre>"),
    ("~~no~~ **yes** _so_ `<x>`", "<p><s>no</s> <strong>yes</strong> <em>so</em> <code>&lt;x&gt;</code></p>"), ("7. seven\n8. eight", '<ol start="7"><li>seven</li><li>eight</li></ol>'), ("a\\\nb", "<p>a<br>b</p>"), ("", ""),
    ("##### a\n\n> # b\n\n###### c\n\n### d\n\nh\n-", "<h4>a</h4><blockquote><h4>b</h4></blockquote><h5>c</h5><h5>d</h5><h5>h</h5>"),
    ("| Feet | |\n|--:|---|\n| 10 | <i> |", ('<div class="scroll" role="region" aria-label="Table 1 of x" tabindex="0"><table><caption class="visually-hidden">Table 1 of x</caption><thead><tr><th scope="col" class="num">Feet</th><td></td></tr></thead>'
     '<tbody><tr><td class="num">10</td><td>&lt;i&gt;</td></tr></tbody></table></div>')),
])
def test_markdown_as_safe_html(markdown: str, html: str) -> None:
    assert str(html_of(markdown, "x")).strip().replace(">\n", ">") == html


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


def test_a_text_that_is_long_or_nests_without_end_is_shown_as_far_as_it_goes(make_app: MakeApp) -> None:
    deep = "> " * 400 + "down here\n\n" + "".join(f"{'  ' * n}- x\n" for n in range(200)) + "*a " * 3000
    client = make_app(rulebook=WordsRulebook("# Long\n\n" + "A word of it. " * 20_000 + f"\n\n# Deep\n\n{deep}")).test_client()
    page = client.get("/rulebook?section=long")
    assert "The text is cut here." in page.text
    assert MOST_SHOWN < len(page.data) < 2 * MOST_SHOWN
    assert client.get("/rulebook?section=deep").status_code == 200


BODY: dict[str, Any] = {"query": "creature falls water", "intention": "rule_mechanics", "entities": ["Falling"], "context_hints": ["deep"], "categories": [8, 7], "max_tokens": 500}


def test_a_program_asks(player: FlaskClient, book: WordsRulebook) -> None:
    found = player.post("/api/rulebook/query", json=BODY)
    assert found.status_code == 200
    described("RulebookQueryResult").validate(found.json)
    assert book.asked[0] == {
        "intention": Intention.RULE_MECHANICS, "entities": ("Falling",), "context_hints": ("deep",), "user_query": "creature falls water",
        "categories": (Category.EXPLORATION, Category.CORE_MECHANICS), "max_tokens": 500, "continuation": None,
    }
    sections = {one["id"]: one["citation"] for one in found.json["sections"]}
    assert sections["playing/falling"] == "The Little Book, Playing > Falling (lines 5-17)"
    assert "1d6" in found.json["text"]


def test_a_program_gets_a_ranking_or_is_told_why_not(player: FlaskClient) -> None:
    found = player.post("/api/rulebook/search", json={"query": "creature falls water", "limit": 2})
    described("RulebookRanking").validate(found.json)
    assert [found.json["results"][0]["id"], len(found.json["results"]), found.json["source"]] == ["playing/falling/water", 2, "The Little Book"]
    for body, kind, says in (
        ({"intention": "spel_detials"}, "invalid_query", "near it: spell_details"), ({"intention": ""}, "invalid_query", "the 30 intentions are"), ({"entities": "fireball"}, "invalid_request", "must be a list"),
        ({"entities": ["x" * 201]}, "invalid_request", "`entities[0]` has 201 characters"), ({"categories": [11]}, "invalid_request", "`categories[0]`"), ({"nonsense": 1}, "invalid_request", "unknown field"), ({"continuation": "abc"}, "invalid_", "continuation"),
    ):
        for path in ("query", "search"):
            response = player.post(f"/api/rulebook/{path}", json=body)
            assert (response.status_code, says in response.json["error"]["message"], response.json["error"]["kind"].startswith(kind)) == (400, True, True)
