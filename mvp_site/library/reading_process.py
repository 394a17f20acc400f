"""Reading one file in a process of its own: ``python -m mvp_site.library.reading_process FILE``.

What a damaged or hostile file does to a reader, it does to that process: it may run out of memory
or die, and the scan goes on with the next file.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from ..errors import LibraryError
from .contents import contents
from .reading import read_file
from .types import Entry, Text

SECONDS: Final = 900.0
"""How long one file may take."""
MEMORY: Final = 6 * 2**30
"""Bytes that the process may take."""
PLAIN: Final = frozenset({".md", ".markdown", ".txt"})
"""Suffixes of the files that may have front matter."""
SMALL: Final = 2**20
"""Bytes of plain text up to which it is read in this process: another takes longer to start."""
_REFUSED: Final = 3


@dataclass(frozen=True, slots=True)
class Read:
    """What a file says, and its contents."""

    text: Text
    entries: tuple[Entry, ...]


def read_json(path: Path) -> bytes:
    """The :class:`Read` of a file as JSON; small text is read here, all else apart.

    Raises:
        LibraryError: it cannot be read; the message says why.
    """
    try:
        small = path.suffix.lower() in PLAIN and path.stat().st_size <= SMALL
    except OSError:
        small = False
    if not small:
        return read_apart(path)
    try:
        return _encoded(path)
    except LibraryError:
        raise
    except Exception as error:
        raise LibraryError(
            f"{path.name} is damaged in a way that stops its reader ({type(error).__name__}: "
            f"{str(error)[:200]}): save it anew with another program"
        ) from error


def read_apart(path: Path, seconds: float = SECONDS) -> bytes:
    """The :class:`Read` of a file as JSON, read in a process of its own.

    Raises:
        LibraryError: it cannot be read; the message says why.
    """
    command = [sys.executable, "-m", __name__, str(path.absolute())]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=seconds)  # noqa: S603 - our own module, with a path as one argument
    except subprocess.TimeoutExpired:
        raise LibraryError(
            f"{path.name} took longer than {seconds:.0f} s to read, and was left out: divide it, "
            "or save it anew with another program"
        ) from None
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == _REFUSED:
        raise LibraryError(said)
    if done.returncode:
        why = said.splitlines()[-1][:200] if said else f"it ended with {done.returncode}"
        raise LibraryError(
            f"{path.name} is damaged in a way that stops its reader ({why}): save it anew with "
            "another program"
        )
    return done.stdout


def main() -> None:
    """Read the file that the command line names and print it as JSON."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass  # a system without such limits
    try:
        content = _encoded(Path(sys.argv[1]))
    except LibraryError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(_REFUSED)
    sys.stdout.buffer.write(content)


def _encoded(path: Path) -> bytes:
    text = read_file(path)
    return msgspec.json.encode(Read(text, contents(text)))


if __name__ == "__main__":
    main()
