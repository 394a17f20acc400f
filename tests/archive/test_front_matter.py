"""Front matter: what is read, what stays text, and what an author is told of a wrong value."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import Settings, build_prompt_index
from mvp_site.archive.front_matter import WHOLE_FILE, FrontMatter, read_front_matter
from mvp_site.archive.lint import lint
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import read_version
from mvp_site.errors import FrontMatterError
from mvp_site.text.markdown import split_lines

from ..hashing import HashingEncoder
from ..texts import ODD, any_text

READ = [
    ("domain: Mechanics\nmode: god\naudience: dm\ndate: 2025-12-08\nversion: two", {"domain": "mechanics", "mode": "god", "audience": "dm", "date": "2025-12-08", "version": "two"}),
    ("date: 2025-12-08T10:11:12Z", {"date": "2025-12-08"}), ("date: '2025-12-08'", {"date": "2025-12-08"}), ("version: 2.0", {"version": "2.0"}),
    ("domain:\nmode: ~\nwhen:", {}), ("# domain: schema", {}), ("mode: dm\nzeta: 1\nauthor: M\n7: x", {"mode": "dm", "unknown": ("7", "author", "zeta")}),
    ("when: I  jump", {"when": {WHOLE_FILE: ("I jump",)}}), ("when:\n- I jump\n- ''\n- I fall", {"when": {WHOLE_FILE: ("I jump", "I fall")}}),
    ("when:\n  '': [I jump]\n  Falling: [I roll]", {"when": {WHOLE_FILE: ("I jump",), "Falling": ("I roll",)}}),
    ("when:\n  Falling  far: I jump\n  7:\n  - I roll", {"when": {"Falling far": ("I jump",), "7": ("I roll",)}}),
]


@pytest.mark.parametrize(("block", "said"), READ)
@pytest.mark.parametrize("marks", ["---\n{}\n---\n# A", "---  \n{}\n--- \ntext", "---\n{}\n...\ntext"])
def test_what_is_read(block: str, said: dict[str, Any], marks: str) -> None:
    assert read_front_matter(split_lines(marks.format(block)), "a.md") == FrontMatter(**said, body=block.count("\n") + 3)


NO_FRONT_MATTER = [
    "", "# A", "---", "----\n# A\n----\n", "---\njust a sentence\n---\n", "---\n- a\n- b\n---\n", "---\n7\n---\n",
    "---\nWell: that: is\n\ta tab\n---\n", "---\n{{ template }}\n---\n", "--- \n# A\n",
    "The audience chamber is hung with banners: red, gold and black.\n", "# Audience with the duke\n\nThe duke grants an audience at noon.\n",
    "# The audience: a play in one act\n\nAn audience is one request, one chance and ten minutes.\n", "Audience chamber\n\nGod kings sat here.\n",
    "Before an audience, god and man are equal.\n", "Audience, god willing, is at noon.\n", "Audiences are granted at noon; audience members pay.\n",
    "---\n\nThe audience rises.\n\n---\n", "---\nThe audience rises.\n---\n", "# A\n\n---\n\nVersion 2 of the house rules. Date: the third of Mirtul.\n",
    "| who | audience |\n| --- | --- |\n| dm | granted |\n", "text\n\n" * 12 + "audience: dm\n",
]


@pytest.mark.parametrize("text", NO_FRONT_MATTER)
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    assert read_front_matter(split_lines(text), "a.md") == FrontMatter()


WRONG = [
    ("domain: rules", "a.md: domain: 'rules' is unknown; write one of schema, safety, mechanics, narrative, worldgen, examples"),
    ("mode: admin", "a.md: mode: 'admin' is unknown; write one of story, dm, god, general"), ("mode: false", "a.md: mode: False is unknown"),
    ("audience: everyone", "a.md: audience: 'everyone' is unknown; write one of player, dm, god"), ("audience: [dm]", "a.md: audience: ['dm'] is unknown"),
    ("date: yesterday", "a.md: date: 'yesterday' is not a date; write YYYY-MM-DD"), ("date: 2025", "a.md: date: 2025 is not a date"),
    ("date: 2025-02-30", "a.md: date: '2025-02-30' is not a date; write YYYY-MM-DD"),
    ("when: 7", "a.md: when: 7 is neither a list of situations nor a mapping from a heading"),
    ("when:\n- [a]", "a.md: when: [['a']] must be a list of sentences; quote one that holds a colon"),
    ("when:\n  Falling: {a: b}", "a.md: when: {'a': 'b'} must be a list of sentences"),
    ("when:\n- he says: stop", "a.md: when: [{'he says': 'stop'}] must be a list of sentences; quote one"),
    ("mode: dm\nwhen: he says: stop", "a.md: the front matter in lines 1–4: is not YAML: mapping values are not allowed"),
    ("when:\n- I jump\nFalling: [I roll\n", "for both, write the first list under the heading \"\""),
    ("when:\n- I jump\n- Falling: [I roll]", "for both, write the first list under the heading \"\""),
    ("mode: dm\nmode: god", 'a.md: the front matter in lines 1–4: line 3: the key "mode" is there twice'),
    ("mode: dm\n--- a", "a.md: the front matter in lines 1–4: holds several documents"),
    ("domain: !!python/object/apply:os.getcwd []", "line 2: the tag tag:yaml.org,2002:python/object/apply:os.getcwd is not taken"),
]


@pytest.mark.parametrize(("block", "message"), WRONG)
def test_a_wrong_value_is_an_error_that_says_what_to_write(block: str, message: str) -> None:
    with pytest.raises(FrontMatterError, match=re.escape(message)):
        read_front_matter(split_lines(f"---\n{block}\n---\ntext"), "a.md")


@pytest.mark.parametrize("block", ['when: "\\ud800"', 'version: "\\udfff"', 'when: {"\\ud800": "I jump"}'])
def test_half_a_character_is_refused_or_replaced(settings: Settings, archive: Path, block: str) -> None:
    (archive / "dec_2025/narrative.md").write_text(f"---\n{block}\n---\n# A\n\ntext")
    with contextlib.suppress(FrontMatterError):
        build_prompt_index(settings, encoder=HashingEncoder())


@given(st.one_of(st.sampled_from(sorted(ODD.values())), any_text, st.builds("---\n{}\n---\n{}".format, any_text, any_text)))
def test_any_file_is_read_or_refused_by_name(text: str) -> None:
    lines = split_lines(text)
    try:
        found = read_front_matter(lines, "a.md")
    except FrontMatterError as error:
        assert str(error).startswith("a.md: ")  # noqa: PT017 - whether it raises is the text's affair
    else:
        assert 0 <= found.body <= len(lines)


HIDDEN = [
    '---\naudience: dm\n---\n', '---\n\'audience\': "DM"\n---\n', '---\naudience : dm\n---\n', '\ufeff---\naudience: dm\n---\n',
    '---\r\naudience: dm\r\n---\r\n', '---\nmode: dm\ndomain: narrative\naudience: dm\n---\n',
]
REFUSED = [
    '---\naudience: dm\n',
    '---\nwhen:\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\naudience: dm\n',
    '---\naudience: dm\n----\n', 'audience: dm\n---\n', 'audience: dm\n\n', '\n---\naudience: dm\n---\n', '\n\n\n\n\n\n\n\n\n\n\n\n---\naudience: dm\n---\n',
    "<!-- the villain's plan -->\n---\naudience: dm\n---\n", "# The villain's plan\n---\naudience: dm\n---\n",
    '# Plan\n---\nwhen:\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\n- I knock\naudience: dm\n---\n',
    ' ---\naudience: dm\n ---\n', '----\naudience: dm\n----\n', '\u2014\naudience: dm\n\u2014\n', '+++\naudience = "dm"\n+++\n', '{\n  "audience": "dm"\n}\n',
    '{mode: dm, audience: dm}\n', '<!-- audience: dm -->\n', '---\nmode: dm\n# audience: dm\n---\n', '---\naudience:dm\n---\n',
    '---\nmode: dm\naudience:dm\n---\n', '---\naudience dm\n---\n', '---\naudience=dm\n---\n', 'audience -> dm\n', '---\naudience; dm\n---\n',
    '---\naudience, dm\n---\n', '---\naudience\uff1a dm\n---\n', '---\naudience:\xa0dm\n---\n', '---\nau\u200bdience: dm\n---\n', '---\naudience:\n---\n',
    '---\naudience: ~\n---\n', '---\nAudience: dm\n---\n', '---\nAUDIENCE: dm\n---\n', '---\naudience: dungeon master\n---\n', '---\naudience: [dm]\n---\n',
    '---\naudience: dm\naudience: player\n---\n', '---\naudience: player\nAudience: dm\n---\n', '---\naudiance: dm\n---\n',
    '---\nintended_audience: dm\n---\n', '---\n\u0430udience: dm\n---\n', '---\nmeta:\n  audience: dm\n---\n', '---\n- audience: dm\n---\n',
    '---\nmode: dm\n---\n---\naudience: dm\n---\n', '---\naudience: player\n---\n---\naudience: dm\n---\n', '**Audience:** DM\n',
    "This file's audience: dm\n",
]
"""Broken, misspelt or in another place: refused by name."""


@pytest.mark.parametrize("head", [*HIDDEN, *REFUSED])
def test_what_an_author_hid_is_hidden_or_refused_and_never_shown(settings: Settings, archive: Path, head: str) -> None:
    (archive / "dec_2025/secret.md").write_bytes(f"{head}# Plan\n\nThe mayor is the murderer.\n".encode())
    version = read_version(settings, "dec_2025")
    if head in HIDDEN:
        assert {c.audience for c in chunk_version(version) if "murderer" in c.text} == {"dm"}
    else:
        with pytest.raises(FrontMatterError, match=r"^secret\.md: "):
            chunk_version(version)
        assert any(f.file == "secret.md" and f.severity == "error" for f in lint(version).findings)
