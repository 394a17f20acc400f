"""The release store: published atomically, named by content, kept as many as asked for."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from mvp_site.errors import CorruptIndexError, MissingIndexError
from mvp_site.releases import store as module
from mvp_site.releases.bundles import MANIFEST, Bundle, building
from mvp_site.releases.store import ReleaseStore

pytestmark = pytest.mark.serving

FILES = {"one.txt": b"the first file\n", "two.bin": bytes(range(256))}


@pytest.fixture
def store(tmp_path: Path) -> ReleaseStore:
    return ReleaseStore(tmp_path / "store", "the book", "mvp-site book build", 1, "BOOK_DIR")


def publish(store: ReleaseStore, edition: int, kept: int = 2) -> str:
    """Publish an edition, as if a clock had ticked since the one before; its name."""
    with building(store.folder):
        name = store.publish({"format": 1, "edition": edition}, FILES, kept)
    os.utime(store.folder / name / MANIFEST, (edition, edition))
    return name


def names(store: ReleaseStore) -> set[str]:
    return {path.name for path in store.folder.iterdir()} - {".lock", "CURRENT"}


def test_what_is_published_is_served_under_the_name_of_its_content(store: ReleaseStore) -> None:
    with pytest.raises(MissingIndexError, match=r"no release of the book under .*: mvp-site book build .*BOOK_DIR"):
        store.load()
    name = publish(store, 1)
    bundle = store.load()
    assert (bundle.name, dict(bundle.files), bundle.manifest["edition"]) == (name, FILES, 1)
    assert (store.folder / "CURRENT").read_text() == f"{name}\n"
    assert store.current() == name == store.names()[0]
    assert re.fullmatch("[0-9a-f]{16}", name)


def test_as_many_are_kept_as_are_asked_for_and_the_one_before_in_any_case(store: ReleaseStore) -> None:
    first, second, third = (publish(store, number) for number in (1, 2, 3))
    assert names(store) == {second, third}
    assert publish(store, 2) == second
    assert names(store) == {second, third}
    fourth, fifth = publish(store, 4, kept=3), publish(store, 5, kept=3)
    assert names(store) == {third, fourth, fifth}
    assert store.load(fourth).name == fourth
    with pytest.raises(MissingIndexError, match=f"release {first} of the book is no longer kept"):
        store.load(first)


def test_content_that_does_not_give_its_name_is_refused(store: ReleaseStore) -> None:
    first, second = publish(store, 1), publish(store, 2)
    shutil.rmtree(store.folder / second)
    shutil.copytree(store.folder / first, store.folder / second)
    with pytest.raises(CorruptIndexError, match=f"{second} holds the release {first}, not its own; build again: mvp-site book build --force"):
        store.load()
    assert [bundle.name for bundle in store.loadable()] == [first]
    publish(store, 3)
    assert store.load().manifest["edition"] == 3


def test_a_release_of_another_format_or_that_does_not_fit_is_refused(store: ReleaseStore) -> None:
    publish(store, 1)
    bundle = store.load()
    assert store.read(bundle, lambda given: given.manifest["edition"]) == 1
    with pytest.raises(CorruptIndexError, match=r"of the book: its files do not fit together \(KeyError: 'no'\); build again"):
        store.read(bundle, lambda given: given.files["no"])
    other = Bundle("x", {"format": 2}, {})
    with pytest.raises(CorruptIndexError, match="release x of the book has format 2, this program reads 1"):
        store.read(other, lambda given: given)


def test_everything_is_flushed_before_it_is_named(store: ReleaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut keeps renames that outran their files: each fsync has to come first."""
    publish(store, 1)
    log: list[tuple[str, str]] = []
    fsync = os.fsync

    def logged_fsync(handle: int) -> None:
        log.append(("fsync", Path(f"/proc/self/fd/{handle}").readlink().name))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", logged_fsync)
    for move in (os.rename, os.replace):
        monkeypatch.setattr(os, move.__name__, lambda old, new, move=move: (log.append(("rename", new.name)), move(old, new)))
    name, pid = publish(store, 2), os.getpid()
    placed, served = log.index(("rename", name)), log.index(("rename", "CURRENT"))
    assert {("fsync", file) for file in (*FILES, "manifest.json")} <= set(log[:placed])
    assert log[placed - 1] == ("fsync", f".staging-{name}-{pid}")
    assert log[placed + 1 : served] == [("fsync", "store"), ("fsync", f"CURRENT.new-{pid}")]
    assert log[served + 1 :] == [("fsync", "store")]


@pytest.mark.parametrize(("content", "told"), [
    (b"\xff\xfe\x00", "CURRENT names no release"), (b"firs", "firs/manifest.json is missing"),
    (b"first\nsecond", "CURRENT names no release"), (b"../../../etc", "CURRENT names no release"),
    (b"a\0b", "CURRENT names no release"), (b"", "CURRENT names no release"),
    (b"x" * 90, "x/manifest.json is missing"), (b"x" * 10_000_000, "CURRENT names no release"), (None, "CURRENT cannot be read"),
], ids=lambda value: ascii(value)[:16])
def test_a_damaged_pointer_is_told_with_the_command_that_mends_it(store: ReleaseStore, content: bytes | None, told: str) -> None:
    name, pointer = publish(store, 1), store.folder / "CURRENT"
    seen = store.pointed()
    pointer.unlink()
    if content is None:
        pointer.mkdir()  # stands for every failure to read: access rights, a bad sector
    else:
        pointer.write_bytes(content)
    with pytest.raises(CorruptIndexError, match=f"{told}.*build again: mvp-site book build --force"):
        store.load()
    assert publish(store, 1) == name
    assert store.load().name == name
    assert store.pointed() != seen


def test_every_flipped_bit_of_the_pointer_is_told(store: ReleaseStore) -> None:
    publish(store, 1)
    pointer = store.folder / "CURRENT"
    whole = pointer.read_bytes()
    for bit in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        pointer.write_bytes(changed)
        if changed.strip() != whole.strip():  # one white space for another is no harm
            with pytest.raises(CorruptIndexError, match=re.escape(str(store.folder))):
                store.load()


def test_a_folder_that_is_not_there_has_no_releases(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "nowhere", tmp_path / "file"):
        store = ReleaseStore(folder, "the book", "build", 1)
        assert (store.current(), store.names(), store.pointed()) == (None, [], (0, 0))


def test_a_release_that_is_replaced_while_it_loads_is_loaded_anew(store: ReleaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first, read = publish(store, 1), module.read_bundle
    second = ""

    def replaced(folder: Path, name: str, mend: str) -> Bundle:
        nonlocal second
        if name == first:
            second = publish(store, 2)
            shutil.rmtree(folder / first)
        return read(folder, name, mend)

    monkeypatch.setattr(module, "read_bundle", replaced)
    assert store.load().name == second


def test_a_store_that_never_rests_is_given_up_at_last(store: ReleaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(store, 1)
    loads: list[str] = []

    def moving(folder: Path, name: str, mend: str) -> Bundle:
        loads.append(name)
        (folder / "CURRENT").write_text(f"release-{len(loads)}\n")
        raise CorruptIndexError(f"{name} is missing")

    monkeypatch.setattr(module, "read_bundle", moving)
    with pytest.raises(CorruptIndexError, match="is missing"):
        store.load()
    assert 2 <= len(loads) <= 10
