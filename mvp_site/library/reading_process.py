"""Work on one file in a process of its own: to read it, or to draw a page of it.

``python -m mvp_site.library.reading_process read FILE``, or ``draw FILE PAGE WIDTH``. What a
damaged or hostile file does to a reader, it does to that process: it may run out of memory or time,
or die, and the scan or the server goes on.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec

from ..errors import LibraryError
from .contents import contents
from .reading import read_file
from .types import ContentsEntry, Text

Work = Literal["read", "draw"]
SECONDS: Final[dict[Work, float]] = {"read": 900.0, "draw": 15.0}
"""How long the work on one file may take."""
MEMORY: Final[dict[Work, int]] = {"read": 6 * 2**30, "draw": 2**30}
"""Bytes that its process may take."""
PLAIN: Final = frozenset({".md", ".markdown", ".txt"})
"""Suffixes of the files that may have front matter."""
SMALL: Final = 2**20
"""Bytes of plain text up to which it is read in this process: another takes longer to start."""
_REFUSED: Final = 3


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a file says, and its contents."""

    text: Text
    entries: tuple[ContentsEntry, ...]


def read_json(path: Path) -> bytes:
    """The :class:`ReadFile` of a file as JSON; small text is read here, all else apart.

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


def read_apart(path: Path, seconds: float = SECONDS["read"]) -> bytes:
    """The :class:`ReadFile` of a file as JSON, read in a process of its own.

    Raises:
        LibraryError: it cannot be read; the message says why.
    """
    return _apart("read", path, seconds=seconds)


def picture_apart(path: Path, page: int, width: int) -> bytes:
    """A page of a PDF as PNG (:func:`.readers.pdf.page_picture`), drawn in a process of its own.

    Raises:
        LibraryError: it cannot be drawn; the message says why.
    """
    return _apart("draw", path, page, width, seconds=SECONDS["draw"])


def _apart(work: Work, path: Path, *numbers: int, seconds: float) -> bytes:
    what = f"page {numbers[0]} of {path.name}" if numbers else path.name
    command = [sys.executable, "-m", __name__, work, str(path.absolute()), *map(str, numbers)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=seconds)  # noqa: S603 - our own module, with a path as one argument
    except subprocess.TimeoutExpired:
        raise LibraryError(
            f"{what} took longer than {seconds:.0f} s to {work}, and was left out: divide the "
            "file, or save it anew with another program"
        ) from None
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == _REFUSED:
        raise LibraryError(said)
    if done.returncode:
        why = said.splitlines()[-1][:200] if said else f"it ended with {done.returncode}"
        raise LibraryError(
            f"{what} is damaged in a way that stops its reader ({why}): save it anew with another "
            "program"
        )
    return done.stdout


def main() -> None:
    """Do the work that the command line names; print the text as JSON, or the picture."""
    work: Work = "draw" if sys.argv[1] == "draw" else "read"
    try:
        import resource  # noqa: PLC0415 (Windows has none)

        os.nice(10)  # a server that waits for this goes on meanwhile
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY[work],) * 2)
        # Whoever waits counts them too, but may die before.
        resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS[work]),) * 2)
    except (ImportError, ValueError, OSError):
        pass  # a system without such limits
    path, numbers = Path(sys.argv[2]), map(int, sys.argv[3:])
    try:
        content = _encoded(path) if work == "read" else _drawn(path, *numbers)
    except LibraryError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(_REFUSED)
    sys.stdout.buffer.write(content)


def _drawn(path: Path, page: int, width: int) -> bytes:
    from .readers.pdf import page_picture  # noqa: PLC0415 (it brings the PDF library)

    return page_picture(path, page, width)


def _encoded(path: Path) -> bytes:
    text = read_file(path)
    return msgspec.json.encode(ReadFile(text, contents(text)))


if __name__ == "__main__":
    main()
