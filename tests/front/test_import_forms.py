"""A section that says what an answer is made of goes to the header whole, or is told line by line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mvp_site.archive import answer_example
from mvp_site.archive.importing import propose, read_source
from mvp_site.operations.importing import ImportReport, ImportRequest

from .conftest import CASES, Operate

LORE = "\n\n".join(f"The {place} lies three days out. Its brokers pay well for ice, and badly for tea." for place in
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
    "capitals": f"ANSWER FORMAT\n\nReply with a JSON object only.\n\n{NOTES}\n\nExample:\n\n{OBJECT}\n\nTHE WORLD\n\n{LORE}",
    "bold names": "**Output**\n\nReturn one JSON object.\n\n" + re.sub(r"`(\w+)`", r"**\1**", NOTES) + f"\n\n```\n{OBJECT}\n```",
}
FIELDS = ("text", "status", "cargo", "choices", "gm_note")


def imported(operate: Operate, text: str, tokens: int = 1_500) -> ImportReport:
    Path("prompt.txt").write_text(text, "utf-8")
    report: ImportReport = operate("archive.import", ImportRequest("prompt.txt", version="v1", into="prompt_archive", header_tokens=tokens, write=True, replace=True))
    return report


@pytest.mark.parametrize("style", PROMPTS)
def test_the_form_of_answers_stands_whole_in_the_header(operate: Operate, style: str) -> None:
    text = f"# Drift\n\nYou are the game master of a trader's game.\n\n{PROMPTS[style]}\n\n## Ports\n\n{LORE}"
    report = imported(operate, text)
    lines = [line.strip("#* ") for line in PROMPTS[style].partition("THE WORLD")[0].splitlines() if line.strip("#* `json{}")]
    assert [line for line in lines if line not in report.header] == []
    assert "brokers pay well" not in report.header
    contract = answer_example.contract_of(propose(read_source(Path("prompt.txt"))).texts)
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
