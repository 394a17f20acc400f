"""Lint: what an author is told of a version before it is built."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.lint import Finding, lint, mended
from mvp_site.text.tokens import count_tokens

from ..texts import ODD, any_text, markdown, paragraphs
from .test_passages import version

CLEAR = "# Attack rolls and damage\n\nRoll 1d20, add your proficiency bonus, and deal 1d8 damage.\n"

SECRET = ("'Ford' reads as if for the DM alone ('players must not learn'), and players may see it: if it is, put it into a file of "
          "its own with `audience: dm` in its front matter")


@pytest.mark.parametrize(("text", "line", "severity", "rule", "message"), [
    ("---\nmode: admin\n---\nx", 1, "error", "front-matter", "mode: 'admin' is unknown; write one of story, dm, god, general"),
    ("---\ndate: soon\n---\nx", 1, "error", "front-matter", "date: 'soon' is not a date; write YYYY-MM-DD"),
    (f"---\nautor: M\n---\n{CLEAR}", 1, "warning", "unknown-key", "the key 'autor' is not read"), (" \n", 0, "warning", "empty", "the file has no text"),
    ("---\ndomain: safety\n---\nlorem", None, None, None, None), ("lorem ipsum", None, None, None, None), (CLEAR, None, None, None, None),
    (f"---\nwhen:\n  Prone: I trip\n---\n{CLEAR}", 1, "warning", "when", "no heading with text of its own reads 'Prone': its situations are lost"),
    (f"---\nwhen:\n  Attack rolls and damage: I hit\n  '': I swing\n---\n{CLEAR}", None, None, None, None),
    (f"{CLEAR}\n# Ford\n\nThe ferryman drowned his son. The players must not learn why.\n", 5, "warning", "secret", SECRET),
    ("---\naudience: dm\n---\n# Ford\n\nThe ferryman drowned his son. The players must not learn why.\n", None, None, None, None),
])
def test_findings(text: str, line: int | None, severity: str | None, rule: str | None, message: str | None) -> None:
    findings = tuple(one for one in lint(version({"a.md": text})).findings if one.rule != "small")
    expected = () if rule is None else (Finding("a.md", line, severity, rule, message),)  # type: ignore[arg-type]
    assert findings == expected


@pytest.mark.parametrize(("text", "secret"), [
    ("Never reveal hidden rolls to the players.", False), ("Do not tell the player the DC of a check. State only success or failure.", False),
    ("Track hidden information in `secrets`. Never show it to the player. Write there what an NPC intends.", False),
    ("Do not reveal the culprit before the third act. Drop one clue per scene.", False), ("Keep a villain's plan secret from the players until they find it.", False),
    ("Roll perception in secret. Do not tell the player that there was a trap unless the check succeeds. A trap has a DC of 10 to 20.", False),
    ("Inspector Hale shot the duke. Never reveal it to the player.", True), ("The mayor is dead. Do not tell the players until they find him.", True),
    ("Keep this secret: the gate opens at dusk.", True),
])
def test_a_rule_on_what_the_narrator_tells_is_no_secret(text: str, secret: bool) -> None:
    findings = lint(version({"a.md": f"# A subject\n\n{text}\n"})).findings
    assert any(finding.rule == "secret" for finding in findings) == secret


def test_names_of_files_are_told_with_the_titles_that_say_them() -> None:
    named = version({"combat_rules.md": "---\ndomain: mechanics\n---\n# Fights\n\nSee `gear.md`, [armour](gear.md#armour) and lost.md.\n",
                     "gear.md": "Shields. See combat_rules.md.\n"})
    told = [(finding.file, finding.line, finding.message) for finding in lint(named).findings if finding.rule == "file"]
    write = 'is a file, and no prompt has files: write "{}", as `mvp-site archive lint --fix` does'
    assert told == [("combat_rules.md", 6, f"gear.md {write.format('Gear')}"), ("combat_rules.md", 6, f"gear.md {write.format('Gear')}"),
                    ("combat_rules.md", 6, "lost.md is a file, and no prompt has files: say in words what is in it"),
                    ("gear.md", 1, f"combat_rules.md {write.format('Fights')}")]
    assert [after.text.splitlines()[-1] for _, after in mended(named)] == ['See "Gear", armour and lost.md.', 'Shields. See "Fights".']


@pytest.mark.parametrize(("tokens", "room", "told"), [
    (6_000, 6_000, None), (6_001, None, "6,001 tokens, more than the usual 6,000"), (6_001, 6_001, "the usual 6,000"), (60, 59, "60 tokens, and MVP_SITE_CONTEXT_TOKENS leaves 59: no turn"),
])
def test_a_long_header_is_told(tokens: int, room: int | None, told: str | None) -> None:
    header = ("word " * tokens).strip()
    assert count_tokens(header) == tokens
    found = [one for one in lint(replace(version({"a.md": CLEAR}), header=header.encode()), room=room).findings if one.rule == "header"]
    assert [(one.file, one.severity) for one in found] == [("core_header.txt", "warning")] * (told is not None)
    assert told is None or told in found[0].message


def test_a_small_version_is_told() -> None:
    (small,) = lint(version({"a.md": CLEAR})).findings
    assert (small.severity, small.rule) == ("note", "small")
    assert "too few passages to calibrate a floor on (1, under 15)" in small.message


@pytest.mark.parametrize(("text", "line", "named"), [
    (f"# A\n\nFew.\n\n# B\n\n{paragraphs(30)}", 5, "'B'"), (paragraphs(30), 1, "text without a heading"),
    (f"# A\n\n{paragraphs(30)}\n\n# A\n\nFew.", 1, "'A'"),
])
def test_long_text_under_one_heading_is_told_with_what_it_costs(text: str, line: int, named: str) -> None:
    (found,) = [one for one in lint(version({"a.md": text})).findings if one.rule == "long"]
    assert (found.line, found.severity) == (line, "note")
    tokens = count_tokens(paragraphs(30))
    said = re.fullmatch(rf"{named} has ([\d,]+) tokens under one heading: it is found and printed in (\d+) pieces .*", found.message)
    assert said
    assert abs(int(said[1].replace(",", "")) - tokens) < 20
    assert int(said[2]) * 500 >= tokens
    assert "long" not in {one.rule for one in lint(version({"a.md": "\n\n".join(f"# {n}\n\n{paragraphs(3)}" for n in range(9))})).findings}


def test_a_near_duplicate_is_a_warning() -> None:
    report = lint(version({"a.md": paragraphs(3), "b.md": paragraphs(3)}))
    assert [(f.file, f.severity, f.message) for f in report.findings if f.rule == "duplicate"] == [
        ("b.md", "warning", "b#1 says nearly the same as a#1")
    ]


def table(*rows: str, column: str = "DC", head: str = "attitude") -> str:
    return "\n".join((f"| {head} | {column} |", "| --- | --- |", *(f"| {row} |" for row in rows)))


ANSWER: dict[str, object] = {
    "session_header": "…", "resources": "HD 1/1", "narrative": "Rain.", "dice_rolls": [], "god_mode_response": "", "entities_mentioned": [], "location_confirmed": "the gate",
    "state_updates": {"player_character_data": {"hp_current": 3}}, "debug_info": {"dm_notes": [], "state_rationale": ""},
}


def shown(*examples: object, info: str = "json") -> str:
    return "# Examples\n\n" + "\n\n".join(f"```{info}\n{example if isinstance(example, str) else json.dumps(example)}\n```" for example in examples)


def parted(at: int) -> tuple[dict[str, object], dict[str, object]]:
    """The answer in two parts."""
    items = list(ANSWER.items())
    return dict(items[:at]), dict(items[at:])


@pytest.mark.parametrize(("text", "line", "rule", "message"), [
    (f"# Asking\n\n{table('friendly | 10', 'hostile | 20')}\n\n# Favors\n\n{table('hostile | 25', 'friendly | 10')}", 10, "contradiction", "'hostile', 'dc' is '25' here and '20' in the table at a.md:3"),
    (f"# Asking\n\n{table('friendly | 10', 'hostile | 20')}\n\n# Haggling\n\n{table('friendly | 12', 'hostile | 18', column='price')}", None, "contradiction", ""),
    (f"# Asking\n\n{table('friendly | 10', 'hostile | 20')}\n\n# Guests\n\n{table('friendly | 12', 'drunk | 18')}", None, "contradiction", ""),
    (f"# Wizard\n\n{table('1 | 2', '2 | 3', head='level')}\n\n# Bard\n\n{table('1 | 3', '2 | 4', head='level')}", None, "contradiction", ""),
    (shown(ANSWER), None, "example", ""), (shown(*parted(4)), None, "example", ""), (shown({"hp": 3}), None, "example", ""), (shown("{broken", info="text"), None, "example", ""),
    (shown("{broken"), 3, "example", "the example is not JSON"), (shown(ANSWER | {"mood": "grim"}), 3, "example", "the example breaks the contract at '' (Additional properties"),
    (shown({key: value for key, value in ANSWER.items() if key != "resources"}), 3, "example", "('resources' is a required property)"),
    (shown(parted(4)[0], parted(4)[1] | {"location_confirmed": None}, ANSWER), 3, "example", "breaks the contract"),
    (shown(ANSWER, {"player_character_data": {"gold": 3}}), 7, "example", "the example writes player_character_data.gold, another name for player_character_data.currency.gp"),
    (shown(ANSWER | {"state_updates": {"npc_data": {"npc_a_001": {"hp": 3}}}}), 3, "example", "another name for npc_data.npc_a_001.hp_current"),
    (f"# Long\n\nSo:\n\n```\n{paragraphs(12)}\n```", 5, "cut", "the example is longer than a passage"),
    (f"# Long\n\n{paragraphs(3)}\n\n`[Mode: STORY MODE]`\n\n```json\n{{\"a\": \"{paragraphs(8).replace(chr(10), ' ')}\"}}\n```", 11, "cut", "the example is printed without '`[Mode: STORY MODE]`'"),
    (f"# Long\n\n{paragraphs(3)}\n\nOne object, here in parts.\n\n```json\n{{\"a\": \"{paragraphs(8).replace(chr(10), ' ')}\"}}\n```", 11, "cut", "the example is printed without 'One object, here in parts.'"),
    ("# Short\n\nSo:\n\n```\nroll\n```", None, "cut", ""),
])
def test_what_contradicts_itself_is_a_warning(text: str, line: int | None, rule: str, message: str) -> None:
    found = [finding for finding in lint(version({"a.md": text})).findings if finding.rule == rule]
    assert [(finding.line, finding.severity) for finding in found] == ([] if line is None else [(line, "warning")])
    assert all(message in finding.message for finding in found)


@given(st.one_of(st.sampled_from(sorted(ODD.values())), markdown,
                 st.builds("---\n{}\n---\n{}".format, any_text, any_text)))
def test_no_text_makes_it_raise(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()  # what a file can hold
    report = lint(version({"a.md": text}))
    assert all(0 <= f.line <= text.count("\n") + text.count("\r") + 1 for f in report.findings)
