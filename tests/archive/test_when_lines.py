"""Lines for sections without any: which those are, where lines go, and the diff that tools take."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.archive.lint import lint
from mvp_site.archive.passages import body_of, chunk_version, passages
from mvp_site.archive.versions import PromptFile
from mvp_site.archive.when_lines import lacking, unified, with_lines
from mvp_site.errors import FrontMatterError

from ..texts import ODD, any_text, markdown
from .test_passages import version

TWO = "# A\n\none\n\n# B\n\ntwo\n"
APPLIED = (["git", "apply"], ["patch", "-p1", "--silent"])


def applied(root: Path, tool: Sequence[str], diff: str) -> None:
    """Apply a diff in ``root`` with a tool of the system."""
    subprocess.run(tool, cwd=root, input=diff.encode(), check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize(("text", "when", "expected"), [
    (TWO, {"B": ["I b", "yes"]}, f"---\nwhen:\n  B:\n  - I b\n  - 'yes'\n---\n{TWO}"),
    (f"---\nmode: dm\n---\n{TWO}", {"A": ["say: a"]}, f"---\nmode: dm\nwhen:\n  A:\n  - 'say: a'\n---\n{TWO}"),
    (f"---\nwhen:\n    B: [I b]\nmode: dm\n---\n{TWO}", {"A": ["I a"]}, f"---\nwhen:\n    A:\n    - I a\n    B: [I b]\nmode: dm\n---\n{TWO}"),
    (f"---\nwhen:\n  A:\n  - I a\n\n# who\nmode: dm\n---\n{TWO}", {"B": ["I b"]}, f"---\nwhen:\n  A:\n  - I a\n  B:\n  - I b\n\n# who\nmode: dm\n---\n{TWO}"),
    (f"---\nwhen:\n  # of B\n  B: I b\n---\n{TWO}", {"A": ["I a"]}, f"---\nwhen:\n  A:\n  - I a\n  # of B\n  B: I b\n---\n{TWO}"),
    (f"---\n...\n{TWO}", {"A": ["I a"]}, f"---\nwhen:\n  A:\n  - I a\n...\n{TWO}"),
    (f"---\n\ntext\n\n{TWO}", {"A": ["I a"]}, f"---\nwhen:\n  A:\n  - I a\n---\n---\n\ntext\n\n{TWO}"),
    (f"\ufeff{TWO}".replace("\n", "\r\n"), {"A": ["I a"]}, f"\ufeff---\nwhen:\n  A:\n  - I a\n---\n{TWO}".replace("\n", "\r\n")),
    (f"---\nmode: dm\n---\n{TWO}".replace("\n", "\r"), {"A": ["I a"]}, f"---\nmode: dm\nwhen:\n  A:\n  - I a\n---\n{TWO}".replace("\n", "\r")),
    ("one", {"": ["I a"]}, "---\nwhen:\n- I a\n---\none"),
    (f"---\nwhen:\n  Gone: I g\n---\n{TWO}", {"B": ["I b"], "A": ["I a"]}, f"---\nwhen:\n  Gone: I g\n  A:\n  - I a\n  B:\n  - I b\n---\n{TWO}"),
])
def test_where_lines_go(text: str, when: dict[str, list[str]], expected: str) -> None:
    made = with_lines(PromptFile("a.md", text), when)
    assert made == PromptFile("a.md", expected)
    assert body_of(made) == body_of(PromptFile("a.md", text))


@pytest.mark.parametrize(("text", "heading", "message"), [
    (f"---\nwhen: {{B: [I b]}}\n---\n{TWO}", "A", "a.md: when: is no mapping with each heading on a line of its own"),
    (f"---\nwhen:\n---\n{TWO}", "A", "delete the key where it says nothing"),
    (f"---\nwhen:\n  A: []\n---\n{TWO}", "A", "a.md: when: gives 'A' no line: delete the key"),
    (f"---\n{{mode: dm}}\n---\n{TWO}", "A", "to the front matter as it is written (the front matter in lines 1–6: is not YAML"),
    (f"---\n  mode: dm\n---\n{TWO}", "A", "to the front matter as it is written (the front matter in lines 1–6: is not YAML"),
    (f"---\nwhen:\n  A: |\n    I a\n    # not a comment\n---\n{TWO}", "B", "lines for 'B' cannot be added to the front matter as it is written"),
    ("# <<\n\none\n", "<<", "the merge key << is not taken"),
    ("x\n" * 12 + "# Audience: dm\n\none\n", "Audience: dm", "seems to say who may see the file"),
])
def test_what_cannot_be_added_is_told_before_anything_is_asked(text: str, heading: str, message: str) -> None:
    with pytest.raises(FrontMatterError, match=r"^a\.md: ") as raised:
        with_lines(PromptFile("a.md", text), {heading: ["I a"]})
    assert message in str(raised.value)
    found, left_out = lacking(version({"a.md": text}))
    assert heading not in {one.heading for one in found}
    assert message.removeprefix("a.md: ") in {one.heading: one.why for one in left_out}[heading]


@pytest.mark.parametrize(("text", "found", "left_out"), [
    (TWO, ["A", "B"], []), (f"---\nwhen:\n  B: I b\n---\n{TWO}", ["A"], []), (f"---\nwhen: I say\n---\n{TWO}", [], []),
    ("# A\n\n## B\n\ntwo\n\n# C\n", ["B"], []),
    ("# A\n\none\n\n## *B*\n\ntwo\n\n# B\n\nthree\n", ["A", "B"], []),
    (f"intro\n\n{TWO}", ["A", "B"], [""]), ("intro\n", [""], []), ("A long one. " * 200, [], [""]), ("", [], []),
])
def test_what_lacks_lines(text: str, found: list[str], left_out: list[str]) -> None:
    sections, without = lacking(version({"a.md": text}))
    assert ([one.heading for one in sections], [one.heading for one in without]) == (found, left_out)


def test_sections_under_the_same_words_are_one() -> None:
    (first, _), _ = lacking(version({"a.md": "# A\n\none\n\n- x\n- y\n\n# B\n\n## A\n\ntwo\n\n# C\n\nthree"}))
    assert (first.heading, first.path, first.text) == ("A", ("A",), "one\n- x\n- y\n\ntwo")


@given(st.one_of(st.sampled_from(sorted(ODD.values())), markdown, any_text))
def test_any_section_that_can_be_given_lines_is_found_by_them_and_nothing_else_changes(text: str) -> None:
    before = version({"a.md": text.encode("utf-8", "replace").decode()})
    try:
        sections, left_out = lacking(before)
    except FrontMatterError:
        return
    when = {one.heading: (f"I do the thing number {at}: 'so'",) for at, one in enumerate(sections)}
    made = with_lines(before.sources[0], when)
    after = version({"a.md": made.text})
    assert body_of(made) == body_of(before.sources[0])
    old, new = chunk_version(before), chunk_version(after)
    assert [[piece.text for piece in chunk.pieces] for chunk in old] == [[piece.text for piece in chunk.pieces] for chunk in new]
    indexed = {line for passage in passages(new) for line in passage.also}
    assert indexed >= {line for lines in when.values() for line in lines}
    assert lacking(after) == ((), left_out)
    assert not [f for f in lint(after).findings if f.rule in {"when", "front-matter"} and f not in lint(before).findings]


names = st.one_of(st.sampled_from(("a b.md", 'a"b.md', "a\\b.md", "x/ü🐉.md", "x/y/-z.md")), st.just("a.md"))


@pytest.mark.parametrize("tool", APPLIED, ids=lambda tool: tool[0])
@given(names, st.sampled_from(("\n", "\r\n")), st.booleans(), st.one_of(markdown, st.sampled_from(sorted(ODD.values()))))
def test_tools_take_the_diff(tmp_path: Path, tool: list[str], name: str, ending: str, ended: bool, text: str) -> None:
    text = text.encode("utf-8", "replace").decode().replace("\n", ending).rstrip("\r\n") + ending * ended
    source = PromptFile(name, text)
    try:
        sections = lacking(version({name: text}))[0]
        after = with_lines(source, {one.heading: ("I try",) for one in sections})
    except FrontMatterError:
        return
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    if diff := unified(name, text, after.text):
        applied(tmp_path, tool, diff)
    assert path.read_bytes() == after.text.encode()
