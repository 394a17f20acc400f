"""Bundles: verified on load, written whole, one builder at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import BuildError, CorruptIndexError
from mvp_site.releases import bundles
from mvp_site.releases.bundles import (
    building,
    canonical,
    is_whole,
    name_of,
    named_by_content,
    read_bundle,
    seal,
    write_bundle,
)
from mvp_site.releases.durable_write import replace_file

pytestmark = pytest.mark.serving

MEND = "say please"

FILES = {"one.txt": b"the first file\n", "two.bin": bytes(range(256)), "empty.txt": b""}
MANIFEST = {"format": 1, "floor": 0.25, "name": "Saltmere – the harbour"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcdé"), inner), max_leaves=12)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds the bundle ``first``."""
    folder = tmp_path / "folder"
    write(folder)
    return folder


def write(folder: Path, name: str = "first") -> None:
    with building(folder):
        write_bundle(folder, name, MANIFEST, FILES)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".lock"}


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON))
def test_canonical_and_seal_forget_the_order_of_keys_and_nothing_else(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))
    assert (canonical(turned), seal(turned)) == (canonical(value), seal(value))
    assert json.loads(canonical(value)) == value
    assert seal({**value, "one more": 1}) != seal(value)


def test_what_is_written_is_read(folder: Path) -> None:
    bundle = read_bundle(folder, "first", MEND)
    assert dict(bundle.files) == FILES
    assert {key: bundle.manifest[key] for key in MANIFEST} == MANIFEST
    assert named_by_content(bundle) == name_of(MANIFEST, FILES) != name_of(MANIFEST, {**FILES, "more": b""})
    assert "Saltmere – the harbour" in (folder / "first/manifest.json").read_text(encoding="utf-8")  # it is for people, too
    assert names(folder / "first") == {*FILES, "manifest.json"}
    (folder / "first/stray.txt").write_text("x")
    assert read_bundle(folder, "first", MEND) == bundle


def test_a_damaged_copy_is_replaced_and_what_dead_builds_left_is_swept(folder: Path) -> None:
    (folder / "first/one.txt").write_bytes(b"other")
    (folder / ".staging-dead-1").mkdir()
    (folder / ".staging-dead-1/one.txt").write_bytes(b"half")
    (folder / "CURRENT.new-77").write_bytes(b"dea")
    assert not is_whole(folder, "first")
    write(folder)
    assert is_whole(folder, "first")
    assert names(folder) == {"first"}


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def full(path: Path, content: bytes) -> None:
        if path.name == "two.bin":
            raise error
        path.write_bytes(content)

    monkeypatch.setattr(bundles, "write_file", full)
    for place in (folder, tmp_path / "new"):
        with pytest.raises((BuildError, KeyboardInterrupt)):
            write(place, "second")
    assert names(folder) == {"first"}
    assert is_whole(folder, "first")
    assert not (tmp_path / "new").exists()


# --- damage -------------------------------------------------------------------------------------

DAMAGE: list[tuple[Callable[[bytes], bytes | None], str]] = [
    (lambda _: None, "is missing"), (lambda _: b"", "has 0 bytes where"), (lambda content: content[:-1], "bytes where"),
    (lambda content: content + b"\n", "bytes where"), (lambda content: flipped(content, 0), "was altered: its SHA-256"),
    (lambda content: flipped(content, len(content) * 8 - 1), "was altered"),
]
MANIFESTS = [
    (None, "is missing"), (b"", "is not a manifest"), (b"{", "is not a manifest"), (b"[]", "is not a manifest"), (b"null", "is not a manifest"),
    (b"{}", "is not a manifest"), (b'{"checksums": 3}', "is not a manifest"), (b'{"checksums": []}', "is not a manifest"),
    (b'{"checksums": {"one.txt": {"bytes": "many", "sha256": ""}}}', "is not a manifest"), (b'{"checksums": {"one.txt": []}}', "is not a manifest"),
    (b"\xff", "is not a manifest"), (b"[" * 100_000, "is not a manifest"), (b'{"checksums": {}}', "its seal does not match"),
    (b'{"checksums": {}, "format": %s}' % (b"9" * 4000), "its seal does not match"), (b'{"checksums": {}, "format": %s}' % (b"9" * 5000), "is not a manifest"),
    (b'{"checksums": {"a": {"bytes": 1e999, "sha256": ""}}}', "is not a manifest"), (b'{"checksums": {}, "seal": 3}', "its seal does not match"),
]
ROWS = [(file, change, message) for file in ("one.txt", "two.bin") for change, message in DAMAGE] + [
    ("manifest.json", lambda _, content=content: content, message) for content, message in MANIFESTS]


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize(("file", "change", "message"), ROWS)
def test_a_damaged_file_is_named(folder: Path, file: str, change: Callable[[bytes], bytes | None], message: str) -> None:
    path = folder / "first" / file
    changed = change(path.read_bytes())
    path.unlink()
    if changed is not None:
        path.write_bytes(changed)
    with pytest.raises(CorruptIndexError) as caught:
        read_bundle(folder, "first", MEND)
    assert all(said in str(caught.value) for said in (str(path), message, MEND))
    assert not is_whole(folder, "first")


def test_a_manifest_cut_or_flipped_at_any_byte_is_told(folder: Path) -> None:
    with building(folder):
        write_bundle(folder, "small", {"format": 1}, {"one": b"x"})
    path = folder / "small/manifest.json"
    whole = path.read_bytes()
    changed = [whole[:n] for n in range(len(whole) - 1)]  # without its last newline it still stands
    changed += [flipped(whole, 8 * at + at % 8) for at in range(len(whole))]
    accepted = []
    for content in changed:
        path.write_bytes(content)
        if is_whole(folder, "small") and json.loads(content) != json.loads(whole):
            accepted.append(content)
    assert accepted == []


# --- readers and builders -----------------------------------------------------------------------


def test_replacing_a_file_never_shows_half_of_it(tmp_path: Path) -> None:
    path, done, seen = tmp_path / "pointer", threading.Event(), set[int]()
    replace_file(path, b"x")

    def read() -> None:
        while not done.is_set():
            seen.add(len(path.read_bytes()))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(read)
        for turn in range(30):
            replace_file(path, b"x" * (1, 100_000)[turn % 2])
        done.set()
    assert seen <= {1, 100_000}
    assert [p.name for p in tmp_path.iterdir()] == ["pointer"]


def test_a_second_builder_waits_for_the_first_or_gives_up_and_says_so(folder: Path) -> None:
    held, finish = threading.Event(), threading.Event()
    order: list[str] = []

    def first() -> None:
        with suppress(ZeroDivisionError), building(folder):  # the lock goes with who raises
            held.set()
            assert finish.wait(30)
            order.append("first")
            raise ZeroDivisionError

    def second() -> None:
        with building(folder, seconds=30):
            order.append("second")

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        assert held.wait(30)
        two = pool.submit(second)
        with pytest.raises(BuildError, match=r"another build has held .* for 0 s; wait for it to end, or stop it"):
            building(folder, seconds=0).__enter__()
        finish.set()
        one.result(30)
        two.result(30)
    assert order == ["first", "second"]


def test_the_lock_of_a_killed_process_does_not_stay(folder: Path) -> None:
    hold = (
        "import sys; from pathlib import Path; from mvp_site.releases.bundles import building\n"
        "with building(Path(sys.argv[1])):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", hold, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BuildError), building(folder, seconds=0):
            pytest.fail("two processes at once")
        holder.kill()
        holder.wait(30)
        with building(folder, seconds=30):
            pass


def test_a_shelf_that_cannot_be_made_is_a_build_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BuildError, match=str(tmp_path / "file")), building(tmp_path / "file/shelf"):
        pytest.fail("built below a file")
