"""The entities' part of the API: what it gives, what it takes, what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from .conftest import got
from .entity_doubles import WordsIndex


@pytest.fixture
def index() -> WordsIndex:
    """An index that finds words."""
    return WordsIndex()


@pytest.fixture
def parts(index: WordsIndex) -> dict[str, Any]:
    return {"entities": index}


def get(client: FlaskClient, path: str, schema: str, **query: Any) -> Any:
    return got(client, "get", path, schema, query_string=query)


def test_a_program_searches_a_type(player: FlaskClient, index: WordsIndex) -> None:
    found = get(player, "/api/entities/spells", "EntityResults", query="fire", filters=json.dumps({"level": {"min": 2}}), concentration="true", limit=5, offset=0)
    assert [one["slug"] for one in found["results"]] == ["ember-rain"]
    assert (found["total"], found["stated"], found["bound"]) == (1, {}, False)
    assert "System Reference Document" in found["attribution"]
    assert index.asked == [{
        "entity_type": "spells", "query": "fire", "filters": {"level": {"min": 2}, "concentration": True}, "limit": 5, "offset": 0, "bind_stated": False,
    }]


def test_a_lane_that_failed_is_told_by_its_name_alone(player: FlaskClient, index: WordsIndex) -> None:
    index.lanes_failed = {"dense": "OSError: /home/somebody/model.onnx"}
    found = get(player, "/api/entities/spells", "EntityResults", query="fire")
    page = player.get("/entities/spells", query_string={"q": "fire"}).text
    assert (found["lanes_failed"], bool(found["results"])) == (["dense"], True)
    assert "Searched without the dense lane, which failed." in page
    assert "somebody" not in page


def test_parameters_named_like_fields_are_filters(player: FlaskClient) -> None:
    def slugs(query: str) -> list[str]:
        return [one["slug"] for one in player.get(f"/api/entities/spells?{query}").json["results"]]

    assert slugs("level=1&level=2") == ["ember-lance", "quiet-step"]
    assert slugs("level_min=2&level_max=3") == ["ember-lance", "ember-rain"]
    assert slugs("name_contains=rain&class=druid") == ["ember-rain"]
    assert slugs("name=' or 1==1") == []


def test_all_types_at_once(player: FlaskClient) -> None:
    found = get(player, "/api/entities/search", "EntityResults", query="fire")
    assert {one["entity_type"] for one in found["results"]} >= {"spells", "conditions"}
    only = player.get("/api/entities/search?query=fire&types=magic-items&types=conditions&limit=1&documents=SRD+5.1").json
    assert (len(only["results"]), only["total"]) == (1, 2)
    assert player.get("/api/entities/search?query=light&documents=Our+Table").json["total"] == 1


def test_one_entity_and_what_is_like_it(player: FlaskClient) -> None:
    one = get(player, "/api/entities/spells/ember-lance", "OneEntity")
    assert one["entity"]["higher_level"].startswith("One more")
    assert "System Reference Document" in one["attribution"]
    assert get(player, "/api/entities/spells/lamp", "OneEntity")["attribution"] == ""
    like = get(player, "/api/entities/spells/ember-lance/similar", "EntityResults", limit=2)
    assert "ember-rain" in [row["slug"] for row in like["results"]]


@pytest.mark.parametrize(("path", "status", "kind", "says"), [
    ("spels", 404, "unknown_entity_type", "did you mean spells"), ("spels/x", 404, "unknown_entity_type", "Invalid entity type"), ("spells/x", 404, "unknown_entity", "spells have no"),
    ("spells/x/similar", 404, "unknown_entity", "spells have no"), ("search?types=spels", 404, "unknown_entity_type", "spells"), ("spells?level=x", 400, "invalid_query", "level of spells is a number"),
    ("spells?levle=1", 400, "invalid_query", "did you mean 'level'"), ("spells?filters=3", 400, "invalid_request", "must be a JSON object"), ("spells?filters={", 400, "invalid_request", "`filters` is not JSON"),
    ("spells?filters=%7B%22level%22:3%7D&level=3", 400, "invalid_request", "in `filters` and a parameter too"), ("spells?filters=%7B%22level%22:NaN%7D", 400, "invalid_request", "NaN"),
    ("spells?filters=%7B%22level%22:%5B%5D%7D", 400, "invalid_query", "empty list"), ("spells?limit=0", 400, "invalid_request", "`limit` is 0; it must be at least 1"), ("spells?limit=101", 400, "invalid_request", "at most 100"),
    ("spells?limit=", 400, "invalid_request", "`limit`"), ("spells?limit=1&limit=2", 400, "invalid_request", "given 2 times"), ("spells?offset=-1", 400, "invalid_request", "`offset`"), ("spells?offset=1e3", 400, "invalid_request", "`offset`"),
    ("spells?bind_stated=yes", 400, "invalid_request", "true or false"), ("spells?query=a%00", 400, "invalid_request", "NUL"), ("spells?query=" + "x" * 4001, 400, "invalid_request", "4001 characters"),
    ("spells?name=a%00", 400, "invalid_request", "NUL"), ("search?level=3", 400, "invalid_request", "unknown parameter 'level'"), ("spells/ember-lance?x=1", 400, "invalid_request", "it takes none"), ("?x=1", 400, "invalid_request", "unknown parameter"),
    ("spells/ember-lance/similar?offset=1", 400, "invalid_request", "the parameters are limit"),
])
def test_what_cannot_be_asked(whole_player: FlaskClient, path: str, status: int, kind: str, says: str) -> None:
    response = whole_player.get(f"/api/entities{'' if path.startswith('?') else '/'}{path}")
    assert (response.status_code, response.json["error"]["kind"]) == (status, kind)
    assert says in response.json["error"]["message"]
