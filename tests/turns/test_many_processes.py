"""Two thousand turns over four processes, while database and pooler die, fall silent and come back."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mvp_site import PromptAssembler
from mvp_site.store.campaigns import CampaignStore
from tests.conftest import REPOSITORY
from tests.store.conftest import missing
from tests.store.test_pooler import own_server  # noqa: F401 (a fixture)

from .game import STATE

if TYPE_CHECKING:
    from tests.store.postgres import Pooler, Server

pytestmark = [pytest.mark.slow, pytest.mark.postgresql]
PROCESSES, TURNS, CAMPAIGNS = 4, 2_000, 20
WITHIN = 30
"""Seconds from a failure to the next turn of each process."""
SECONDS = 900


@pytest.fixture
def own_pooler(own_server: Server) -> Iterator[Pooler]:  # noqa: F811
    """PgBouncer before a server, both of which a test may kill."""
    from tests.store.postgres import PATH, Pooler

    if shutil.which("pgbouncer", path=PATH) is None:
        missing("PgBouncer is not installed: apt-get install pgbouncer", "CI_REQUIRE_PGBOUNCER")
    pooler = Pooler(own_server)
    yield pooler
    pooler.stop()


def disturb(server: Server, pooler: Pooler, senders: list[subprocess.Popen[str]]) -> Counter[str]:
    """Kill and stop database and pooler by turns, as long as turns are sent; how often each was."""
    done: Counter[str] = Counter()
    ended = time.monotonic() + SECONDS
    while any(sender.poll() is None for sender in senders):
        assert time.monotonic() < ended
        for name in ("stopped", "pooler", "killed"):
            time.sleep(2)
            if name == "stopped":
                server.freeze()
                time.sleep(1)
                server.freeze(signal.SIGCONT)
            elif name == "pooler":
                pooler.start_again()
            else:
                server.die()
                server.start_again()
            done[name] += 1
    return done


def test_each_request_is_one_turn(assembler: PromptAssembler, tmp_path: Path, own_server: Server, own_pooler: Pooler) -> None:  # noqa: F811
    name = own_server.create()
    with CampaignStore.from_url(own_server.url(name)) as store:
        for number in range(CAMPAIGNS):
            store.create(f"c{number}", STATE)
    senders = [subprocess.Popen(
        [sys.executable, "-m", "tests.turns.turn_sender", str(tmp_path / "assembled"), own_pooler.url(name), *map(str, (number, PROCESSES, TURNS, CAMPAIGNS))],
        cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) for number in range(PROCESSES)]
    try:
        for sender in senders:
            assert sender.stdout is not None
            assert sender.stdin is not None
            assert sender.stdout.readline() == "ready\n"
            sender.stdin.write("go\n")
            sender.stdin.flush()
        done = disturb(own_server, own_pooler, senders)
        answers = [json.loads(sender.communicate()[0]) for sender in senders]
    finally:
        for sender in senders:
            sender.kill()
            sender.communicate()
    assert min(done.values()) >= 2, done
    taken: dict[str, set[str]] = {}
    for given in answers:
        for key, turn in given["taken"].items():
            taken.setdefault(key, set()).add(turn)
    assert len(taken) == TURNS
    assert all(len(turns) == 1 for turns in taken.values())
    with CampaignStore.from_url(own_server.url(name)) as store:
        campaigns = store.campaigns(limit=100)
        assert sum(campaign.turns for campaign in campaigns) == TURNS
        turns = {turn.id: turn for campaign in campaigns for turn in store.turns(limit=TURNS, campaign_id=campaign.id)}
        assert sum(store.load(campaign.id).state["custom_campaign_state"]["counter"] for campaign in campaigns) == TURNS
    assert {turn for each in taken.values() for turn in each} == turns.keys()
    assert all(f"the {key}th price" in turns[turn].user_input for key, (turn,) in taken.items())
    assert max(given["outage"] for given in answers) < WITHIN
