"""Front matter: what is read, what stays text, and what an author is told of a wrong value."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

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

READ = {
    "every key": (
        "---\ndomain: Mechanics\nmode: god\naudience: dm\ndate: 2025-12-08\nversion: two\n---\n# A",
        FrontMatter("mechanics", "god", "dm", "2025-12-08", "two", {}, 7),
    ),
    "a date and time": ("---\ndate: 2025-12-08T10:11:12Z\n---\n", FrontMatter(date="2025-12-08", body=3)),
    "a date in quotes": ("---\ndate: '2025-12-08'\n---\n", FrontMatter(date="2025-12-08", body=3)),
    "a version that is a number": ("---\nversion: 2.0\n---\n", FrontMatter(version="2.0", body=3)),
    "no value": ("---\ndomain:\nmode: ~\nwhen:\n---\n", FrontMatter(body=5)),
    "an empty block": ("---\n---\ntext", FrontMatter(body=2)),
    "comments alone": ("---\n# domain: schema\n---\ntext", FrontMatter(body=3)),
    "ended by dots": ("---\nmode: dm\n...\ntext", FrontMatter(mode="dm", body=3)),
    "spaces after the marks": ("---  \nmode: dm\n--- \ntext", FrontMatter(mode="dm", body=3)),
    "unknown keys": (
        "---\nmode: dm\nzeta: 1\nauthor: M\n7: x\n---\n",
        FrontMatter(mode="dm", body=6, unknown=("7", "author", "zeta")),
    ),
    "when, one sentence": ("---\nwhen: I  jump\n---\n", FrontMatter(when={WHOLE_FILE: ("I jump",)}, body=3)),
    "when, a list": (
        "---\nwhen:\n- I jump\n- ''\n- I fall\n---\n",
        FrontMatter(when={WHOLE_FILE: ("I jump", "I fall")}, body=6),
    ),
    "when, both": (
        "---\nwhen:\n  '': [I jump]\n  Falling: [I roll]\n---\n",
        FrontMatter(when={WHOLE_FILE: ("I jump",), "Falling": ("I roll",)}, body=5),
    ),
    "when, by heading": (
        "---\nwhen:\n  Falling  far: I jump\n  7:\n  - I roll\n---\n",
        FrontMatter(when={"Falling far": ("I jump",), "7": ("I roll",)}, body=6),
    ),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=READ)
def test_what_is_read(text: str, expected: FrontMatter) -> None:
    assert read_front_matter(split_lines(text), "a.md") == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "# A", "---", "----\n# A\n----\n", "---\njust a sentence\n---\n", "---\n- a\n- b\n---\n", "---\n7\n---\n",
        "---\nWell: that: is\n\ta tab\n---\n", "---\n{{ template }}\n---\n", "--- \n# A\n",
    ],
    ids=ascii,
)
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    assert read_front_matter(split_lines(text), "a.md") == FrontMatter()


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("domain: rules", ("a.md: domain: 'rules' is unknown; write one of schema, safety, mechanics, narrative, "
                          "worldgen, examples")),
        ("mode: admin", "a.md: mode: 'admin' is unknown; write one of story, dm, god, general"),
        ("audience: everyone", "a.md: audience: 'everyone' is unknown; write one of player, dm, god"),
        ("audience: [dm]", "a.md: audience: ['dm'] is unknown"),
        ("mode: false", "a.md: mode: False is unknown"),
        ("date: yesterday", "a.md: date: 'yesterday' is not a date; write YYYY-MM-DD"),
        ("date: 2025", "a.md: date: 2025 is not a date"),
        ("date: 2025-02-30", "a.md: date: '2025-02-30' is not a date; write YYYY-MM-DD"),
        ("when: 7", "a.md: when: 7 is neither a list of situations nor a mapping from a heading"),
        ("when:\n- [a]", "a.md: when: [['a']] must be a list of sentences; quote one that holds a colon"),
        ("when:\n  Falling: {a: b}", "a.md: when: {'a': 'b'} must be a list of sentences"),
        ("when:\n- he says: stop", "a.md: when: [{'he says': 'stop'}] must be a list of sentences; quote one"),
        ("mode: dm\nwhen: he says: stop", ("a.md: the front matter in lines 1–4: is not YAML: mapping values are not "
                                          "allowed")),
        ("when:\n- I jump\nFalling: [I roll\n", "for both, write the first list under the heading \"\""),
        ("when:\n- I jump\n- Falling: [I roll]", "for both, write the first list under the heading \"\""),
        ("mode: dm\nmode: god", 'a.md: the front matter in lines 1–4: line 3: the key "mode" is there twice'),
        ("mode: dm\n--- a", "a.md: the front matter in lines 1–4: holds several documents"),
        ("domain: !!python/object/apply:os.getcwd []", "line 2: the tag tag:yaml.org,2002:python/object/apply:os.getcwd is not taken"),
    ],
)
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


WAYS_TO_HIDE = {
    "as documented": "---\naudience: dm\n---\n",
    "quoted": "---\n'audience': \"DM\"\n---\n",
    "a space before the colon": "---\naudience : dm\n---\n",
    "a byte order mark": "\ufeff---\naudience: dm\n---\n",
    "carriage returns": "---\r\naudience: dm\r\n---\r\n",
    "behind other keys": "---\nmode: dm\ndomain: narrative\naudience: dm\n---\n",
    "no closing line": "---\naudience: dm\n",
    "no closing line, behind a long list": "---\nwhen:\n" + "- I knock\n" * 30 + "audience: dm\n",
    "a longer closing line": "---\naudience: dm\n----\n",
    "no opening line": "audience: dm\n---\n",
    "no lines at all": "audience: dm\n\n",
    "a blank line above": "\n---\naudience: dm\n---\n",
    "blank lines above": "\n" * 12 + "---\naudience: dm\n---\n",
    "a comment above": "<!-- the villain's plan -->\n---\naudience: dm\n---\n",
    "a heading above": "# The villain's plan\n---\naudience: dm\n---\n",
    "a heading above a long block": "# Plan\n---\nwhen:\n" + "- I knock\n" * 30 + "audience: dm\n---\n",
    "indented marks": " ---\naudience: dm\n ---\n",
    "four hyphens": "----\naudience: dm\n----\n",
    "dashes of a word processor": "\u2014\naudience: dm\n\u2014\n",
    "marks of TOML": "+++\naudience = \"dm\"\n+++\n",
    "an object of JSON": '{\n  "audience": "dm"\n}\n',
    "a flow mapping": "{mode: dm, audience: dm}\n",
    "a comment": "<!-- audience: dm -->\n",
    "a comment of YAML": "---\nmode: dm\n# audience: dm\n---\n",
    "no space behind the colon": "---\naudience:dm\n---\n",
    "no space behind the colon, other keys": "---\nmode: dm\naudience:dm\n---\n",
    "no colon": "---\naudience dm\n---\n",
    "an equals sign": "---\naudience=dm\n---\n",
    "an arrow": "audience -> dm\n",
    "a semicolon": "---\naudience; dm\n---\n",
    "a comma": "---\naudience, dm\n---\n",
    "a full-width colon": "---\naudience\uff1a dm\n---\n",
    "a space that does not break": "---\naudience:\u00a0dm\n---\n",
    "characters that cannot be seen": "---\nau\u200bdience: dm\n---\n",
    "an empty value": "---\naudience:\n---\n",
    "null": "---\naudience: ~\n---\n",
    "a capital": "---\nAudience: dm\n---\n",
    "capitals": "---\nAUDIENCE: dm\n---\n",
    "a wrong value": "---\naudience: dungeon master\n---\n",
    "a list": "---\naudience: [dm]\n---\n",
    "a key given twice": "---\naudience: dm\naudience: player\n---\n",
    "a key given twice, by case": "---\naudience: player\nAudience: dm\n---\n",
    "misspelt": "---\naudiance: dm\n---\n",
    "a longer key": "---\nintended_audience: dm\n---\n",
    "Cyrillic letters": "---\n\u0430udience: dm\n---\n",
    "below another key": "---\nmeta:\n  audience: dm\n---\n",
    "in a list": "---\n- audience: dm\n---\n",
    "a second block": "---\nmode: dm\n---\n---\naudience: dm\n---\n",
    "a second block against the first": "---\naudience: player\n---\n---\naudience: dm\n---\n",
    "bold": "**Audience:** DM\n",
    "in a sentence of its own": "This file's audience: dm\n",
}


@pytest.mark.parametrize("head", WAYS_TO_HIDE.values(), ids=WAYS_TO_HIDE)
def test_what_an_author_hid_is_hidden_or_refused_and_never_shown(
    settings: Settings, archive: Path, head: str
) -> None:
    (archive / "dec_2025/secret.md").write_bytes(f"{head}# Plan\n\nThe mayor is the murderer.\n".encode())
    version = read_version(settings, "dec_2025")
    try:
        shown = [c for c in chunk_version(version) if "murderer" in c.text and c.audience == "player"]
    except FrontMatterError as error:
        assert str(error).startswith("secret.md: ")  # noqa: PT017 - some ways are read, some refused
        assert any(f.file == "secret.md" and f.severity == "error" for f in lint(version).findings)
    else:
        assert not shown
        assert head in (WAYS_TO_HIDE[way] for way in (
            "as documented", "quoted", "a space before the colon", "a byte order mark", "carriage returns",
            "behind other keys",
        ))


PROSE_ABOUT_AUDIENCES = [
    "The audience chamber is hung with banners: red, gold and black.\n",
    "# Audience with the duke\n\nThe duke grants an audience at noon.\n",
    "# The audience: a play in one act\n\nAn audience is one request, one chance and ten minutes.\n",
    "Audience chamber\n\nGod kings sat here.\n",
    "Before an audience, god and man are equal.\n",
    "Audience, god willing, is at noon.\n",
    "Audiences are granted at noon; audience members pay.\n",
    "---\n\nThe audience rises.\n\n---\n",
    "---\nThe audience rises.\n---\n",
    "# A\n\n---\n\nVersion 2 of the house rules. Date: the third of Mirtul.\n",
    "| who | audience |\n| --- | --- |\n| dm | granted |\n",
    "text\n\n" * 12 + "audience: dm\n",
]


@pytest.mark.parametrize("text", PROSE_ABOUT_AUDIENCES)
def test_prose_about_an_audience_is_no_key(text: str) -> None:
    assert read_front_matter(split_lines(text), "a.md") == FrontMatter()
