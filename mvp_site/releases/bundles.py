"""Bundles: folders of checksummed files, written whole and verified whole.

A bundle is ``manifest.json``, which has the SHA-256 and size of every other file and a seal of its
own, and the files. It is written into a staging folder, flushed to the disk and renamed into place,
so a bundle that stands under its name is whole, however its build died.
"""

from __future__ import annotations

import hashlib
import json
import os
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
LOCK: Final = ".lock"
LOCK_SECONDS: Final = 600.0
_STAGING: Final = ".staging-"


@dataclass(frozen=True, slots=True)
class Bundle:
    """The verified content of a bundle: its manifest and its files as bytes."""

    name: str
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]


def digest(content: bytes) -> str:
    """The SHA-256 of ``content`` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def canonical(value: Any) -> bytes:
    """``value`` as JSON bytes that are the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def seal(manifest: Mapping[str, Any]) -> str:
    """The digest of a manifest's own content, by which an altered manifest is known."""
    return digest(canonical(manifest))


def name_of(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> str:
    """The name that a bundle's content gives it."""
    return _name(manifest, {file: digest(content) for file, content in files.items()})


def _name(manifest: Mapping[str, Any], sums: Mapping[str, str]) -> str:
    return digest(canonical(manifest) + "".join(sums[f] for f in sorted(sums)).encode())[:16]


@contextmanager
def building(folder: Path, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the build lock of ``folder``; a second builder waits up to ``seconds``.

    The lock belongs to the process and goes with it, so a killed build leaves none behind. A build
    that fails leaves no folder that was not there before.

    Raises:
        BuildError: the folder cannot be made, or another build holds it for too long.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BuildError(f"{folder} cannot be made: {error}; set another folder") from error
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise BuildError(
            f"another build has held {folder / LOCK} for {seconds:.0f} s; "
            "wait for it to end, or stop it, and build again"
        ) from None
    except OSError as error:
        raise BuildError(f"{folder / LOCK} cannot be held: {error}") from error
    try:
        yield
    except BaseException:
        with suppress(OSError):
            _sweep(folder)
            if [path.name for path in folder.iterdir()] == [LOCK]:
                (folder / LOCK).unlink()
                folder.rmdir()
        raise
    finally:
        lock.release()


def write_bundle(folder: Path, name: str, manifest: Mapping[str, Any], files: Mapping[str, bytes],
                 ) -> None:
    """Write a bundle, unless it stands there whole. Call under :func:`building`.

    ``manifest`` gains ``checksums``, for each file its SHA-256 and size in bytes, and a ``seal``.

    Raises:
        BuildError: it cannot be written; nothing of it is left.
    """
    target, staging = folder / name, folder / f"{_STAGING}{name}-{os.getpid()}"
    try:
        _sweep(folder)
        if is_whole(folder, name):
            return
        if target.exists():
            shutil.rmtree(target)  # a damaged copy of the same content
        staging.mkdir()
        for file, content in files.items():
            write_file(staging / file, content)
        sums = {f: {"sha256": digest(c), "bytes": len(c)} for f, c in sorted(files.items())}
        whole = {**manifest, "checksums": sums}
        sealed = {**whole, "seal": seal(whole)}
        text = json.dumps(sealed, indent=1, sort_keys=True, ensure_ascii=False)
        write_file(staging / MANIFEST, f"{text}\n".encode())
        sync_folder(staging)
        staging.rename(target)
        sync_folder(folder)
    except OSError as error:
        raise BuildError(
            f"{target} cannot be written: {error}; what was published before stands"
        ) from error


def read_bundle(folder: Path, name: str, mend: str, on_disk: Collection[str] = ()) -> Bundle:
    """The bundle ``name``, every file read once and checked against its manifest.

    ``mend`` is what an error tells to do. Files in ``on_disk`` are checked piece by piece and not
    kept: they are opened by their path.

    Raises:
        CorruptIndexError: names the file and says whether it is missing, cut short or altered.
    """
    manifest = _read_manifest(folder / name / MANIFEST, mend)
    files: dict[str, bytes] = {}
    for file, expected in manifest["checksums"].items():
        path = folder / name / file
        content = b""
        try:
            if file in on_disk:
                size = path.stat().st_size
                with path.open("rb") as handle:
                    actual = hashlib.file_digest(handle, "sha256").hexdigest()
            else:
                content = path.read_bytes()
                size, actual = len(content), digest(content)
        except FileNotFoundError:
            raise corrupt(path, "is missing", mend) from None
        except OSError as error:
            raise corrupt(path, f"cannot be read ({error.strerror})", mend) from error
        if size != expected["bytes"]:
            raise corrupt(path, f"has {size} bytes where {expected['bytes']} were built", mend)
        if actual != expected["sha256"]:
            raise corrupt(path, "was altered: its SHA-256 is not the manifest's", mend)
        if file not in on_disk:
            files[file] = content
    return Bundle(name, manifest, files)


def named_by_content(bundle: Bundle) -> str:
    """The name that the content of a verified bundle gives it."""
    manifest = dict(bundle.manifest)
    sums = {file: str(entry["sha256"]) for file, entry in manifest.pop("checksums").items()}
    return _name(manifest, sums)


def is_whole(folder: Path, name: str) -> bool:
    """Whether the bundle ``name`` is there and every file verifies."""
    try:
        read_bundle(folder, name, "")
    except CorruptIndexError:
        return False
    return True


def corrupt(path: Path, actual: str, mend: str) -> CorruptIndexError:
    """The error that names a damaged file and what mends it."""
    return CorruptIndexError(f"{path} {actual}; {mend}")


def _read_manifest(path: Path, mend: str) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_bytes())
        for expected in manifest["checksums"].values():
            int(expected["bytes"]), bytes.fromhex(expected["sha256"])
    except FileNotFoundError:
        raise corrupt(path, "is missing", mend) from None
    except OSError as error:
        raise corrupt(path, f"cannot be read ({error.strerror})", mend) from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise corrupt(path, "is not a manifest: it was cut short or altered", mend) from None
    if manifest.pop("seal", None) != seal(manifest):
        raise corrupt(path, "was altered: its seal does not match its content", mend)
    return dict(manifest)


def _sweep(folder: Path) -> None:
    """Remove what builds that died have left."""
    for path in folder.iterdir():
        if path.name.startswith(_STAGING):
            shutil.rmtree(path, ignore_errors=True)
        elif ".new-" in path.name:
            path.unlink(missing_ok=True)
