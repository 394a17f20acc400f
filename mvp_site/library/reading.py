"""The files of a folder that can be read, and their texts, each read in a process of its own.

``python -m mvp_site.library.reading read FILE``, or ``draw FILE PAGE WIDTH``. What a damaged or
hostile file does to a reader, it does to that process: it may run out of memory or time, or die,
and the scan or the server goes on.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Final, Literal

import msgspec

from ..errors import LibraryError
from ..formats import Sample, books, recognise
from ..text.normalising import clean
from .contents import contents
from .secret_blocks import parted
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
_MIB: Final = 1 << 20
_FORMATS: Final = {  # the module of ``readers``, and how many bytes are read
    ".pdf": ("pdf", 512 * _MIB),
    ".epub": ("epub", 64 * _MIB),
    ".docx": ("docx", 64 * _MIB),
    ".md": ("markdown", 16 * _MIB),  # the parser needs forty times as much memory
    ".markdown": ("markdown", 16 * _MIB),
    ".txt": ("plain_text", 64 * _MIB),
}
_BY_CONTENT: Final = {books.PDF: ".pdf", books.EPUB: ".epub", books.WORD: ".docx"}
_SNIFFED: Final = 2**16
SUFFIXES: Final = tuple(_FORMATS)
"""Of the files that can be read, in lower case."""
MAX_DEPTH: Final = 32
MAX_FILES: Final = 20_000
_LOCK: Final = "~$"
"""What the name of a file begins with that Word keeps while another is open."""


def read_file(path: Path) -> Text:
    """The text of a file, by the reader that its suffix names.

    Raises:
        LibraryError: it cannot be read; says which file, why, and what mends it.
    """
    if path.suffix.lower() not in _FORMATS:
        raise LibraryError(f"{path.name} is of no format that is read: {', '.join(SUFFIXES)}")
    name, most = _FORMATS[_suffix_of(path)]
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise LibraryError(f"{path.name} cannot be read: {_why(error)}") from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, pipe or socket"
        raise LibraryError(f"{path.name} is no file with content, but {kind}")
    if not status.st_size:
        raise LibraryError(f"{path.name} is empty")
    if status.st_size > most:
        raise LibraryError(f"{path.name} has {status.st_size:,} bytes; of its format {most:,} are "
                           "read at most: divide it into several files")
    try:
        module = import_module(f".readers.{name}", __package__)
        text: Text = parted(getattr(module, f"read_{name}")(path))
    except LibraryError:
        raise
    except OSError as error:
        raise LibraryError(f"{path.name} cannot be read: {_why(error)}") from error
    except Exception as error:
        raise LibraryError(f"{path.name} cannot be read as {name.replace('_', ' ')}: it seems "
                           f"damaged ({type(error).__name__}: {str(error)[:200]}); open it in "
                           "another program and save it anew") from error
    if not text.blocks and not text.notes:
        raise LibraryError(f"{path.name} has no text")
    return text


def _suffix_of(path: Path) -> str:
    """The suffix of a file's format by its content; its own where that is text."""
    try:
        with path.open("rb") if path.is_file() else BytesIO() as file:
            sample = Sample(path.name, file.read(_SNIFFED))
    except OSError:
        return path.suffix.lower()
    format_ = recognise(sample, "books")
    return _BY_CONTENT.get(format_.name if format_ else "", path.suffix.lower())


def files_of(folder: Path) -> tuple[list[Path], dict[Path, str], Counter[str]]:
    """The files below ``folder`` that can be read, in order; hidden ones are passed over.

    With them paths that cannot be read, each with the reason, and how many files there are of each
    suffix that is not read. Links that lead out of the folder are refused, and those to a folder in
    it are not followed: what they lead to is read where it stands.

    Raises:
        LibraryError: there is no such folder, or it has more files than are read.
    """
    if not folder.is_dir():
        raise LibraryError(f"{folder} is no folder: name one that has books in it")
    files: list[Path] = []
    refused: dict[Path, str] = {}
    ignored: Counter[str] = Counter()
    for path, why in _walk(folder):
        suffix = path.suffix.lower()
        if why:
            refused[path] = why
        elif suffix in _FORMATS:
            files.append(path)
        else:
            ignored[clean(suffix)] += 1
        if len(files) + len(refused) > MAX_FILES:
            raise LibraryError(f"{folder} has more than {MAX_FILES:,} files that can be read: name "
                               "a folder of books in it")
    return sorted(files), dict(sorted(refused.items())), ignored


def _walk(root: Path) -> Iterator[tuple[Path, str]]:
    """The files below ``root``, each with why it cannot be read or ''."""
    real = root.resolve()
    pending = [(root, 0)]
    while pending:
        folder, depth = pending.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            yield folder, _why(error)
            continue
        for entry in entries:
            path = Path(entry.path)
            if entry.name.startswith((".", _LOCK)):
                continue
            unnamed = "" if clean(entry.name) == entry.name else "its name is not UTF-8: rename it"
            if entry.is_symlink():
                why = _link(path, real) or unnamed
                if why or path.is_file():
                    yield path, why
            elif entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH and not unnamed:
                    pending.append((path, depth + 1))
                else:
                    yield path, unnamed or f"it is more than {MAX_DEPTH} folders deep"
            elif path.suffix.lower() not in _FORMATS:
                yield path, ""
            elif entry.is_file(follow_symlinks=False):
                yield path, unnamed
            else:
                yield path, "it is no file with content"


def _link(path: Path, root: Path) -> str:
    """Why a link is not followed, or ''."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):  # a loop is a RuntimeError
        return "it is a link that leads nowhere"
    return "" if target.is_relative_to(root) else "it is a link that leads out of the folder"


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a file says, and its contents; ``secret`` is what it keeps for the game master."""

    text: Text
    entries: tuple[ContentsEntry, ...]
    secret: ReadFile | None = None


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
        return apart("read", path)
    try:
        return encoded(path)
    except LibraryError:
        raise
    except Exception as error:
        raise _stopped(path.name, f"{type(error).__name__}: {str(error)[:200]}") from error


def apart(work: Work, path: Path, *numbers: int) -> bytes:
    """What a process of its own makes of a file.

    ``read`` gives the :class:`ReadFile` as JSON; ``draw`` takes a page and a width, and gives the
    page of a PDF as PNG (:func:`.readers.pdf.page_picture`).

    Raises:
        LibraryError: it cannot be done; the message says why.
    """
    seconds = SECONDS[work]
    label = f"page {numbers[0]} of {path.name}" if numbers else path.name
    command = [sys.executable, "-m", __name__, work, str(path.absolute()), *map(str, numbers)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=seconds)  # noqa: S603 - our own module, with a path as one argument
    except subprocess.TimeoutExpired:
        raise LibraryError(f"{label} took longer than {seconds:.0f} s to {work}, and was left out: "
                           "divide the file, or save it anew with another program") from None
    message = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == _REFUSED:
        raise LibraryError(message)
    if done.returncode:
        lines = message.splitlines() or [f"it ended with {done.returncode}"]
        raise _stopped(label, lines[-1][:200])
    return done.stdout


def _stopped(label: str, why: str) -> LibraryError:
    return LibraryError(f"{label} is damaged in a way that stops its reader ({why}): save it anew "
                        "with another program")


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
        if work == "read":
            content = encoded(path)
        else:
            content = import_module(".readers.pdf", __package__).page_picture(path, *numbers)
    except LibraryError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(_REFUSED)
    sys.stdout.buffer.write(content)


def encoded(path: Path) -> bytes:
    """The :class:`ReadFile` of a file as JSON, read in this process."""
    text = read_file(path)
    secret = ReadFile(text.secret, contents(text.secret)) if text.secret else None
    return msgspec.json.encode(ReadFile(replace(text, secret=None), contents(text), secret))


if __name__ == "__main__":
    main()
