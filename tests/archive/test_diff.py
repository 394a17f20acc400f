"""Diff: what changed between two versions, section by section."""

from __future__ import annotations

import pytest
from hypothesis import given

from mvp_site.archive.diff import SectionChange, diff
from mvp_site.errors import FrontMatterError

from ..texts import markdown
from .test_passages import version

OLD = {"a.md": "intro\n\n# A\n\none two three four\n\n## B\n\nsame\n\n## Gone\n\nx", "gone.md": "# G\n\nx"}
NEW = {"a.md": "---\nmode: dm\n---\nintro\n\n# A\n\none two three five\n\n## B\n\nsame\n\n## New\n\ny", "new.md": "# N\n\ny"}


def test_sections_are_compared_by_file_and_heading_path() -> None:
    found = diff(version(OLD, "dec_2025"), version(NEW, "mar_2026"))
    assert (found.before, found.after, found.header_changed) == ("dec_2025", "mar_2026", False)
    assert set(found.sections) == {
        SectionChange("a.md", (), "same", 1.0), SectionChange("a.md", ("A",), "changed", 0.75), SectionChange("a.md", ("A", "B"), "same", 1.0),
        SectionChange("a.md", ("A", "Gone"), "removed", 0.0), SectionChange("a.md", ("A", "New"), "added", 0.0),
        SectionChange("gone.md", ("G",), "removed", 0.0), SectionChange("new.md", ("N",), "added", 0.0),
    }
    assert [s.file for s in found.sections] == sorted(s.file for s in found.sections)
    assert found.changed_share == pytest.approx(1 / 3)


@pytest.mark.parametrize(("old", "new", "change"), [
    ("# A\n\none\ntwo", "# A\r\n\r\none two\r\n", "same"), ("# A\n\none", "A\n=\n\none", "same"), ("# A\n\none", "# A\n\nOne", "changed"),
    ("# A\n\n| x | 1 |\n|---|---|\n| y | 2 |", "# A\n\n| x | 1 |\n|---|---|\n| y | 3 |", "changed"),
    ("# A\n\none\n\n# A\n\ntwo", "# A\n\none two", "changed"),
])
def test_what_counts_as_a_change(old: str, new: str, change: str) -> None:
    found = diff(version({"a.md": old}), version({"a.md": new}))
    assert [s.change for s in found.sections] == [change]


@given(markdown, markdown)
def test_a_diff_and_its_reverse_mirror_each_other(one: str, other: str) -> None:
    try:
        there, back = (diff(version({"a.md": a}), version({"a.md": b})) for a, b in ((one, other), (other, one)))
    except FrontMatterError:
        return
    mirror = {"added": "removed", "removed": "added", "same": "same", "changed": "changed"}
    assert {(s.section, mirror[s.change]) for s in there.sections} == {(s.section, s.change) for s in back.sections}
