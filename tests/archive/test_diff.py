"""Diff: what changed between two versions, section by section."""

from __future__ import annotations

from hypothesis import given

from mvp_site.archive.diff import diff
from mvp_site.errors import FrontMatterError

from ..texts import markdown
from .test_passages import version


@given(markdown, markdown)
def test_a_diff_and_its_reverse_mirror_each_other(one: str, other: str) -> None:
    try:
        there, back = (diff(version({"a.md": a}), version({"a.md": b})) for a, b in ((one, other), (other, one)))
    except FrontMatterError:
        return
    mirror = {"added": "removed", "removed": "added", "same": "same", "changed": "changed"}
    assert {(s.section, mirror[s.change]) for s in there.sections} == {(s.section, s.change) for s in back.sections}
