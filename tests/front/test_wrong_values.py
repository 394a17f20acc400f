"""What callers hand to the public classes: a wrong value is refused in the product's own words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mvp_site
from mvp_site import Message, PromptAssembler, Settings, TurnHandler, TurnRequest
from mvp_site.errors import InvalidTurnError, MvpSiteError, SettingsError
from mvp_site.llm.scripted import ScriptedModel

from ..hashing import HashingEncoder
from .conftest import write, write_prompts

WRONG: list[Any] = [None, 3, 1.5, True, b"bytes", ["a"], {"a": 1}, object()]
NAMES = [type(value).__name__ for value in WRONG]
SAID = [{"role": "user", "content": "I climb the wall."}, {"role": "assistant", "content": "You are on top."}]


@pytest.fixture
def archive(project: Path) -> Path:
    return write_prompts(project)


@pytest.fixture
def assembler(archive: Path) -> PromptAssembler:
    return PromptAssembler.open(Settings(), degraded=True)


@pytest.fixture
def handler(archive: Path) -> Iterator[TurnHandler]:
    with TurnHandler.open(Settings()) as opened:
        yield opened


def test_a_history_may_be_of_mappings(assembler: PromptAssembler, handler: TurnHandler) -> None:
    messages = [Message(one["role"], one["content"]) for one in SAID]  # type: ignore[arg-type]
    assert assembler.assemble("And again.", history=SAID).messages == assembler.assemble("And again.", history=messages).messages
    result = handler.handle(TurnRequest("c", "And again.", state={}, history=SAID))
    prompt = handler.replay(result.turn_id)
    assert prompt.same
    assert prompt.turn is not None
    assert [one.content for one in prompt.turn.messages[1:-1]] == [one["content"] for one in SAID]


@pytest.mark.parametrize("history", [
    *WRONG[1:], "I climb.", [None], ["I climb."], [("user", "I climb.")], [{"role": "user"}], [{"role": "tool", "content": "x"}],
    [{"role": "user", "content": None}], [{"role": "user", "content": ["x"]}], [{"role": ["user"], "content": "x"}],
    [{"role": "user", "content": "x", "tool_calls": []}], [Message("user", None)],  # type: ignore[arg-type]
], ids=range(18))
def test_a_history_that_is_none_is_refused(assembler: PromptAssembler, handler: TurnHandler, history: Any) -> None:
    for ask in (lambda: assembler.assemble("I go.", history=history), lambda: assembler.retrieve("I go.", history=history),
                lambda: handler.handle(TurnRequest("c", "I go.", state={}, history=history))):
        with pytest.raises(InvalidTurnError, match="history"):
            ask()


@pytest.mark.parametrize("value", WRONG, ids=NAMES)
def test_a_turn_of_wrong_values_is_refused(assembler: PromptAssembler, handler: TurnHandler, value: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: assembler.assemble(value), lambda: assembler.retrieve(value), lambda: handler.handle(value), lambda: [*handler.stream(value)],
        lambda: handler.handle(TurnRequest("c", value)), lambda: handler.handle(TurnRequest(value, "I go.")),
        lambda: assembler.assemble("I go.", given={"state": value}), lambda: handler.handle(TurnRequest("c", "I go.", mode=value)),
    ]
    if value is not None:
        calls += [
            lambda: handler.handle(TurnRequest("c", "I go.", version=value)), lambda: handler.handle(TurnRequest("c", "I go.", replaces=value)),
            lambda: assembler.assemble("I go.", floor=value if value != 3 else 1.01),
        ]
        if type(value) is not int:
            calls.append(lambda: handler.handle(TurnRequest("c", "I go.", seed=value)))
            calls.append(lambda: assembler.assemble("I go.", max_tokens_retrieved=value))
        if not isinstance(value, dict):
            calls += [lambda: assembler.assemble("I go.", state=value), lambda: handler.handle(TurnRequest("c", "I go.", state=value))]
    if value == 1.5:
        calls.append(lambda: assembler.assemble("I go.", floor=float("nan")))
    for call in calls:
        with pytest.raises(MvpSiteError):
            call()


def test_a_question_that_is_no_text_is_refused(project: Path) -> None:
    encoder, settings = HashingEncoder(256), Settings()
    rulebook = mvp_site.Rulebook.from_markdown("# Docking\n\nAsk the tower for a berth first.\n", encoder=encoder)
    mvp_site.build_entities(settings, encoder=encoder)
    entities = mvp_site.EntityIndex.open(settings, encoder=encoder)
    library, notes = mvp_site.Library.open(settings, encoder=encoder), mvp_site.SessionNotes.open(settings, encoder=encoder)
    engine = mvp_site.CentralEngine.open(settings, notes=notes, rulebook=rulebook, library=library)
    (project / "gate.md").write_text("# Gate\n\nThe gate is guarded by Ilva.\n")
    library.scan(str(project), audience="player")
    calls: list[Callable[[Any], Any]] = [
        lambda value: entities.search_entities("monster", value), entities.search_entities,
        lambda value: entities.find_similar_entities("monster", value), lambda value: entities.search_types([value], "wolf"),
        rulebook.search, lambda value: rulebook.search_many([value]), lambda value: rulebook.search_many([mvp_site.RulebookQuery(query=value)]),
        lambda value: mvp_site.Rulebook.from_markdown(value, encoder=encoder), library.ask, library.source, library.sources,
        lambda value: engine.process_query(value, ""), lambda value: engine.process_query("Who is it?", value),
        lambda value: engine.process_query("Who is it?", "", audience=value), notes.resolve, lambda value: notes.search("c", value, "session"),
    ]
    given = [lambda value: rulebook.query(user_query=value), lambda value: rulebook.query(intention=value), library.scan]
    for value in WRONG:
        for call in (*calls, *(given if value is not None else ())):
            with pytest.raises(MvpSiteError):
                call(value)
    engine.close()
    notes.close()
    library.close()


def test_paths_may_be_strings(archive: Path, project: Path) -> None:
    settings = Settings(prompt_archive_dir=str(archive), prompt_index_dir=str(project / "index"), mvp_site_data_dir=str(project / "data"))  # type: ignore[arg-type]
    assert mvp_site.build_prompt_index(settings).version == "v1"
    assert PromptAssembler.open(settings).assemble("Where do I dock?").messages
    write(project, {"book.md": "# Docking\n\nAsk the tower for a berth first.\n", "mine/spells/lance.json": {"name": "Lance", "level": 1}})
    assert mvp_site.build_rulebook(settings, str(project / "book.md")).source == "book.md"
    assert mvp_site.build_entities(settings, [str(project / "mine")]).folders


@pytest.mark.parametrize("value", [value for value in WRONG if value is not None] + ["x", {}, 0, ""], ids=[*NAMES[1:], "text", "{}", "0", "''"])
def test_settings_that_are_none_are_refused(archive: Path, value: Any) -> None:
    opened: list[Callable[[Any], Any]] = [
        PromptAssembler.open, TurnHandler.open, mvp_site.Rulebook.open, mvp_site.Library.open, mvp_site.SessionNotes.open, mvp_site.EntityIndex.open, mvp_site.CentralEngine.open,
        mvp_site.build_prompt_index, mvp_site.build_rulebook, mvp_site.build_entities,
    ]
    for each in opened:
        with pytest.raises(SettingsError, match="settings is of the type"):
            each(value)


@pytest.mark.parametrize("call", [
    lambda: TurnHandler.open(Settings(), model="offline"), lambda: TurnHandler.open(Settings(), model=object()),
    lambda: ScriptedModel.open("missing.jsonl"), lambda: ScriptedModel.open(3), lambda: Settings(prompt_index_dir="a\0b"),
    lambda: Settings(prompt_encoder_threads=10**6), lambda: Settings(mvp_site_context_tokens=10**40), lambda: Settings(prompt_cache_size=10**40),
], ids=range(8))
def test_a_part_that_is_none_is_refused(archive: Path, call: Callable[[], Any]) -> None:
    with pytest.raises(SettingsError):
        call()
