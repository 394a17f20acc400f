"""A rulebook's response on the screen: all of it, and none of it read as markup."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from mvp_site.cli import output, rulebook
from mvp_site.operations.rulebook import AnswerTable, RetrievedSection, RulebookResponse
from mvp_site.rulebook.results import ScorePart

Show = Callable[..., tuple[str, str]]


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Show:
    """Prints a response; what went to standard output and to standard error."""
    def shown(response: RulebookResponse, *, explain: bool = False) -> tuple[str, str]:
        for module in (output, rulebook):
            monkeypatch.setattr(module, "console", Console(width=200, highlight=False, soft_wrap=True))
        monkeypatch.setattr(output, "errors", Console(width=200, highlight=False, soft_wrap=True, stderr=True))
        rulebook.print_response(response, explain=explain)
        captured = capsys.readouterr()
        return captured.out, captured.err

    return shown


def retrieved(**values: object) -> RetrievedSection:
    made = RetrievedSection(
        id="spells/fire", title="Fire [bold]ball[/]", level=2, path=("Spells", "Fire [bold]ball[/]"), content="[red]Fire[/red] :dragon: fills [the] room.",
        relevance=0.9512, includes_children=False, children=(), children_left=(), cut=False, tokens=20,
        citation="My [book], Spells > Fire [bold]ball[/] (lines 3-4)", source="My [book]", lines=(3, 4),
        parts=(ScorePart("small", 0.01, "a little"), ScorePart("evidence", 0.9, "words [all] of them")),
    )
    return replace(made, **values)  # type: ignore[arg-type]


def response(**values: object) -> RulebookResponse:
    made = RulebookResponse(
        intention=None, entities=(), resolved=(), query="fireball", text="", tables=(), sections=(retrieved(),), total_tokens=20, continuation=None, left=0,
        reason=None, explanation="", source="My [book]", attribution="By [somebody], free.", rulebook="", lanes_failed={},
    )
    return replace(made, **values)  # type: ignore[arg-type]


def test_a_section_has_path_relevance_citation_and_text(show: Show) -> None:
    out, err = show(response())
    assert "Spells > Fire [bold]ball[/]  0.951\n" in out
    assert "My [book], Spells > Fire [bold]ball[/] (lines 3-4)\n" in out
    assert "\n[red]Fire[/red] :dragon: fills [the] room.\n" in out
    assert err == "1 sections, 20 tokens; By [somebody], free.\n"
    assert "evidence" not in out


def test_explained_it_has_its_parts_the_largest_first(show: Show) -> None:
    out, _ = show(response(), explain=True)
    assert "+0.900  words [all] of them" in out
    assert out.index("evidence") < out.index("small")


def test_tables_come_first(show: Show) -> None:
    out, _ = show(response(tables=(AnswerTable("Prices [b]", ("item", "cost [gp]"), (("Rope [1]", "1 gp"),), ()),)))
    for text in ("Prices [b]", "cost [gp]", "Rope [1]  1 gp"):
        assert 0 <= out.index(text) < out.index("0.951")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"cut": True}, "This section goes on.\n"),
        ({"children_left": ("spells/a", "spells/b")}, "Did not fit: spells/a, spells/b\n"),
        ({"children_left": tuple("abcdefg")}, "Did not fit: a, b, c, d, e and 2 more\n"),
    ],
)
def test_what_is_left_is_told(show: Show, values: dict[str, object], said: str) -> None:
    out, _ = show(response(sections=(retrieved(**values),)))
    assert out.endswith(said)
