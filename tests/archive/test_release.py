"""Loading a release: whole or not at all, every damaged artifact named, a newer one taken up."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings, build_prompt_index
from mvp_site.archive.release import ArchiveRelease as Loaded
from mvp_site.archive.release import load_release
from mvp_site.archive.versions import FORMAT, store_of
from mvp_site.errors import CorruptIndexError
from mvp_site.releases.bundles import building

from ..conftest import RememberingEncoder, settings_under, write_archive

pytestmark = pytest.mark.serving


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A built index that no test may change."""
    root = tmp_path_factory.mktemp("pristine")
    write_archive(root)
    settings = settings_under(root)
    build_prompt_index(settings, encoder=RememberingEncoder())
    return settings


@pytest.fixture
def index_dir(pristine: Settings, tmp_path: Path) -> Path:
    """A copy of the built index that a test may damage."""
    return Path(shutil.copytree(pristine.prompt_index_dir, tmp_path / "index"))


def load(index_dir: Path) -> Loaded:
    return load_release(index_dir, "dec_2025")


def folder_of(index_dir: Path) -> Path:
    return index_dir / "dec_2025" / str(store_of(index_dir, "dec_2025").current())


@pytest.mark.parametrize("damage", ["removed", "truncated", "one bit flipped"])
def test_every_damaged_artifact_is_named(index_dir: Path, damage: str) -> None:
    artifacts = sorted(folder_of(index_dir).iterdir())
    assert len(artifacts) > 10
    for path in artifacts:
        whole = path.read_bytes()
        half = len(whole) // 2
        path.unlink()
        if damage != "removed":
            path.write_bytes(whole[:half] + (b"" if damage == "truncated" else bytes([whole[half] ^ 1]) + whole[half + 1 :]))
        with pytest.raises(CorruptIndexError, match=f"{re.escape(str(path))}.*mvp-site index build --version dec_2025 --force"):
            load(index_dir)
        path.write_bytes(whole)
    load(index_dir)


NO_FIT = "its files do not fit together"
MANIFESTS: list[tuple[str, object, str]] = [
    ("format", FORMAT + 1, f"has format {FORMAT + 1}, this program reads {FORMAT}"), ("format", None, "has format None"),
    ("version", "mar_2026", "is a release of version 'mar_2026'"), ("floors", {"both": 0.1}, NO_FIT), ("floors", None, NO_FIT),
    ("weights", {"dense": "much"}, NO_FIT), ("delimiter_tokens", None, NO_FIT), ("encoder", None, NO_FIT),
]
FILES: list[tuple[str, bytes | None]] = [
    *((name, None) for name in ("meta.jsonl", "core_header.txt", "windows.faiss", "topicality.npy")),
    ("meta.jsonl", b"{}\n"), ("meta.jsonl", b"not json\n"), ("meta.jsonl", b""), ("core_header.txt", b"\xff"),
    ("windows.faiss", b"not an index"), ("bm25_data.npy", b""), ("topicality.npy", b""),
]


@pytest.mark.parametrize(("key", "value", "message"), MANIFESTS, ids=str)
def test_a_manifest_that_another_program_wrote_is_told(index_dir: Path, key: str, value: object, message: str) -> None:
    assert_told(index_dir, message, lambda manifest, files: manifest.update({key: value}))


@pytest.mark.parametrize(("name", "content"), FILES, ids=str)
def test_a_file_that_another_program_wrote_is_told(index_dir: Path, name: str, content: bytes | None) -> None:
    assert_told(index_dir, NO_FIT, lambda manifest, files: files.pop(name) if content is None else files.update({name: content}))


def assert_told(index_dir: Path, message: str, change: Callable[[dict[str, Any], dict[str, bytes]], object]) -> None:
    """The release again under a valid seal, with ``change`` made to its manifest or files, is refused."""
    store = store_of(index_dir, "dec_2025")
    bundle = store.load()
    manifest, files = dict(bundle.manifest), dict(bundle.files)
    del manifest["checksums"]
    change(manifest, files)
    with building(store.folder):
        store.publish(manifest, files)
    with pytest.raises(CorruptIndexError, match=rf"{re.escape(message)}.*mvp-site index build"):
        load(index_dir)
