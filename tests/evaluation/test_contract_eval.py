"""``scripts/evaluate contract``: breaches are counted by rule and mode, before and after asking again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from evaluation.__main__ import evaluate
from evaluation.contract import HEADER, RETRIEVAL, load_turns, run_contract
from evaluation.contract_report import ANY, RULE_NAMES

from mvp_site import Settings, build_prompt_index
from mvp_site.archive import build
from mvp_site.errors import (
    ModelError,
    ModelUnavailableError,
)
from mvp_site.llm.protocol import ModelReply
from mvp_site.retrieval import building as opening
from mvp_site.turns import handler
from mvp_site.turns.fallback import fallback_answer
from mvp_site.turns.routing import route
from mvp_site.turns.types import TurnRequest
from mvp_site.types import MODES
from tests.scripted import Scripted

from ..conftest import RememberingEncoder, settings_under, write_archive

Answer = dict[str, Any]
Said = str | ModelReply | ModelError
Condition = Mapping[str, Any]
Play = Callable[..., Mapping[str, Any]]
TURNS = load_turns()
DOWN = ModelUnavailableError("the model is asleep: wake it")
def text_of(turn: int, change: Callable[[Answer], object] = lambda answer: None) -> str:
    """A valid answer to a turn of the set, with one thing changed."""
    one = TURNS[turn]
    answer, text = fallback_answer(route(TurnRequest("c", one.input, one.mode, one.audience)), one.state)
    change(answer)
    return f"{text.partition(chr(10))[0]}\n{json.dumps(answer)}"


GOOD = tuple(map(text_of, range(len(TURNS))))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The small archive with its index; every word finds something."""
    root = tmp_path_factory.mktemp("contract")
    write_archive(root)
    settings = settings_under(root, prompt_retriever_score_floor=0.0)
    with pytest.MonkeyPatch.context() as patch:
        probes = build.load_off_topic()[::40]
        patch.setattr(build, "load_off_topic", lambda: probes)
        build_prompt_index(settings, encoder=RememberingEncoder())
    return settings


@pytest.fixture
def play(served: Settings, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs the turns with a model that says these things, in order."""

    def run(said: Sequence[Said], turns: int = 1, *, tools: bool = True, repeat: bool = False,
            model: list[Scripted] | None = None, **fields: Any) -> Mapping[str, Any]:
        scripted = Scripted(said, tools=tools, repeat=repeat)
        if model is not None:
            model.append(scripted)
        monkeypatch.setattr(handler, "open_model", lambda settings: scripted)
        settings = replace(served, mvp_site_llm="scripted:script", **fields)
        return run_contract(settings, turns, encoder=RememberingEncoder()).values

    return run


def counts(condition: Condition, group: str = "all") -> dict[str, tuple[int, int]]:
    """Each broken rule with how many first and last answers break it."""
    found = {name: groups[group] for name, groups in condition["rules"].items()}
    broken = {name: (one["first"]["count"], one["last"]["count"]) for name, one in found.items()}
    return {name: held for name, held in broken.items() if any(held)}


# --- one bad answer, mended once and once not -----------------------------------------------------


BAD: Mapping[str, tuple[str, set[str]]] = {
    "no mode line": (GOOD[0].partition("\n")[2], {"mode_line"}),
    "a remark behind": (f"{GOOD[0]}\nI hope that helps!", {"outside_json"}),
    "a fence": ("[Mode: STORY MODE]\n```json\n{}\n```".format(GOOD[0].partition("\n")[2]), {"code_fence"}),
    "plain prose": ("Lise smiles at you.", {"mode_line", "json"}),
    "a field too many": (text_of(0, lambda answer: answer.update(mood="grim")), {"schema"}),
    "an alignment": (text_of(0, lambda answer: answer.update(narrative="Lise is plainly Lawful Good.")), {"internal_terms"}),
    "back in time": (
        text_of(0, lambda answer: answer.update(state_updates={"world_data": {"world_time": {"year": 810}}})),
        {"time_forward", "session_header"},
    ),
}


@pytest.mark.parametrize(("bad", "rules"), BAD.values(), ids=BAD)
def test_a_breach_counts_under_its_rules_until_it_is_mended(play: Play, bad: str, rules: set[str]) -> None:
    report = play([bad, GOOD[0], bad, bad])
    mended, unmended = report["conditions"]
    assert (mended["name"], unmended["name"]) == (HEADER, RETRIEVAL)
    assert counts(mended) == dict.fromkeys({ANY, *rules}, (1, 0))
    assert counts(unmended) == dict.fromkeys({ANY, *rules}, (1, 1))
    assert counts(mended, "story") == counts(mended)
    assert counts(mended, "god") == {}
    assert mended["fallbacks"]["all"]["count"] == 0
    assert tuple(mended["rules"]) == (ANY, *RULE_NAMES)
    assert all(set(groups) == {"all", *MODES} for groups in mended["rules"].values())
    assert unmended["fallbacks"]["all"]["count"] == unmended["fallbacks"]["story"]["count"] == 1
    assert unmended["reasons"] == {"contract": 1}
    assert mended["attempts"] == unmended["attempts"] == {"2": 1}


# --- several turns --------------------------------------------------------------------------------

FENCED, PROSE = BAD["a fence"][0], "Well now."


# --- turns without an answer ----------------------------------------------------------------------


def test_a_turn_without_any_answer_is_failed_and_in_no_share(play: Play) -> None:
    said: list[Said] = [DOWN, DOWN, GOOD[0], PROSE, GOOD[1], DOWN, GOOD[1]]
    header, retrieval = play(said, 2)["conditions"]
    assert header["failed"] == {"story-01": str(DOWN)}
    assert (header["turns"], header["answered"]) == (2, 1)
    assert header["rules"][ANY]["all"]["first"]["of"] == header["rules"][ANY]["all"]["last"]["of"] == 1
    assert header["rules"][ANY]["story"]["first"]["of"] == 0
    assert counts(header) == {ANY: (1, 0), "mode_line": (1, 0), "json": (1, 0)}
    assert (header["fallbacks"]["all"]["count"], header["fallbacks"]["all"]["of"]) == (1, 2)
    assert header["reasons"] == {"model": 1}
    assert retrieval["failed"] == {}


# --- the two conditions ---------------------------------------------------------------------------


@pytest.mark.parametrize("tools", [True, False])
def test_they_differ_in_the_passages_alone(play: Play, served: Settings, tools: bool) -> None:
    model: list[Scripted] = []
    header, retrieval = play([GOOD[0]] * 2, tools=tools, model=model)["conditions"]
    alone, found = (request for request in model[0].requests)
    assert alone.messages[:-1] == found.messages[:-1]
    assert len(alone.messages) == 2
    core = (served.prompt_archive_dir / "core_header.txt").read_text("utf-8")
    assert (alone.messages[0].role, alone.messages[0].content) == ("system", core)  # type: ignore[union-attr]
    assert [tool.name for tool in alone.tools] == (["roll_dice"] if tools else [])
    assert [tool.name for tool in found.tools] == (["roll_dice", "look_up"] if tools else [])
    assert alone.max_tokens == found.max_tokens
    bare, whole = alone.messages[-1].content, found.messages[-1].content  # type: ignore[union-attr]
    assert bare.startswith("<state>\n")
    assert whole.startswith("<retrieved_context ")
    assert whole.endswith(bare)  # the state, the tray with the same numbers, the turn
    assert ("<dice_tray>" in bare) is not tools
    assert (header["sparse"], retrieval["sparse"]) == (1, 0)


# --- what is said about it ------------------------------------------------------------------------


@pytest.mark.slow
def test_the_offline_narrator_keeps_the_contract_on_every_turn(served: Settings) -> None:
    settings = replace(served, mvp_site_llm="offline")
    told: list[tuple[str, int, int]] = []
    values = run_contract(settings, encoder=RememberingEncoder(), progress=lambda *step: told.append(step)).values
    assert told == [("turns with offline", number, 72) for number in range(1, 73)]
    assert "proves the handler only" in values["ran"]["note"]
    for condition in values["conditions"]:
        assert condition["turns"] == condition["answered"] == len(TURNS)
        assert counts(condition) == {}
        assert condition["fallbacks"]["all"]["count"] == 0
        assert condition["usage"]["output_tokens"] > 0


# --- the command ----------------------------------------------------------------------------------

Run = Callable[..., Result]


@pytest.fixture
def run(served: Settings, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs ``scripts/evaluate contract`` over the small archive."""
    for name in ("prompt_archive_dir", "prompt_index_dir", "mvp_site_data_dir"):
        monkeypatch.setenv(name.upper(), str(getattr(served, name)))
    monkeypatch.setenv("PROMPT_VERSION", "dec_2025")
    monkeypatch.setenv("PROMPT_RETRIEVER_SCORE_FLOOR", "0")
    monkeypatch.setattr(opening, "open_by_fingerprint", lambda *args: RememberingEncoder())

    def invoke(*args: str) -> Result:
        result = CliRunner().invoke(evaluate, ["contract", *args])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


USED = {"input_tokens": 3000, "output_tokens": 90, "cache_read_tokens": 1200}
@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """Writes a script and names the model that reads it."""

    def write(*lines: Mapping[str, Any]) -> str:
        file = tmp_path / "script.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)))
        return f"scripted:{file}"

    return write


def test_people_get_tables_and_failures(run: Run, script: Callable[..., str]) -> None:
    """The first turn is answered badly, then well; the second well; then the model is gone."""
    model = script({"text": PROSE, "usage": USED}, {"text": GOOD[0]}, {"text": GOOD[1]}, {"text": GOOD[1]})
    result = run("--llm", model, "--turns", "9", "--attempts", "1")
    assert result.exit_code == 0, result.output
    said = result.stdout
    assert said.startswith(f"{model}: 9 turns in two conditions")
    assert "max attempts 1, tools True" in said
    assert "nothing about language models" in said
    header, retrieval = said.split("with retrieval: ")
    assert "header alone: turns whose first and last answers break a rule (95 % interval)" in header
    rows = [line.split("  ")[0].strip() for line in header[header.index("95 %") :].splitlines()[2:6]]
    assert rows == ["any rule", "mode_line", "json", "fallback"]
    assert header.count("1/2 (9–91 %)") == 6
    assert header.count("1→1/1") == 3
    for text in ("8/9 (57–98 %)", "reasons: contract 1, model 7", "attempts: 1 9", "input tokens 3000", "failed god-01: ",
                 "failed 2 more"):
        assert text in header
    assert "any rule  0/2 (0–66 %)" in retrieval
