"""Commits that die: a driver for ``test_deaths``, run as a process of its own.

    python -m tests.store.killed_commit URL statements
    python -m tests.store.killed_commit URL times N

It forks commits of a large turn and lets each die by a signal that it cannot catch: after its
first, second, … statement and just before it commits, or at N moments spread over the time that a
commit takes, wherever the engine is then. After each death it says on one JSON line what a reader
finds.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import event

from mvp_site.store import urls
from mvp_site.store.campaigns import CampaignStore

from .records import a_turn

PADDING: Final = "x" * 400_000
Arm = Callable[[CampaignStore], None]


def commit(store: CampaignStore) -> None:
    """Take the next turn, a large one."""
    campaign = store.load("saltmere")
    turn = a_turn(campaign.turns + 1, state_before=campaign.state, manifest={"pad": PADDING})
    state = {"n": campaign.state["n"] + 1, "pad": PADDING}
    store.commit(turn, state, campaign.version)


def killed(url: str, arm: Arm) -> bool:
    """Whether a commit in a fork died; ``arm`` sees to its death."""
    child = os.fork()
    if not child:
        try:
            store = CampaignStore.from_url(url)
            store.load("saltmere")
            arm(store)
            commit(store)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def found(url: str) -> dict[str, Any]:
    """What a reader finds: version, number in the state, turns that are there, and health."""
    with CampaignStore.from_url(url) as store:
        document = store.export("saltmere")
    parsed, health = urls.parse(url), "ok"
    if urls.is_sqlite(parsed):
        with sqlite3.connect(str(parsed.database)) as connection:
            health = connection.execute("PRAGMA integrity_check").fetchone()[0]
    return {
        "n": document["state"]["n"], "version": document["campaign"]["version"], "turns": [turn["number"] for turn in document["turns"]],
        "before": [turn["state_before"]["n"] for turn in document["turns"]], "health": health,
    }


def after_statement(number: int) -> Arm:
    """Death after the commit's ``number``-th statement; its BEGIN counts, where it is one."""

    def arm(store: CampaignStore) -> None:
        left = [number]

        def count(*_: object) -> None:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

        event.listen(store._database._engine, "after_cursor_execute", count)

    return arm


def before_commit(store: CampaignStore) -> None:
    """Death when all is written and nothing committed. The first transaction only reads."""
    left = [2]

    def count(_: object) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(store._database._engine, "commit", count)


def after_time(seconds: float) -> Arm:
    """Death when ``seconds`` have gone by: the alarm is left to end the process."""

    def arm(_: CampaignStore) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    return arm


def say(what: str, *, died: bool, url: str) -> None:
    """One line: when, whether it died, and what is there."""
    sys.stdout.write(json.dumps({"what": what, "died": died, **found(url)}) + "\n")
    sys.stdout.flush()


def main(url: str, kind: str, times: str = "0") -> None:
    with CampaignStore.from_url(url) as store:
        store.create("saltmere", {"n": 0, "pad": PADDING})
        commit(store)
        started = time.perf_counter()
        commit(store)
        seconds = time.perf_counter() - started
    say("alive", died=False, url=url)
    if kind == "statements":
        say("before the commit", died=killed(url, before_commit), url=url)
        number, died = 0, True
        while died:
            number += 1
            died = killed(url, after_statement(number))
            say(f"after statement {number}", died=died, url=url)
    for step in range(int(times)):
        moment = seconds * 1.5 * (step + 1) / int(times)
        say(f"after {moment * 1e3:.2f} ms", died=killed(url, after_time(moment)), url=url)
    say("at last", died=killed(url, lambda _: None), url=url)


if __name__ == "__main__":
    main(*sys.argv[1:])
