"""A process that takes turns until each is taken, for the test of several through failures.

    python -m tests.turns.turn_sender ARCHIVE_ROOT DATABASE_URL NUMBER OF TURNS CAMPAIGNS

Waits for a line on standard input; prints by each key the turn, and the seconds of the longest time
without one.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from pathlib import Path

from mvp_site import PromptAssembler
from mvp_site.errors import CampaignConflictError, StoreError
from mvp_site.store.campaigns import CampaignStore
from mvp_site.turns.handler import TurnHandler
from tests.conftest import settings_under
from tests.hashing import HashingEncoder

from .game import Replying, ask


def main(root: str, url: str, number: str, of: str, turns: str, campaigns: str) -> None:
    """Send the turns of this process, and some of the next one's at the same time as that."""
    settings = settings_under(Path(root), prompt_retriever_score_floor=0.0)
    assembler = PromptAssembler.open(settings, encoder=HashingEncoder())
    each = int(turns) // int(of)
    sent = [(int(number), at) for at in range(each)]
    sent[: each // 5] = [row for at in range(each // 5) for row in ((int(number), at), ((int(number) + 1) % int(of), at))]
    taken: dict[str, str] = {}
    outage = 0.0
    with CampaignStore.from_url(url, timeout=3) as store, closing(TurnHandler(settings, assembler, Replying(), store)) as handler:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        for process, at in sent:
            key = f"k{process}-{at}"
            turn = ask(f"I ask for the {key}th price", campaign_id=f"c{(process * 7 + at) % int(campaigns)}", idempotency_key=key)
            began = time.monotonic()
            while key not in taken:
                try:
                    taken[key] = handler.handle(turn).turn_id
                except (StoreError, CampaignConflictError):
                    time.sleep(0.05)
            outage = max(outage, time.monotonic() - began)
            if not at % 10:
                try:
                    assert handler.handle(turn).turn_id == taken[key]
                except StoreError:
                    continue
    sys.stdout.write(f"{json.dumps({'taken': taken, 'outage': outage})}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
