"""A writer in a process of its own, for the tests of races.

    python -m tests.store.writer URL open            opens the store
    python -m tests.store.writer URL count NAME N    adds 1 to the campaign's number, N times

A line on standard input starts it, so that several begin together.
"""

from __future__ import annotations

import sys

from mvp_site.errors import CampaignConflictError
from mvp_site.store.campaigns import CampaignStore

from .records import a_turn


def count(store: CampaignStore, name: str, times: int) -> int:
    """Add 1 to ``n`` of the campaign ``saltmere``, ``times`` times; the conflicts met on the way."""
    conflicts = done = 0
    while done < times:
        campaign = store.load("saltmere")
        turn = a_turn(campaign.turns + 1, id=f"{name}-{done}", state_before=campaign.state)
        try:
            store.commit(turn, {"n": campaign.state["n"] + 1}, campaign.version)
        except CampaignConflictError:
            conflicts += 1
        else:
            done += 1
    return conflicts


def say(word: str) -> None:
    """Tell whoever started this process."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(url: str, what: str, *rest: str) -> None:
    say("ready")
    sys.stdin.readline()
    with CampaignStore.from_url(url) as store:
        if what == "count":
            count(store, rest[0], int(rest[1]))
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
