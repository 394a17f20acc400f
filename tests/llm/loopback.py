"""A server on 127.0.0.1 that speaks as each provider does, and fails when it is told to.

``responder`` gets each request's JSON and returns an Answer or a Fault; :meth:`LoopbackServer.put`
queues some that come before it. A test package gets the fixtures by importing them::

    from tests.llm.loopback import loopback  # noqa: F401

HTTP/1.1 with connections kept alive, a thread for each connection. A request goes to
``/DIALECT/PATH``; what the provider would refuse is refused (:mod:`tests.llm.dialects`).
"""

from __future__ import annotations

import json
import socket
import ssl
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest
from pytest_socket import enable_socket, socket_allow_hosts

from mvp_site import Settings
from tests.llm.dialects import DIALECTS, Dialect, dialect_of
from tests.llm.wire_answers import Answer, Fault, chat, chat_whole

KEY = "sk-test-0123456789-never-shown"
LONGEST_GATE = 20.0

Responder = Callable[[dict[str, Any]], Answer | Fault]


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that the server got; header names are in lower case."""

    dialect: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes


class LoopbackServer:
    """The server, listening from ``with`` to its end. ``seen`` are the latest requests."""

    def __init__(self) -> None:
        self.responder: Responder = lambda request: Answer()
        self.seen: deque[Seen] = deque(maxlen=1_000)
        self.count = 0
        self._queue: deque[Answer | Fault] = deque()
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.loopback = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        assert not self._http.errors, self._http.errors

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def settings(self, llm: str = "openai:gpt-test", **fields: Any) -> Settings:
        """Settings of a model that asks here."""
        dialect = dialect_of(llm)
        path = DIALECTS[dialect].path
        within = "/v1" if path.startswith("/v1/") and dialect not in {"anthropic", "mistral"} else ""
        values: dict[str, Any] = {
            "mvp_site_llm": llm, "mvp_site_llm_base_url": f"{self.url}/{dialect}{within}", "mvp_site_llm_timeout": 5.0,
            "openai_api_key": KEY, "anthropic_api_key": KEY, "google_api_key": KEY,
        }
        return Settings(**(values | fields))

    def put(self, *answers: Answer | Fault) -> None:
        """Answer the next requests with these; then the responder is asked again."""
        with self._lock:
            self._queue.extend(answers)

    def wait_until(self, requests: int) -> None:
        """Return when so many requests have come."""
        with self._http.arrived:
            assert self._http.arrived.wait_for(lambda: self.count >= requests, LONGEST_GATE)

    def respond(self, seen: Seen) -> Answer | Fault:
        with self._http.arrived:
            self.seen.append(seen)
            self.count += 1
            self._http.arrived.notify_all()
        with self._lock:
            queued = self._queue.popleft() if self._queue else None
        if queued is not None:
            return queued
        if refused := DIALECTS[seen.dialect].refused(seen.body):
            status, detail = refused
            return Fault("status", status, body=detail)
        return self.responder(seen.body)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # closing waits for the threads itself, once their connections are gone
    request_queue_size = 128
    loopback: LoopbackServer

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.arrived = threading.Condition()
        self.errors: list[BaseException | None] = []
        self.silent: set[int] = set()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._open_lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        with self._open_lock:
            self._open[request] = thread
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of ours; anything else is told at the end."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self.errors.append(error)

    def hang_up(self) -> None:
        """Close every connection, and wait for its thread."""
        self.server_close()
        with self._open_lock:
            left = list(self._open.items())
        for connection, _ in left:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for _, thread in left:
            thread.join(LONGEST_GATE)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
        """Nothing: tests read what they want to know."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        name, _, path = self.path.partition("?")[0].lstrip("/").partition("/")
        dialect = DIALECTS.get(name)
        if dialect is None or not f"/{path}".startswith(dialect.path):
            self._send(404, json.dumps({"error": {"type": "not_found_error", "message": "no such path"}}).encode(), {})
            return
        headers = {key.lower(): value for key, value in self.headers.items()}
        said = self.server.loopback.respond(Seen(name, f"/{path}", headers, json.loads(raw), raw))
        if isinstance(said, Fault):
            self._fail(dialect, said)
        elif dialect.writer is chat and not json.loads(raw).get("stream"):
            self._send(200, json.dumps(chat_whole(said)).encode(), {})
        else:
            self._stream([*dialect.writer(said)], said.gate)

    def _send(self, status: int, content: bytes, headers: dict[str, str], *, kind: str = "application/json") -> None:
        head = [f"HTTP/1.1 {status} Loopback", f"content-type: {kind}", f"content-length: {len(content)}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*head, "", ""]).encode() + content)

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))

    def _stream(self, pieces: list[bytes], gate: threading.Event | None = None, *, whole: bool = True) -> None:
        head = ["HTTP/1.1 200 Loopback", "content-type: text/event-stream", "transfer-encoding: chunked"]
        self.wfile.write("\r\n".join([*head, "", ""]).encode())
        half = _half(pieces)
        self._chunk(b"".join(pieces[:half]))
        if gate is not None:
            gate.wait(LONGEST_GATE)
        if rest := b"".join(pieces[half:]):
            self._chunk(rest)
        if whole:
            self._chunk(b"")

    def _fail(self, dialect: Dialect, fault: Fault) -> None:
        pieces = [*dialect.writer(Answer(""))] if fault.kind == "nothing" else [*dialect.writer(Answer())]
        half = _half(pieces)
        match fault.kind:
            case "slow":
                self._outwait()
            case "drop":
                self.close_connection = True
            case "stall" | "cut":
                self._stream(pieces[:half], whole=False)
                if fault.kind == "stall":
                    self._outwait()
                self.close_connection = True
            case "malformed":
                self._stream([*pieces[:half], pieces[half].rstrip(b"\n")[:-3] + b"\n\n"])
            case "error_event":
                self._stream([*pieces[:half], dialect.error_event(fault.code)])
            case "nothing":
                self._stream(pieces)
            case "page":
                self._send(200, b"<html><title>Welcome</title></html>", {}, kind="text/html")
            case "empty":
                self._send(200, b"", {}, kind="text/event-stream")
            case "status":
                detail = dialect.refusal(fault.status, "", "it went wrong") if fault.body is None else fault.body
                content = detail if isinstance(detail, bytes) else json.dumps(detail).encode()
                self._send(fault.status, content, dict(fault.headers))

    def _outwait(self) -> None:
        """Return when the client hangs up, or the server closes."""
        self.server.silent.add(self.client_address[1])
        with suppress(OSError):
            self.connection.recv(1)
        self.close_connection = True


def _half(pieces: list[bytes]) -> int:
    """How many of the events are half of them: the first words are among these."""
    return (len(pieces) + 1) // 2


@contextmanager
def quick_retries() -> Iterator[None]:
    """Within it models pause a thousandth as long before they try again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mvp_site.llm.provider_model.FIRST_PAUSE", 0.0005)
        yield


@contextmanager
def loopback_only() -> Iterator[None]:
    """Within it sockets may be opened, and connected to 127.0.0.1 alone; then all is as it was."""
    before = socket.socket, socket.getaddrinfo, socket.gethostbyname
    enable_socket()
    real, connect = socket.socket, socket.socket.connect
    socket_allow_hosts(["127.0.0.1"], allow_unix_socket=True)
    yield
    real.connect = connect  # type: ignore[method-assign]
    socket.socket, socket.getaddrinfo, socket.gethostbyname = before  # type: ignore[misc]


@contextmanager
def patience_by_events(server: LoopbackServer) -> Iterator[None]:
    """Within it the SDKs give up reading as soon as ``server`` falls silent, and never before.

    They say what they say when their timeout has passed; how long that is plays no part.
    """
    async def read(stream: Any, most: int, timeout: float | None = None) -> bytes:
        while True:
            try:
                return await once(stream, most, 0.01)
            except ReadTimeout:
                if (port := stream.get_extra_info("client_addr")[1]) in server._http.silent:
                    server._http.silent.remove(port)
                    raise

    from httpcore2 import ReadTimeout
    from httpcore2._backends.anyio import AnyIOStream

    once = AnyIOStream.read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AnyIOStream, "read", read)
        yield


_trust = cache(ssl.create_default_context)
"""What the SDKs read for each client, 20 ms of it, though nothing here is encrypted."""


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server that answers, with quick retries; no other address can be reached."""
    for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
        monkeypatch.delenv(proxy.lower(), raising=False)
    monkeypatch.setattr("httpx2.create_ssl_context", _trust)
    monkeypatch.setattr("ssl.create_default_context", lambda *_, **_fields: _trust())
    with loopback_only(), quick_retries(), LoopbackServer() as server, patience_by_events(server):
        yield server
