"""A project: prompts to build and play, settings, a short README; made whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from importlib import resources
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Final

from ..errors import ArchiveError
from ..settings import FILE as SETTINGS
from ..settings import PACKAGE, template
from .answer_form import asks_for_json, contract_of, read_form
from .header_files import CONTRACT, FILES
from .importing import Proposal, accept
from .versions import HEADER, version_date

VERSION: Final = "v1"
ARCHIVE: Final = "prompt_archive"
CONTENT: Final = (ARCHIVE, SETTINGS, "README.md", ".gitignore")
_FOLDERS: Final = ("prompt_archive_dir", "prompt_index_dir", "mvp_site_data_dir")
_EXAMPLES: Final = "examples"
_EMPTY: Final = "empty"
DND: Final = "dnd"

Fill = Callable[[Path], str]
"""What writes an archive into a folder that is there, and gives the name of its version."""


def examples() -> list[str]:
    """The names of the package's examples; that for D&D first."""
    folder = PACKAGE / _EXAMPLES
    return [DND, *sorted(path.name for path in folder.iterdir()
                         if path.is_dir() and path.name not in {DND, _EMPTY})]


def example(name: str = DND) -> Fill:
    """What writes an example of the package, its newest version.

    Raises:
        ArchiveError: there is no such example; lists those that there are.
    """
    if name not in (names := examples()):
        raise ArchiveError(f"there is no example {name!r:.60}: there are {', '.join(names)} (the "
                           "folder stands before --example)")

    def fill(archive: Path) -> str:
        with _shipped(name) as folder:
            versions = [path.name for path in folder.iterdir() if path.is_dir()]
            newest = max(versions, key=lambda version: (version_date(version) or "", version))
            _copy(folder, archive, HEADER, *FILES)
            shutil.copytree(folder / newest, archive / newest)
        return newest

    return fill


def empty(archive: Path) -> str:
    """A header of one sentence, a version without files, an empty state, answers in prose."""
    with _shipped(_EMPTY) as folder:
        _copy(folder, archive, HEADER, *FILES)
    (archive / VERSION).mkdir()
    return VERSION


def accepted(proposal: Proposal) -> Fill:
    """What writes a proposal (:mod:`.importing`), with an empty state.

    Answers are taken as the prompts show them in JSON, else in prose.
    """

    def fill(archive: Path) -> str:
        accept(proposal, archive, VERSION)
        with _shipped(_EMPTY) as folder:
            _copy(folder, archive, *FILES)
        if contract := contract_of(proposal.texts):
            (archive / CONTRACT).write_bytes(contract)
        return VERSION

    return fill


def form_note(proposal: Proposal) -> str:
    """The form of answers that :func:`accepted` takes, and why."""
    if contract := contract_of(proposal.texts):
        form = read_form(contract, CONTRACT)
        fields = ", ".join(form.schema["properties"])
        return (f"JSON, as an example in the prompts shows it ({fields}); the player reads "
                f"{'.'.join(form.narrative)}: check {ARCHIVE}/{CONTRACT}, whose types and fallback "
                "come from that one example")
    for name, text in sorted(proposal.texts.items(), key=lambda named: named[0] != HEADER):
        if line := asks_for_json(text):
            sentence = text.splitlines()[line - 1].strip()[:60]
            return (f"plain text, though {name} line {line} asks for JSON ({sentence!r}): it shows "
                    f"no example that can be read; write your schema into {ARCHIVE}/{CONTRACT}, or "
                    "players are shown the JSON")
    return "plain text"


def make_project(folder: Path, fill: Fill) -> str:
    """Make a project of :data:`CONTENT` in ``folder``; gives the name of its version.

    Raises:
        ArchiveError: some of it is there already, or cannot be written; all is then as it was.
    """
    existing = [name for name in CONTENT if os.path.lexists(folder / name)]
    if existing:
        raise ArchiveError(f"{folder.absolute()} has {', '.join(existing)} already; nothing was "
                           "written: name another folder")
    try:
        with ExitStack() as unmake:
            if not folder.exists():
                folder.mkdir(parents=True)
                unmake.callback(folder.rmdir)
            with TemporaryDirectory(prefix=".mvp-site-", dir=folder) as name, ExitStack() as undo:
                staging = Path(name)
                version = _write(staging, fill)
                for entry in CONTENT:
                    (staging / entry).rename(folder / entry)
                    undo.callback((folder / entry).rename, staging / entry)
                undo.pop_all()
            unmake.pop_all()
    except OSError as error:
        raise ArchiveError(f"{folder.absolute()} cannot be written: {error.strerror}") from None
    return version


def _write(staging: Path, fill: Fill) -> str:
    (staging / ARCHIVE).mkdir()
    version = fill(staging / ARCHIVE)
    readme = (PACKAGE / _EXAMPLES / "project.md").read_text("utf-8")
    header = f"{version}/{HEADER}" if (staging / ARCHIVE / version / HEADER).exists() else HEADER
    for name, text in (
        ("README.md", Template(readme).substitute(
            version=version, header=header)),
        (SETTINGS, template(_FOLDERS)), (".gitignore", "data/\n"),
    ):
        (staging / name).write_text(text, encoding="utf-8")
    return version


def _shipped(name: str) -> AbstractContextManager[Path]:
    if name == DND and not (PACKAGE / _EXAMPLES / name).is_dir():  # in a checkout
        return nullcontext(Path(str(PACKAGE)).parent / ARCHIVE)
    return resources.as_file(PACKAGE / _EXAMPLES / name)


def _copy(folder: Path, archive: Path, *names: str) -> None:
    for name in names:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, archive / name)
