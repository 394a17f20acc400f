"""The archive without its authors' ``when:`` lines, built beside the real one for comparison."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ..archive.build import build_prompt_index
from ..archive.versions import list_versions
from ..retrieval.markdown import split_lines
from ..retrieval.releases.build import Progress
from ..settings import Settings

_KEY = re.compile(r"[A-Za-z_]+\s*:")


def without_when(text: str) -> str:
    """``text`` with the ``when:`` entry of its front matter blank, every other line in place."""
    lines = split_lines(text)
    if not lines or lines[0].rstrip() != "---":
        return text
    dropping = False
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in {"---", "..."}:
            break
        if _KEY.match(line):
            dropping = line.startswith("when")
        if dropping:
            lines[number] = ""
    return "\n".join(lines)


@contextmanager
def archive_without_when(settings: Settings, progress: Progress | None = None,
                         ) -> Iterator[Settings]:
    """Settings of a temporary archive and index of every version, without ``when:`` lines."""
    with TemporaryDirectory() as folder:
        archive, index = Path(folder, "archive"), Path(folder, "index")
        shutil.copytree(settings.prompt_archive_dir, archive)
        for path in archive.rglob("*.md"):
            path.write_text(without_when(path.read_text(encoding="utf-8")), encoding="utf-8")
        index.mkdir()
        bare = replace(settings, prompt_archive_dir=archive, prompt_index_dir=index)
        for version in list_versions(bare):
            build_prompt_index(bare, version, progress=progress)
        yield bare
