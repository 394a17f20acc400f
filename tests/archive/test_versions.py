"""Versions: found by name, read safely, hashed by content; what is wrong is named with its remedy."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mvp_site import Settings, build_prompt_index
from mvp_site.archive import versions
from mvp_site.archive.versions import default_version, newest, read_version, resolve_version
from mvp_site.errors import ArchiveError, EmptyArchiveError, UnknownVersionError

from ..conftest import settings_under
from ..hashing import HashingEncoder

BAD_NAMES = [
    "../../etc", "..", ".", "dec_2025/..", "/etc", "dec_2025/", " dec_2025", "dec_2025\n", "dec\x002025",
    "nope", ".hidden", "a" * 65, "dec_2025 ", "C:\\x", "%2e%2e", "ｄec_2025",
]


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_a_version_that_is_none_is_refused_and_the_others_are_listed(make_settings: Callable[..., Settings], name: str) -> None:
    for settings, argument in ((make_settings(), name), (make_settings(prompt_version=name), None)):
        with pytest.raises(UnknownVersionError, match=r"existing versions: dec_2025, mar_2026\. .*--version or PROMPT_VERSION"):
            resolve_version(settings, argument)
    with pytest.raises(UnknownVersionError, match=r"has no version .*; it has: dec_2025, mar_2026"):
        read_version(make_settings(), name)


def test_without_any_version_the_place_that_was_searched_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownVersionError, match=re.escape(f"none (looked in {tmp_path / 'prompt_archive'})")):
        resolve_version(settings_under(tmp_path))


@pytest.mark.parametrize(("heads", "expected"), [
    ({"v1": ""}, "v1"), ({"dec_2025": "", "mar_2026": "", "feb_2026": ""}, "mar_2026"), ({"one": "", "two": ""}, "two"),
    ({"alpha": "---\ndate: 2026-05-01\n---\n", "beta": "---\ndate: 2026-04-30\n---\n", "mar_2026": ""}, "alpha"),
    ({"alpha": "---\ndate: 2026-05-01\n---\n", "beta": "---\nmode: dm\ndate: '2026-05-01'\n---\n"}, "beta"),
    ({"alpha": "---\nmode: dm\n---\ndate: 2027-01-01\n", "jan_2026": ""}, "jan_2026"),
])
def test_without_a_name_the_newest_version_is_meant(tmp_path: Path, heads: dict[str, str], expected: str) -> None:
    settings = settings_under(tmp_path, prompt_version=None)
    for name, head in heads.items():
        folder = settings.prompt_archive_dir / name
        folder.mkdir(parents=True)
        (folder / "core_header.txt").write_text("Be kind.\n")
        (folder / "a.md").write_text(f"{head}# A\n\ntext")
        (folder / "b.md").write_text("text")
    assert resolve_version(settings) == expected
    build_prompt_index(settings, min(heads), encoder=HashingEncoder())  # what is being written takes no game over
    assert (default_version(settings), newest(settings)) == (min(heads), expected)


CHANGES: list[tuple[Callable[[Path], object], bool]] = [
    (lambda a: os.utime(a / "dec_2025/mechanics.md", (1, 1)), True), (lambda a: (a / "dec_2025/notes.txt").write_text("x"), True),
    (lambda a: (a / "mar_2026/mechanics.md").write_text("x"), True), (lambda a: (a / "dec_2025/mechanics.md").write_text("x"), False),
    (lambda a: (a / "dec_2025/mechanics.md").rename(a / "dec_2025/rules.md"), False), (lambda a: (a / "dec_2025/mechanics.md").unlink(), False),
    (lambda a: (a / "core_header.txt").write_text("Other rules."), False), (lambda a: (a / "dec_2025/core_header.txt").write_text("Other rules."), False),
]


@pytest.mark.parametrize(("change", "same"), CHANGES)
def test_the_hash_is_of_the_content(settings: Settings, archive: Path, change: Callable[[Path], object], same: bool) -> None:
    before = read_version(settings, "dec_2025").archive_hash
    change(archive)
    assert (read_version(settings, "dec_2025").archive_hash == before) is same


FAULTS: list[tuple[Callable[[Path], object], type[Exception], str]] = [
    (lambda a: [p.write_text(" \n") for p in (a / "dec_2025").rglob("*.md")], EmptyArchiveError, "has no *.md file with text: add one, then build again"),
    (lambda a: [p.unlink() for p in (a / "dec_2025").rglob("*.md")], EmptyArchiveError, "dec_2025 has no *.md file with text"),
    (lambda a: (a / "dec_2025/mechanics.md").write_bytes(b"ab\xff\xfec"), ArchiveError, "mechanics.md is not UTF-8 at byte 2: save it as UTF-8"),
    (lambda a: (a / "dec_2025/mechanics.md").write_bytes(b"a" * (versions.MAX_FILE_BYTES + 1)), ArchiveError, "mechanics.md is over 16 MiB: split it"),
    (lambda a: (a / "core_header.txt").write_bytes(b"\xd8\x00"), ArchiveError, "is not UTF-8 at byte 0"),
    (lambda a: (a / "core_header.txt").write_text(" \n"), ArchiveError, "core_header.txt is empty: the core header must stand in every prompt"),
    (lambda a: (a / "core_header.txt").unlink(), ArchiveError, "there is no core header: write "),
]


@pytest.mark.parametrize(("change", "error", "message"), FAULTS)
def test_what_cannot_be_read_is_named_with_its_remedy(
    settings: Settings, archive: Path, change: Callable[[Path], object], error: type[Exception], message: str
) -> None:
    change(archive)
    with pytest.raises(error, match=re.escape(message)):
        read_version(settings, "dec_2025")
