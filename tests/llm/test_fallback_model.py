"""A second model for when the first fails."""

from __future__ import annotations

from contextlib import closing

import pytest

from mvp_site.errors import ModelError
from mvp_site.llm.models import open_model
from tests.llm.asking import REQUEST, WAYS, Way, ask, asked
from tests.llm.loopback import LoopbackServer
from tests.llm.wire_answers import Answer, Fault

NAMES = ("openai:local", "google:gemini-2.5-flash")


@pytest.fixture
def _google(loopback: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"{loopback.url}/google")


@pytest.mark.usefixtures("_google")
@pytest.mark.parametrize("way", WAYS)
def test_the_second_answers_where_the_first_fails(way: Way, loopback: LoopbackServer) -> None:
    with closing(open_model(loopback.settings(NAMES[0], mvp_site_llm_fallback=NAMES[1]))) as model:
        assert (model.name, model.tools, model.structured, model.context_tokens) == ("openai:local, else google:gemini-2.5-flash", True, False, None)
        assert ask(model, way).text == "The bar gives with a groan."
        loopback.put(Fault("status", 401), Answer("From the second."))
        assert ask(model, way).text == "From the second."
        assert [seen.dialect for seen in loopback.seen] == ["own", "own", "google"]
        loopback.put(Fault("status", 401), Fault("status", 404))
        with pytest.raises(ModelError) as caught:
            ask(model, way)
        assert "openai:local says 'it went wrong' (HTTP 401" in str(caught.value)
        assert "; then google:gemini-2.5-flash says 'it went wrong' (HTTP 404" in str(caught.value)


@pytest.mark.usefixtures("_google")
def test_a_stream_that_has_begun_is_not_begun_again(loopback: LoopbackServer) -> None:
    with closing(open_model(loopback.settings(NAMES[0], mvp_site_llm_fallback=NAMES[1]))) as model:
        loopback.put(Fault("cut"))
        with pytest.raises(ModelError, match="broke its connection"):
            asked(model, "astream", REQUEST)
        assert loopback.count == 1
