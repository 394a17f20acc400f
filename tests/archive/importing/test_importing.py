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
from mvp_site.archive.importing import Proposal, accept, propose, read_source
from mvp_site.archive.importing.types import ASIDE, Document, Line, Source
from mvp_site.archive.lint import lint
from mvp_site.archive.passages import chunk_version
from mvp_site.archive.versions import HEADER, read_version
from mvp_site.errors import ArchiveError
from mvp_site.retrieval.markdown import blocks, split_lines
from mvp_site.retrieval.tokens import count_tokens

from ...hashing import HashingEncoder
from ...texts import ODD, any_text, markdown
from .accounts import check, proposed
from .sources import (
    CARD,
    DRESSES,
    FORM,
    LOREBOOK,
    ROLE,
    SAFETY,
    SKILLS,
    bare_prompt,
    prompt,
    three,
    topics,
    written,
)


def file(tmp_path: Path, text: str | bytes, name: str = "prompt.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def version_of(proposal: Proposal, tmp_path: Path) -> Any:
    accept(proposal, tmp_path / "archive", "v1")
    return read_version(Settings(prompt_archive_dir=tmp_path / "archive"), "v1")


# --- prompts ------------------------------------------------------------------------------------

@pytest.mark.parametrize("dress", sorted(DRESSES))
def test_a_long_prompt_is_cut_by_its_own_headings_however_they_are_set(tmp_path: Path, dress: str) -> None:
    text = prompt(dress)
    assert 25_000 < count_tokens(text) < 35_000
    proposal = proposed(file(tmp_path, text))
    files = {one.name: one.text for one in proposal.files}
    assert sorted(files) == sorted(f"{name.lower().replace(' ', '-')}.md" for name, _ in topics())
    header = split_lines(proposal.header)
    for said in (ROLE, FORM, SAFETY):  # in the order of the source
        at = header.index(said.splitlines()[0])
        assert header[at : at + len(said.splitlines())] == said.splitlines()
    assert "berth" not in proposal.header
    for name, paragraphs in topics():
        own = files[f"{name.lower().replace(' ', '-')}.md"]
        assert [line for line in paragraphs.splitlines() if line and line not in own.splitlines()] == []
    version = version_of(proposal, tmp_path)
    assert all(piece.tokens <= 500 for chunk in chunk_version(version) for piece in chunk.pieces)
    assert {finding.rule for finding in lint(version).findings} <= {"short", "duplicate"}


@pytest.mark.parametrize("encoder", [None, HashingEncoder(64)], ids=["by size", "by topic"])
def test_a_prompt_without_headings_is_cut_between_paragraphs_and_gets_some(tmp_path: Path, encoder: HashingEncoder | None) -> None:
    text = bare_prompt()
    proposal = proposed(file(tmp_path, text), encode=encoder and encoder.encode)
    assert "third person" not in proposal.header
    if encoder is None:
        assert {*FORM.splitlines(), *SAFETY.splitlines(), *ROLE.splitlines()} <= {*proposal.header.splitlines()}
    version = version_of(proposal, tmp_path)
    pieces = [piece for chunk in chunk_version(version) for piece in chunk.pieces]
    assert all(piece.path and piece.tokens <= 500 for piece in pieces)
    assert all(count_tokens(one.text) < 3_000 for one in proposal.files)
    headings = [piece.path[-1] for piece in pieces]
    assert all(heading.split()[0] in text for heading in headings)
    assert "Docking begins when the pilot asks for a" in headings


def test_a_section_goes_to_the_header_whole_or_not_at_all(tmp_path: Path) -> None:
    path = file(tmp_path, prompt("markdown"))
    proposal = proposed(path, header_tokens=160)
    assert (ROLE in proposal.header, SAFETY in proposal.header, FORM.splitlines()[0] in proposal.header) == (True, True, False)
    assert any(note.startswith("not in the header: 'Output format'") and "there is no room" in note for note in proposal.notes)
    assert count_tokens(proposal.header) <= 160
    assert "a line of ours stands there" in " ".join(proposed(path, header_tokens=0).notes)
    forged = proposed(file(tmp_path, prompt("markdown").replace("Never put text after it.", "Never write </retrieved_context> after it.")))
    assert "retrieved_context" not in forged.header
    assert any("it holds tags that prompts are made of" in note for note in forged.notes)


def test_nothing_is_cut_inside_a_fence_a_table_or_a_list_item(tmp_path: Path) -> None:
    fence = "```json\n" + "\n\n".join(f"MARKER {n} {{}}" for n in range(200)) + "\n```"
    table = "| a | b |\n| --- | --- |\n" + "\n".join(f"| NUMBER {n} | x |" for n in range(200))
    items = "\n".join(f"- item {n}\n\n  TITLE LIKE {n}" for n in range(200))
    steps = "\n".join(f"{n}. Step Number {n}" for n in range(1, 200))
    text = "\n\n".join(("Opening words.", fence, "Between.", table, "Then.", items, "At last.", steps, "The end."))
    proposal = proposed(file(tmp_path, text))
    whole = "\n".join(one.text for one in proposal.files)
    assert fence in whole
    assert table in whole
    for line in whole.splitlines():
        assert not (line.startswith("#") and any(word in line for word in ("MARKER", "| NUMBER", "# TITLE", "# 1. Step")))
    starts = {one.start for one in blocks(split_lines(text))}
    source = split_lines(text)
    for one in proposal.files:
        for above, below in zip(lines := split_lines(one.text), lines[2:], strict=False):
            if above.startswith("# ") and below in source:
                assert source.index(below) in starts


@pytest.mark.parametrize(("text", "heading"), [
    ("Aims\n\nOPENING\n{0}\nMIDDLE\n{0}\nENDING\n{0}", "OPENING"),
    ("<rules>\n{0}\n\n# Inner\n{0}\n</rules>\n{0}", "<rules>"),
    ("I. Opening\n\n{0}\n\nII. Ending\n\n{0}", "I. Opening"),
    ("1. OPENING\n{0}\n1.1 Detail\n{0}\n1.2 Other\n{0}\n2. ENDING\n{0}", "1.1 Detail"),
    ("--- Opening ---\n{0}\n--- Ending ---\n{0}", "--- Opening ---"),
    ("# Top\n\n**Opening:**\n{0}\n\n**Ending:**\n{0}", "**Opening:**"),
], ids=["capitals", "tags with text behind", "roman", "nested numbers", "rules beside", "bold below a heading"])
def test_a_line_that_is_set_as_a_heading_becomes_one(tmp_path: Path, text: str, heading: str) -> None:
    body = "The tide comes in and takes the boats that nobody tied down. " * 30
    proposal = proposed(file(tmp_path, text.format(body)))
    assert any(line.startswith("#") and line.endswith(f" {heading}") for one in proposal.files for line in one.text.splitlines())
    assert {finding.rule for finding in lint(version_of(proposal, tmp_path)).findings} <= {"duplicate", "short"}


# --- lorebooks ----------------------------------------------------------------------------------

def test_a_lorebook_becomes_a_file_an_entry(tmp_path: Path) -> None:
    path = three(tmp_path)["lorebook"]
    proposal = proposed(path)
    files = {one.name: one.text for one in proposal.files}
    assert sorted(files) == ["con_.md", ASIDE, "the-dowager-isaure.md", "treasury.md", "winter-ball-dance.md"]
    assert proposal.header == "# How to tell it\n\nWrite in past tense, at most three paragraphs.\nNever speak for the player.\n"
    matter = read_front_matter(split_lines(files["the-dowager-isaure.md"]), "a.md")
    assert matter.when == {"": (
        "I ask about Dowager, the old queen or Isaure with poison", "what do I know of Dowager?",
        "what do I know of the old queen?", "what do I know of Isaure?",
    )}
    assert matter.unknown == ()
    assert "  order: 100\n" in files["the-dowager-isaure.md"]
    assert "I ask about winter ball dance\n" in files["winter-ball-dance.md"]
    for kept in ("token_budget: 900", "Duels are forbidden since the fire.", "order: 5", "colour: blue"):
        assert kept in files[ASIDE]
    hidden = {name for name, text in files.items() if "\naudience: dm\n" in text.partition("when:")[0]}
    assert hidden == {"treasury.md", "winter-ball-dance.md"}
    version = version_of(proposal, tmp_path)
    assert {finding.rule for finding in lint(version).findings} == set()
    assert {chunk.audience for chunk in chunk_version(version) if "treasury" in chunk.file} == {"dm"}
    assert "&lt;turn" in "".join(piece.text for chunk in chunk_version(version) for piece in chunk.pieces)


def test_entries_may_be_a_list_and_stand_in_a_characters_card(tmp_path: Path) -> None:
    proposal = proposed(file(tmp_path, json.dumps(CARD), "card.json"))
    assert [one.name for one in proposal.files] == ["description.md", "the-ambassador.md", ASIDE]
    assert proposal.header == "Answer as the Herald of Orle and never as anybody else.\n"
    assert "what do I know of ambassador?" in proposal.files[1].text
    listed = {"entries": list(LOREBOOK["entries"].values())}
    assert len(proposed(file(tmp_path, json.dumps(listed), "list.json")).files) == 5
    assert len(proposed(file(tmp_path, b"\xff\xfe" + json.dumps(listed).encode("utf-16-le"), "wide.json")).files) == 5


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
    if any(entry["content"].removeprefix("\ufeff").strip() and not entry.get("disable") for entry in entries):
        proposed(path)


# --- skills and folders -------------------------------------------------------------------------

def test_skills_are_called_for_by_their_descriptions(tmp_path: Path) -> None:
    proposal = proposed(three(tmp_path)["skills"])
    files = {one.name: one.text for one in proposal.files}
    assert sorted(files) == ["haggling-reference-ladders.md", "haggling.md", ASIDE, "odd.md", "vacuum-work.md"]
    assert read_front_matter(split_lines(files["haggling.md"]), "a.md").when == {
        "haggling": ("Use when the player argues about a price, sells freight or asks for a discount.",)}
    assert "- 'Walks outside: tethers, torn gloves, running out of air'\n" in files["vacuum-work.md"]
    assert files["odd.md"].startswith("# odd\n\n--- no front matter\n")
    assert "author: Tern" in files[ASIDE]
    assert any("haggling/run.py" in note for note in proposal.notes)
    assert {finding.rule for finding in lint(version_of(proposal, tmp_path)).findings} == set()


def test_any_other_folder_is_imported_a_file_each(tmp_path: Path) -> None:
    folder = written(tmp_path / "prompts", {
        "world/CON.md": "# Reefs\n\nThey cut.\n", "world/con.md": "Other reefs.\n", "b.txt": "---\nThe mate: a hard man\n---\nHe limps.\n",
        HEADER: "Obey.\n", "form.md": f"# Output format\n\n{FORM}\n", ".hidden/x.md": "no", f"{'long ' * 40}.md": "Long.\n", "🐉.md": "Fire.\n",
    })
    proposal = proposed(folder)
    assert proposal.header == f"Obey.\n\n# Output format\n\n{FORM}\n"
    files = {one.name: one.text for one in proposal.files}
    assert sorted(files) == ["b.md", f"{'long-' * 9}lon.md", "section.md", "world/con_-2.md", "world/con_.md"]
    assert files["world/con_.md"] == "# Reefs\n\nThey cut.\n"
    assert files["b.md"] == "The mate: a hard man\n---\nHe limps.\n"
    assert "He limps." in "".join(chunk.text for chunk in chunk_version(version_of(proposal, tmp_path)))


# --- any text -----------------------------------------------------------------------------------

@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_texts_lose_nothing(text: str) -> None:
    _check(text)


@given(st.one_of(markdown, any_text, st.lists(st.sampled_from((
    "# A", "=====", "TITLE", "---", "***", "<rules>", "</rules>", "1. ONE", "2. Two", "**Bold**", "[Part]", "== X ==", "Y:", "```", "> q", "",
    "The tide comes in and takes what nobody tied down. " * 12, "audience: dm", "| a |", "|---|", "- item", "</passage>", "    code",
)), max_size=60).map("\n".join)), st.sampled_from((None, HashingEncoder(16).encode)))
def test_no_line_of_any_text_is_lost(text: str, encode: Any) -> None:
    _check(text.encode("utf-8", "replace").decode(), encode)


def _check(text: str, encode: Any = None) -> None:
    lines = tuple(Line(f"line {number}", line) for number, line in enumerate(split_lines(text), 1))
    for role in ("cut", "file", "as_is"):
        source = Source("prompt", "x", (Document("x", lines, role=role),))  # type: ignore[arg-type]
        if any(line.text.strip() for line in lines):
            proposal = propose(source, encode=encode)
            check(source, proposal)
            for one in proposal.files:  # what was cut can be built
                if role != "as_is" and one.name != ASIDE:
                    read_front_matter(split_lines(one.text), one.name)
        else:
            with pytest.raises(ArchiveError, match="holds no text"):
                propose(source)


# --- bad input ----------------------------------------------------------------------------------

@pytest.mark.parametrize(("content", "name", "said"), [
    (b"", "a.txt", "is empty: there is nothing to import"), (b"\xef\xbb\xbf \n", "a.md", "is empty"),
    (b"PK\x03\x04\x00\x00" * 9, "a.md", "is no text"), (b"\x81\x8d\xff" * 9, "a.txt", "neither UTF-8, UTF-16 nor cp1252"),
    (b"{", "a.json", "is not JSON"), (b"[]", "a.json", "it must be a JSON object"), (b'{"entries": {}}', "a.json", "has no `entries` with text"),
    (b'{"a": 1}', "a.json", "has no `entries` with text"), (b'{"entries": [1]}', "a.json", "entries.0 is a number; it must be an object"),
    (b'{"entries": 3}', "a.json", "has no `entries` with text"), (b'{"a": 1, "a": 2}', "a.json", "twice in one object"),
])
def test_what_cannot_be_imported_is_refused_in_words(tmp_path: Path, content: bytes, name: str, said: str) -> None:
    with pytest.raises(ArchiveError, match=said):
        read_source(file(tmp_path, content, name))


def test_a_place_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="cannot be read: No such file"):
        read_source(tmp_path / "nope")
    with pytest.raises(ArchiveError, match=r"holds no \*\.md or \*\.txt file with text"):
        read_source(written(tmp_path / "empty", {"a.py": "x", "b.md": "\n"}))


@pytest.mark.parametrize(("encoding", "note"), [("cp1252", "was read as cp1252"), ("utf-16", "was read as utf-16"), ("utf-8-sig", "")])
def test_other_encodings_are_read_and_told(tmp_path: Path, encoding: str, note: str) -> None:
    proposal = proposed(file(tmp_path, "# Café\n\nThe señor’s tide.\n".encode(encoding)))
    assert "The señor’s tide." in proposal.files[0].text
    assert any(note in said for said in proposal.notes) == bool(note) or not note


# --- acceptance ---------------------------------------------------------------------------------

def test_a_version_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proposal = proposed(written(tmp_path / "s", SKILLS))
    archive = tmp_path / "archive"
    for name in ("../x", "", ".hidden", "a/b"):
        with pytest.raises(ArchiveError, match="is no name of a version"):
            accept(proposal, archive, name)
    monkeypatch.setattr("mvp_site.archive.importing.accepting.sync_folder", lambda folder: None)
    accept(proposal, archive, "v1")
    diff = proposal.diff(archive / "v1")
    assert diff == ""
    (archive / "v1/haggling.md").write_text("mine\n")
    (archive / "v1/own.md").write_text("own\n")
    with pytest.raises(ArchiveError, match="is there already: name another version"):
        accept(proposal, archive, "v1")
    changed = proposal.diff(archive / "v1")
    assert "-mine\n" in changed
    assert "--- a/own.md\n+++ /dev/null\n" in changed
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
