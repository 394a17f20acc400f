"""Acceptance: a proposal becomes a version's folder, whole or not at all."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Final

from ...errors import ArchiveError
from ...releases.durable_write import sync_folder, write_file
from ..versions import NAME
from .types import Proposal

_WRITERS: Final = 16
"""Files that wait for the disk at once."""


def accept(proposal: Proposal, archive_dir: Path, version: str, *, replace: bool = False) -> None:
    """Write the proposal as ``version`` of an archive, which is made where there is none.

    With ``replace`` a version that is there goes to ``.VERSION.replaced-N`` beside it, which is
    never read as a version; nothing of it is lost.

    Raises:
        ArchiveError: the version's name cannot be used, it is there already, or the folder cannot
            be written; the archive is then as it was.
    """
    if not NAME.match(version):
        raise ArchiveError(
            f"{version!r} is no name of a version: write letters, digits, _ - and ., at most 64, "
            "the first a letter or digit"
        )
    folder = archive_dir / version
    if os.path.lexists(folder) and not replace:
        raise ArchiveError(
            f"{folder} is there already: name another version with --version, or give --replace"
        )
    staged = archive_dir / f".{version}.new-{os.getpid()}"
    asides = (archive_dir / f".{version}.replaced-{number}" for number in count(1))
    try:
        staged.mkdir(parents=True)
        texts = {staged / name: text.encode() for name, text in proposal.texts.items()}
        for parent in {path.parent for path in texts}:
            parent.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(write_file, texts.keys(), texts.values()))
        with ExitStack() as undo:
            if os.path.lexists(folder):
                aside = next(path for path in asides if not os.path.lexists(path))
                folder.rename(aside)
                undo.callback(aside.rename, folder)
            staged.rename(folder)
            undo.pop_all()
        sync_folder(archive_dir)
    except OSError as error:
        raise ArchiveError(f"{folder} cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)
