"""Serving: a release is replaced as one between two turns; one that does not load changes nothing."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mvp_site import AssembledTurn, Message, PromptAssembler, build_prompt_index
from mvp_site.archive.release import load_release
from mvp_site.assembly.serving import Serving
from mvp_site.retrieval import release_store as disk
from mvp_site.retrieval.encoder import HashingEncoder

from ..conftest import settings_under
from ..doubles import write_version

pytestmark = pytest.mark.serving

TOPICS = ("falling", "trade", "resting", "combat", "spells", "travel", "weather", "names")


def edition(root: Path, number: int, topics: tuple[str, ...] = TOPICS) -> str:
    """Write and build an edition in which header and every chunk name their number."""
    write_version(
        root, {f"{t}.md": f"# {t.title()}\n\nWhat {t} means in edition {number}." for t in topics},
        header=f"The rules of edition {number}.\n",
    )
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


def test_a_new_release_is_taken_up_between_two_turns(tmp_path: Path) -> None:
    first = edition(tmp_path, 1)
    assembler = open_(tmp_path)
    assert_of(assembler.assemble("what does trade mean"), 1, first)
    second = edition(tmp_path, 2)
    for _ in range(2):
        assert_of(assembler.assemble("what does trade mean"), 2, second)


def test_the_same_release_is_loaded_once(tmp_path: Path) -> None:
    edition(tmp_path, 1)
    assembler = open_(tmp_path)
    served = assembler._serving.peek()
    build_prompt_index(settings_under(tmp_path), encoder=HashingEncoder(), force=True)  # the same content
    for _ in range(3):
        assembler.assemble("trade")
    assert assembler._serving.get() is served


def test_the_encoder_is_kept_where_it_is_the_same(tmp_path: Path) -> None:
    edition(tmp_path, 1)
    assembler = open_(tmp_path)
    encoder = assembler._serving.get().encoder  # type: ignore[union-attr]
    second = edition(tmp_path, 2)
    served = assembler._serving.get()
    assert served is not None
    assert served.release.fingerprint == second
    assert served.encoder is encoder


def damage(root: Path, fingerprint: str) -> None:
    path = root / "data/prompt_index/dec_2025" / fingerprint / "meta.jsonl"
    path.write_bytes(path.read_bytes()[:-9])


def test_a_release_that_does_not_load_leaves_the_old_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = edition(tmp_path, 1)
    assembler = open_(tmp_path)
    second = edition(tmp_path, 2)
    damage(tmp_path, second)
    for _ in range(3):
        assert_of(assembler.assemble("trade"), 1, first)
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1  # told once, not tried at every turn
    assert f"release {second} was not taken up, the one before stays" in errors[0].getMessage()
    assert "meta.jsonl" in errors[0].getMessage()
    third = edition(tmp_path, 3)
    assert_of(assembler.assemble("trade"), 3, third)


def test_a_release_of_another_encoder_leaves_the_old_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = edition(tmp_path, 1)
    assembler = open_(tmp_path)
    write_version(tmp_path, {"trade.md": "# Trade\n\nOf another encoder."})
    build_prompt_index(settings_under(tmp_path), encoder=HashingEncoder(32))
    assert_of(assembler.assemble("trade"), 1, first)
    assert "was built with hashing-32-256, not with hashing-64-256" in caplog.text


@pytest.mark.parametrize("pointer", [b"\xff\xfe", b"", b"nowhere\n", b"../../etc\n", None], ids=repr)
def test_a_broken_pointer_leaves_the_old_one(tmp_path: Path, pointer: bytes | None) -> None:
    first = edition(tmp_path, 1)
    assembler = open_(tmp_path)
    path = tmp_path / "data/prompt_index/dec_2025" / disk.POINTER
    if pointer is None:
        path.unlink()
    else:
        path.write_bytes(pointer)
    assert_of(assembler.assemble("trade"), 1, first)


def test_a_rollback_is_taken_up_too(tmp_path: Path) -> None:
    first, second = edition(tmp_path, 1), edition(tmp_path, 2)
    assembler = open_(tmp_path)
    assert_of(assembler.assemble("trade"), 2, second)
    disk.replace_file(tmp_path / "data/prompt_index/dec_2025" / disk.POINTER, first.encode())
    assert_of(assembler.assemble("trade"), 1, first)


def test_no_turn_waits_for_a_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = edition(tmp_path, 1)
    assembler = open_(tmp_path)
    second = edition(tmp_path, 2)
    loading, go = threading.Event(), threading.Event()

    def slowly(*args: Any) -> Any:
        loading.set()
        assert go.wait(60)
        return load_release(*args)

    monkeypatch.setattr("mvp_site.assembly.serving.load_release", slowly)
    with ThreadPoolExecutor(1) as pool:
        swapping = pool.submit(assembler.assemble, "trade")
        assert loading.wait(60)
        assert_of(assembler.assemble("trade"), 1, first)  # while the other thread loads
        go.set()
        assert_of(swapping.result(60), 2, second)
    assert_of(assembler.assemble("trade"), 2, second)


def test_nothing_is_served_until_something_is_published(tmp_path: Path) -> None:
    write_version(tmp_path, {"a.md": "text"})
    index_dir = settings_under(tmp_path).prompt_index_dir
    serving = Serving.none(index_dir, "dec_2025", lambda release: HashingEncoder())
    assert serving.get() is None
    first = edition(tmp_path, 1)
    served = serving.get()
    assert served is not None
    assert served.release.fingerprint == first


# --- soak ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "editions"), [(800, 4), pytest.param(20_000, 20, marks=pytest.mark.slow)], ids=["short", "long"]
)
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
