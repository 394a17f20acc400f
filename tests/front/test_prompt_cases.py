"""The cases of real prompts: what each file of another tool becomes, and what turns then print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings
from mvp_site.archive.importing import accept, propose, read_source
from mvp_site.errors import ArchiveError
from mvp_site.operations.importing import ImportReport, ImportRequest
from mvp_site.retrieval.encoder import Encoder
from tests.formats.files import FORMATS, WORLDS, png, write

from .conftest import CASES, Operate

PROMPTS = CASES / "prompts"
BELL = "The ferry bell rings twice for strangers."


def imported(operate: Operate, path: Path) -> ImportReport:
    report: ImportReport = operate("archive.import", ImportRequest(str(path), version="v1", into="prompt_archive", write=True, replace=True))
    return report


def text_of(name: str) -> str:
    return (Path("prompt_archive/v1") / name).read_text("utf-8")


def lines_of(name: str) -> list[str]:
    """The `when:` lines of a file."""
    return [line.removeprefix("- ") for line in text_of(name).split("imported:")[0].splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(("file", "name"), [("cards.json", "ferry-bell.md"), ("kobold_list.json", "ferry.md"), ("worldinfo.json", "ferry.md")])
def test_lists_are_an_entry_each(operate: Operate, project: Path, file: str, name: str) -> None:
    imported(operate, PROMPTS / "ai_dungeon_cards" / file)
    assert lines_of(name)[1:] == ["what do I know of ferry?", "what do I know of bell?"]
    assert BELL in text_of(name)


def test_conditions_are_kept_or_said_not_to_be(operate: Operate, project: Path) -> None:
    report = imported(operate, PROMPTS / "bars_without_note/lorebook.json")
    assert "unless:\n- night\n" in text_of("castle-by-day.md")
    assert "it rains" in report.header
    assert {use.field: use.count for use in report.fields if use.use == "used"} | {"content": 2, "NOT conditions": 1, "switched-off entries": 2, "constant": 1} == {
        use.field: use.count for use in report.fields if use.use == "used"}
    assert {*report.tokens} == {"core_header.txt", "castle-by-day.md", "imported.yaml"}


@pytest.mark.parametrize(("fields", "use", "field"), [
    ({"probability": 40, "useProbability": True}, "not used", "probability"), ({"sticky": 3}, "not used", "sticky"), ({"cooldown": 2}, "not used", "cooldown"), ({"delay": 1}, "not used", "delay"),
    ({"group": "weather"}, "not used", "group"), ({"characterFilter": {"names": ["Ann"]}}, "not used", "characterFilter"), ({"case_sensitive": True}, "approximated", "casesensitive"),
    ({"matchWholeWords": True}, "approximated", "matchwholewords"), ({"keysecondary": ["fog"]}, "approximated", "second keys"), ({"keysecondary": ["fog"], "selectiveLogic": 1}, "used", "NOT conditions"),
    ({"keyanti": "fog"}, "used", "NOT conditions"), ({"content": "@@depth 4\n@@additional_keys owl\nText of the mill."}, "not used", "@@depth"),
])
def test_the_table_has_each_field(operate: Operate, project: Path, fields: dict[str, Any], use: str, field: str) -> None:
    (project / "book.json").write_text(json.dumps({"entries": [{"key": ["mill"], "comment": "Mill", "content": "Text of the mill.", **fields}]}))
    report = imported(operate, project / "book.json")
    assert (use, field) in {(row.use, row.field) for row in report.fields}
    assert "@@" not in text_of("mill.md").split("---")[2]


@pytest.mark.parametrize("off", [{"disable": True}, {"disable": 1}, {"disable": "true"}, {"enabled": False}, {"enabled": 0}, {"enabled": "no"}, {"probability": 0}, {"content": "@@dont_activate\nIt is deep."}])
def test_what_is_switched_off_is_never_printed(operate: Operate, project: Path, off: dict[str, Any]) -> None:
    (project / "book.json").write_text(json.dumps({"entries": [{"key": ["ford"], "content": "It is deep.", **off}, {"key": ["mill"], "content": "It turns."}]}))
    report = imported(operate, project / "book.json")
    assert {*report.tokens} == {"core_header.txt", "mill.md", "imported.yaml"}


def test_a_cards_texts_that_are_always_there_are_in_the_header_and_its_notes_for_people_are_not(operate: Operate, project: Path) -> None:
    report = imported(operate, PROMPTS / "card_system_prompt/card.json")
    places = [report.header.find(text) for text in ("told as letters", "hates visitors", "tide table")]
    assert places == sorted(places)
    assert places[0] > 0
    assert "temperature 0.8" in text_of("imported.yaml")
    assert "temperature" not in "".join(text_of(name) for name in report.tokens if name != "imported.yaml")
    assert text_of("placeholders.toml") == 'char = "Orrin"\n'


def test_constants_stand_in_the_header_by_their_order_and_the_higher_ones_stay_where_room_is_short(operate: Operate, project: Path) -> None:
    entries = [{"comment": f"N{order}", "content": f"Number {order}. " + "It goes on and on. " * 20, "constant": True, "order": order} for order in (30, 10, 20)]
    (project / "book.json").write_text(json.dumps({"entries": entries}))
    report = imported(operate, project / "book.json")
    assert [line for line in report.header.splitlines() if line.startswith("#")] == ["# N10", "# N20", "# N30"]
    small = operate("archive.import", ImportRequest(str(project / "book.json"), header_tokens=300))
    assert [line for line in small.header.splitlines() if line.startswith("#")] == ["# N20", "# N30"]


@pytest.mark.parametrize("path", ["cursor_rules/rules", "cursor_rules/same_as.md", "cursor_rules/rules/combat.mdc"])
def test_rules_of_cursor_are_read_and_those_that_always_apply_are_in_the_header(operate: Operate, project: Path, path: str) -> None:
    report = imported(operate, PROMPTS / path)
    assert "Three offers, then silence." in report.header
    assert ">-" not in "".join(line for name in report.tokens if name.endswith(".md") for line in lines_of(name))
    assert ("not used", "globs") in {(use.use, use.field) for use in report.fields}


def test_a_folded_description_calls_for_its_rule_though_a_glob_is_not_quoted(operate: Operate, project: Path) -> None:
    text = (PROMPTS / "cursor_rules/same_as.md").read_text("utf-8").replace("true", "false")
    (project / "combat.mdc").write_text(text)
    imported(operate, project / "combat.mdc")
    assert lines_of("combat.md")[0].strip("'\"") == "Use when: the player haggles"


def test_half_an_emoji_is_replaced_and_a_raw_line_end_is_read(operate: Operate, project: Path) -> None:
    report = imported(operate, PROMPTS / "half_emoji_refuses_book/lorebook.json")
    assert any("entries.0.content" in note for note in report.notes)
    assert "Elves sing \ufffd at dawn." in text_of("elf.md")
    imported(operate, PROMPTS / "half_emoji_refuses_book/newline.json")
    assert "Elves sing.\nEvery dawn." in text_of("elf.md")


@pytest.mark.parametrize(("file", "name", "keys"), [
    ("lorebook.json", "rulers.md", ["king"]), ("lorebook.json", "pack.md", ["gray wolf", "grey wolf", "gray wolves", "grey wolves"]), ("lorebook.json", "test.md", ["sword stone"]),
    ("lorebook.json", "scales.md", ["龍"]), ("card.json", "dragon.md", ["dragon", "wyvern", "dragons", "wyverns"]),
])
def test_patterns_become_what_they_match(operate: Operate, project: Path, file: str, name: str, keys: list[str]) -> None:
    imported(operate, PROMPTS / "regex_keys" / file)
    assert lines_of(name)[1:] == [f"what do I know of {key}?" for key in keys]


# --- turns --------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, real_encoder: Encoder) -> Callable[[str], PromptAssembler]:
    """An assembler of a case's book, with the encoder that is shipped."""
    assemblers: dict[str, PromptAssembler] = {}

    def of(name: str) -> PromptAssembler:
        if name not in assemblers:
            root = tmp_path_factory.mktemp(name)
            accept(propose(read_source(PROMPTS / name / "lorebook.json")), root / "prompt_archive", "v1")
            settings = replace(Settings(), prompt_version="v1", prompt_archive_dir=root / "prompt_archive", prompt_index_dir=root / "index", mvp_site_data_dir=root / "data")
            environment = {**os.environ, "PROMPT_ARCHIVE_DIR": str(settings.prompt_archive_dir), "PROMPT_INDEX_DIR": str(settings.prompt_index_dir)}
            # In a process of its own, which knows all utterances, as users build it.
            subprocess.run([sys.executable, "-m", "mvp_site", "index", "build"], env=environment, cwd=root, check=True, capture_output=True)
            assemblers[name] = PromptAssembler.open(settings, encoder=real_encoder)
        return assemblers[name]

    return of


def turns(name: str) -> list[tuple[str, str]]:
    """The turns of a case, each with what must be printed; '' for nothing."""
    pairs = [line.partition("\t") for line in (PROMPTS / name).read_text("utf-8").splitlines() if line.strip()]
    return [(turn, want.partition(";")[0].removeprefix("want").strip(": ") if want.startswith("want") else "") for turn, _, want in pairs]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "turn", "want"), [
    *(("cjk_no_word_match", *pair) for pair in turns("cjk_no_word_match/turns.txt")), *(("short_turn_fills_budget", *pair) for pair in turns("short_turn_fills_budget/turns.txt")),
    *(("emoji_turn_prints_non_latin", *pair) for pair in turns("emoji_turn_prints_non_latin/turn.txt")), *(("no_recursion", *pair) for pair in turns("no_recursion/turn.txt")),
    ("bars_without_note", "I look at the castle", "turnips"), ("bars_without_note", "I look at the castle at night", ""), ("bars_without_note", "I watch the Castle through long NIGHTS", ""),
])
def test_a_turn_prints_what_its_case_wants(opened: Callable[[str], PromptAssembler], case: str, turn: str, want: str) -> None:
    plan = opened(case).retrieve(turn)
    assert want in plan.block
    assert bool(plan.chunks) == bool(want)
    if case == "cjk_no_word_match" and want:
        assert plan.chunks[0].lexical_score > 0
    if case == "bars_without_note" and not want:
        assert [dropped.reason for dropped in plan.dropped] == ["unless"]


@pytest.mark.slow
def test_a_turn_that_names_nothing_is_searched_with_the_last_exchange(opened: Callable[[str], PromptAssembler]) -> None:
    for turn in json.loads((PROMPTS / "short_turn_ignores_history/turns.json").read_text("utf-8")):
        history = [{"role": role, "content": text} for role, text in turn["history"]]
        assert turn["want"] in opened("short_turn_ignores_history").retrieve(turn["turn"], history=history).chunks[0].text
    said = [{"role": "user", "content": "Night falls."}, {"role": "assistant", "content": "The stars come out."}]
    assert not opened("bars_without_note").retrieve("I look at the castle", history=said).chunks


# --- other hands, and hostile files -------------------------------------------------------------

@pytest.mark.parametrize("name", FORMATS)
def test_no_line_of_any_hand_is_lost_and_no_secret_is_for_players(operate: Operate, project: Path, name: str) -> None:
    for hand, world in enumerate(WORLDS):
        report = imported(operate, write(project / f"{hand}", FORMATS[name](world, hand)))
        texts = {file: text_of(file) for file in report.tokens}
        whole = "\n".join(texts.values())
        assert all(fact.text in whole for fact in world.facts)
        assert all(file == "imported.yaml" or "audience: dm" in text.split("\n---\n")[0] for file, text in texts.items() if world.secret in text)
        assert not any(world.off in text for file, text in texts.items() if file != "imported.yaml")
        assert '": ' not in report.header


_ENTRY = {"key": ["mill"], "content": "It turns."}


@pytest.mark.parametrize(("content", "said"), [
    (b"\x89PNG\r\n\x1a\n\xff\xff\xff\xf0tEXtchara\0e30=", "cut short, or damaged: its chunk at byte 8"), (png({}), "a picture without a character card"),
    (png({"chara": {"spec": "other"}}), "a card of an unknown form"), (png({"chara": {"entries": "x"}}).replace(b"eyJ", b"!!!"), "cannot be read"),
    (b"[" * 50_000 + b"]" * 50_000, "nested deeper"), (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "nested deeper"), (json.dumps({"entries": [_ENTRY] * 10_001}).encode(), "10,001 entries; at most 10,000"),
    (json.dumps([_ENTRY] * 10_001).encode(), "10,001 entries"), (b"PK\x03\x04\x14\0\0\0\x08\0card.json" + b"\0" * 64, "character card in a zip"), (b"\xff\xd8\xff\xe0JFIF", "JPEG"),
    (b"---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n", "holds no text|nothing to import"),
])
def test_a_hostile_file_is_refused_by_a_named_error(operate: Operate, project: Path, content: bytes, said: str) -> None:
    (project / "export").write_bytes(content)
    start = time.process_time()
    with pytest.raises(ArchiveError, match=said):
        imported(operate, project / "export")
    assert time.process_time() - start < 5


@pytest.mark.parametrize("pattern", ["/(((((((((a|b)+)+)+)+)+)+)+)+)+$/", "/" + "(a|b|c)" * 140 + "/", "/(x{1,900}){1,900}/", "/" + "(" * 400 + "a" + ")" * 400 + "/", "/[a-zа-я]{999}/"])
def test_patterns_that_explode_are_cut_short_or_left_out(operate: Operate, project: Path, pattern: str) -> None:
    (project / "book.json").write_text(json.dumps({"entries": [{**_ENTRY, "key": [pattern, "mill"]}] * 50}))
    report = imported(operate, project / "book.json")
    lines = [lines_of(name) for name in report.tokens if name != "core_header.txt"]
    assert [len(lines), min(map(len, lines)) >= 1, max(map(len, lines)) <= 20] == [50, True, True]
    assert all(any("mill" in line for line in own) for own in lines)
