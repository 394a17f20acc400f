"""What reaches a terminal: text that comes from outside, with nothing in it to obey or to read as markup."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from mvp_site.cli import entities, output
from mvp_site.cli.output import plain_text, print_json, printable
from mvp_site.operations.entities import EntityResults

STEERS = "\x00\x07\x08\x0b\r\x1b\x7f\x85\x9b\u202a\u202e\u2066\u2069\ud800"
NASTY = {
    "slug": "x", "name": f"Na{STEERS}me", "entity_type": "spells", "document": f"Ta{STEERS}ble", "_score": 1.0,
    "shadows": f"S{STEERS}", "school": f"evo{STEERS}cation", "desc": [f"One{STEERS}.", f"Two{STEERS}."],
    "higher_level": f"More{STEERS}.", f"own{STEERS}": f"mine{STEERS}",
    "special_abilities": [{"name": f"Bi{STEERS}te", "desc": f"It{STEERS} bites."}],
}


@pytest.mark.parametrize(("text", "said"), [
    ("a\tb\nc", "a\tb\nc"), ("a\r\nb", "a\nb"), ("a\rb", "a\ufffdb"), ("\x1b[2J", "\ufffd[2J"), ("\x9b2J", "\ufffd2J"),
    ("\u202eevil\u202c", "\ufffdevil\ufffd"), ("\u2067x\u2069", "\ufffdx\ufffd"), ("\ud800", "\ufffd"), ("שלום 🐉 é", "שלום 🐉 é"),
])
def test_what_a_terminal_may_have(text: str, said: str) -> None:
    assert printable(text) == said


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_to_obey_is_left(text: str) -> None:
    said = printable(text)
    assert not set(said) & {*map(chr, [*range(9), *range(11, 32), *range(127, 160)]), *STEERS}
    assert printable(said) == said
    said.encode()


@given(st.text("[]/\\abold#@=:fire:\x1b", max_size=40))
def test_what_is_plain_is_no_markup(text: str) -> None:
    written = io.StringIO()
    Console(file=written, soft_wrap=True, highlight=False).print(plain_text(("x", "bold"), text, (text, "red")), end="")
    assert written.getvalue() == f"x{printable(text)}{printable(text)}"


@given(st.text(st.characters(exclude_categories=())))
def test_json_has_every_character_and_nothing_to_obey(text: str) -> None:
    written = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output.click, "echo", written.write)
        print_json({text: [text]})
    assert not set(written.getvalue()) & {*STEERS}
    written.getvalue().encode()
    value = json.loads(json.dumps(text))  # two halves that meet are one character, in any JSON
    assert json.loads(written.getvalue()) == {value: [value]}


def test_an_entity_steers_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((output, "console"), (output, "errors"), (entities, "console")):
        monkeypatch.setattr(module, name, Console(width=200, highlight=False, soft_wrap=True, force_terminal=False))
    entities.print_entity(NASTY)
    entities.print_results(EntityResults((NASTY,), 1, {}, False, ""), scored=True)
    entities.print_stated(EntityResults((), 0, {"school": f"a{STEERS}"}, False, "", ("dense",)))
    said = capsys.readouterr().out
    assert not set(said) & {*STEERS}
    for part in ("Na\ufffd", "Ta\ufffd", "S\ufffd", "Evo\ufffd", "One\ufffd", "Two\ufffd", "More\ufffd", "mine\ufffd", "Bi\ufffd", "It\ufffd", "a\ufffd"):
        assert part in said
