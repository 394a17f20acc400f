"""Import hides what a build, a heading, a name or a mark keeps from players."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Operate
from .test_import_secrets import hidden, written

SECRET = "The bell holds the phylactery."
TOWN = "# The town\n\nForty houses, one well, no dogs.\n"


def places(files: dict[str, str]) -> set[str]:
    """The names of the files that tell the secret."""
    return {name for name, text in files.items() if "phylactery" in text}


@pytest.mark.parametrize("matter", [
    "tags:\n  - npc\n  - secret", "tags:\n- gm/secret", 'tags:\n  - "#gm-only"', "tags:\n  [npc, secret]", "secret: yes # until session 6", '"secret": true',
    "{secret: true}", "secret: !!bool true", "secret: &x true", "visibility:\n  - gm", "visibility:\n  gm", "secret: |\n  true", 'tags: ["session/gm"]', "tags: [SL]",
    "segreto: sì", "geheim: wahr", "title: The bell\nmeta:\n  secret: true", "audience: player\ntags:\n  - secret", "tags: [npc\nsecret: true",
    '"is secret": true', "gm only: yes", '"geheim": wahr',
])
@pytest.mark.parametrize("folder", [False, True])
def test_front_matter_hides_as_in_a_build(operate: Operate, project: Path, matter: str, folder: bool) -> None:
    source = project / "source"
    source.mkdir()
    (source / "bell.md").write_text(f"---\n{matter}\n---\n\n# The bell\n\n{SECRET}\n", "utf-8")
    (source / "town.md").write_text(TOWN)
    files, notes = written(operate, source if folder else source / "bell.md")
    assert places(files) == {"bell.md"}
    assert hidden(files) == {"bell.md"} or files["bell.md"].startswith(f"---\n{matter}\n---\n")  # a build reads it
    assert "bell.md is hidden" in notes


@pytest.mark.parametrize("matter", ["tags:\n  - npc\n  - town", "title: The bell\nsecret: no", "visibility:\n  - players", "tags: [gm-friendly]"])
def test_other_front_matter_hides_nothing(operate: Operate, project: Path, matter: str) -> None:
    (project / "bell.md").write_text(f"---\n{matter}\n---\n\n# The bell\n\n{SECRET}\n", "utf-8")
    files, _ = written(operate, project / "bell.md")
    assert places(files)
    assert not hidden(files)
