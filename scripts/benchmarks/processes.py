"""Start-up and memory, each measured in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from evaluation.needles import Needle

from mvp_site.settings import Settings

TURNS: Final = 20
"""Turns a process answers before its memory is read."""
_CHILD: Final = Path(__file__).with_name("child.py")
PROCESSES: Final = 5
"""How many fresh processes of each system are measured."""
_SECONDS: Final = 7_200


@dataclass(frozen=True, slots=True)
class Process:
    """Medians over processes.

    ``seconds`` go from before the first import to the end of the first turn, ``runs`` are they
    one by one; ``bytes`` are the peak of what was resident after :data:`TURNS` turns.
    """

    seconds: float
    bytes: float
    runs: tuple[float, ...]


def measure(settings: Settings, rival: Path, needles: Sequence[Needle], work: Path,
            step: Callable[[str], None]) -> tuple[Process, Process]:
    """Ours and the rival's, by turns; a first process of each warms the disk's cache, uncounted."""
    plan = work / "plan.json"
    plan.write_text(json.dumps({
        "version": settings.prompt_version,
        "archive_dir": str(settings.prompt_archive_dir),
        "index_dir": str(settings.prompt_index_dir), "data_dir": str(settings.mvp_site_data_dir),
        "budget": settings.prompt_max_tokens_retrieved, "rival": str(rival),
        "turns": [_turn(needle) for needle in needles[:TURNS]],
    }), encoding="utf-8")
    found: dict[str, list[dict[str, float]]] = {"ours": [], "rival": []}
    for number in range(PROCESSES + 1):
        step(f"processes {number + 1} of {PROCESSES + 1}")
        for system, runs in found.items():
            run = child_values(_CHILD, system, plan)
            if number:
                runs.append(run)
    ours, theirs = (_median(found[name]) for name in ("ours", "rival"))
    return ours, theirs


def _turn(needle: Needle) -> dict[str, object]:
    state = None if needle.state is None else dict(needle.state)
    history = [{"role": m.role, "content": m.content} for m in needle.history]
    return {"text": needle.query, "mode": needle.mode, "history": history, "state": state}


def child_values(script: Path, *arguments: object) -> dict[str, Any]:
    """What a script of ours, run in a process of its own, prints as its last line: JSON."""
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(script), *map(str, arguments)],
        capture_output=True, text=True, timeout=_SECONDS, check=False,
    )
    if done.returncode:
        told = " ".join(map(str, arguments))
        raise RuntimeError(f"{script.name} {told} failed:\n{done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _median(runs: Sequence[Mapping[str, float]]) -> Process:
    seconds = tuple(run["seconds"] for run in runs)
    peak = np.median([run["bytes"] for run in runs])
    return Process(float(np.median(seconds)), float(peak), seconds)
