"""`unless` keeps a file out of a turn, and `follows` brings one where a printed text names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mvp_site.archive.chunks import Conditions
from mvp_site.archive.front_matter import read_front_matter
from mvp_site.errors import FrontMatterError

from .test_assembler import assembler_of

CASTLE = "---\nunless: [night, [fog, bell tower]]\n---\n# Castle\n\nTurnips are sold from the drawbridge of the castle."
ABBEY = "# Abbey\n\nBehind the wall of the abbey the Order of the Lantern keeps its debts."
ORDER = "---\nfollows: [Order of the Lantern]\n---\n# Brothers\n\nThey buy silver and pay in honey, and fear Mother Quill."
QUILL = "---\nfollows: [Mother Quill]\naudience: {}\n---\n# Pies\n\nShe sells eels."
FILLER = {f"{name}.md": f"# {name}\n\nThe {name} stands by the {name} road and nobody minds the {name}." for name in ("mill", "weir", "inn", "ferry")}


@pytest.mark.parametrize(("turn", "history", "printed"), [
    ("I look at the castle drawbridge", [], True), ("I look at the castle drawbridge at NIGHT", [], False), ("the castle drawbridge by nights", [], False), ("the castle drawbridge in fog", [], True),
    ("the castle drawbridge in fog, by the bell towers", [], False), ("the castle drawbridge, knightly", [], True), ("the castle drawbridge", ["Night falls.", "Stars."], False),
    ("the castle drawbridge", ["Night falls.", "Stars.", "Day breaks.", "Birds."], True),
])
def test_a_turn_that_names_what_a_file_is_barred_by_never_gets_it(tmp_path: Path, turn: str, history: list[str], printed: bool) -> None:
    assembler = assembler_of(tmp_path, {**FILLER, "castle.md": CASTLE})
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(history)]
    plan = assembler.retrieve(turn, history=messages)
    assert ("castle#1" in {chunk.id for chunk in plan.chunks}) == printed
    assert ("unless" in {dropped.reason for dropped in plan.dropped}) != printed
    if not printed:
        assert assembler.retrieve(turn, history=messages, why="castle").why.missed[0].bar == "unless"  # type: ignore[union-attr]


@pytest.mark.parametrize(("files", "options", "expected"), [
    ({}, {}, ["abbey#1", "brothers#1", "pies#1"]), ({"abbey.md": f"---\nbrings: false\n---\n{ABBEY}"}, {}, ["abbey#1"]), ({"pies.md": QUILL.format("dm")}, {}, ["abbey#1", "brothers#1"]),
    ({}, {"without": ["brothers"]}, ["abbey#1"]), ({}, {"max_tokens_retrieved": 90}, ["abbey#1", "brothers#1"]),
    ({"brothers.md": ORDER.replace("follows", "unless: [abbey]\nfollows")}, {}, ["abbey#1"]),
])
def test_a_printed_text_brings_what_it_names_while_there_is_room(tmp_path: Path, files: dict[str, str], options: dict[str, Any], expected: list[str]) -> None:
    assembler = assembler_of(tmp_path, {**FILLER, "abbey.md": ABBEY, "brothers.md": ORDER, "pies.md": QUILL.format("player"), **files})
    plan = assembler.retrieve("the wall of the abbey", **options)
    assert [chunk.id for chunk in plan.chunks if chunk.id in {"abbey#1", "brothers#1", "pies#1"}] == expected
    assert plan.tokens <= options.get("max_tokens_retrieved", 1_500)
    assert len({chunk.id for chunk in plan.chunks} | {dropped.id for dropped in plan.dropped}) == len(plan.chunks) + len(plan.dropped)


@pytest.mark.parametrize(("text", "phrase", "named"), [
    ("The Elves sing", "elf", True), ("Elvish song", "elf", False), ("我想加入青竹帮", "青竹帮", True), ("昨天喝过茶", "青竹帮", False), ("ฉันอยากเข้าร่วมสมาคมดาบแดง", "ดาบแดง", True), ("เมื่อวานฝนตก", "ดาบแดง", False), ("ខ្ញុំឃើញបន្ទាយចាស់", "បន្ទាយ", True), ("我𠮷野家", "𠮷野", True), ("CAFÉ noir", "cafe", True), ("", "elf", False), ("elf", "", False),
])
def test_phrases_are_whole_words_but_where_a_script_has_no_blanks(text: str, phrase: str, named: bool) -> None:
    assert Conditions(unless=((0, ((phrase,),)),)).barred([text]) == ({0} if named else set())


@pytest.mark.parametrize("line", ["unless: 3", "unless: [[1]]", "unless: {a: b}", "follows: 3", "brings: maybe"])
def test_wrong_conditions_are_refused(line: str) -> None:
    with pytest.raises(FrontMatterError, match=line.partition(":")[0]):
        read_front_matter(["---", line, "---", "Text"], "a.md")
