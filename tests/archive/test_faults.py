"""Faults: however a build dies, a reader finds a whole release, and the next build mends it."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mvp_site import Settings, build_prompt_index
from mvp_site.archive.release import load_release
from mvp_site.errors import MissingIndexError

from ..conftest import REPOSITORY, RememberingEncoder, settings_under, write_archive

SEED = 20_251_201
MOMENTS = 8


def deaths(root: Path, start: str) -> Iterator[dict[str, Any]]:
    """What the driver tells, line by line."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.archive.killed_build", str(root), start]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, env=environment) as driver:
        assert driver.stdout is not None
        for line in driver.stdout:
            yield json.loads(line)
    assert driver.returncode == 0


def check(root: Path, start: str) -> int:
    """The number of deaths; each left the old release, the new one, or none where none was."""
    told = deaths(root, start)
    before, expected = next(told)["before"], next(told)["expected"]
    old = before if "error" not in before else {"name": None}
    for died, death in enumerate(told):
        what = f"died at {death['n']}: {death['moment']}"
        if start == "damaged":  # what was damaged before may be told as damaged
            death["after"].pop("error", None)
        assert death["after"] in (old, expected), what
        assert death["rebuilt"] == expected["name"], what
        assert death["then"] == expected, what
        assert expected["name"] in death["left"], what
        # Served, before it, and one that a build which died after publishing had not yet removed.
        assert len(death["left"]) <= 3, f"{what}: something is left"
        assert not [name for name in death["left"] if name.startswith(".")], what
        assert death["status"] in (0, 9), what
        if death["status"] == 0:
            assert death["after"] == expected
            return died
        assert death["moment"]
    raise AssertionError("no build ever got through")


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("start", "least"), [("empty", 40), ("one", 40), ("two", 50), ("same", 4), ("damaged", 50)])
def test_a_build_killed_at_every_write_fsync_rename_and_removal(tmp_path: Path, start: str, least: int) -> None:
    assert check(tmp_path, start) >= least


def test_the_driver_would_notice_a_release_that_is_not_whole(tmp_path: Path) -> None:
    """The campaign is only as good as its reader."""
    from .killed_build import found

    write_archive(tmp_path)
    settings = settings_under(tmp_path)
    build_prompt_index(settings, encoder=RememberingEncoder())
    whole = found(settings)
    assert whole["name"]
    assert whole["digest"]
    (settings.prompt_index_dir / "dec_2025" / whole["name"] / "meta.jsonl").unlink()
    assert "meta.jsonl is missing" in found(settings)["error"]


# --- the real encoder ---------------------------------------------------------------------------

REAL_BUILD = """
import sys
from pathlib import Path
from mvp_site import Settings, build_prompt_index
from mvp_site.archive import build
from mvp_site.training import export  # everything is imported before the clock starts

archive, index, data = map(Path, sys.argv[1:])
probes = build.load_off_topic()
build.load_off_topic = lambda *of: probes[:24]
print("building", flush=True)
manifest = build_prompt_index(
    Settings(prompt_version="dec_2025", prompt_archive_dir=archive, prompt_index_dir=index,
             mvp_site_data_dir=data),
    progress=lambda stage, done, of: print(stage, flush=True),
)
print("built", manifest.fingerprint, flush=True)
"""


def started(settings: Settings) -> subprocess.Popen[str]:
    folders = (settings.prompt_archive_dir, settings.prompt_index_dir, settings.mvp_site_data_dir)
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", REAL_BUILD, *map(str, folders)], stdout=subprocess.PIPE, text=True)


def run(settings: Settings) -> str:
    """The fingerprint that a build gives."""
    with started(settings) as build:
        said = build.communicate(timeout=300)[0].split()
    assert build.returncode == 0
    return said[-1]


def killed(settings: Settings, stage: str, after: float) -> None:
    """A build is killed ``after`` seconds from a stage on, if it has not ended before."""
    with started(settings) as build:
        assert build.stdout is not None
        assert stage in (line.strip() for line in build.stdout)
        try:
            build.wait(timeout=after)
        except subprocess.TimeoutExpired:
            build.kill()
        build.wait(30)


@pytest.mark.slow
@pytest.mark.encoder
@pytest.mark.timeout(1200)
def test_a_real_build_killed_at_random_moments(settings: Settings) -> None:
    """Half of the moments anywhere in the build, half of them about when it publishes."""
    path = settings.prompt_archive_dir / "dec_2025/mechanics.md"
    new_text = path.read_text(encoding="utf-8")
    path.write_text(new_text.replace("fifty points", "forty points"), encoding="utf-8")
    old = run(settings)
    path.write_text(new_text, encoding="utf-8")
    beside = settings.prompt_index_dir.parent
    afresh = replace(settings, prompt_index_dir=beside / "afresh")
    new = run(afresh)
    onwards = replace(settings, prompt_index_dir=beside / "onwards")
    shutil.copytree(settings.prompt_index_dir, onwards.prompt_index_dir)
    built = {new, run(onwards)}
    assert old not in built

    moments = random.Random(SEED)
    for number in range(MOMENTS):
        stage, longest = ("building", 2.0) if number % 2 else ("calibrating", 0.2)
        here = replace(settings, prompt_index_dir=beside / f"run-{number}")
        expected = {*built, None}
        if number % 4 < 2:
            shutil.copytree(settings.prompt_index_dir, here.prompt_index_dir)
            expected = {*built, old}
        killed(here, stage, moments.uniform(0, longest))
        try:
            served: str | None = load_release(here.prompt_index_dir, "dec_2025").manifest.fingerprint
        except MissingIndexError:
            served = None
        assert served in expected, f"moment {number}, {stage}"
        if number >= MOMENTS - 4:
            assert run(here) in built
            assert load_release(here.prompt_index_dir, "dec_2025").manifest.fingerprint in built
        else:  # another encoder: the next build has to succeed, and quickly here
            next_build = build_prompt_index(here, encoder=RememberingEncoder())
            assert load_release(here.prompt_index_dir, "dec_2025").manifest.fingerprint == next_build.fingerprint
