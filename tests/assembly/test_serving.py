"""Serving: a release is taken up as one between two turns."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mvp_site import AssembledTurn, Message, PromptAssembler, build_prompt_index
from mvp_site.errors import CorruptIndexError

from ..conftest import settings_under
from ..doubles import write_version
from ..hashing import HashingEncoder

pytestmark = pytest.mark.serving

TOPICS = ("falling", "trade", "resting", "combat", "spells", "travel", "weather", "names")


def edition(root: Path, number: int, topics: tuple[str, ...] = TOPICS) -> str:
    """Write and build an edition in which header and every chunk name their number."""
    write_version(root, {f"{t}.md": f"# {t.title()}\n\nWhat {t} means in edition {number}." for t in topics}, header=f"The rules of edition {number}.\n")
    settings = settings_under(root)
    return build_prompt_index(settings, encoder=HashingEncoder()).fingerprint


def open_(root: Path, **fields: Any) -> PromptAssembler:
    settings = settings_under(root, prompt_retriever_score_floor=0.0, **fields)
    return PromptAssembler.open(settings, encoder=HashingEncoder())


def assert_of(turn: AssembledTurn, number: int, fingerprint: str) -> None:
    assert turn.telemetry["release"] == fingerprint
    assert turn.prompt.startswith(f"The rules of edition {number}.\n")
    assert turn.chunks
    assert all(chunk.text.endswith(f"edition {number}.") for chunk in turn.chunks)


def test_a_release_of_another_version_is_refused_and_a_build_mends_it(tmp_path: Path) -> None:
    """The same text under another name: a copied folder is whole, and still another version's."""
    edition(tmp_path, 1)
    index = tmp_path / "data/prompt_index"
    shutil.copytree(tmp_path / "prompt_archive/dec_2025", tmp_path / "prompt_archive/mar_2026")
    shutil.copytree(index / "dec_2025", index / "mar_2026")
    with pytest.raises(CorruptIndexError, match="is a release of version 'dec_2025'; build again: mvp-site index build --version mar_2026"):
        open_(tmp_path, prompt_version="mar_2026")
    build_prompt_index(settings_under(tmp_path), "mar_2026", encoder=HashingEncoder())
    assert open_(tmp_path, prompt_version="mar_2026").version == "mar_2026"


# --- soak ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("turns", "editions"), [(800, 4), pytest.param(20_000, 20, marks=pytest.mark.slow)], ids=["short", "long"])
def test_threads_assemble_while_releases_come_and_go(tmp_path: Path, turns: int, editions: int) -> None:
    """8 threads, each turn of one release whole: header, fingerprint and every chunk's text."""
    fingerprints = {edition(tmp_path, 0): 0}
    assembler = open_(tmp_path, prompt_cache_size=64)
    progress = threading.Condition()
    done = 0
    failures: list[str] = []

    def player(seat: int) -> None:
        nonlocal done
        for number in range(turns // 8):
            topic = TOPICS[(number + seat) % len(TOPICS)]
            text, history = f"what does {topic} mean {number % 37}", ()
            if number % 5 == 0:
                text, history = "and again?", (Message("user", f"what does {topic} mean"),)
            try:
                turn = assembler.assemble(text, ("story", "dm", "god")[number % 3], "god", history)
                check(turn)
            except Exception as error:  # noqa: BLE001 - told below, with its kind
                failures.append(f"{type(error).__name__}: {error}"[:300])
            with progress:
                done += 1
                progress.notify_all()

    def check(turn: AssembledTurn) -> None:
        number = int(turn.prompt.removeprefix("The rules of edition ").split(".", 1)[0])
        said = {chunk.text.rpartition("edition ")[2].rstrip(".") for chunk in turn.chunks}
        if said != {str(number)} or fingerprints.setdefault(turn.telemetry["release"], number) != number:
            failures.append(f"mixed: header {number}, chunks {said}, release {turn.telemetry['release']}")

    def publisher() -> None:
        for number in range(1, editions + 1):
            with progress:
                assert progress.wait_for(lambda due=number: done >= due * turns // (editions + 2), 600)
            fingerprints[edition(tmp_path, number)] = number

    with ThreadPoolExecutor(9) as pool:
        jobs = [pool.submit(publisher), *(pool.submit(player, seat) for seat in range(8))]
        for job in jobs:
            job.result()
    assert failures == []
    assert done == turns
    assert len(fingerprints) == editions + 1
    assert_of(assembler.assemble("trade"), editions, max(fingerprints, key=lambda f: fingerprints[f]))
