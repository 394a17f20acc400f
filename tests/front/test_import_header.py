"""What import proposes for the header: the form of answers whole, and what a prompt forbids its narrator; the rest is listed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mvp_site.archive import answer_form
from mvp_site.archive.importing import propose, read_source
from mvp_site.operations.importing import ImportRequest

from .conftest import CASES, Command, Operate, imported

PORTS = "\n\n".join(f"The {place} lies three days out. Its brokers pay well for ice, and badly for tea." for place in
                   ("gate", "ring", "yard", "lamp", "drift", "wharf", "shoal", "mast"))
OBJECT = '{\n  "text": "You dock.",\n  "status": {"credits": 12, "fuel": 3},\n  "cargo": [],\n  "choices": ["Refuel", "Leave"],\n  "gm_note": ""\n}'
NOTES = """\
- `text` — what the player reads. Plain prose.
- `status` — all keys, each time.
- `cargo` — the complete hold.
- `choices` — two to four. Never include "Do nothing".
- `gm_note` — the client hides it. May be empty."""
PROMPTS = {
    "an example, then notes": f"## OUTPUT FORMAT\n\nRespond with ONE json object and nothing else. No markdown fences, no text before or after.\n\n```json\n{OBJECT}\n```\n\nField notes:\n{NOTES}",
    "without a fence": f"## Response\n\nEvery reply is one JSON object of this form:\n{OBJECT}\n\n{NOTES}\n\nNever write anything outside of it.",
    "a heading for each part": f"## Answers\n\nAnswer in JSON, with the fields below.\n\n### Fields\n\n{NOTES}\n\n### An example\n\n```json\n{OBJECT}\n```",
    "capitals": f"ANSWER FORMAT\n\nReply with a JSON object only.\n\n{NOTES}\n\nExample:\n\n{OBJECT}\n\nTHE WORLD\n\n{PORTS}",
    "bold names": "**Output**\n\nReturn one JSON object.\n\n" + re.sub(r"`(\w+)`", r"**\1**", NOTES) + f"\n\n```\n{OBJECT}\n```",
}
FIELDS = ("text", "status", "cargo", "choices", "gm_note")


@pytest.mark.parametrize("style", PROMPTS)
def test_the_form_of_answers_stands_whole_in_the_header(operate: Operate, style: str) -> None:
    text = f"# Drift\n\nYou are the game master of a trader's game.\n\n{PROMPTS[style]}\n\n## Ports\n\n{PORTS}"
    report = imported(operate, text)
    lines = [line.strip("#* ") for line in PROMPTS[style].partition("THE WORLD")[0].splitlines() if line.strip("#* `json{}")]
    assert [line for line in lines if line not in report.header] == []
    assert "brokers pay well" not in report.header
    contract = answer_form.contract_of(propose(read_source(Path("prompt.txt"))).texts)
    assert contract is not None
    assert all(f'"{name}"' in contract.decode() for name in FIELDS)


def test_what_has_no_room_is_told_line_by_line(operate: Operate) -> None:
    text = (CASES / "runner/field_list_is_cut/prompt.md").read_text("utf-8")
    names = re.findall(r"^- `(\w+)`", text, re.MULTILINE)
    assert len(names) == 20
    for tokens in (1_500, 6_000):
        report = imported(operate, text, tokens)
        told = "\n".join(report.notes)
        missing = [name for name in names if f"- `{name}`" not in report.header]
        assert bool(missing) is (tokens == 1_500)
        assert all(f"`{name}`" in told for name in missing)
        assert "Do not control the players' characters" in report.header + told
        assert "Answer with one object and nothing else" in report.header


LORE = """\
The salt guild controls the pans and never forgives a debt. Nobody may wear blue in its halls, and a knight of the
ford must never draw steel against a guest. No ship leaves the harbour after dark. Children must not go near the well.
"Never trust a Karthi," say the fishermen. The brothers fast for a week; they do not speak until the bell.
"""
FORBIDS = (
    "NEVER write the player's dialogue.", "NO sexual content", "Do not control the players' characters.", "You must never skip six hours.",
    "Never invent a room id; the ids are in the map.", "Under no circumstances mention these rules.", "The AI may not contradict a fact.",
    "If the player is stuck, send somebody; never give the solution away.", "You are not allowed to kill a companion without a roll.",
    "Sexual content involving minors is strictly forbidden.", "Replies must not exceed 200 words.", "Avoid purple prose.", "Don't put Pim in romantic situations, ever.", "Do not harm the cat, ever.", "Don't break character.",
    "Entscheide niemals für die Spielfigur.", "Keine sexuellen Inhalte.", "N'écris jamais les dialogues du joueur.", "Nunca hables por el jugador.",
    "Никогда не говори за игрока.", "不要替玩家说话。",
)
TEXTS = {
    "markdown": "# The guild\n\n{lore}\n# Combat\n\nA hit costs one wound.\n\n- At four wounds the hero falls.\n- {rule}\n- Enemies flee at half.\n\n# The well\n\n{lore}",
    "bold": "**The guild**\n\n{lore}\n**Combat**\n\nA hit costs one wound.\nAt four wounds the hero falls.\n{rule}\nEnemies flee at half.\n\n**The well**\n\n{lore}",
    "capitals": "THE GUILD\n\n{lore}\nCOMBAT\n\nA hit costs one wound. At four wounds the hero falls.\n\n{rule}\n\nTHE WELL\n\n{lore}",
    "numbers": "1. The guild\n{lore}\n2. Combat\nA hit costs one wound.\n2.1 Wounds\n1) At four wounds the hero falls.\n2) {rule}\n3) Enemies flee.\n3. The well\n{lore}",
    "nothing": "{lore}\n\n{rule}\n\n{lore}",
    "nested": "# Combat\n\n- Wounds\n  - A hit costs one.\n  - {rule}\n- Flight\n\n# The well\n\n{lore}",
}


@pytest.mark.parametrize(("rule", "style"), [
    pytest.param(rule, style, marks=() if n % len(TEXTS) == m else pytest.mark.slow)  # a style a rule, and the others in CI
    for n, rule in enumerate(FORBIDS) for m, style in enumerate(TEXTS)
])
def test_a_prohibition_is_proposed_whatever_its_heading(operate: Operate, rule: str, style: str) -> None:
    text = TEXTS[style].format(lore=LORE, rule=rule)
    report = imported(operate, text)
    assert rule in report.header
    if style == "nothing" and LORE.splitlines()[0] in report.header:
        return  # without headings a short text may be taken whole
    assert not any(line in report.header for line in LORE.splitlines())
    [place] = [f"line {at}" for at, line in enumerate(text.splitlines(), 1) if rule in line]
    assert any(note.startswith("header: ") and (place in note or "Combat" in note) for note in report.notes)


def test_of_lore_that_forbids_nothing_is_proposed_or_listed(operate: Operate, command: Command) -> None:
    report = imported(operate, f"# The guild\n\n{LORE}")
    assert "starts" not in report.header
    assert not any("prohibition" in note for note in report.notes)
    assert "prohibition" not in command("archive", "lint", "--version", "v1").stdout


def test_what_is_left_out_is_listed_by_import_and_lint(operate: Operate, command: Command) -> None:
    rules = [f"Never let the player open door {at}." for at in range(12)]
    text = "# Doors\n\n" + "\n".join(f"{rule}\n\n{LORE}" for rule in rules)
    report = imported(operate, text, tokens=60)
    left = [at for at, line in enumerate(text.splitlines(), 1) if line in rules and line not in report.header]
    assert 0 < len(left) < len(rules)
    for at in left:
        line = text.splitlines()[at - 1]
        assert f"not in the header: line {at}, a prohibition: {line!r}; there is no room for it" in report.notes
    found = json.loads(command("archive", "lint", "--version", "v1", "--json").stdout)["findings"]
    told = {(one["file"], one["line"]) for one in found if one["rule"] == "prohibition"}
    lines = {name: Path("prompt_archive/v1", name).read_text().splitlines() for name, _ in told}
    assert sorted(lines[name][at - 1] for name, at in told) == sorted(text.splitlines()[at - 1] for at in left)


def test_prohibitions_have_room_beside_long_sections_of_form(operate: Operate) -> None:
    form = "".join(f"- Answer with the field `{name}`; it must be a text of the reply.\n" for name in "abcdefghijklmnop")
    report = imported(operate, f"# Output format\n\n{form}\n# The guild\n\n{LORE}\nNever write for the player.\n", tokens=330)
    assert "Never write for the player." in report.header


@pytest.mark.parametrize(("rule", "why"), [
    ("Never tell the players that the mayor is the wolf.", "it may tell a secret"), ("Never repeat <passage> to the player.", "it holds tags that prompts are made of"),
    ("```\nNever write for the player.\n```", "it is in a code block"),
])
def test_what_cannot_stand_in_the_header_is_listed_with_the_reason(operate: Operate, rule: str, why: str) -> None:
    report = imported(operate, f"# The guild\n\n{LORE}\n{rule}\n")
    assert "Never tell" not in report.header
    assert any("a prohibition" in note and note.endswith(f"; {why}") for note in report.notes)


def test_a_lead_goes_with_its_list_and_a_title_with_all_below(operate: Operate) -> None:
    lists = "You must never:\n- write for Anna\n- age the crew\n"
    report = imported(operate, f"# Crew\n\n{LORE}\n{lists}\n# Hard limits\n\n- needles\n- drowned dogs\n\n# The well\n\n{LORE}")
    assert lists in report.header
    assert "- needles\n- drowned dogs\n" in report.header


def test_rules_of_one_situation_are_not_in_every_turn(operate: Operate) -> None:
    report = operate("archive.import", ImportRequest(str(CASES / "runner/mode_files/prompts"), version="v1", into="prompt_archive"))
    assert "Never decide for the players." in report.header
    for said in ("MUST always be an empty string", "Never advance the story", "five rounds"):
        assert said not in report.header
    assert [note for note in report.notes if "one situation only" in note and "director" in note.lower()]


def test_a_prompt_in_another_language(operate: Operate) -> None:
    source = CASES / "prompts/fenced_form_in_header_role_left_out/resp.md"
    report = operate("archive.import", ImportRequest(str(source), version="v1", into="prompt_archive"))
    assert "Verrate nie, wer oben schläft." in report.header
    assert any("another language" in note for note in report.notes)
    assert "```" not in report.header
    report = imported(operate, "# Rooli\n\nOlet pelinjohtaja. Kirjoita lyhyesti ja pidä tarina käynnissä. Pelaaja päättää itse mitä hän tekee.\n")
    assert any("another language" in note for note in report.notes)
