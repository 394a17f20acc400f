"""A whole turn in a fresh HOME: no socket to anywhere, nothing written outside the data folder.

Watched from outside the interpreter, by ``strace``: what a library does in C shows as well.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mvp_site import Settings

from ..conftest import REPOSITORY

pytestmark = pytest.mark.serving

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
