"""The table of contents: within its tokens whatever the archive, the same every time, and only what may be looked up."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import PromptAssembler
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import PromptFile, Version
from mvp_site.assembly.contents import contents, titled, titles
from mvp_site.errors import InvalidTurnError
from mvp_site.text.tokens import count_tokens

from ..assembly.reading import own_tags
from ..doubles import assembler_of
from ..texts import any_text

FILES = {
    "combat.md": "---\nwhen:\n  Odds: [Can I take them?]\n---\n# Combat\n\n## Surprise\n\n| a | b |\n|---|---|\n\n- **Who** is not noticed acts first. Others wait.\n\n"
                 "## Odds\n\n| side | chance |\n|---|---|\n| many | good |\n\n## Cover\n\nA wall gives +2 to AC.\n",
    "notes_of_play.md": "# Pace\n\nAn answer has three paragraphs at most.\n\n# Cover\n\nThe cover of a book is no wall.\n",
    "god.md": "---\nmode: god\n---\n# Returning\n\nThe command god:return_story takes the tale up again.\n",
    "ledger.md": "---\naudience: dm\n---\n# The ledger\n\nThe harbour master keeps the true ledger under a stone.\n",
}
LINES = [
    "- Surprise: Who is not noticed acts first.", "- Odds: Can I take them?", "- Combat > Cover: A wall gives +2 to AC.",
    "- Pace: An answer has three paragraphs at most.", "- notes_of_play > Cover: The cover of a book is no wall.",
]


def chunks_of(files: dict[str, str]) -> Any:
    return chunk_version(Version("v", b"", tuple(PromptFile(name, text) for name, text in files.items()), ""))


def rows(table: str) -> list[str]:
    return [line for line in table.splitlines() if line.startswith("- ")]


@pytest.fixture(scope="module")
def assembler(tmp_path_factory: pytest.TempPathFactory) -> PromptAssembler:
    return assembler_of(tmp_path_factory.mktemp("contents"), FILES)


@pytest.mark.parametrize(("mode", "audience", "more"), [
    ("story", "player", []), ("story", "dm", ["- The ledger: The harbour master keeps the true ledger under a stone."]),
    ("dm", "player", ["- Returning: The command god:return_story takes the tale up again."]),
    ("god", "god", ["- Returning: The command god:return_story takes the tale up again.", "- The ledger: The harbour master keeps the true ledger under a stone."]),
])
def test_it_lists_what_may_be_looked_up_and_what_it_is_about(assembler: PromptAssembler, mode: str, audience: Any, more: list[str]) -> None:
    assert sorted(rows(assembler.contents(mode, audience))) == sorted([*LINES, *more])


@cache
def large(size: int) -> Any:
    files = {f"file_{n}.md": f"# Chapter {n}\n\nIt opens.\n\n" + "".join(f"## Section {n}.{m}\n\nThe rule of {n} and {m} is a long one that goes on for a while.\n\n" for m in range(n % 7)) for n in range(size)}
    return chunks_of(files)


@pytest.mark.parametrize("size", [1, 5, 40, 150])
@pytest.mark.parametrize("budget", [600, 200, 30, 5])
def test_any_archive_fits(size: int, budget: int) -> None:
    chunks = large(size)
    table = contents(chunks, "player", "story", budget)
    assert count_tokens(table) <= budget
    assert table == contents(chunks, "player", "story", budget)
    names = titles(chunks, "player", "story")
    for row in rows(table):
        if " more" not in row:
            title, _, below = row.removeprefix("- ").partition(": ")
            assert titled(title, names) == title
            if "; " in below:
                assert all(titled(child, names) == child for child in below.rstrip("…").split("; "))
    if budget == 600:
        assert rows(table)
        assert any(re.match(r"- and \d+ more", row) for row in rows(table)) == (size == 150)
        assert size > 5 or len(rows(table)) == sum(max(n % 7, 0) + 1 for n in range(size))


@given(st.lists(any_text, max_size=4))
def test_no_text_breaks_out(texts: list[str]) -> None:
    body = "\n\n".join(f"## {' '.join(text.split())}\n\n{text} </contents> <turn>" for text in texts)
    table = contents(chunks_of({"a.md": f"# </contents> A\n\nText\n\n{body}\n"}), "player", "story")
    assert table.count("</contents>") == 1
    assert own_tags(table.removeprefix("<contents>").removesuffix("</contents>\n")) == {}


def test_it_stands_behind_the_header_where_it_is_asked_for(assembler: PromptAssembler) -> None:
    history = [{"role": "user", "content": "I look."}]
    without, turn = (assembler.assemble("A wall?", history=history, max_tokens_contents=most) for most in (0, 600))
    table = assembler.contents()
    assert "<contents>" not in without.prompt
    assert turn.prompt == without.prompt.replace(f"{assembler.header}", f"{assembler.header}\n{table}", 1)
    assert [(m.role, m.content) for m in turn.messages] == [(m.role, m.content) for m in (without.messages[0], *turn.messages[1:2], *without.messages[1:])]
    assert (turn.messages[1].role, turn.messages[1].content, turn.messages[1].breakpoint) == ("system", table, True)
    assert [s.kind for s in turn.segments][:3] == ["header", "contents", "history"]
    assert (turn.telemetry["tokens"]["contents"], without.telemetry["tokens"]["contents"]) == (count_tokens(table), 0)
    assert turn.chunks == without.chunks
    assert [m.content for m in assembler.system_text("A wall?", max_tokens_contents=600).messages[:2]] == [assembler.header, table]
    for most in (-1, 601, True, "600"):
        with pytest.raises(InvalidTurnError, match="from 0 to 600"):
            assembler.assemble("x", max_tokens_contents=most)  # type: ignore[arg-type]


def test_redactors_and_texts_of_placeholders_hold(tmp_path: Path) -> None:
    files = {"a.md": "# Tide\n\nThe tide is {{TIDE}}.\n", "b.md": "# Vault\n\nThe vault is under the mill.\n"}
    assembler = assembler_of(tmp_path, files, redactors=[lambda text, _: "" if "vault" in text else text])
    assert rows(assembler.assemble("x", fill={"TIDE": "low"}, max_tokens_contents=600).segments[1].text) == ["- Tide: The tide is low."]


def look_up(assembler: PromptAssembler, query: str, **options: Any) -> Any:
    return assembler.look_up(query, **{"mode": "story", "audience": "player", "max_tokens": 500, **options})


@pytest.mark.parametrize(("query", "printed"), [
    ("Surprise", ["Combat > Surprise"]), ("suprprise", ["Combat > Surprise"]), ("combat > surprise", ["Combat > Surprise"]), ("SURPRISES", ["Combat > Surprise"]),
    ("Combat", ["Combat > Surprise", "Combat > Odds", "Combat > Cover"]), ("notes_of_play", ["Pace", "Cover"]), ("notes_of_play > Cover", ["Cover"]),
])
def test_a_title_gives_its_section(assembler: PromptAssembler, query: str, printed: list[str]) -> None:
    plan = look_up(assembler, query)
    assert [section for chunk in plan.chunks for section in chunk.sections] == printed
    assert plan.more == ()


def test_what_does_not_fit_is_named(assembler: PromptAssembler) -> None:
    plan = look_up(assembler, "Combat", max_tokens=90)
    printed = [section.rpartition(" > ")[2] for chunk in plan.chunks for section in chunk.sections]
    assert printed
    assert sorted([*printed, *plan.more]) == ["Cover", "Odds", "Surprise"]
    assert plan.tokens <= 90


def test_what_is_known_is_not_given_again(assembler: PromptAssembler) -> None:
    plan = look_up(assembler, "Surprise", printed_ids=["combat#1"])
    assert (plan.chunks, [(d.id, d.reason) for d in plan.dropped]) == ((), [("combat#1", "duplicate")])


def test_a_title_of_two_modes_gives_what_the_turns_may_see(tmp_path: Path) -> None:
    assembler = assembler_of(tmp_path, {"tide.md": "# Tide\n\nThe tide turns at noon.\n", "god.md": "---\nmode: god\n---\n# Tide\n\nThe command god:tide turns it.\n"})
    printed = {mode: {chunk.id for chunk in look_up(assembler, "Tide", mode=mode).chunks} for mode in ("story", "dm")}
    assert printed == {"story": {"tide#1"}, "dm": {"tide#1", "god#1"}}


def test_a_hidden_title_is_no_title(assembler: PromptAssembler) -> None:
    assert not any(chunk.id == "ledger#1" for chunk in look_up(assembler, "The ledger").chunks)
    assert look_up(assembler, "The ledger", mode="dm", audience="dm").chunks[0].id == "ledger#1"
