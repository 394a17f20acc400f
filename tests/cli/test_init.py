"""``mvp-site init``: what it makes, what it refuses, and the whole way from a wheel to a turn."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mvp_site import Settings
from mvp_site.archive import project
from mvp_site.archive.header_files import examples, first_state
from mvp_site.archive.versions import newest, read_version
from mvp_site.errors import ArchiveError

from ..conftest import REPOSITORY
from .invoking import invoke, ok, terminal

PROMPT = """\
You narrate a game of trucks in space. Always answer in prose, and never more than ten lines.

# Docking

A truck docks by two dice under its handling.
"""
SHIPPED = newest(Settings(prompt_archive_dir=REPOSITORY / "prompt_archive", prompt_index_dir=REPOSITORY / "none")) or ""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working directory, whose settings file counts."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("MVP_SITE_SETTINGS")
    return folder


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# --- what it makes ------------------------------------------------------------------------------


def test_the_example_is_the_newest_version_with_all_that_stands_beside_it(here: Path) -> None:
    told = ok(invoke("init", "--example"))
    assert 'mvp-site turn "I look around"' in told
    assert "cd " not in told
    settings = Settings()
    made = read_version(settings, newest(settings) or "")
    original = read_version(Settings(prompt_archive_dir=REPOSITORY / "prompt_archive"), SHIPPED)
    assert (made.name, made.archive_hash) == (original.name, original.archive_hash)
    assert first_state(made.beside)
    assert examples(made.beside)
    assert settings.prompt_archive_dir == Path("prompt_archive")
    assert (here / ".gitignore").read_text() == "data/\n"
    assert f"`{made.name}/`" in (here / "README.md").read_text()
    assert {path.name for path in here.iterdir()} == set(project.CONTENT)


def test_an_empty_one_says_what_to_write_and_then_builds(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(ok(invoke("init", "my game", "--empty", "--json")))
    assert found["next"][:3] == ["cd 'my game'", "write prompt_archive/v1/rules.md, in Markdown", "mvp-site index build"]
    assert found["made"] == list(project.CONTENT)
    monkeypatch.chdir("my game")
    refused = invoke("index", "build")
    assert (refused.exit_code, "has no *.md file with text: add one, then build again" in refused.stderr) == (1, True)
    played = " ".join(invoke("turn", "I look around").stderr.split())
    assert all(words in played for words in ("mvp-site index build", "use the core header alone"))
    Path("prompt_archive/v1/rules.md").write_text("# Fuel\n\nEach jump burns one cell.\n")
    assert [one.file for one in read_version(Settings(), "v1").sources] == ["rules.md"]


def test_prompts_of_ones_own_are_imported_and_nothing_of_another_game_comes_with_them(here: Path) -> None:
    Path("mine.txt").write_text(PROMPT)
    assert "header: " in (report := ok(invoke("init", "game", "--from", "mine.txt")))
    assert "answers: plain text" in report
    assert "they may as well be sent whole" in report
    assert "`v1/core_header.txt`, the header" in Path("game/README.md").read_text()
    made = "".join((here / "game" / name).read_text() for name in tree(here / "game"))
    assert all(line in made for line in PROMPT.splitlines())
    version = read_version(Settings(prompt_archive_dir=Path("game/prompt_archive")), "v1")
    assert b"Always answer in prose" in version.header
    assert first_state(version.beside) == {}
    assert not any(word in made for word in ("D&D", "Ranger", "Saltgate", "guard"))


@pytest.mark.parametrize(("said", "version"), [("\n", SHIPPED), ("empty\n", "v1"), ("from\n../mine.txt\n", "v1")])
def test_in_a_terminal_it_asks(here: Path, monkeypatch: pytest.MonkeyPatch, said: str, version: str) -> None:
    (here.parent / "mine.txt").write_text(PROMPT)
    terminal(monkeypatch, "init")
    ok(invoke("init", typed=said))
    assert (here / "prompt_archive" / version).is_dir()


# --- what it refuses ----------------------------------------------------------------------------


@pytest.mark.parametrize("args", [(), ("--json",), ("--example", "--empty"), ("--empty", "--from", ".")])
def test_it_wants_one_thing_to_begin_with(here: Path, args: tuple[str, ...]) -> None:
    refused = invoke("init", *args)
    assert (refused.exit_code, "--example (for D&D), --empty, or --from PATH" in refused.stderr) == (2, True)
    assert tree(here) == set()


@pytest.mark.parametrize("name", project.CONTENT)
def test_nothing_is_overwritten(here: Path, name: str) -> None:
    (here / name).symlink_to("nowhere")
    refused = invoke("init", "--example")
    message = " ".join(refused.stderr.split())  # it is folded where the folder's path is long
    assert (refused.exit_code, f"has {name} already; nothing was written: name another folder" in message) == (1, True)
    assert [path.name for path in here.iterdir()] == [name]


@pytest.mark.parametrize("args", [("--from", "gone.txt"), ("file", "--empty"), ("new", "--from", "blank.txt"), ("file/below", "--empty")])
def test_what_cannot_be_used_leaves_nothing(here: Path, args: tuple[str, ...]) -> None:
    for name in ("file", "blank.txt"):
        Path(name).write_text(" \n")
    assert invoke("init", *args).exit_code != 0
    assert tree(here) == {"file", "blank.txt"}
    assert not Path("new").exists()


@pytest.mark.parametrize("at", range(len(project.CONTENT)))
def test_a_project_is_made_whole_or_not_at_all(here: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    rename, last = Path.rename, project.CONTENT[at]

    def failing(path: Path, target: Path) -> Path:
        if path.name == last and target.parent.name == "game":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(ArchiveError, match="cannot be written: No space left on device"):
        project.make_project(here / "game", project.empty)
    assert list(here.iterdir()) == []


# --- from a wheel -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as its wheel installs it, made of a copy of the sources."""
    pytest.importorskip("setuptools", minversion="77")
    root = tmp_path_factory.mktemp("wheel")
    for name in ("mvp_site", "prompt_archive"):
        shutil.copytree(REPOSITORY / name, root / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "setup.py", "MANIFEST.in", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, root)
    for args in (["wheel", ".", "--no-build-isolation", "-w", "."], ["install", "--target", "site", "--find-links", ".", "mvp-site"]):
        subprocess.run([sys.executable, "-m", "pip", *args, "--no-deps", "--no-index"], check=True, capture_output=True, cwd=root)
    return root / "site"


@pytest.mark.slow
def test_from_a_wheel_to_a_turn(here: Path, installed: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PROMPT_", "MVP_SITE_"))}
    for args, says in ((("init", "--example"), "made in"), (("index", "build"), "built"), (("turn", "I look around"), "Saltgate")):
        for path in sorted(here.glob("prompt_archive/*/*.md"))[2:]:
            path.unlink()  # to encode all of the example takes minutes
        done = subprocess.run([installed / "bin/mvp-site", *args], capture_output=True, text=True, check=False, cwd=here,
                              env={**environment, "PYTHONPATH": str(installed), "MVP_SITE_CACHE_DIR": str(here.parent / "cache")})
        assert (done.returncode, says in done.stdout + done.stderr) == (0, True), done.stdout + done.stderr
    assert {path.name for path in here.iterdir()} == {*project.CONTENT, "data"}
    assert {path.name for path in (here / "prompt_archive").iterdir() if path.is_dir()} == {SHIPPED}
