"""Versions: the named folders of the prompt archive, read safely and hashed by content."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..errors import ArchiveError, EmptyArchiveError, FrontMatterError, UnknownVersionError
from ..releases.store import ReleaseStore
from ..settings import Settings
from ..text.normalising import clean
from ..text.typos import near
from .header_files import FILES, check
from .own_modes import check_names

HEADER: Final = "core_header.txt"
PROMOTED: Final = "PROMOTED"
FORMAT: Final = 3
"""Of the releases that this program writes and reads."""
MAX_FILE_BYTES: Final = 16 * 1024 * 1024
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}\Z")
_MONTHS: Final = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)
_MONTH_YEAR: Final = re.compile(r"([a-z]{3})[a-z]*[_.\-]?(\d{4})\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PromptFile:
    """One file of a version: its path below the version's folder, and its text."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version as authored: header, files in order of their names, and the hash of it all.

    ``beside`` holds those of :data:`.header_files.FILES` that stand beside the header.
    """

    name: str
    header: bytes
    sources: tuple[PromptFile, ...]
    archive_hash: str
    beside: Mapping[str, bytes] = field(default_factory=dict)


def list_versions(settings: Settings) -> list[str]:
    """The versions of the archive, by name."""
    return _folders(settings.prompt_archive_dir)


def list_built(settings: Settings) -> list[str]:
    """The versions that have an index, by name."""
    return _folders(settings.prompt_index_dir)


def _folders(root: Path) -> list[str]:
    try:
        entries = sorted(root.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [entry.name for entry in entries if entry.is_dir() and NAME.match(entry.name)]


def store_of(index_dir: Path, version: str) -> ReleaseStore:
    """Where a version's releases are."""
    return ReleaseStore(
        index_dir / version, f"version {version!r}", f"mvp-site index build --version {version}",
        FORMAT, "PROMPT_INDEX_DIR",
    )


def resolve_version(settings: Settings, version: str | None = None) -> str:
    """The name of the version to serve or build: the argument, or :func:`default_version`.

    Raises:
        UnknownVersionError: neither the archive nor the index has it; lists those that exist.
    """
    name = version or default_version(settings)
    versions = list_known(settings)
    if not name:
        raise UnknownVersionError(
            f"there is no prompt version: none (looked in {settings.prompt_archive_dir}). Is it "
            "the right folder? `mvp-site init` begins a project here; or write one, as "
            f"{settings.prompt_archive_dir / 'v1'}/*.md"
        )
    if not NAME.match(name) or name not in versions:
        listed = ", ".join(versions) or f"none (looked in {settings.prompt_archive_dir})"
        nearest = [f"did you mean {other}? " for other in near(name, versions, 1)]
        raise UnknownVersionError(
            f"unknown prompt version {name!r}; existing versions: {listed}. {''.join(nearest)}"
            "Name one of them with --version or PROMPT_VERSION"
        )
    return name


def list_known(settings: Settings) -> list[str]:
    """The versions of the archive or with an index, by name."""
    return sorted({*list_versions(settings), *list_built(settings)})


def default_version(settings: Settings) -> str | None:
    """The version that is served where none is named, or None where there is none.

    The setting, else what was promoted last, else the newest that is built, else the newest: one
    that is still being written takes no game over.
    """
    if settings.prompt_version:
        return settings.prompt_version
    if promoted := promotions(settings):
        return promoted[-1]
    built = [name for name in list_built(settings)
             if store_of(settings.prompt_index_dir, name).current()]
    return newest(settings, built) or newest(settings)


def promotions(settings: Settings) -> list[str]:
    """The versions that were promoted and have an index, the one that is served last."""
    try:
        names = (settings.prompt_index_dir / PROMOTED).read_text("utf-8", "replace").split()
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [name for name in names
            if NAME.match(name) and (settings.prompt_index_dir / name).is_dir()]


def newest(settings: Settings, versions: Sequence[str] | None = None) -> str | None:
    """The newest of ``versions`` (by default of all), or None without any.

    The only one; else that of the latest date in its files' front matter, or in its name where its
    files have none; else the last by name.
    """
    versions = list_known(settings) if versions is None else versions
    if len(versions) < 2:
        return versions[0] if versions else None
    return max(versions, key=lambda name: (_date_of(settings, name) or "", name))


def _date_of(settings: Settings, name: str) -> str | None:
    # The readers of Markdown and YAML are for builds, and take longer to load than a turn takes.
    from ..text.markdown import split_lines  # noqa: PLC0415
    from .front_matter import read_front_matter  # noqa: PLC0415

    dates: list[str | None] = []
    for path in _files(settings.prompt_archive_dir / name):
        with suppress(FrontMatterError):
            lines = split_lines(path.read_text("utf-8", "replace"))
            dates.append(read_front_matter(lines, path.name).date)
    return max(filter(None, dates), default=version_date(name))


def _files(folder: Path) -> list[Path]:
    return [
        path for path in sorted(folder.rglob("*.md"))
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    ]


def read_version(settings: Settings, name: str) -> Version:
    """The version ``name`` from the archive.

    Raises:
        UnknownVersionError: the archive has no such folder.
        EmptyArchiveError: the folder holds no markdown with text.
        ArchiveError: a file or its name is not UTF-8, one is too large, or there is no core header.
    """
    folder = settings.prompt_archive_dir / name
    if not NAME.match(name) or not folder.is_dir():
        listed = ", ".join(list_versions(settings)) or "none"
        raise UnknownVersionError(
            f"the archive {settings.prompt_archive_dir} has no version {name!r}; it has: {listed}"
        )
    sources = tuple(
        PromptFile(path.relative_to(folder).as_posix(), _read(path))
        for path in _files(folder)
    )
    for source in sources:
        if clean(source.file) != source.file:
            raise ArchiveError(f"{folder}: the name {clean(source.file)} is not UTF-8: rename it")
    if not any(source.text.strip() for source in sources):
        raise EmptyArchiveError(f"{folder} has no *.md file with text: add one, then build again")
    header = read_header(settings, name)
    beside = read_beside(settings, name)
    check_names(beside, {source.file: source.text for source in sources})
    total = hashlib.sha256(header)
    contents = [(source.file, source.text.encode()) for source in sources]
    for file, content in (*contents, *beside.items()):
        total.update(f"\0{file}\0".encode() + hashlib.sha256(content).digest())
    return Version(name, header, sources, total.hexdigest(), beside)


def read_header(settings: Settings, name: str) -> bytes:
    """The core header of a version: its own ``core_header.txt``, else the archive's."""
    path = _own_or_general(settings, name, HEADER)
    if not path.is_file():
        own = settings.prompt_archive_dir / name / HEADER
        raise ArchiveError(f"there is no core header: write {path} or {own}")
    header = _read(path).encode()
    if not header.strip():
        raise ArchiveError(f"{path} is empty: the core header must stand in every prompt")
    return header


def read_beside(settings: Settings, name: str) -> dict[str, bytes]:
    """What stands beside the header of a version: of each file its own, else the archive's.

    Raises:
        ArchiveError: a file cannot be used.
    """
    contents: dict[str, bytes] = {}
    for file in FILES:
        path = _own_or_general(settings, name, file)
        if path.is_file():
            contents[file] = _read(path).encode()
            check(file, contents[file], str(path))
    return contents


def _own_or_general(settings: Settings, name: str, file: str) -> Path:
    own = settings.prompt_archive_dir / name / file
    return own if own.is_file() else settings.prompt_archive_dir / file


def _read(path: Path) -> str:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ArchiveError(f"{path} is over {MAX_FILE_BYTES // 2**20} MiB: split it")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArchiveError(
            f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from None


def version_date(name: str) -> str | None:
    """The date in a version's name (``dec_2025``: ``2025-12-01``), or None."""
    with suppress(ValueError):
        return datetime.date.fromisoformat(name.replace("_", "-")).isoformat()
    if (match := _MONTH_YEAR.match(name)) and match[1].lower() in _MONTHS:
        return f"{match[2]}-{_MONTHS.index(match[1].lower()) + 1:02d}-01"
    return None
