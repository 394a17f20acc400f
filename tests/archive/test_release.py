"""Loading a release: whole or not at all, every damaged artifact named, a newer one taken up."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings, build_prompt_index
from mvp_site.archive.release import Release as Loaded
from mvp_site.archive.release import load_release
from mvp_site.archive.versions import FORMAT, store_of
from mvp_site.errors import CorruptIndexError
from mvp_site.retrieval.releases.bundles import building
from mvp_site.types import AUDIENCES

from ..conftest import HEADER, RememberingEncoder, settings_under, write_archive

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


# --- a whole release ----------------------------------------------------------------------------


def test_a_release_holds_what_was_built(pristine: Settings) -> None:
    release = load(pristine.prompt_index_dir)
    assert release.version == "dec_2025"
    assert release.header == HEADER
    assert release.fingerprint == folder_of(pristine.prompt_index_dir).name
    assert len(release.chunks) == release.manifest.chunks
    assert release.sources.index.passages == release.manifest.passages == release.spans[-1].stop
    assert {chunk.file for chunk in release.chunks} == {
        "mechanics.md",
        "narrative.md",
        "protocols.md",
        "world/harbour.md",
    }


def test_pieces_chunks_and_ranks_belong_together(pristine: Settings) -> None:
    release = load(pristine.prompt_index_dir)
    for number, chunk in enumerate(release.chunks):
        span = release.spans[number]
        assert (span.start, span.stop - span.start) == (release.first_piece[number], len(chunk.pieces))
        assert AUDIENCES[release.audience_rank[number]] == chunk.audience
    assert [c.audience for c in release.chunks if c.file == "world/harbour.md"] == ["dm"]


def test_the_header_comes_from_the_release_not_from_the_archive(tmp_path: Path) -> None:
    archive = write_archive(tmp_path)
    (archive / "core_header.txt").write_bytes(b"\xef\xbb\xbfLine one.\r\n\tLine two. \n\n")
    settings = settings_under(tmp_path)
    build_prompt_index(settings, encoder=RememberingEncoder())
    shutil.rmtree(archive)
    header = load(settings.prompt_index_dir).header
    assert header.encode() == b"\xef\xbb\xbfLine one.\r\n\tLine two. \n\n"


# --- no release ---------------------------------------------------------------------------------


# --- damage -------------------------------------------------------------------------------------


def middle_flipped(content: bytes) -> bytes:
    changed = bytearray(content)
    changed[len(changed) // 2] ^= 1
    return bytes(changed)


DAMAGE: Mapping[str, Callable[[bytes], bytes | None]] = {
    "removed": lambda content: None,
    "emptied": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one bit flipped": middle_flipped,
    "zeroed": lambda content: bytes(len(content)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_every_damaged_artifact_is_named(index_dir: Path, damage: str) -> None:
    folder = folder_of(index_dir)
    artifacts = sorted(folder.iterdir())
    assert len(artifacts) > 10
    for path in artifacts:
        whole = path.read_bytes()
        changed = DAMAGE[damage](whole)
        path.unlink()
        if changed is not None:
            path.write_bytes(changed)
        if path.name == "manifest.json" and damage == "one byte short":
            load(index_dir)  # that byte is the newline at its end
        else:
            with pytest.raises(CorruptIndexError) as caught:
                load(index_dir)
            assert str(path) in str(caught.value)
            assert "mvp-site index build --version dec_2025 --force" in str(caught.value)
        path.write_bytes(whole)
    load(index_dir)


def resealed(index_dir: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> None:
    """The release again under a valid seal, with ``change`` made to its manifest or files."""
    store = store_of(index_dir, "dec_2025")
    bundle = store.load()
    manifest, files = dict(bundle.manifest), dict(bundle.files)
    del manifest["checksums"]
    change(manifest, files)
    with building(store.folder):
        store.publish(manifest, files)


def less(name: str) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    return lambda manifest, files: files.__delitem__(name)


def given(key: str, value: object) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    return lambda manifest, files: manifest.__setitem__(key, value)


def holding(name: str, content: bytes) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    return lambda manifest, files: files.__setitem__(name, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (given("format", FORMAT + 1), f"has format {FORMAT + 1}, this program reads {FORMAT}"),
        (given("format", None), "has format None"),
        (given("version", "mar_2026"), "is a release of version 'mar_2026'"),
        (given("floors", {"both": 0.1}), "its files do not fit together"),
        (given("floors", None), "its files do not fit together"),
        (given("fusion", {"sparse": 1}), "its files do not fit together"),
        (given("delimiter_tokens", None), "its files do not fit together"),
        (
            lambda manifest, files: manifest.__delitem__("encoder"),
            "its files do not fit together (KeyError: 'encoder')",
        ),
        (less("meta.jsonl"), "its files do not fit together (KeyError: 'meta.jsonl')"),
        (less("core_header.txt"), "its files do not fit together"),
        (less("windows.faiss"), "its files do not fit together"),
        (less("situations.json"), "its files do not fit together"),
        (holding("meta.jsonl", b"{}\n"), "its files do not fit together"),
        (holding("meta.jsonl", b"not json\n"), "its files do not fit together"),
        (holding("meta.jsonl", b""), "its files do not fit together"),
        (holding("core_header.txt", b"\xff"), "its files do not fit together"),
        (holding("windows.faiss", b"not an index"), "its files do not fit together"),
        (holding("bm25_data.npy", b""), "its files do not fit together"),
        (holding("situations.json", b"[]"), "its files do not fit together"),
    ],
)
def test_a_release_that_another_program_wrote_is_told(
    index_dir: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None], message: str
) -> None:
    resealed(index_dir, change)
    with pytest.raises(CorruptIndexError) as caught:
        load(index_dir)
    assert message in str(caught.value)
    assert "mvp-site index build" in str(caught.value)
