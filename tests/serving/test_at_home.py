"""Whole turns elsewhere: in a fresh HOME, watched by ``strace`` from outside the interpreter, and under another name in somebody's runner."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mvp_site
from mvp_site import Settings

from ..conftest import REPOSITORY

WATCHED = "socket,connect,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat"
READS = re.compile(r"\bopen(at)?\((?!.*O_(WRONLY|RDWR|CREAT|TRUNC))|\"/(dev|proc)/")


@pytest.fixture
def strace() -> str:
    path = shutil.which("strace")
    if path and subprocess.run([path, "true"], capture_output=True, check=False).returncode == 0:
        return path
    if os.environ.get("CI_REQUIRE_STRACE"):
        pytest.fail("CI_REQUIRE_STRACE is set, and strace does not run: apt-get install strace")
    pytest.skip("strace is not installed, or may not watch here: apt-get install strace")


@pytest.mark.slow
@pytest.mark.serving
def test_a_turn_opens_no_outside_socket_and_writes_in_the_data_folder_only(built: Settings, strace: str, tmp_path: Path) -> None:
    home, data, log = tmp_path / "home", tmp_path / "data", tmp_path / "log"
    home.mkdir()
    data.mkdir()
    (data / "encoder").symlink_to(built.encoder_dir.absolute())
    # No more than a shell gives, above all no CI: it quiets what a user would hear.
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1",
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")},
        "PROMPT_VERSION": str(built.prompt_version), "MVP_SITE_DATA_DIR": str(data),
        "PROMPT_ARCHIVE_DIR": str(REPOSITORY / "prompt_archive"), "PROMPT_INDEX_DIR": str(REPOSITORY / "data/prompt_index"),
    }
    turn = [sys.executable, "-m", "mvp_site.cli", "turn", "I sneak past the guard", "--json"]
    done = subprocess.run(
        [strace, "-f", "-y", "-qq", "-o", str(log), "-e", f"trace={WATCHED}", *turn],
        cwd=tmp_path, env={**environment, "PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"narrative"' in done.stdout
    calls = log.read_text(errors="replace").splitlines()
    assert [call for call in calls if "AF_INET" in call] == []
    written = [call for call in calls if "socket(" not in call and "connect(" not in call and not READS.search(call)]
    assert [call for call in written if str(data) not in call] == []
    assert written  # of our own there is something, so the watch worked
    assert list(home.iterdir()) == []


RUN = """
import sys
sys.modules["mvp_site"] = None  # whoever imports it by that name fails
from pathlib import Path
from prompts_mw import PromptAssembler, Settings, TurnHandler, TurnRequest, build_prompt_index
from prompts_mw.archive import project
project.make_project(Path("project"), project.example("station"))
settings = Settings(
    prompt_archive_dir=Path("project/prompt_archive"), prompt_index_dir=Path("project/index"),
    mvp_site_data_dir=Path("project/data"), mvp_site_llm="offline",
)
build_prompt_index(settings)
print(PromptAssembler.open(settings).assemble("The hull is leaking, I look for the patch").prompt)
with TurnHandler.open(settings) as handler:
    print(handler.handle(TurnRequest("first", "I look around")).text)
"""


@pytest.mark.slow
def test_it_can_be_vendored_under_another_name(tmp_path: Path) -> None:
    package = Path(mvp_site.__file__).parent
    shutil.copytree(package, tmp_path / "prompts_mw", ignore=shutil.ignore_patterns("__pycache__"))
    ended = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "<retrieved_context" in ended.stdout
