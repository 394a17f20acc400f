"""Diff: how two versions differ, section by section."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

from .passages import section_texts
from .versions import Version

Change = Literal["same", "changed", "removed", "added"]


@dataclass(frozen=True, slots=True)
class SectionChange:
    """One section of a file in two versions; ``similarity`` in [0, 1] of a changed one's words."""

    file: str
    section: tuple[str, ...]
    change: Change
    similarity: float


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """All sections of both versions, in order of file and place, and whether the headers differ."""

    before: str
    after: str
    header_changed: bool
    sections: tuple[SectionChange, ...]

    def count(self, change: Change) -> int:
        """How many sections have this change."""
        return sum(section.change == change for section in self.sections)

    @property
    def changed_share(self) -> float:
        """The part of the shared sections that differ, in [0, 1]."""
        shared = self.count("same") + self.count("changed")
        return self.count("changed") / shared if shared else 0.0


def diff(before: Version, after: Version) -> VersionDiff:
    """How ``after`` differs from ``before``; a section is named by its file and heading path."""
    old, new = _sections(before), _sections(after)
    changes = [
        SectionChange(*key, *_compared(old.get(key), new.get(key)))
        for key in old | new
    ]
    changes.sort(key=lambda change: change.file)
    return VersionDiff(before.name, after.name, before.header != after.header, tuple(changes))


def _compared(old: str | None, new: str | None) -> tuple[Change, float]:
    if old is None:
        return "added", 0.0
    if new is None:
        return "removed", 0.0
    if old == new:
        return "same", 1.0
    ratio = difflib.SequenceMatcher(None, old.split(), new.split(), autojunk=False).ratio()
    return "changed", round(ratio, 3)


def _sections(version: Version) -> dict[tuple[str, tuple[str, ...]], str]:
    """The text right under each heading that has some, by (file, heading path)."""
    return {
        (source.file, path): "\n".join(" ".join(text.split()) for text in texts)
        for source in version.sources for path, texts in section_texts(source).items()
    }
