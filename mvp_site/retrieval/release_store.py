"""Checksummed artifacts on disk, published so that a reader never sees half of one.

A *shelf* is a folder that holds releases side by side and a pointer to the one that is served::

    <shelf>/CURRENT              the name of the served release, replaced atomically
    <shelf>/<name>/manifest.json what the release is, and the SHA-256 and size of every file
    <shelf>/<name>/…             the files

A release is written whole into a staging folder, flushed to the disk, renamed into place, and
only then named by ``CURRENT``. Whatever point a build dies at, ``CURRENT`` names a whole release
or none. Names come from content, so a release that stands is never written again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from ..errors import BuildError, CorruptIndexError
from .durable_write import sync_folder, write_file

MANIFEST: Final = "manifest.json"
POINTER: Final = "CURRENT"
LOCK_SECONDS: Final = 600.0
_STAGING: Final = ".staging-"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
MEND_INDEX: Final = (
    "build again: mvp-site index build --force (or roll back to another version with "
    "PROMPT_VERSION)"
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The verified content of a release: its manifest and its files as bytes."""

    name: str
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]


def digest(content: bytes) -> str:
    """The SHA-256 of ``content`` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def canonical(value: Any) -> bytes:
    """``value`` as JSON bytes that are the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def replace_file(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace ``path`` by ``content``: readers see the old bytes or the new, never a mixture."""
    staged = path.with_name(f"{path.name}.new-{os.getpid()}")
    try:
        write_file(staged, content, mode)
        staged.replace(path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def name_of(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> str:
    """The name of a release, from its content."""
    sums = "".join(digest(files[file]) for file in sorted(files))
    return digest(canonical(dict(manifest)) + sums.encode())[:16]


@contextmanager
def building(shelf: Path, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the shelf's build lock; a second builder waits up to ``seconds``.

    The lock belongs to the process and goes with it, so a killed build leaves none behind.
    """
    try:
        shelf.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BuildError(f"{shelf} cannot be made: {error}; set another folder") from error
    lock = FileLock(shelf / ".lock")
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise BuildError(
            f"another build has held {shelf / '.lock'} for {seconds:.0f} s; "
            "wait for it to end, or stop it, and build again"
        ) from None
    except OSError as error:
        raise BuildError(f"{shelf / '.lock'} cannot be held: {error}") from error
    try:
        yield
    finally:
        lock.release()


def place(shelf: Path, name: str, manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Write a release beside the others, unless it stands there whole. Call under :func:`building`.

    ``manifest`` gains ``checksums``, for each file its SHA-256 and size in bytes, and a ``seal``.
    """
    try:
        _place(shelf, name, manifest, files)
    except OSError as error:
        raise BuildError(
            f"{shelf / name} cannot be written: {error}; what was published before stands"
        ) from error


def _place(shelf: Path, name: str, manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    sweep(shelf)
    if is_whole(shelf, name):
        return
    target = shelf / name
    if target.exists():
        shutil.rmtree(target)  # a damaged copy of the same content
    staging = shelf / f"{_STAGING}{name}-{os.getpid()}"
    staging.mkdir()
    for file, content in files.items():
        write_file(staging / file, content)
    sums = {f: {"sha256": digest(c), "bytes": len(c)} for f, c in sorted(files.items())}
    whole = {**manifest, "checksums": sums}
    write_file(staging / MANIFEST, pretty({**whole, "seal": seal(whole)}))
    sync_folder(staging)
    staging.rename(target)
    sync_folder(shelf)


def publish(shelf: Path, name: str, manifest: Mapping[str, Any], files: Mapping[str, bytes],
            kept: int = 2) -> None:
    """Place a release and serve it. Call under :func:`building`.

    Of the others the ``kept`` - 1 stay that were served last, the one before in any case: a
    reader may be about to open it.
    """
    place(shelf, name, manifest, files)
    try:
        before = current(shelf)
    except CorruptIndexError:
        before = None
    if before == name:
        return
    os.utime(shelf / name / MANIFEST)  # when it was served last
    try:
        if (shelf / POINTER).is_dir():
            shutil.rmtree(shelf / POINTER)
        replace_file(shelf / POINTER, f"{name}\n".encode())
    except OSError as error:
        raise BuildError(f"{shelf / POINTER} cannot be written: {error}") from error
    lately = sorted(releases(shelf), key=lambda found: (found != name, found != before))
    prune(shelf, keep={name, *([before] if before else []), *lately[:kept]})


def releases(shelf: Path) -> list[str]:
    """The names of the releases on the shelf, the one served last first."""
    served: list[tuple[float, str]] = []
    for path in shelf.iterdir() if shelf.is_dir() else ():
        if _NAME.match(path.name):
            with suppress(OSError):
                served.append((-(path / MANIFEST).stat().st_mtime, path.name))
    return [name for _, name in sorted(served)]


def pretty(value: Mapping[str, Any]) -> bytes:
    """``value`` as indented JSON that ends in a newline."""
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def current(shelf: Path) -> str | None:
    """The name of the release that the shelf serves, or None where nothing was published.

    Raises:
        CorruptIndexError: the pointer is there and names no release.
    """
    try:
        # Asked before every turn, so without the layers of a file object.
        handle = os.open(f"{shelf}/{POINTER}", os.O_RDONLY)
        try:
            name = os.read(handle, 256).decode("ascii", "replace").strip()
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _corrupt(shelf / POINTER, f"cannot be read ({error.strerror})", MEND_INDEX) from error
    if not _NAME.match(name):
        raise _corrupt(shelf / POINTER, "names no release: it was cut short or altered", MEND_INDEX)
    return name


def pointed(shelf: Path) -> tuple[int, int]:
    """What changes whenever another release is served, for less than reading which; (0, 0) of none.

    The pointer is replaced, never written again, so its file and its time tell.
    """
    try:
        found = os.stat(f"{shelf}/{POINTER}")  # noqa: PTH116 - asked before every search
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def load(shelf: Path, name: str, mend: str = MEND_INDEX, on_disk: Collection[str] = ()) -> Bundle:
    """The release ``name``, every file read once and checked against its manifest.

    ``mend`` is what an error tells to do. Files in ``on_disk`` are checked piece by piece and not
    kept: they are opened by their path.

    Raises:
        CorruptIndexError: names the file and says whether it is missing, cut short or altered.
    """
    folder = shelf / name
    manifest = _read_manifest(folder, mend)
    files: dict[str, bytes] = {}
    for file, expected in manifest["checksums"].items():
        path = folder / file
        content = b""
        try:
            if file in on_disk:
                size = path.stat().st_size
                with path.open("rb") as handle:
                    found = hashlib.file_digest(handle, "sha256").hexdigest()
            else:
                content = path.read_bytes()
                size, found = len(content), digest(content)
        except FileNotFoundError:
            raise _corrupt(path, "is missing", mend) from None
        except OSError as error:
            raise _corrupt(path, f"cannot be read ({error.strerror})", mend) from error
        if size != expected["bytes"]:
            raise _corrupt(path, f"has {size} bytes where {expected['bytes']} were built", mend)
        if found != expected["sha256"]:
            raise _corrupt(path, "was altered: its SHA-256 is not the manifest's", mend)
        if file not in on_disk:
            files[file] = content
    return Bundle(name, manifest, files)


def _read_manifest(folder: Path, mend: str) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes(), parse_int=_integer)
        sums = manifest["checksums"]
        for expected in sums.values():
            int(expected["bytes"]), bytes.fromhex(expected["sha256"])
    except FileNotFoundError:
        raise _corrupt(path, "is missing", mend) from None
    except OSError as error:
        raise _corrupt(path, f"cannot be read ({error.strerror})", mend) from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise _corrupt(path, "is not a manifest: it was cut short or altered", mend) from None
    if manifest.pop("seal", None) != seal(manifest):
        raise _corrupt(path, "was altered: its seal does not match its content", mend)
    return dict(manifest)


def _integer(digits: str) -> int:
    if len(digits) > 19:
        raise ValueError("no count of a manifest has as many digits")
    return int(digits)


def seal(manifest: Mapping[str, Any]) -> str:
    """The digest of a manifest's own content, by which an altered manifest is known."""
    return digest(canonical(manifest))


def is_whole(shelf: Path, name: str) -> bool:
    """Whether the release ``name`` stands on the shelf and every file verifies."""
    try:
        load(shelf, name)
    except CorruptIndexError:
        return False
    return True


def _corrupt(path: Path, found: str, mend: str) -> CorruptIndexError:
    return CorruptIndexError(f"{path} {found}; {mend}")


def sweep(shelf: Path) -> None:
    """Remove what builds that died have left in staging. Call it under :func:`building`."""
    for path in shelf.iterdir():
        if path.name.startswith(_STAGING):
            shutil.rmtree(path, ignore_errors=True)
        elif path.name.startswith(f"{POINTER}.new-"):
            path.unlink(missing_ok=True)


def prune(shelf: Path, keep: set[str]) -> None:
    """Remove all releases but those in ``keep``."""
    for path in sorted(shelf.iterdir()):
        if path.is_dir() and not path.name.startswith(".") and path.name not in keep:
            shutil.rmtree(path, ignore_errors=True)
