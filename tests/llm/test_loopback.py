"""The loopback server itself: it stands a load with faults, and leaves nothing open."""

from __future__ import annotations

import random
import socket
import threading
from typing import Any

import pytest

from mvp_site.errors import ModelUnavailableError
from mvp_site.llm.models import open_model
from mvp_site.llm.protocol import ModelRequest
from mvp_site.types import Message
from tests.llm.asking import MODELS, STREAMS, WAYS, ask
from tests.llm.loopback import LoopbackServer
from tests.llm.wire_answers import Answer, Fault, FaultKind

KINDS: tuple[FaultKind, ...] = ("status", "malformed", "cut", "drop", "empty", "no_choices", "quiet_end", "page", "error_event")


@pytest.mark.parametrize("name", MODELS)
def test_eight_threads_and_a_fifth_of_faults(name: str, loopback: LoopbackServer) -> None:
    chance = random.Random(7)
    lock = threading.Lock()
    results: list[str] = []

    def respond(request: dict[str, Any]) -> Answer | Fault:
        with lock:
            kind = chance.choice(KINDS) if chance.random() < 0.2 else None
        return Fault(kind, 529) if kind else Answer(f"{request['messages'][-1]['content']}"[-60:])

    loopback.responder = respond
    model = open_model(loopback.settings(name))

    def play(seat: int) -> None:
        for turn in range(40):
            request = ModelRequest((Message("user", f"<{seat}.{turn}>"),))
            way = (WAYS[0], STREAMS[0])[turn % 2]
            try:
                reply = ask(model, way, request)
            except ModelUnavailableError:
                results.append("unavailable")
            else:
                assert f"<{seat}.{turn}>" in reply.text
                results.append("answered")

    threads = [threading.Thread(target=play, args=(seat,)) for seat in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    model.close()
    assert len(results) == 320
    assert 200 < results.count("answered") < 320


def test_nothing_else_can_be_reached(loopback: LoopbackServer) -> None:
    with pytest.warns(UserWarning, match="127.0.0.1"), pytest.raises(RuntimeError, match=r'host "192\.0\.2\.1"'):
        socket.create_connection(("192.0.2.1", 80))
