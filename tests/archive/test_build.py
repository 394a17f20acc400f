"""Building a version: what is encoded, what is published, and what bad input is told."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mvp_site import Settings, build_prompt_index
from mvp_site.archive import build, floors, turn_classifiers, versions
from mvp_site.archive.release import load_release, read_manifest
from mvp_site.archive.versions import read_version, store_of
from mvp_site.errors import EmptyArchiveError
from mvp_site.retrieval.encoder import OnnxEncoder

from ..conftest import HEADER, RememberingEncoder
from ..few_utterances import LEANING, TOPICS
from ..hashing import HashingEncoder

PROBES = 24
SHIPPED = PROBES + sum(len(topic.says) + 1 for topic in TOPICS) + sum(map(len, LEANING))
"""The texts of the probes and of the utterances."""


@pytest.fixture(autouse=True)
def _short_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few probes: most of a small build are these."""
    probes = build.load_off_topic()[:PROBES]
    monkeypatch.setattr(build, "load_off_topic", lambda of="": () if of else probes)
    monkeypatch.setattr(turn_classifiers, "groups", lambda: LEANING)


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_build_publishes_a_release_and_with_nothing_changed_there_is_nothing_to_do(settings: Settings, encoder: HashingEncoder) -> None:
    told: list[tuple[str, int, int]] = []
    manifest = build_prompt_index(settings, encoder=encoder, progress=lambda *args: told.append(args))
    assert (manifest.built, manifest.version, manifest.encoder) == (True, "dec_2025", encoder.fingerprint)
    assert manifest.encoded == encoder.encoded > 0
    assert manifest.archive_hash == read_version(settings, "dec_2025").archive_hash
    assert manifest.header_sha256 == hashlib.sha256(HEADER.encode()).hexdigest()
    assert store_of(settings.prompt_index_dir, "dec_2025").current() == manifest.fingerprint
    assert len({stage for stage, *_ in told}) >= 3
    assert all(0 <= done <= of for _, done, of in told)
    assert load_release(settings.prompt_index_dir, "dec_2025").manifest == replace(manifest, built=False, encoded=0)
    before, encoded = tree(settings.prompt_index_dir), encoder.encoded
    assert build_prompt_index(settings, encoder=encoder) == replace(manifest, built=False, encoded=0)
    assert (tree(settings.prompt_index_dir), encoder.encoded) == (before, encoded)
    forced = build_prompt_index(settings, encoder=encoder, force=True)
    assert forced == replace(manifest, encoded=manifest.encoded - SHIPPED)
    assert tree(settings.prompt_index_dir) == before


@pytest.mark.parametrize(("change", "count"), [
    (lambda archive: (archive / "core_header.txt").write_text("Another header.\n"), 0),
    (lambda archive: (archive / "dec_2025/core_header.txt").write_text("Its own.\n"), 0), (lambda archive: (archive / "dec_2025/world/harbour.md").unlink(), 0),
    (lambda archive: edit(archive / "dec_2025/mechanics.md", "fifty", "sixty"), 1),
    (lambda archive: edit(archive / "dec_2025/protocols.md", "mode: god", "mode: dm"), 0),
    (lambda archive: (archive / "dec_2025/new.md").write_text("# New\n\nA new rule.\n"), 1),
], ids=["header", "own header", "removed", "edited", "tags", "added"])
def test_a_change_encodes_what_is_new_and_gives_the_bytes_of_a_fresh_build(
    settings: Settings, archive: Path, encoder: HashingEncoder, change: Callable[[Path], object], count: int
) -> None:
    first = build_prompt_index(settings, encoder=encoder)
    change(archive)
    manifest = build_prompt_index(settings, encoder=encoder)
    assert (manifest.built, manifest.encoded) == (True, count)
    assert manifest.fingerprint != first.fingerprint
    fresh = replace(settings, prompt_index_dir=archive.parent / "elsewhere")
    assert build_prompt_index(fresh, encoder=RememberingEncoder()).fingerprint == manifest.fingerprint
    kept, new = (tree(place.prompt_index_dir / "dec_2025" / manifest.fingerprint) for place in (settings, fresh))
    assert kept == new


BUILD = """
import sys
from pathlib import Path
from mvp_site import Settings, build_prompt_index
from tests.hashing import HashingEncoder
archive, index = map(Path, sys.argv[1:])
settings = Settings(prompt_version="dec_2025", prompt_archive_dir=archive, prompt_index_dir=index)
build_prompt_index(settings, encoder=HashingEncoder(384))
"""


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["PYTHONHASHSEED", "OPENBLAS_NUM_THREADS"])
def test_the_bytes_do_not_depend_on_the_hash_seed_or_the_threads(archive: Path, variable: str) -> None:
    for value in ("1", "2"):
        command = [sys.executable, "-W", "ignore", "-c", BUILD, str(archive), str(archive.parent / value)]
        subprocess.run(command, capture_output=True, check=True, env={**os.environ, variable: value})
    first, second = (tree(archive.parent / value) for value in ("1", "2"))
    assert [file for file in first if first[file] != second.get(file)] == []


@pytest.mark.parametrize("file", ["windows.faiss", "meta.jsonl", "core_header.txt", "manifest.json"])
@pytest.mark.parametrize("damage", ["removed", "altered"])
def test_a_build_mends_a_damaged_release(settings: Settings, encoder: HashingEncoder, file: str, damage: str) -> None:
    first = build_prompt_index(settings, encoder=encoder)
    path = settings.prompt_index_dir / "dec_2025" / first.fingerprint / file
    content = path.read_bytes()
    path.unlink()
    if damage == "altered":
        path.write_bytes(content[:-1] + b"~")
    assert build_prompt_index(settings, encoder=encoder).fingerprint == first.fingerprint
    assert path.read_bytes() == content


def test_a_release_of_another_format_is_built_anew(settings: Settings, encoder: HashingEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        for module in (build, versions):
            older.setattr(module, "FORMAT", 0)
        old = build_prompt_index(settings, encoder=encoder)
    new = build_prompt_index(settings, encoder=encoder)
    assert (new.built, new.fingerprint != old.fingerprint) == (True, True)


def test_with_nothing_to_do_no_encoder_is_opened(settings: Settings, real_encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build_prompt_index(settings, encoder=real_encoder).built
    monkeypatch.setattr(OnnxEncoder, "open", lambda *_: pytest.fail("an encoder is opened"))
    assert not build_prompt_index(settings).built


def test_a_version_of_front_matter_alone_is_empty(settings: Settings, archive: Path, encoder: HashingEncoder) -> None:
    (archive / "empty").mkdir()
    (archive / "empty/a.md").write_text("---\ndomain: mechanics\n---\n")
    with pytest.raises(EmptyArchiveError, match="version 'empty' has no text to index"):
        build_prompt_index(settings, "empty", encoder=encoder)


@pytest.mark.parametrize(("passages", "shipped"), [(14, True), (15, False)])
def test_a_version_of_few_passages_has_the_shipped_floor(settings: Settings, archive: Path, encoder: HashingEncoder, passages: int, shipped: bool) -> None:
    for file in (archive / "dec_2025").rglob("*.md"):
        file.unlink()
    for number in range(passages):
        (archive / "dec_2025" / f"{number:02}.md").write_text(f"# Berth {number}\n\nA truck of {number} tons docks.\n")
    manifest = build_prompt_index(settings, encoder=encoder)
    assert (manifest.passages, manifest.floors_from) == (passages, "shipped" if shipped else "probes")
    assert (manifest.floors == floors.SHIPPED) is shipped
    assert read_manifest(settings.prompt_index_dir, "dec_2025").floors_from == manifest.floors_from  # type: ignore[union-attr]
