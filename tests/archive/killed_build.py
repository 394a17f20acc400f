"""Builds that die: a driver for ``test_faults``, run as a process of its own.

    python -m tests.archive.killed_build ROOT START KINDS

For n = 1, 2, … it forks a build over a fresh copy of a shelf and lets it die, without any clean-up,
just before the n-th thing it does to the disk (a write dies half-way), until one build completes.
After each death it says on one JSON line what a reader finds and what the next build makes of it.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

from mvp_site import Settings, build_prompt_index
from mvp_site.archive import build, turn_classifiers
from mvp_site.archive.release import load_release
from mvp_site.archive.versions import store_of
from mvp_site.errors import MissingIndexError, MvpSiteError
from mvp_site.releases import durable_write
from mvp_site.releases.bundles import digest, seal

from ..conftest import RememberingEncoder, settings_under, write_archive
from ..few_utterances import LEANING, TOPICS

VERSION: Final = "dec_2025"
CALLS: Final = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree"}
WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Death:
    """Counts what the process does to the disk and ends it at the n-th."""

    def __init__(self, at: int, told: int) -> None:
        self._left = at
        self._told = told

    def meet(self, kind: str, what: object) -> bool:
        """Whether this is the moment."""
        self._left -= 1
        if self._left == 0:
            os.write(self._told, f"{kind} {what}".encode())
        return self._left == 0

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(args[2], int) and args[2] & WRITING
        if (writes or event in CALLS) and self.meet(event, args[0]):
            die()


def die() -> NoReturn:
    os._exit(9)


class DyingFile(io.FileIO):
    """A file whose fatal write reaches the disk by half."""

    death: Death

    def write(self, content: Any) -> int:
        if self.death.meet("write", self.name):
            super().write(content[: len(content) // 2])
            die()
        return super().write(content)


def build_and_die(settings: Settings, death: Death) -> NoReturn:
    """In a forked process: build; exit status 0 where the build got through."""
    fsync = os.fsync

    def dying_fsync(handle: int) -> None:
        if death.meet("fsync", Path(f"/proc/self/fd/{handle}").readlink()):
            die()
        fsync(handle)

    def dying_open(path: Path, mode: str = "r", **how: Any) -> Any:
        if "w" not in mode:
            return open(path, mode, **how)  # noqa: PTH123
        handle = DyingFile(path, "w", opener=how.get("opener"))
        handle.death = death
        return handle

    os.fsync = dying_fsync
    vars(durable_write)["open"] = dying_open
    sys.addaudithook(death.audit)
    status = 1
    try:
        build_prompt_index(settings, encoder=RememberingEncoder())
        status = 0
    finally:
        os._exit(status)


def found(settings: Settings) -> dict[str, Any]:
    """What a reader finds: the release's name, its files' digest, or the error."""
    try:
        release = load_release(settings.prompt_index_dir, VERSION)
    except MissingIndexError:
        return {"name": None}
    except MvpSiteError as error:
        return {"name": None, "error": f"{type(error).__name__}: {error}"}
    bundle = store_of(settings.prompt_index_dir, VERSION).load(release.manifest.fingerprint)
    return {"name": release.manifest.fingerprint, "digest": seal({k: digest(v) for k, v in bundle.files.items()})}


def edit(settings: Settings, old: str, new: str) -> None:
    path = settings.prompt_archive_dir / VERSION / "mechanics.md"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def prepare(root: Path, start: str) -> Settings:
    """The shelf that the build finds, and an archive that has changed since."""
    settings = settings_under(root, prompt_releases_kept=2)  # so that some are removed
    shelf = settings.prompt_index_dir / VERSION
    texts = {"empty": [], "one": ["forty points"], "two": ["thirty points", "forty points"]}.get(start, ["fifty points"])
    now = "fifty points"
    for text in texts:
        edit(settings, now, text)
        name = build_prompt_index(settings, encoder=RememberingEncoder()).fingerprint
        now = text
    edit(settings, now, "fifty points")
    settings.prompt_index_dir.mkdir(parents=True, exist_ok=True)
    if start == "damaged":
        (shelf / name / "windows.faiss").write_bytes(b"damaged")
    if start == "same":
        (shelf / "CURRENT").unlink()  # the release stands, a build died before naming it
    return settings


def shorten() -> None:
    """Builds that spend their time on the disk: few probes and utterances."""
    probes = build.load_off_topic()[:24]
    vars(build).update(load_off_topic=lambda *of: probes, situations=lambda: TOPICS)
    vars(turn_classifiers).update(groups=lambda: LEANING)


def tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(root: Path, start: str) -> None:
    shorten()
    write_archive(root)
    settings = prepare(root, start)
    tell(before=found(settings))
    fresh = replace(settings, prompt_index_dir=root / "expected")
    build_prompt_index(fresh, encoder=RememberingEncoder())
    tell(expected=found(fresh))
    for n in range(1, 1000):
        here = replace(settings, prompt_index_dir=root / f"run-{n}")
        shutil.copytree(settings.prompt_index_dir, here.prompt_index_dir)
        # Each writes the vectors of the shipped texts too, and may die of that.
        shutil.rmtree(settings.cache_dir, ignore_errors=True)
        reader, told = os.pipe()
        child = os.fork()
        if not child:
            build_and_die(here, Death(n, told))
        os.close(told)
        moment = os.read(reader, 1000).decode()
        os.close(reader)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        after = found(here)
        try:
            rebuilt: str | None = build_prompt_index(here, encoder=RememberingEncoder()).fingerprint
        except Exception as error:  # noqa: BLE001 - told, not handled
            rebuilt = repr(error)
        shelf = here.prompt_index_dir / VERSION
        left = sorted(p.name for p in shelf.iterdir() if p.name not in (".lock", "CURRENT"))
        tell(n=n, status=status, moment=moment, after=after, rebuilt=rebuilt, then=found(here), left=left)
        shutil.rmtree(here.prompt_index_dir)
        if status == 0:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
