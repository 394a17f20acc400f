"""The retrievers of LangChain and Haystack: by the frameworks' own interfaces and test helpers."""

from __future__ import annotations

import asyncio
import copy
import subprocess
import sys
from typing import Any

import pytest

from mvp_site import EntityIndex, PromptAssembler, Rulebook, Settings
from mvp_site.errors import (
    InvalidRequestError,
    InvalidTurnError,
    SettingsError,
    UnknownVersionError,
)
from mvp_site.plugs import sources

from ..hashing import HashingEncoder
from ..web.entity_doubles import DOCUMENTS
from .conftest import ASKED

RULES = "# Combat\n\n## Grappling\n\nYou seize a creature and hold it.\n\n## Cover\n\nA wall gives cover.\n"
NOTHING = "zyx wvu"


@pytest.fixture(autouse=True)
def _opened(monkeypatch: pytest.MonkeyPatch, market: PromptAssembler) -> None:
    """What is opened by settings is the market."""
    opens = PromptAssembler.open
    kept = market._settings

    def opened(settings: Settings, **more: Any) -> PromptAssembler:
        return market if settings.prompt_version is None else opens(kept.__class__(
            prompt_version=settings.prompt_version, prompt_archive_dir=kept.prompt_archive_dir, prompt_index_dir=kept.prompt_index_dir,
        ), encoder=HashingEncoder(), **more)

    monkeypatch.setattr(sources.PromptAssembler, "open", opened)


def retriever(framework: str) -> Any:
    """That of a framework, imported where it is used: Haystack brings torch, which each worker would import."""
    return pytest.importorskip(f"mvp_site.plugs.{framework}", exc_type=ImportError).MvpSiteRetriever


def by_langchain(query: str, k: int | None = None, **options: Any) -> list[tuple[str | None, str, dict[str, Any]]]:
    found = retriever("langchain").open(k=k, **options).invoke(query)
    return [(one.id, one.page_content, one.metadata) for one in found]


def by_haystack(query: str, k: int | None = None, source: Any = "prompts", **options: Any) -> list[tuple[str | None, str, dict[str, Any]]]:
    """In a pipeline that was written down and read again."""
    framework = pytest.importorskip("haystack")
    first = framework.Pipeline()
    first.add_component("retriever", retriever("haystack")(source=source, top_k=k, options=options))
    pipeline = framework.Pipeline.loads(first.dumps(), allowed_modules=["mvp_site.plugs.haystack"])
    assert pipeline == first
    found = pipeline.run({"retriever": {"query": query}})["retriever"]["documents"]
    again = asyncio.run(pipeline.run_async({"retriever": {"query": query}}))["retriever"]["documents"]
    assert [one.to_dict() for one in again] == [one.to_dict() for one in found]
    return [(one.id, one.content, one.meta) for one in found]


@pytest.mark.parametrize("ask", [by_langchain, pytest.param(by_haystack, marks=pytest.mark.slow)])
class TestWhatIsFound:
    def test_documents_say_where_they_are_from(self, ask: Any, market: PromptAssembler) -> None:
        found = ask(ASKED)
        printed = market.retrieve(ASKED).chunks
        assert [(id_, text) for id_, text, _ in found] == [(one.id, one.text) for one in printed]
        meta = {id_: meta for id_, _, meta in found}["haggling#1"]
        assert (meta["id"], meta["file"], meta["section"], meta["version"]) == ("haggling#1", "haggling.md", "Haggling > With a merchant", "dec_2025")
        assert 0 < meta["score"] <= 1
        assert "text" not in meta

    @pytest.mark.parametrize(("query", "options", "count"), [
        (ASKED, {}, 3), (ASKED, {"k": 2}, 2), (ASKED, {"k": 0}, 0), (ASKED, {"audience": "dm"}, 4), (ASKED, {"mode": "god", "audience": "god"}, 4),
        (ASKED, {"max_tokens_retrieved": 0}, 0), (ASKED, {"max_tokens_retrieved": 100}, 2), (NOTHING, {}, 0), ("", {}, 0),
    ])
    def test_floor_budget_and_audience_hold(self, ask: Any, query: str, options: dict[str, Any], count: int) -> None:
        found = ask(query, **options)
        assert len(found) == count
        assert all("true price" not in text for _, text, _ in found) or "audience" in options

    @pytest.mark.parametrize(("options", "error", "says"), [
        ({"source": "dreams"}, SettingsError, "there is no source 'dreams'; there are prompts, rulebook, entities"),
        ({"colour": "red"}, SettingsError, "unexpected keyword argument 'colour'"),
        ({"k": -1}, InvalidRequestError, "-1 documents cannot be found"), ({"audience": "king"}, InvalidTurnError, "unknown audience 'king'"),
    ])
    def test_what_cannot_be_asked_is_said(self, ask: Any, options: dict[str, Any], error: type[Exception], says: str) -> None:
        with pytest.raises(Exception, match=says) as raised:
            ask(ASKED, **options)
        assert isinstance(raised.value, error) or says in str(raised.value)

    def test_rulebooks_and_entities_too(self, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources.Rulebook, "open", lambda _: Rulebook.from_markdown(RULES, source="Own rules", encoder=HashingEncoder()))
        monkeypatch.setattr(sources.EntityIndex, "open", lambda _: EntityIndex.from_documents(DOCUMENTS, HashingEncoder()))
        found = ask("grappling", source="rulebook", k=1)
        assert [(id_, meta["file"], meta["section"]) for id_, _, meta in found] == [("combat/grappling", "Own rules", "Combat > Grappling")]
        assert ask(NOTHING, source="rulebook") == []
        (id_, text, meta), = ask("quiet step", source="entities", k=1, types=["spells"])
        assert (id_, text.splitlines()[0], meta["slug"], meta["section"]) == ("spells/quiet-step", "Quiet Step", "quiet-step", "Quiet Step")
        assert ask("quiet step", source="entities", types=["spells"], k=0) == []


@pytest.mark.slow
def test_a_component_is_written_down_without_what_it_opened() -> None:
    made = retriever("haystack")(top_k=3, version="dec_2025", options={"audience": "dm"})
    assert copy.deepcopy(made).to_dict() == made.to_dict()
    made.warm_up()
    written = made.to_dict()
    assert written["init_parameters"] == {"source": "prompts", "top_k": 3, "version": "dec_2025", "options": {"audience": "dm"}}
    assert retriever("haystack").from_dict(written).run(query=ASKED, top_k=1) == made.run(query=ASKED, top_k=1)
    with pytest.raises(UnknownVersionError, match="existing versions: dec_2025"):
        retriever("haystack")(version="jan_1999").warm_up()


@pytest.mark.slow
def test_nothing_is_told_home() -> None:
    """The switches hold: nothing could have been sent, and sockets are shut in these tests anyway."""
    from haystack.telemetry import _telemetry
    from langsmith.utils import tracing_is_enabled

    assert _telemetry.telemetry is None
    assert tracing_is_enabled() is False


@pytest.mark.parametrize(("name", "package"), [("langchain", "langchain_core"), ("haystack", "haystack")])
def test_without_the_framework_the_extra_is_named(name: str, package: str) -> None:
    program = f"import sys; sys.modules['{package}'] = None\nimport mvp_site.plugs.{name}"
    assert f"pip install 'PATH[{name}]'" in subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False).stderr
