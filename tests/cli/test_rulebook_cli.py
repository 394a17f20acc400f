"""``mvp-site rulebook`` and ``scripts/evaluate rulebook``, over a small book with the encoder's double."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from evaluation.__main__ import evaluate

from mvp_site.rulebook.categories import Category
from mvp_site.rulebook.intentions import Intention
from tests.texts import case_text

from .invoking import Run, invoke, ok, under

BOOK = case_text("cli_book.md")
LONG = "# Rules\n" + "\n".join(f"## Falling {n}\n" + f"Falling hurts, part {n} of the rule. " * 20 for n in range(9))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command with its data under ``tmp_path``, the encoder's double for the model."""
    under(tmp_path, monkeypatch)
    return invoke


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A small book as a file."""
    path = tmp_path / "book.md"
    path.write_text(BOOK)
    return path


@pytest.fixture
def built(run: Run, book: Path) -> Run:
    """The same, with the small book built."""
    ok(run("rulebook", "build", "--markdown", str(book), "--json"))
    return run


@pytest.mark.parametrize(("content", "message"), [(b"", "is empty"), (b"\x89PNG....", "is a picture"), (b"\xff", "is not UTF-8 at byte 0")])
def test_a_file_that_is_no_book_is_told(run: Run, tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "no [red]book.md"
    file.write_bytes(content)
    for command in (("build",), ("query", "fire")):
        result = run("rulebook", *command, "--markdown", str(file))
        assert (result.exit_code, result.stdout) == (1, "")
        assert message in result.stderr
        assert "no [red]book.md" in result.stderr


def test_a_query_prints_path_citation_and_text_as_they_are(built: Run) -> None:
    result = built("rulebook", "query", "--intention", "spell_details", "--entity", "fireball")
    said = ok(result)
    assert said.startswith("Spells > Fireball  0.")
    assert "\nbook.md, Spells > Fireball (lines 3-6)\n" in said
    assert "\nA [bold]bright[/bold] streak :fire: bursts; each creature takes 8d6 fire damage.\n" in said
    assert "evidence" not in said
    assert re.search(r"\d+ sections, \d+ tokens", result.stderr)
    assert "Equipment > Rope [50 feet]  " in ok(built("rulebook", "query", "rope"))


def test_to_ask_nothing_is_an_error(built: Run) -> None:
    for args in ((), ("",), (" \n",), ("", "--json"), ("--json",), ("--category", "6")):
        result = built("rulebook", "query", *args)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "nothing was asked: give an intention, entities, or a question" in result.stderr


def test_a_category_is_a_number_a_label_or_its_beginning(built: Run) -> None:
    for category in ("6", "Equipment & Magic Items", "equipment", "EQUIP"):
        answer = json.loads(ok(built("rulebook", "query", "--entity", "rope", "--category", category, "--json")))
        assert [section["id"] for section in answer["sections"]] == ["equipment/rope-50-feet"]
    other = json.loads(ok(built("rulebook", "query", "--entity", "rope", "--category", "5", "--json")))
    assert (other["sections"], other["reason"]) == ([], "filtered")


def test_the_rest_is_had_with_the_continuation(run: Run, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(LONG)
    asked = ["rulebook", "query", "--max-tokens", "400", "--entity", "falling", "--markdown", str(tmp_path / "long.md")]
    seen, more = "", True
    while more:
        result = run(*asked)
        seen += "".join(re.findall(r"^Rules > Falling (\d)", ok(result), re.MULTILINE))
        if more := re.search(r"^More is left \(\d+, less likely to answer or without room\): ask the same with (--continue) (\S+)$", result.stderr, re.MULTILINE):
            asked = [*asked[:8], *more.groups()]
    assert sorted(seen) == list("012345678")


def test_an_ad_hoc_book_leaves_the_built_one_alone(built: Run, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Rope\nMade of silk.\n")
    assert "Made of silk." in ok(built("rulebook", "query", "rope", "--markdown", str(tmp_path / "other.md")))
    assert "Made of silk." not in ok(built("rulebook", "query", "rope"))


def test_what_cannot_be_asked_is_told(run: Run, book: Path) -> None:
    for command in (("query", "rope"), ("sections",)):
        result = run("rulebook", *command)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "mvp-site rulebook build" in result.stderr
    ok(run("rulebook", "build", "--markdown", str(book), "--json"))
    for args, code, message in (
        (("query", "x", "--max-tokens", "199"), 2, "199 is not in the range 200<=x<=32000"), (("query", "x", "--markdown", "/nowhere.md"), 2, "'/nowhere.md' does not exist"),
        (("sections", "--depth", "0"), 2, "0 is not in the range x>=1"), (("query", "x" * 4_001), 1, "`query` has 4001 characters; it must have at most 4000"),
        (("sections", "--under", "Fireball"), 1, "the book has no section 'Fireball'; of that title: spells/fireball; "),
    ):
        result = run("rulebook", *args)
        assert (result.exit_code, result.stdout) == (code, "")
        assert message in result.stderr


TREE = """\
Spells  spells  4 tokens
├── Fireball  spells/fireball  28 tokens
└── Shield  spells/shield  14 tokens
"""


def test_the_tree_of_sections(built: Run) -> None:
    whole = ok(built("rulebook", "sections"))
    assert re.sub(r"\d+", "9", whole).startswith(re.sub(r"\d+", "9", TREE))
    assert "└── Rope [50 feet]  equipment/rope-50-feet" in whole
    assert whole.startswith(ok(built("rulebook", "sections", "--under", "spells")))
    assert ok(built("rulebook", "sections", "--depth", "1")).splitlines()[1:] == ["Equipment  equipment", "Combat  combat"]


def test_intentions_are_listed_with_when_to_choose_them(run: Run) -> None:
    said = ok(run("rulebook", "intentions"))
    found = json.loads(ok(run("rulebook", "intentions", "--json")))
    assert [one["name"] for one in found] == [one.value for one in Intention]
    assert all(one["name"] in said and one["description"] in said and one["categories"] for one in found)
    assert all(f"{category.value} {category.label}" in said for category in Category)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """A small set of questions to the small book."""
    def line(name: str, gold: dict[str, int], **values: Any) -> str:
        return json.dumps({
            "id": name, "intention": None, "entities": [], "context_hints": [], "user_query": None, "gold": gold, **values
        })

    path = tmp_path / "set.jsonl"
    path.write_text("\n".join((
        line("one", {"spells/fireball": 3}, intention="spell_details", entities=["fireball"]),
        line("two [b]", {"Combat > Grappling": 2}, user_query="a contest of athletics"),
        line("three", {}, user_query="xylophone"),
    )))
    return path


@pytest.mark.parametrize("other", [False, True], ids=["the built book", "another book"])
def test_eval_rulebook_prints_measures_and_goals(built: Run, book: Path, questions: Path, other: bool) -> None:
    measure = partial(invoke, command=evaluate)
    args = ("rulebook", "--set", str(questions), *(("--markdown", str(book)) if other else ()))
    said = ok(measure(*args, "--worst", "2"))
    assert said.startswith("2 questions (tune), 1 off-topic, to book.md, release ")
    for text in (
        "plain convex fusion", "lexical lane alone", "spell_details", "words alone",
        "budget 8000, off topic refused 1.000, on topic refused 0.000",
        "reached recall@10: +1.000 (wanted ≥ .92)", "nDCG@10 over plain convex fusion: ",
        "worst: id two [b], text a contest of athletics, ndcg10 1.000, gold combat/grappling (2), ranking combat/grappling",
    ):
        assert text in said
    found = json.loads(ok(measure(*args, "--json", "--split", "all")))
    assert (found["questions"], found["split"], found["worst"]) == (2, None, [])
    assert found["systems"]["rulebook"]["all"]["measures"]["r10"] == 1
    refused = measure("rulebook", "--markdown", str(book))
    assert (refused.exit_code, "give them with --set FILE" in refused.stderr) == (1, True)


def test_any_text_can_be_asked(built: Run) -> None:
    for options, text in product(((), ("--json",)), ("[red]x[/red] [/]", "\ud800\x00", "-v", "🐉" * 99, ":smile:")):
        ok(built("rulebook", "query", *options, "--", text))
        ok(built("rulebook", "query", *options, f"--entity={text}", f"--hint={text}"))


def test_an_answer_says_what_was_left_out_and_why_it_was_chosen(run: Run, tmp_path: Path) -> None:
    book = tmp_path / "my [book].md"
    book.write_text(LONG.replace("# Rules\n", "# Rules\nRules of [bold]falling[/].\n"))
    result = run("rulebook", "query", "--entity", "rules", "--max-tokens", "250", "--markdown", str(book), "--explain")
    assert "\nmy [book].md, Rules (lines 1-12)\n" in ok(result)
    assert "\nRules of [bold]falling[/].\n" in result.stdout
    values = [abs(float(value)) for value in re.findall(r"^\w+ +([+-]\d\.\d{3})  ", result.stdout, re.MULTILINE)]
    assert values == sorted(values, reverse=True) != []  # the largest first
    assert re.search(r"^Did not fit: (rules/falling-\d, ){4}rules/falling-\d and 3 more$", result.stdout, re.MULTILINE)
    book.write_text("# Falling\n\n" + "\n\n".join(["Falling hurts, as the rule says. " * 12] * 9))
    assert ok(run("rulebook", "query", "falling", "--max-tokens", "300", "--markdown", str(book))).endswith("\nThis section goes on.\n")
