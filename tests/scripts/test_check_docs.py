"""The docs against the code: each kind of false statement is found, and the docs here have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import check_docs

from ..conftest import REPOSITORY

FALSE = [
    ("README.md", "`mvp_site/sessions/sheet.toml` has them all", "there is no file mvp_site/sessions/sheet.toml"),
    ("docs/architecture.md", "then `entities/query_expansion` leans it", "there is no file entities/query_expansion"),
    ("README.md", "```sh\npip install \"mvp-site[train]\"\n```", "nothing is released"),
    ("README.md", "```python\nfrom mvp_site.settings import Setings\n```", "mvp_site.settings has no Setings"),
    ("README.md", "`mvp-site index mend`", "mvp-site index has no command mend"),
    ("docs/api.md", "```text\nassembler.retrieve(text, mode=\"story\") -> Plan\n```", "assembler.retrieve has other parameters"),
    ("docs/api.md", "```text\nMessage(role, content, breakpoint=True)\n```", "Message has other parameters"),
    ("docs/choosing.md", "what is *below floor*", "outranked is not in docs/choosing.md"),
]
TRUE = [
    ("README.md", "`mvp_site/settings.py`, `data/entities`, `spells/fireball`, and `scripts/run`"),
    ("docs/architecture.md", "`archive/chunking`, `content/entity_types.toml`, `library/readers`"),
    ("README.md", "```sh\npip install \".[train]\" -c constraints.txt\n/home/me/mvp-site/.venv/bin/mvp-site index build\n```"),
    ("docs/api.md", "```text\nMessage(role, content, breakpoint=False)\nawait engine.aanswer(...) -> Answer\n```"),
]


def told(name: str, text: str, tmp_path: Path) -> list[str]:
    """What the checks of single pages say of a page with this text."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    pages = [check_docs.Page.read(tmp_path, path)]
    found = [*check_docs.paths(REPOSITORY, pages), *check_docs.installs(pages), *check_docs.examples(pages), *check_docs.signatures(pages),
             *check_docs.commands(pages)]
    if name == "docs/choosing.md":
        found += check_docs.reasons(pages)
    return [problem.what for problem in found]


@pytest.mark.parametrize(("name", "text", "what"), FALSE)
def test_what_is_false_is_found(name: str, text: str, what: str, tmp_path: Path) -> None:
    assert any(what in one for one in told(name, text, tmp_path))


@pytest.mark.parametrize(("name", "text"), TRUE)
def test_what_is_true_is_left_alone(name: str, text: str, tmp_path: Path) -> None:
    assert told(name, text, tmp_path) == []
