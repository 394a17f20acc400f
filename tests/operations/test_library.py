"""The library's operations: books and entities together, for whom they are, and entities made of entries."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mvp_site.errors import UnknownSourceError
from mvp_site.mcp_server.texts import books as readable
from mvp_site.operations.all import operation
from mvp_site.operations.library import (
    AskBooks,
    BindSources,
    BooksAnswer,
    ExtractContent,
    ExtractedContent,
    ListSources,
)
from mvp_site.operations.services import Services, reporting_to
from mvp_site.store.campaigns import CampaignStore


def run(services: Services, name: str, asked: Any, entitled: bool = True) -> Any:
    return operation(f"library.{name}").run(services, asked, entitled)


def ask(services: Services, query: str, **how: Any) -> BooksAnswer:
    return run(services, "ask", AskBooks(query, **how))


def extract(services: Services, title: str, source: str = "atlas", **how: Any) -> ExtractedContent:
    return run(services, "extract", ExtractContent(source, title, **how))


def titles(found: BooksAnswer) -> list[str]:
    return [one.title for one in found.results]


def test_books_and_entities_are_ranked_together(shared: Services) -> None:
    found = ask(shared, "a lantern of light over water", limit=20)
    assert [one.relevance for one in found.results] == sorted((one.relevance for one in found.results), reverse=True)
    assert {"Lantern of Reeds", "Lantern Moth"} <= set(titles(found))
    book = next(one for one in found.results if one.title == "Lantern of Reeds")
    moth = next(one for one in found.results if one.title == "Lantern Moth")
    assert (book.source_id, book.source, book.type, book.extracted, book.slug) == ("atlas", "Atlas of the Low Marches", "spell", False, "")
    assert (moth.source_id, moth.source, moth.type, moth.extracted, moth.entity_type, moth.slug) == ("", "SRD 5.1", "spell", True, "spells", "lantern-moth")
    assert found.missing == ()
    assert "SRD 5.1" in found.attribution
    assert next(iter(found.by_source())) == found.results[0].source
    assert sum(map(len, found.by_source().values())) == len(found.results)


def test_an_entity_made_of_a_book_is_asked_with_its_book(stocked: Services) -> None:
    extract(stocked, "The truth about Brackwater", "secrets", for_players=True)
    words = "the truth about Brackwater, smuggler king"
    assert "The truth about Brackwater" in titles(ask(stocked, words))
    assert titles(ask(stocked, words, audience="dm")).count("The truth about Brackwater") == 1
    run(stocked, "bind", BindSources("coast", ("atlas",)))
    assert "The truth about Brackwater" not in titles(ask(stocked, words, audience="dm", campaign="coast"))


def test_a_campaign_asks_the_sources_it_is_bound_to(stocked: Services) -> None:
    words = {"query": "the ferryman smuggler king of the coast", "audience": "dm"}

    def sources(campaign: str | None) -> set[str]:
        return {one.source_id for one in ask(stocked, **words, campaign=campaign).results} - {""}

    assert sources(None) == sources("coast") == {"atlas", "secrets"}
    assert run(stocked, "bind", BindSources("coast", ("secrets",))).sources == ("secrets",)
    assert (sources("coast"), sources("other")) == ({"secrets"}, {"atlas", "secrets"})
    assert [one.source_id for one in run(stocked, "list", ListSources(campaign="coast")).sources] == ["secrets"]
    assert "secrets" not in {one.source_id for one in ask(stocked, words["query"], campaign="coast").results}
    with CampaignStore.from_url("sqlite://") as store:
        run(Services(stocked.settings, library=stocked.library(), handler=SimpleNamespace(store=store)), "bind", BindSources("coast", ("atlas",)))
        assert (store.bound("coast"), sources("coast")) == (("atlas",), {"secrets"})
    assert run(stocked, "bind", BindSources("coast")).sources == ()
    assert sources("coast") == {"atlas", "secrets"}
    with pytest.raises(UnknownSourceError, match="did you mean atlas"):
        run(stocked, "bind", BindSources("coast", ("atlass",)))


def test_the_answer_is_readable_by_source(shared: Services) -> None:
    said = readable(ask(shared, "Lantern  of\nReeds", limit=3))
    assert said.startswith("> **Search results for:** Lantern of Reeds\n>\n> ### From Atlas of the Low Marches\n> - **Lantern of Reeds** [Extract] · *spell* · ")
    assert "extract_content(source_id, content_name, content_type), source_id being atlas" in said


def test_an_entry_becomes_an_entity_once(stocked: Services) -> None:
    stages: list[str] = []
    with reporting_to(lambda stage, done, of: stages.append(stage)):
        made = extract(stocked, "mud  grasp")
    assert stages
    assert (made.title, made.entity_type, made.source_id, made.state, made.missing) == ("Mud Grasp", "spells", "atlas", "new", ())
    assert made.confidence >= 0.8
    assert (made.entity["level"], made.entity["document"]) == (2, "Atlas of the Low Marches")
    found = stocked.entities().search_entities("spells", "mud grasp")
    assert (found[0]["name"], found[0]["document"]) == ("Mud Grasp", "Atlas of the Low Marches")
    assert extract(stocked, "Mud Grasp").state == "unchanged"
    assert [one["name"] for one in stocked.entities().search_entities("spells", "mud grasp")].count("Mud Grasp") == 1
    answer = ask(stocked, "mud grasp")
    assert titles(answer).count("Mud Grasp") == 1  # as the entry of its book
    assert (answer.results[0].source_id, answer.results[0].extracted) == ("atlas", True)
    assert "**Mud Grasp** ✓" in readable(answer)
    assert [one.extracted for one in run(stocked, "list", ListSources("atlas")).entries if one.title == "Mud Grasp"] == [True]
