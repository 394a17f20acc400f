"""Artifacts on disk: verified on load, published atomically, one builder at a time."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import BuildError, CorruptIndexError, MvpSiteError
from mvp_site.retrieval import release_store as disk

pytestmark = pytest.mark.serving

FILES = {"one.txt": b"the first file\n", "two.bin": bytes(range(256)), "empty.txt": b""}
MANIFEST = {"format": 1, "floor": 0.25, "name": "Saltmere – the harbour"}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcdé"), inner),
    max_leaves=12,
)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A shelf that serves the release ``first``."""
    shelf = tmp_path / "shelf"
    publish(shelf, "first")
    return shelf


def publish(shelf: Path, name: str, files: dict[str, bytes] | None = None) -> None:
    with disk.building(shelf):
        disk.publish(shelf, name, MANIFEST, FILES if files is None else files)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".lock"}


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": [1, 2.5, None, True]}, b'{"a":[1,2.5,null,true],"b":1}'),
        ({"é": "–"}, '{"é":"–"}'.encode()),
        ([], b"[]"),
        (("a", "b"), b'["a","b"]'),
    ],
)
def test_canonical_bytes(value: Any, expected: bytes) -> None:
    assert disk.canonical(value) == expected


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON))
def test_canonical_and_seal_forget_the_order_of_keys_and_nothing_else(
    value: dict[str, Any],
) -> None:
    turned = dict(reversed(value.items()))
    assert disk.canonical(turned) == disk.canonical(value)
    assert disk.seal(turned) == disk.seal(value)
    assert json.loads(disk.canonical(value)) == value
    assert disk.seal({**value, "one more": 1}) != disk.seal(value)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON))
def test_a_seal_survives_the_manifest_file(value: dict[str, Any]) -> None:
    assert disk.seal(json.loads(disk.pretty(value))) == disk.seal(value)


def test_digest_is_sha256() -> None:
    assert disk.digest(b"abc").startswith("ba7816bf8f01cfea")


# --- publish and prune --------------------------------------------------------------------------


def test_what_is_published_loads(shelf: Path) -> None:
    assert disk.current(shelf) == "first"
    bundle = disk.load(shelf, "first")
    assert bundle.name == "first"
    assert dict(bundle.files) == FILES
    assert {key: bundle.manifest[key] for key in MANIFEST} == MANIFEST
    assert "seal" not in bundle.manifest
    assert bundle.manifest["checksums"]["one.txt"] == {
        "sha256": disk.digest(FILES["one.txt"]),
        "bytes": 15,
    }


def test_the_manifest_on_disk_is_for_people_and_ends_in_a_newline(shelf: Path) -> None:
    text = (shelf / "first/manifest.json").read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert "Saltmere – the harbour" in text


def test_nothing_but_releases_and_the_pointer_stays(shelf: Path) -> None:
    assert names(shelf) == {"CURRENT", "first"}
    assert names(shelf / "first") == {*FILES, "manifest.json"}
    assert (shelf / "CURRENT").read_bytes() == b"first\n"


def test_the_served_release_and_the_one_before_it_are_kept(shelf: Path) -> None:
    kept = [names(shelf) for name in ("second", "third", "first") if not publish(shelf, name)]
    assert kept == [
        {"CURRENT", "first", "second"},
        {"CURRENT", "second", "third"},
        {"CURRENT", "third", "first"},
    ]


def test_publishing_the_served_release_again_changes_nothing(shelf: Path) -> None:
    publish(shelf, "second")
    before = {path: path.stat().st_mtime_ns for path in shelf.rglob("*") if path.is_file()}
    publish(shelf, "second")
    after = {path: path.stat().st_mtime_ns for path in shelf.rglob("*") if path.is_file()}
    del before[shelf / ".lock"], after[shelf / ".lock"]
    assert after == before


def test_going_back_to_the_release_before_keeps_both(shelf: Path) -> None:
    publish(shelf, "second")
    publish(shelf, "first")
    assert disk.current(shelf) == "first"
    assert names(shelf) == {"CURRENT", "first", "second"}


def test_a_damaged_copy_of_the_same_release_is_replaced(shelf: Path) -> None:
    (shelf / "first/one.txt").write_bytes(b"other")
    assert not disk.is_whole(shelf, "first")
    publish(shelf, "first")
    assert disk.is_whole(shelf, "first")


def test_what_dead_builds_left_is_swept(shelf: Path) -> None:
    (shelf / ".staging-dead-1").mkdir()
    (shelf / ".staging-dead-1/one.txt").write_bytes(b"half")
    (shelf / "CURRENT.new-77").write_bytes(b"dea")
    publish(shelf, "second")
    assert names(shelf) == {"CURRENT", "first", "second"}


def test_placing_does_not_serve(shelf: Path) -> None:
    with disk.building(shelf):
        disk.place(shelf, "beside", MANIFEST, FILES)
    assert disk.current(shelf) == "first"
    assert disk.is_whole(shelf, "beside")


def test_a_failed_write_leaves_the_release_before(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(disk, "write_file", full)
    with pytest.raises((OSError, MvpSiteError)):
        publish(shelf, "second")
    assert disk.current(shelf) == "first"
    assert disk.is_whole(shelf, "first")


def test_everything_is_flushed_before_it_is_named(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut keeps renames that outran their files: each fsync has to come first."""
    log: list[tuple[str, str]] = []
    fsync, rename, replace = os.fsync, os.rename, os.replace

    def logged_fsync(handle: int) -> None:
        log.append(("fsync", Path(f"/proc/self/fd/{handle}").readlink().name))
        fsync(handle)

    def logged_rename(old: Path, new: Path) -> None:
        log.append(("rename", new.name))
        rename(old, new)

    def logged_replace(old: Path, new: Path) -> None:
        log.append(("rename", new.name))
        replace(old, new)

    monkeypatch.setattr(os, "fsync", logged_fsync)
    monkeypatch.setattr(os, "rename", logged_rename)
    monkeypatch.setattr(os, "replace", logged_replace)
    publish(shelf, "second")
    pid = os.getpid()
    placed = log.index(("rename", "second"))
    served = log.index(("rename", "CURRENT"))
    assert {("fsync", name) for name in (*FILES, "manifest.json")} <= set(log[:placed])
    assert log[placed - 1] == ("fsync", f".staging-second-{pid}")
    assert log[placed + 1 : served] == [("fsync", "shelf"), ("fsync", f"CURRENT.new-{pid}")]
    assert log[served + 1 :] == [("fsync", "shelf")]


# --- the pointer --------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"second\n", b"second", b"  second \r\n\n"])
def test_the_pointer_is_read_without_its_white_space(shelf: Path, content: bytes) -> None:
    (shelf / "CURRENT").write_bytes(content)
    assert disk.current(shelf) == "second"


def test_no_pointer_means_no_release(tmp_path: Path) -> None:
    assert disk.current(tmp_path / "nowhere") is None
    (tmp_path / "file").write_text("x")
    assert disk.current(tmp_path / "file") is None


GARBAGE = [
    (b"\xff\xfe\x00", "CURRENT names no release"),
    (b"firs", "firs/manifest.json is missing; build again"),
    (b"first\nsecond", "CURRENT names no release"),
    (b"../../../etc", "CURRENT names no release"),
    (b"/etc", "CURRENT names no release"),
    (b"a\0b", "CURRENT names no release"),
    (b"x" * 90, "x/manifest.json is missing; build again"),
    (b"x" * 300, "CURRENT names no release"),
    (b"x" * 10_000_000, "CURRENT names no release"),
]


def follow(shelf: Path) -> disk.Bundle | None:
    name = disk.current(shelf)
    return disk.load(shelf, name) if name else None


@pytest.mark.parametrize(("content", "message"), GARBAGE, ids=[ascii(c[:12]) for c, _ in GARBAGE])
def test_a_garbled_pointer_is_told(shelf: Path, content: bytes, message: str) -> None:
    (shelf / "CURRENT").write_bytes(content)
    with pytest.raises(CorruptIndexError) as caught:
        follow(shelf)
    assert message in str(caught.value)


def test_every_flipped_bit_of_the_pointer_is_told(shelf: Path) -> None:
    pointer = shelf / "CURRENT"
    whole = pointer.read_bytes()
    for bit in range(len(whole) * 8):
        pointer.write_bytes(flipped(whole, bit))
        if pointer.read_bytes().strip() != whole.strip():  # one white space for another is no harm
            with pytest.raises(CorruptIndexError, match=re.escape(str(shelf))):
                follow(shelf)


# --- damage -------------------------------------------------------------------------------------


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


DAMAGE: dict[str, tuple[Callable[[bytes], bytes | None], str]] = {
    "removed": (lambda _: None, "is missing"),
    "emptied": (lambda _: b"", "has 0 bytes where"),
    "cut short": (lambda content: content[:-1], "bytes where"),
    "longer": (lambda content: content + b"\n", "bytes where"),
    "first bit flipped": (lambda content: flipped(content, 0), "was altered: its SHA-256"),
    "last bit flipped": (lambda content: flipped(content, len(content) * 8 - 1), "was altered"),
}


@pytest.mark.parametrize("file", ["one.txt", "two.bin"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_named(shelf: Path, file: str, damage: str) -> None:
    path = shelf / "first" / file
    change, message = DAMAGE[damage]
    changed = change(path.read_bytes())
    path.unlink()
    if changed is not None:
        path.write_bytes(changed)
    with pytest.raises(CorruptIndexError) as caught:
        disk.load(shelf, "first")
    assert str(path) in str(caught.value)
    assert message in str(caught.value)
    assert "mvp-site index build --force" in str(caught.value)
    assert not disk.is_whole(shelf, "first")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is missing"),
        (b"", "is not a manifest"),
        (b"{", "is not a manifest"),
        (b"[]", "is not a manifest"),
        (b"null", "is not a manifest"),
        (b"{}", "is not a manifest"),
        (b'{"checksums": 3}', "is not a manifest"),
        (b'{"checksums": []}', "is not a manifest"),
        (b'{"checksums": {"one.txt": {"bytes": "many", "sha256": ""}}}', "is not a manifest"),
        (b'{"checksums": {"one.txt": []}}', "is not a manifest"),
        (b"\xff", "is not a manifest"),
        (b"[" * 100_000, "is not a manifest"),
        (b'{"checksums": {}}', "its seal does not match"),
        (b'{"checksums": {}, "format": %s}' % (b"9" * 4000), "is not a manifest"),
        (b'{"checksums": {"a": {"bytes": 1e999, "sha256": ""}}}', "is not a manifest"),
        (b'{"checksums": {}, "seal": 3}', "its seal does not match"),
    ],
)
def test_a_damaged_manifest_is_named(shelf: Path, content: bytes | None, message: str) -> None:
    path = shelf / "first/manifest.json"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CorruptIndexError) as caught:
        disk.load(shelf, "first")
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_manifest_cut_or_flipped_at_any_byte_is_told(shelf: Path) -> None:
    path = shelf / "first/manifest.json"
    whole = path.read_bytes()
    changed = [whole[:n] for n in range(len(whole) - 1)]  # without its last newline it still stands
    changed += [flipped(whole, 8 * at + at % 8) for at in range(len(whole))]
    accepted = []
    for content in changed:
        path.write_bytes(content)
        if disk.is_whole(shelf, "first") and json.loads(content) != json.loads(whole):
            accepted.append(content)
    assert accepted == []


def test_files_that_stand_beside_the_listed_ones_are_not_read(shelf: Path) -> None:
    (shelf / "first/stray.txt").write_text("x")
    assert set(disk.load(shelf, "first").files) == set(FILES)


@hypothesis.settings(max_examples=25)
@given(st.dictionaries(st.sampled_from(["a", "b.npy", "c.json"]), st.binary(max_size=64)), JSON)
def test_any_content_comes_back(files: dict[str, bytes], extra: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shelf = Path(folder)
        disk.place(shelf, "any", {"extra": extra}, files)
        bundle = disk.load(shelf, "any")
        assert dict(bundle.files) == files
        assert bundle.manifest["extra"] == extra


# --- readers and builders -----------------------------------------------------------------------


def test_replacing_a_file_never_shows_half_of_it(tmp_path: Path) -> None:
    path = tmp_path / "pointer"
    sizes = [1, 100_000]
    disk.replace_file(path, b"x")
    done = threading.Event()
    seen: set[int] = set()

    def read() -> None:
        while not done.is_set():
            seen.add(len(path.read_bytes()))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(30):
        disk.replace_file(path, b"x" * sizes[turn % 2])
    done.set()
    reader.join(30)
    assert seen <= set(sizes)
    assert [p.name for p in tmp_path.iterdir()] == ["pointer"]


def test_a_second_builder_waits_for_the_first(shelf: Path) -> None:
    held, finish = threading.Event(), threading.Event()
    order: list[str] = []

    def first() -> None:
        with disk.building(shelf):
            held.set()
            assert finish.wait(30)
            order.append("first")

    def second() -> None:
        with disk.building(shelf, seconds=30):
            order.append("second")

    one = threading.Thread(target=first)
    one.start()
    assert held.wait(30)
    two = threading.Thread(target=second)
    two.start()
    finish.set()
    one.join(30)
    two.join(30)
    assert order == ["first", "second"]


def test_a_builder_that_waits_too_long_gives_up_and_says_so(shelf: Path) -> None:
    held, finish = threading.Event(), threading.Event()

    def first() -> None:
        with disk.building(shelf):
            held.set()
            assert finish.wait(30)

    one = threading.Thread(target=first)
    one.start()
    assert held.wait(30)
    try:
        with pytest.raises(BuildError) as caught, disk.building(shelf, seconds=0.1):
            pytest.fail("two builders at once")
    finally:
        finish.set()
        one.join(30)
    assert f"another build has held {shelf / '.lock'} for 0 s" in str(caught.value)
    assert "wait for it to end, or stop it" in str(caught.value)


def test_the_lock_goes_with_a_build_that_raises(shelf: Path) -> None:
    with pytest.raises(ZeroDivisionError), disk.building(shelf):
        raise ZeroDivisionError
    with disk.building(shelf, seconds=0):
        pass


def test_the_lock_of_a_killed_process_does_not_stay(shelf: Path) -> None:
    hold = (
        "import sys; from pathlib import Path; from mvp_site.retrieval import disk\n"
        "with disk.building(Path(sys.argv[1])):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(shelf)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BuildError), disk.building(shelf, seconds=0):
            pytest.fail("two processes at once")
        holder.kill()
        holder.wait(30)
        with disk.building(shelf, seconds=30):
            pass


def test_a_shelf_that_cannot_be_made_is_a_build_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BuildError) as caught, disk.building(tmp_path / "file/shelf"):
        pytest.fail("built below a file")
    assert str(tmp_path / "file") in str(caught.value)


@pytest.mark.parametrize("file", ["CURRENT", "first/manifest.json", "first/one.txt"])
def test_what_cannot_be_read_is_named(shelf: Path, file: str) -> None:
    """A folder in its place stands for every failure to read: access rights, a bad sector."""
    (shelf / file).unlink()
    (shelf / file).mkdir()
    with pytest.raises(CorruptIndexError) as caught:
        follow(shelf)
    assert str(shelf / file) in str(caught.value)


def test_a_release_that_was_moved_away_is_told(shelf: Path) -> None:
    shutil.rmtree(shelf / "first")
    with pytest.raises(CorruptIndexError) as caught:
        follow(shelf)
    assert str(shelf / "first/manifest.json") in str(caught.value)


def test_as_many_releases_are_kept_as_are_asked_for(shelf: Path) -> None:
    os.utime(shelf / "first" / disk.MANIFEST, (0, 0))
    for number, name in enumerate(("second", "third", "fourth", "fifth"), 1):
        with disk.building(shelf):
            disk.publish(shelf, name, MANIFEST, FILES, kept=3)
        os.utime(shelf / name / disk.MANIFEST, (number, number))  # a clock that has ticked
    assert names(shelf) == {"CURRENT", "third", "fourth", "fifth"}
    assert disk.releases(shelf) == ["fifth", "fourth", "third"]
    with disk.building(shelf):
        disk.publish(shelf, "third", MANIFEST, FILES, kept=3)
    assert disk.releases(shelf)[0] == "third"  # served last, whenever it was built


def test_a_shelf_that_is_not_there_has_no_releases(tmp_path: Path) -> None:
    assert disk.releases(tmp_path / "nowhere") == []
