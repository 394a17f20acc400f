"""Import: what people have becomes an archive, and each line of it stands in one place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site import Settings
from mvp_site.archive.front_matter import read_front_matter
from mvp_site.archive.importing import (
    ImportSource,
    Proposal,
    SourceLine,
    accept,
    propose,
    read_source,
)
from mvp_site.archive.importing.matter import document, numbered
from mvp_site.archive.importing.structure import sections
from mvp_site.archive.importing.types import ASIDE
from mvp_site.archive.lint import lint
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import HEADER, read_version
from mvp_site.errors import ArchiveError
from mvp_site.text.markdown import blocks, split_lines
from mvp_site.text.tokens import count_tokens

from ...texts import ODD, any_text, markdown
from . import sources
from .accounts import check, kept, proposed, strings
from .sources import FORM, ROLE, SAFETY, prompt, three, topics, written


def file(tmp_path: Path, text: str | bytes, name: str = "prompt.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def version_of(proposal: Proposal, tmp_path: Path) -> Any:
    accept(proposal, tmp_path / "archive", "v1")
    return read_version(Settings(prompt_archive_dir=tmp_path / "archive"), "v1")


def files(proposal: Proposal) -> list[str]:
    return sorted({*proposal.texts} - {HEADER})


# --- prompts ------------------------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.parametrize(("dress", "count"), [("capitals", 15), (None, 15), *((dress, 6) for dress in sources.DRESSES)])
def test_a_long_prompt_is_cut_by_its_headings_however_they_are_set_or_at_paragraphs(tmp_path: Path, dress: str | None, count: int) -> None:
    text = prompt(dress, count)
    assert 900 < count_tokens(text) / count < 1_300
    proposal = proposed(file(tmp_path, text))
    at = [proposal.header.index(said) for said in (ROLE, FORM, SAFETY if dress else SAFETY.partition(".")[0])]  # in the order of the source; with headings whole
    assert at == sorted(at)
    assert dress is None or "berth" not in proposal.header
    for name, paragraphs in topics()[:count] if dress else ():
        own = next(text for file, text in proposal.texts.items() if file.endswith(f"{name.lower().replace(' ', '-')}.md"))
        assert {line for line in paragraphs.splitlines() if line} < {*own.splitlines()}
    assert len(files(proposal)) == count if dress else 5 < len(files(proposal)) < 13
    version = version_of(proposal, tmp_path)
    pieces = [piece for chunk in chunk_version(version) for piece in chunk.pieces]
    assert all(piece.path and piece.tokens <= 500 for piece in pieces)
    assert {finding.rule for finding in lint(version).findings} <= {"duplicate", "small"}


@pytest.mark.parametrize(("text", "headings"), [
    ("Aims\n\nOPENING\n{0}\nMIDDLE\n{0}\nENDING\n{0}", ["# OPENING", "# MIDDLE", "# ENDING"]),
    ("<rules>\n{0}\n\n# Inner\n{0}\n</rules>\n{0}", ["# rules", "# Inner", "# The tide comes in and takes the boats"]),
    ("I. Opening\n\n{0}\n\nII. Ending\n\n{0}", ["# I. Opening", "# II. Ending"]),
    ("1. OPENING\n{0}\n1.1 Detail\n{0}\n1.2 Other\n{0}\n2. ENDING\n{0}", ["# 1. OPENING", "## 1.1 Detail", "## 1.2 Other", "# 2. ENDING"]),
    ("# Top\n\n**Opening:**\n{0}\n\n**Ending:**\n{0}", ["# Top", "## **Opening:**", "## **Ending:**"]),
    ("{0}\n{0}\n===\n\nNo habit:\n\n{0}", ["# No habit"]), ("**One**\n**Two**\n**Three**\n{0}\n{0}", ["# One"]),
    ("COLDS\n{0}\n1) Nerve\n{0}\n2) Dogs\n{0}\n**Crew**\n{0}\n**Rooms**\n{0}\nWARMTH\n{0}\n**Odds**\n{0}",
     ["# COLDS", "## 1) Nerve", "## 2) Dogs", "## **Crew**", "## **Rooms**", "# WARMTH", "## **Odds**"]),
    ("FOLK\n{0}\n1. Kin\n{0}\n**Ann**\n{0}\n2. Foes\n{0}\n**Bob**\n{0}\nLANDS\n{0}\n**Fen**\n{0}",
     ["# FOLK", "## 1. Kin", "## **Ann**", "## 2. Foes", "## **Bob**", "# LANDS", "## **Fen**"]),
    ("AIMS\n{0}\nRULES\n\n**One**\n{0}\n**Two**\n{0}", ["# AIMS", "# RULES", "## **One**", "## **Two**"]),
    ("1. Tolls\n{0}\n2. Gates\n{0}\n1. Oak\n2. Elm\n3. Ash\n\n{0}", ["# 1. Tolls", "# 2. Gates", "## Ash"]),
    ("1. Tolls\n2. Gates\n\n1. Tolls\n{0}\n2. Gates\n{0}\n3. Dues\n{0}", ["# 1. Tolls", "# 2. Gates", "# 3. Dues"]),
    ("ROPES\n\nx.\n\n## Knots\n\nx.\n\n### Loops\n\nx.\n\n[SAILS]\n\nx.\n\nMASTS:\n\nx.\n\n### Oak\n\nx.",
     ["# ROPES", "## Knots", "### Loops", "# [SAILS]", "# MASTS", "### Oak"]),
    ("# Sea\n\n## Gear\n\nROPES\n\nx.\n\nSAILS\n\nx.\n\n## Folk\n\nMATES\n\nx.\n\nCOOKS\n\nx.",
     ["# Sea", "## Gear", "### ROPES", "### SAILS", "## Folk", "### MATES", "### COOKS"]),
    ("# Sea\n\nHULL 12 SAIL 9\n\nx.\n\nTools:\n\n- an awl\n\nFolk:\n\n- Ann\n\nHULL 3 SAIL 2\n\nx.\n\n- BIG\n- SMALL\n\nLONE\n\nx.", ["# Sea"]),
    ("## Reply format\n\nAlways reply in two parts:\n\nSCENE\n\nAt most 90 words.\n\nDICE\n\nOnly numbers.", ["## Reply format"]),
    ("# Sea\n\n## Bolt\n\nx.\n\nEFFECT:\n\nx.\n\nPrice:\n\nx.\n\n## Ward\n\nx.\n\nEFFECT:\n\nx.\n\nPrice:\n\nx.", ["# Sea", "## Bolt", "## Ward"]),
    ("<a_b>\n{0}{0}\nKEEL\n\nx.\n</a_b>\nRIGGING\n\nx.\n\nBILGE\n\nx.", ["# a b", "## KEEL", "# RIGGING", "# BILGE"]),
], ids=["capitals", "tags", "roman", "nested numbers", "bold", "no habit", "a list", "alike", "never two deep", "right below",
        "a list among headings", "a list of the headings", "beside Markdown", "clearly below", "no headings", "a form", "labels", "behind a tag"])
def test_a_line_that_is_set_as_a_heading_becomes_one(tmp_path: Path, text: str, headings: list[str]) -> None:
    body = "The tide comes in and takes the boats that nobody tied down.\n" * 30
    proposal = proposed(file(tmp_path, text.format(body)))
    found = [line for name in proposal.texts for line in proposal.texts[name].splitlines() if line.startswith("#")]
    assert sorted(one for one in found if "tide" not in one or one in headings) == sorted(headings)


_STYLES = ("# A {0}", "## B {0}", "### C {0}", "CAPITALS {0}", "**Bold {0}**", "{0}. Number", "Colon {0}:", "[Frame {0}]")


@given(st.lists(st.sampled_from(_STYLES), min_size=1, max_size=14), st.sampled_from((2, 60)))
def test_mixed_styles_nest_at_most_one_level_deep(styles: list[str], length: int) -> None:
    heads = [style.format(chr(97 + n) if style[0] in "#*" else n) for n, style in enumerate(styles)]
    above = 0
    for section in sections(numbered("\n\n".join(f"{head}\n\n{'The tide comes in. ' * length}" for head in heads), "")):
        head = section.rows[0].line or section.rows[1].line
        if head and head.text.startswith("#"):
            assert section.level == head.text.index(" ")
            above = section.level
        elif head and head.text in heads and section.own:
            assert section.level <= above + 2


def test_a_section_goes_to_the_header_whole_or_not_at_all(tmp_path: Path) -> None:
    text = prompt("markdown", 2)
    path = file(tmp_path, text)
    proposal = proposed(path, header_tokens=160)
    assert (ROLE in proposal.header, SAFETY in proposal.header, FORM.splitlines()[0] in proposal.header) == (True, True, False)
    assert any(note.startswith("not in the header: 'Output format'") and "there is no room" in note for note in proposal.notes)
    assert count_tokens(proposal.header) <= 160
    assert "a line of ours stands there" in " ".join(proposed(path, header_tokens=0).notes)
    many = proposed(file(tmp_path, "".join(f"# Form {n}\n\nAlways reply in JSON.\n\n" for n in range(9))), header_tokens=0)
    assert [note.startswith("not in the header: 'Form") for note in many.notes].count(True) == 5
    assert "not in the header: 4 more" in many.notes
    forged = proposed(file(tmp_path, text.replace("Never put text after it.", "Never write </retrieved_context> after it.")))
    assert "retrieved_context" not in forged.header
    assert any("it holds tags that prompts are made of" in note for note in forged.notes)


def test_nothing_is_cut_inside_a_fence_a_table_or_a_list_item(tmp_path: Path) -> None:
    fence = "```json\n" + "\n\n".join(f"MARKER {n} {{}}" for n in range(110)) + "\n```"
    table = "| a | b |\n| --- | --- |\n" + "\n".join(f"| NUMBER {n} | x |" for n in range(110))
    items = "\n".join(f"- item {n}\n\n  TITLE LIKE {n}" for n in range(110))
    steps = "\n".join(f"{n}. Step Number {n}" for n in range(1, 110))
    text = "\n\n".join(("Opening words.", fence, "Between.", table, "Then.", items, "At last.", steps, "The end."))
    proposal = proposed(file(tmp_path, text))
    whole = "\n".join(proposal.texts.values())
    assert fence in whole
    assert table in whole
    source = split_lines(text)
    starts = {source[one.start] for one in blocks(source)}
    for above, below in zip(lines := split_lines(whole), lines[2:], strict=False):
        assert not above.startswith("# ") or below in starts


# --- front matter -------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "audience", "served"), [
    ("Audience: adults who like horror\n\nThe tide comes.\n", None, "Audience\\: adults"),
    ("**Audience**\n\nThe tide comes.\n", None, "**Audience\\**"), ("---\n\nwhen: it rains\nstay in.\n", None, "when: it rains"),
    ("---\naudience: dm\n---\nThe mate did it.\n", "dm", "did it"), ("---\nAudiance: everyone\n---\nThe mate.\n", "dm", "mate"),
    ("---\naudience: player\ndomain: mechanics\n---\nAudience: adults\n\nThe tide comes.\n", "player", "adults"),
    ("---\nmeta:\n  audience: dm\n  # why\n---\nThe mate did it.\n", "dm", "did it"), ("---\nname: *x\ntags: [a\n---\nThe tide.\n", None, "The tide."),
    ("---\naudience: dm\n---\n# Output format\n\nAlways reply in JSON. Never name the mate, who did it.\n", "dm", "did it"),
])
def test_front_matter_alone_says_who_may_see_a_text(tmp_path: Path, text: str, audience: str | None, served: str) -> None:
    proposal = proposed(file(tmp_path, text, "tide.md"))
    held = split_lines(proposal.texts["tide.md"])
    matter = read_front_matter(held, "tide.md")
    assert (matter.audience, matter.unknown) == (audience, ())
    assert served in "\n".join(held[matter.body :])
    assert version_of(proposal, tmp_path)


# --- lorebooks ----------------------------------------------------------------------------------

def test_a_lorebook_becomes_a_file_an_entry(tmp_path: Path) -> None:
    proposal = proposed(three(tmp_path)["lorebook"])
    assert files(proposal) == ["con.md", ASIDE, "the-dowager-isaure.md", "treasury.md", "winter-ball.md"]
    assert proposal.header == "# How to tell it\n\nWrite in past tense, at most three paragraphs.\nNever speak for the player.\n"
    matter = {name: read_front_matter(split_lines(proposal.texts[name]), name) for name in files(proposal) if name != ASIDE}
    assert matter["the-dowager-isaure.md"].when == {"": (
        "I ask about Dowager, the old queen or Isaure with poison", "what do I know of Dowager?",
        "what do I know of the old queen?", "what do I know of Isaure?",
    )}
    assert "\n  order: 100\n" in proposal.texts["the-dowager-isaure.md"]
    assert matter["winter-ball.md"].when[""][0] == "I ask about winter ball, winter dance, winter balls or winter dances"
    for held in ("\ntoken_budget: 900\n", "Duels are forbidden since the fire.", "\norder: 5\n"):
        assert held in proposal.texts[ASIDE]
    assert {name for name, one in matter.items() if one.audience == "dm"} == {"treasury.md", "winter-ball.md"}
    version = version_of(proposal, tmp_path)
    assert {finding.rule for finding in lint(version).findings} == {"small", "placeholder"}
    assert "&lt;turn" in "".join(piece.text for chunk in chunk_version(version) for piece in chunk.pieces)


@pytest.mark.parametrize(("said", "about"), [
    ({}, " with fog"), ({"selectiveLogic": 3, "selective": True}, " with fog"), ({"selectiveLogic": 1}, ""), ({"selectiveLogic": 2}, ""),
    ({"selective": False}, ""), ({"extensions": {"selectiveLogic": 2}}, ""),
])
def test_second_keys_say_more_only_where_they_narrow(tmp_path: Path, said: dict[str, Any], about: str) -> None:
    entries = [{"key": ["eel"], "keysecondary": ["fog"], "comment": "Eels", "content": "They sing.", **said}, {"content": "The bell of Orle. It rings."}]
    proposal = proposed(file(tmp_path, json.dumps({"entries": entries}), "book.json"))
    assert f"- I ask about eel{about}\n" in proposal.texts["eels.md"]
    assert proposal.texts["the-bell-of-orle.md"].startswith("# The bell of Orle\n\nThe bell")


@pytest.mark.parametrize(("value", "expected"), [
    (sources.CARD, [ASIDE, "the-ambassador.md"]),
    ({**sources.CARD["data"], "first_mes": "The clocks of Orle strike all at once today."}, ["greeting.md", ASIDE, "the-ambassador.md"]),  # type: ignore[dict-item]
    ({"entries": [sources.LOREBOOK["entries"]["0"]]}, ["the-dowager-isaure.md"]),
])
def test_entries_may_be_a_list_and_stand_in_a_characters_card(tmp_path: Path, value: Any, expected: list[str]) -> None:
    for content in (json.dumps(value), b"\xff\xfe" + json.dumps(value).encode("utf-16-le")):
        proposal = proposed(file(tmp_path, content, "card.json"))
        assert files(proposal) == expected
        assert ("# Description\n\nA court of clocks" in proposal.header) == ("entries" not in value)


_value = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 999) | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("a", "audience", "<<", "when", "—")), inner, max_size=3), max_leaves=6)
_text = any_text.map(lambda text: text.encode("utf-8", "replace").decode().replace("\x00", ""))
_entry = st.fixed_dictionaries({"content": _text}, optional={
    "key": st.lists(_text, max_size=3) | _value, "comment": _text, "keysecondary": st.lists(_text, max_size=2), "name": _value,
    "constant": st.booleans(), "disable": st.booleans(), "order": st.integers(0, 900), "extensions": _value, "audience": _value, "<<": _value})


@given(st.lists(_entry, min_size=1, max_size=5), _value)
def test_no_value_of_any_lorebook_is_lost(tmp_path: Path, entries: list[dict[str, Any]], name: Any) -> None:
    path = file(tmp_path, json.dumps({"entries": entries, "name": name}), "book.json")
    if not any(entry["content"].removeprefix("\ufeff").strip() and not entry.get("disable") for entry in entries):
        return
    proposal = proposed(path)
    texts = "\n".join(proposal.texts.values())
    found = [one for text in strings(kept(proposal)) for one in (text, *_yaml(text))]
    for text in strings([entries, name]):
        assert not text.strip() or text in found or all(line.strip() in texts.replace("\\", "") for line in split_lines(text.replace("\\", "")))


def _yaml(text: str) -> list[str]:
    """The value in a field that was kept as a text, as YAML would not take it for a mapping."""
    try:
        return strings(json.loads(text.partition(": ")[2]))
    except ValueError:
        return []


# --- skills and folders -------------------------------------------------------------------------

def test_skills_are_called_for_by_their_descriptions(tmp_path: Path) -> None:
    proposal = proposed(three(tmp_path)["skills"])
    assert files(proposal) == ["haggling.md", "haggling/reference/ladders.md", "odd.md", "vacuum-work.md"]
    when = {name: read_front_matter(split_lines(proposal.texts[name]), name).when.get("") for name in files(proposal)}
    assert when == {
        "haggling.md": ("Use when the player argues about a price, sells freight or asks for a discount.",), "haggling/reference/ladders.md": None,
        "vacuum-work.md": ("Walks outside: tethers, torn gloves, running out of air",), "odd.md": None,
    }
    assert "\n    author: Tern\n" in proposal.texts["haggling.md"]
    assert proposal.texts["odd.md"] == "--- no front matter\nJust text about the odd.\n"
    assert any("haggling/run.py" in note for note in proposal.notes)
    assert {finding.rule for finding in lint(version_of(proposal, tmp_path)).findings} == {"small"}


def test_a_file_beside_a_skill_is_for_whom_the_skill_is_and_links_to_it_are_told(tmp_path: Path) -> None:
    proposal = proposed(written(tmp_path / "s", {
        "kites/SKILL.md": "---\ndescription: Flying kites\naudience: dm\n---\nSee [winds](more/winds.md#north), no more/oak.md.\n",
        "kites/more/winds.md": "# Winds\n\nNorth.\n", "odd/SKILL.md": "Odd.\n",
    }))
    assert {name for name in files(proposal) if read_front_matter(split_lines(proposal.texts[name]), name).audience == "dm"} == {"kites.md", "kites/more/winds.md"}
    assert any(note.startswith("no prompt has files, and the texts name more/winds.md, more/oak.md: `mvp-site archive lint`") for note in proposal.notes)


def test_front_matter_that_cannot_be_read_and_what_is_for_people_are_told(tmp_path: Path) -> None:
    proposal = proposed(written(tmp_path / "s", {
        "a/SKILL.md": "---\nname: a\ndescription: Kites: red: blue\n  and green\n---\nFly.\n", "a/b.md": "---\nwhen: [a\n---\nText.\n", "README.md": "Install: all.\n"}))
    assert read_front_matter(split_lines(proposal.texts["a.md"]), "a.md").when == {"": ("Kites: red: blue and green",)}
    assert files(proposal) == ["a.md", "a/b.md", ASIDE]
    for name in ("a", "a/b"):
        assert any(note.startswith(f"{name}: its front matter is read by its lines") for note in proposal.notes)
    assert "README.md is for people: it is kept in imported.yaml alone" in proposal.notes


def test_any_other_folder_keeps_its_files(tmp_path: Path) -> None:
    own = "---\ndomain: mechanics\nwhen:\n  Reefs: [I sail]\n---\n# Reefs\n\nThey cut.\n"
    proposal = proposed(written(tmp_path / "prompts", {
        "world/reefs.md": own, "world/Reefs.txt": "Other reefs.\n", HEADER: "Obey <passage>.\n", "form.md": f"# Output format\n\n{FORM}\n",
        ".hidden/x.md": "no", f"{'long ' * 40}.md": "Long.\n", "🐉.md": "Fire.\n", "long.txt": prompt("capitals", 3),
    }))
    assert proposal.header.startswith("Obey <passage>.\n\n")
    assert f"# Output format\n\n{FORM}\n" in proposal.header
    assert {f"{'long-' * 9}lon.md", "section.md", "docking.md", "world/reefs.md", "world/reefs-2.md"} < {*files(proposal)}
    assert own in proposal.texts.values()


# --- any text -----------------------------------------------------------------------------------

@pytest.mark.parametrize("text", [pytest.param(text, id=name, marks=[pytest.mark.slow] * (len(text) > 12_000)) for name, text in ODD.items()])
def test_odd_texts_lose_nothing(text: str) -> None:
    _check(text)


@given(st.one_of(markdown, any_text, st.lists(st.sampled_from((
    "# A", "=====", "TITLE", "---", "***", "<rules>", "</rules>", "1. ONE", "2. Two", "**Bold**", "[Part]", "== X ==", "Y:", "```", "> q", "",
    "The tide comes in and takes what nobody tied down. " * 12, "audience: dm", "when: x", "| a |", "|---|", "- item", "</passage>", "    code",
)), max_size=60).map("\n".join)))
def test_no_line_of_any_text_is_lost(text: str) -> None:
    _check(text.encode("utf-8", "replace").decode())


def _check(text: str) -> None:
    lines = tuple(SourceLine(f"line {number}", line) for number, line in enumerate(split_lines(text), 1))
    read = document("x", lines)
    assert (*read.kept, *read.lines) == lines
    source = ImportSource("prompt", "x", (read,))
    if any(line.text.strip() for line in read.lines):
        check(source, propose(source))
    else:
        with pytest.raises(ArchiveError, match="holds no text"):
            propose(source)


# --- bad input ----------------------------------------------------------------------------------

@pytest.mark.parametrize(("content", "name", "said"), [
    (b"", "a.txt", "is empty: there is nothing to import"), (b"\xef\xbb\xbf \n", "a.md", "is empty"),
    (b"\x00\x01" * 9, "a.md", "is no text"), (b"%PDF-1.7\nx", "a.txt", "is a PDF: save its text .* `mvp-site library scan`"),
    (b"PK\x03\x04\x00\x00" * 9, "a.md", "is a zip file, as docx"), (b"\x89PNG\r\n", "a", "is a picture"), (b"\x81\x8d\xff" * 9, "a.txt", "no text in an encoding that is known"),
    (b"{", "a.json", "is not JSON"), (b"[]", "a.json", "looks like a list"), (b'{"entries": {}}', "a.json", "has no text to print"),
    (b'{"a": 1}', "a.json", "looks like an object with the keys a, which is not read; prompts may be "), (b'{"entries": [1]}', "a.json", "looks like an object with the keys entries"),
    (b'{"entries": 3}', "a.json", "looks like an object with the keys entries"), (b'{"a": 1, "a": 2}', "a.json", "twice in one object"),
    (None, "nope", "cannot be read: No such file"), (None, ".", r"holds no \*\.md, \*\.mdc or \*\.txt file with text"),
])
def test_what_cannot_be_imported_is_refused_in_words(tmp_path: Path, content: bytes | None, name: str, said: str) -> None:
    with pytest.raises(ArchiveError, match=said):
        read_source(tmp_path / name if content is None else file(tmp_path, content, name))


@pytest.mark.parametrize(("encoding", "note"), [("cp1252", "was read as cp1252"), ("utf-16", ""), ("utf-8-sig", "")])
def test_other_encodings_are_read_and_told(tmp_path: Path, encoding: str, note: str) -> None:
    proposal = proposed(file(tmp_path, "# Café\n\nThe señor’s tide.\n".encode(encoding)))
    assert proposal.texts["prompt.md"] == "# Café\n\nThe señor’s tide.\n"
    assert any("was read as" in said and note in said for said in proposal.notes) == bool(note)


# --- acceptance ---------------------------------------------------------------------------------

def test_a_version_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proposal = proposed(written(tmp_path / "s", sources.SKILLS))
    archive = tmp_path / "archive"
    for name in ("../x", "", ".hidden", "a/b"):
        with pytest.raises(ArchiveError, match="is no name of a version"):
            accept(proposal, archive, name)
    accept(proposal, archive, "v1")
    diff = proposal.diff(archive / "v1")
    assert diff == ""
    (archive / "v1/haggling.md").write_text("mine\n")
    (archive / "v1/own.md").write_text("own\n")
    with pytest.raises(ArchiveError, match="is there already: name another version"):
        accept(proposal, archive, "v1")
    changed = proposal.diff(archive / "v1")
    assert "-mine\n" in changed
    assert "--- a/own.md\n+++ b/own.md\n@@ -1 +0,0 @@\n-own\n" in changed
    with monkeypatch.context() as broken:
        broken.setattr("mvp_site.archive.importing.accepting.write_file", _full)
        with pytest.raises(ArchiveError, match="cannot be written: No space left"):
            accept(proposal, archive, "v1", replace=True)
    assert (archive / "v1/own.md").read_text() == "own\n"
    accept(proposal, archive, "v1", replace=True)
    assert proposal.diff(archive / "v1") == ""
    assert (archive / ".v1.replaced-1/own.md").read_text() == "own\n"
    assert sorted(one.name for one in archive.iterdir()) == [".v1.replaced-1", "v1"]


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")
