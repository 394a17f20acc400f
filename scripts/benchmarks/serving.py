"""How fast ``/livez`` and ``/healthz`` answer while fifty clients ask, hostile ones among them.

``mvp-site serve`` runs as a process on loopback, as behind a proxy: the clients name addresses of
their own, so that each has limits of its own. A scripted model plays the turns.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from mvp_site.settings import Settings

from . import hostile

SECONDS: Final = 60.0
WANTED: Final = 1.0
"""Seconds within which every answer of ``/healthz`` is wanted."""
HELD: Final = 100
"""Connections that one half-open client holds."""
BODY: Final = 900_000

_PAUSE: Final = 1.0  # of an ordinary client, in which a person reads
_PROBE: Final = 0.1
_FLOODING: Final = "10.2.0.0"
"""The address of a client that is refused for asking too often: probes come from it too."""
_LONGEST: Final = 120.0
_LT: Final = "<" * 100_000
_LONG: Final = "I listen. " * 1_900


@dataclass(frozen=True, slots=True)
class Serving:
    """A run: ``waits`` are the seconds of each ``/healthz``, ``failed`` those not answered by 200.

    ``alive`` and ``refused`` are those of ``/livez``. ``answers`` counts what each kind of client
    met: statuses, closed connections, errors. ``command`` is what was run, and ``contract`` what
    became of the contract's pattern.
    """

    seconds: float
    clients: Mapping[str, int]
    waits: tuple[float, ...]
    failed: int
    answers: Mapping[str, Mapping[str, int]]
    alive: tuple[float, ...] = ()
    refused: int = 0
    command: str = ""
    contract: str = ""

    @property
    def slowest(self) -> float:
        """The longest wait; endless where an answer failed."""
        return float("inf") if self.failed else max(self.waits)

    @property
    def median(self) -> float:
        """The median of the waits."""
        return float(np.median(self.waits))

    @property
    def p99(self) -> float:
        """The 99th percentile of the waits."""
        return float(np.percentile(self.waits, 99))


def run(settings: Settings, work: Path, step: Callable[[str], None]) -> Serving:
    """The run of :data:`KINDS`; its data is kept in ``work``. Nothing is left running.

    Raises:
        RuntimeError: the server did not start.
    """
    answers: dict[str, Counter[str]] = {name: Counter() for name in KINDS}
    given = hostile.prepare(settings, work.resolve() / "serving", step)
    step("serving: starting")
    with _server(given) as site:
        for path, body in (*_play("10.0.0.1"), ("/library", None)):  # opens all that they need
            site.ask("POST" if body else "GET", path, "10.0.0.1", body)
        step(f"serving: {sum(count for count, _ in KINDS.values())} clients, {SECONDS:.0f} seconds")
        threads = [
            threading.Thread(target=client, args=(site, f"10.{kind}.0.{number}", answers[name]))
            for kind, (name, (count, client)) in enumerate(KINDS.items(), start=1)
            for number in range(count)
        ]
        for thread in threads:
            thread.start()
        alive = Probed()
        until = time.monotonic() + SECONDS
        beside = threading.Thread(target=alive.probe, args=(site, "/livez", until))
        beside.start()
        try:
            health = Probed().probe(site, "/healthz", until)
            beside.join()
        finally:
            site.over.set()
    for thread in threads:  # whose connections went with the server
        thread.join()
    clients = {name: count for name, (count, _) in KINDS.items()}
    return Serving(
        SECONDS, clients, tuple(health.waits), health.failed,
        {name: dict(met) for name, met in answers.items()}, tuple(alive.waits), alive.failed,
        site.command, given.contract,
    )


Line = tuple[str, str, str, float, str, float, Literal["≤"], str]


def lines(found: Serving) -> tuple[Line, Line]:
    """The run's lines of the table, as ``results.Row`` takes them."""
    many = sum(found.clients.values())
    return (
        (f"{many} clients, hostile ones among them: `/healthz`, 99th percentile and slowest",
         f"{found.p99:.3f} s, {found.slowest:.3f} s", "", found.slowest, "", WANTED, "≤",
         f"≤ {WANTED:g} s"),
        (f"{many} clients, hostile ones among them: `/livez` refused",
         f"{found.refused} of {len(found.alive)}", "", float(found.refused), "", 0.0, "≤", "0"),
    )


def section(found: Serving) -> str:
    """What the docs say of the run."""
    met = "".join(
        f"\n| {name.replace('<', '`<`')} | {count} | "
        f"{', '.join(f'{what}: {n:,}' for what, n in sorted(found.answers[name].items()))} |"
        for name, count in found.clients.items()
    )
    failed = f" {found.failed} of them failed." if found.failed else ""
    return (
        f"`{found.command}` as a process on loopback, with the threads that it has by default, for "
        f"{found.seconds:.0f} seconds. Of two answers of its scripted model one has "
        f"{hostile.ANSWER:,} characters, and {found.contract}. Each client has an address, and "
        f"limits, of its own. A half-open one holds {HELD} connections whose requests never end, "
        f"half of them with a byte a second; bodies of {BODY // 1000} KB hold nothing but `<`; ten "
        "play one campaign without a pause; one that draws asks for pages that take gigabytes or a "
        "minute; one that branches takes long turns and branches after each into ten campaigns; an "
        "ordinary one opens a page, takes a turn of its own "
        "campaign, searches and asks the rulebook, a second after each answer. They run on the "
        f"same machine, and share its processor. Meanwhile `/livez` was asked {len(found.alive)} "
        "times from an address that is refused for asking too often: "
        f"{found.refused} failed, {max(found.alive, default=0.0):.3f} s at the slowest. `/healthz` "
        "was asked "
        f"{len(found.waits)} times over new connections: {found.median:.3f} s in the median, "
        f"{found.p99:.3f} s at the 99th percentile, {max(found.waits):.3f} s at the slowest."
        f"{failed} 409 and 503 tell a client to come back in seconds, 429 that it has asked too "
        f"often.\n\n| clients | how many | what they met |\n|---|--:|---|{met}"
    )


@dataclass(frozen=True, slots=True)
class Site:
    """The port where the server listens, whether the run is over, and what was started.

    ``books`` are the ids of hostile ones.
    """

    port: int
    over: threading.Event
    books: tuple[str, ...]
    command: str

    def ask(self, method: str, path: str, address: str, body: bytes | None = None) -> int:
        """The status of the answer to a request that a proxy says is from ``address``."""
        return self.read(method, path, address, body)[0]

    def read(self, method: str, path: str, address: str, body: bytes | None = None,
             ) -> tuple[int, bytes]:
        """That status, and the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_LONGEST)
        try:
            connection.request(method, path, body, {
                "X-Forwarded-For": address, "Content-Type": "application/json",
                "Connection": "close",
            })
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


class Probed:
    """The seconds of each answer to a probe, and how many were not 200."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.failed = 0

    def probe(self, site: Site, path: str, until: float) -> Probed:
        """Ask again and again, until a time."""
        while time.monotonic() < until:
            started = time.monotonic()
            try:
                self.failed += site.ask("GET", path, _FLOODING) != 200
            except (OSError, http.client.HTTPException):
                self.failed += 1
            self.waits.append(time.monotonic() - started)
            site.over.wait(max(0.0, _PROBE - self.waits[-1]))
        return self


def _asking(requests: Callable[[str], Iterator[tuple[str, bytes | None]]], pause: float,
            ) -> Callable[[Site, str, Counter[str]], None]:
    """A client that sends its requests again and again, ``pause`` seconds or so between them."""

    def client(site: Site, address: str, answers: Counter[str]) -> None:
        chance = random.Random(address)  # noqa: S311 - so that they do not walk in step
        while not site.over.is_set():
            for path, body in requests(address):
                try:
                    told = str(site.ask("POST" if body else "GET", path, address, body))
                except (OSError, http.client.HTTPException) as error:
                    told = type(error).__name__
                if site.over.is_set():
                    return
                answers[told] += 1
                site.over.wait(chance.uniform(0.5, 1.5) * pause)

    return client


def _half_open(site: Site, address: str, answers: Counter[str]) -> None:
    """Hold connections whose requests never end; half of them send a byte a second."""
    del address  # what is never read whole has none
    begun = b"POST /api/assemble HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
    with ExitStack() as stack:
        held: list[socket.socket | None] = [None] * HELD
        while not site.over.is_set():
            for number, one in enumerate(held):
                try:
                    if one is None:
                        new = stack.enter_context(
                            socket.create_connection(("127.0.0.1", site.port), timeout=1)
                        )
                        new.sendall(begun + (b"\r\n{" if number % 4 else b""))
                        new.setblocking(False)
                        held[number] = new
                        answers["opened"] += 1
                    elif number % 2:
                        one.send(b" ")
                    elif not one.recv(1):
                        raise ConnectionResetError
                except BlockingIOError:
                    pass
                except OSError:
                    held[number] = None
                    answers["closed"] += 1
            site.over.wait(1)


def _drawing(site: Site, address: str, answers: Counter[str]) -> None:
    """Ask for the pages of hostile books, in every width, again and again."""
    paths = [f"/library/{book}/pages/1.png?w={width}"
             for width in (240, 480, 960, 1600) for book in site.books]
    random.Random(address).shuffle(paths)  # noqa: S311 - as above
    _asking(lambda _: iter([(path, None) for path in paths]), _PAUSE / 2)(site, address, answers)


def _branching(site: Site, address: str, answers: Counter[str]) -> None:
    """Take long turns of a campaign, and branch it into ten after each."""
    numbers = count()
    while not site.over.is_set():
        try:
            status, body = site.read("POST", "/api/turn", address, _turn(address, _LONG))
            answers[f"turn {status}"] += 1
            for number in islice(numbers, 10) if status == 200 else ():
                branch = json.dumps({
                    "turn_id": json.loads(body)["turn_id"], "campaign_id": f"{address}-{number}",
                })
                status = site.ask("POST", "/api/turn/branch", address, branch.encode())
                answers[f"branch {status}"] += 1
        except (OSError, http.client.HTTPException) as error:
            if not site.over.is_set():
                answers[type(error).__name__] += 1
        site.over.wait(_PAUSE)


def _turn(campaign: str, text: str = "I listen at the door.") -> bytes:
    return json.dumps({"campaign_id": campaign, "user_input": text}).encode()


_SEARCH: Final = ("/api/entities/search?query=dragon", None)
_RULES: Final = ("/api/rulebook/query", b'{"query": "how does grappling work?"}')
_FLOOD: Final = json.dumps({
    "text": "<", "history": [{"role": "user", "content": _LT}] * (BODY // len(_LT)),
}).encode()


def _play(address: str) -> Iterator[tuple[str, bytes | None]]:
    yield from (("/", None), ("/api/turn", _turn(address)), _SEARCH, _RULES)


KINDS: Final[dict[str, tuple[int, Callable[[Site, str, Counter[str]], None]]]] = {
    "half-open": (4, _half_open),
    "bodies full of <": (8, _asking(lambda _: iter([("/api/assemble", _FLOOD)]), 0.05)),
    "turns of one campaign": (10, _asking(lambda _: iter([("/api/turn", _turn("one"))]), 0.05)),
    "drawing hostile pages": (6, _drawing),
    "branching": (4, _branching),
    "ordinary": (18, _asking(_play, _PAUSE)),
}
"""The clients by kind: how many, and what one does until the run ends."""


@contextmanager
def _server(given: hostile.Site) -> Iterator[Site]:
    """A server that is ready; in the end it is stopped."""
    settings = given.settings
    work = settings.mvp_site_data_dir.parent
    environment: dict[str, Any] = {
        "PROMPT_VERSION": settings.prompt_version,
        "PROMPT_ARCHIVE_DIR": settings.prompt_archive_dir,
        "PROMPT_INDEX_DIR": settings.prompt_index_dir,
        "MVP_SITE_DATA_DIR": settings.mvp_site_data_dir,
        "MVP_SITE_DATABASE_URL": settings.mvp_site_database_url,
        "MVP_SITE_DM_TOKEN": secrets.token_urlsafe(), "MVP_SITE_LLM": settings.mvp_site_llm,
    }
    words = ["serve", "--port", "0", "--proxies", "1", "--json"]
    said = work / "serving.log"
    with said.open("w") as log, subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "mvp_site.cli", *words], stdout=subprocess.PIPE, stderr=log,
        text=True, env={**os.environ, **{name: str(value) for name, value in environment.items()}},  # noqa: TID251
    ) as process:
        try:
            assert process.stdout is not None
            told = next((line for line in process.stdout if "http://" in line), None)
            if told is None:
                raise RuntimeError(f"the server did not start:\n{said.read_text()}")
            site = Site(int(told.rpartition(":")[2].strip().rstrip('"')), threading.Event(),
                        given.books, shlex.join(["mvp-site", *words]))
            if site.ask("GET", "/healthz", "10.0.0.1") != 200:
                raise RuntimeError(f"the server is not healthy:\n{said.read_text()}")
            yield site
        finally:
            process.kill()
