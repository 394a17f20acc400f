"""Writes that have reached the disk once a function returns."""

from __future__ import annotations

import os
from pathlib import Path


def write_file(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write ``content`` and wait until the disk has it; a new file gets ``mode`` less the umask."""
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


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


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names that ``folder`` holds."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
