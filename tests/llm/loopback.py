"""A server on 127.0.0.1 that speaks Chat Completions and Messages, and fails when it is told to.

``responder`` gets each request's JSON and returns an Answer or a Fault; :meth:`LoopbackServer.put`
queues some that come before it. A test package gets the fixtures by importing them::

    from tests.llm.loopback import loopback  # noqa: F401

HTTP/1.1 with connections kept alive, a thread for each connection. It also checks what the real
APIs insist on, and answers 400 where a request breaks it.
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
from tests.llm.wire_answers import Answer, Fault, Wire, body, error_body, error_event, events
from tests.llm.wire_rules import broken_rule

PATHS: dict[str, Wire] = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
KEY = "sk-test-0123456789-never-shown"
IDENTIFIED = {"x-request-id": "req_1", "request-id": "req_1"}
LONGEST_GATE = 20.0

Responder = Callable[[dict[str, Any]], Answer | Fault]


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that the server got; header names are in lower case."""

    wire: str
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
        """The address without a path: what ANTHROPIC_BASE_URL wants."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def settings(self, llm: str = "openai:gpt-test", **fields: Any) -> Settings:
        """Settings of a model that asks here."""
        values: dict[str, Any] = {
            "mvp_site_llm": llm, "openai_api_key": KEY, "openai_base_url": f"{self.url}/v1",
            "anthropic_api_key": KEY, "anthropic_base_url": self.url, "mvp_site_llm_timeout": 5.0,
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
        if broken := broken_rule(seen.wire, seen.body):
            detail = error_body(PATHS[seen.path], 400, "invalid_request_error", broken)
            return Fault("status", 400, body=detail)
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
        path = self.path.partition("?")[0]
        wire = PATHS.get(path)
        if wire is None:
            self._send(404, json.dumps({"error": {"type": "not_found_error"}}).encode(), {})
            return
        request = json.loads(raw)
        headers = {name.lower(): value for name, value in self.headers.items()}
        said = self.server.loopback.respond(Seen(wire, path, headers, request, raw))
        if isinstance(said, Fault):
            self._fail(wire, said, request)
        elif request.get("stream"):
            self._stream(self._events(wire, said, request), said)
        else:
            if said.gate is not None:
                said.gate.wait(LONGEST_GATE)
            self._send(200, json.dumps(body(wire, said)).encode(), IDENTIFIED)

    def _events(self, wire: Wire, answer: Answer, request: dict[str, Any]) -> list[bytes]:
        wanted = bool(request.get("stream_options", {}).get("include_usage"))
        return events(wire, answer, usage=wanted)

    def _send(self, status: int, content: bytes, headers: dict[str, str], *,
              kind: str = "application/json", length: int | None = None) -> None:
        head = [f"HTTP/1.1 {status} Loopback", f"content-type: {kind}",
                f"content-length: {len(content) if length is None else length}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*head, "", ""]).encode() + content)

    def _begin_stream(self, headers: dict[str, str]) -> None:
        head = ["HTTP/1.1 200 Loopback", "content-type: text/event-stream",
                "transfer-encoding: chunked"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*head, "", ""]).encode())

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))

    def _stream(self, pieces: list[bytes], answer: Answer) -> None:
        self._begin_stream(IDENTIFIED)
        if answer.gate is None:
            self._chunk(b"".join(pieces))
        else:
            half = _half(pieces)
            self._chunk(b"".join(pieces[:half]))
            answer.gate.wait(LONGEST_GATE)
            self._chunk(b"".join(pieces[half:]))
        self._chunk(b"")

    def _fail(self, wire: Wire, fault: Fault, request: dict[str, Any]) -> None:
        pieces = self._events(wire, Answer(), request) if request.get("stream") else []
        half = _half(pieces)
        match fault.kind:
            case "slow":
                self._outwait()
            case "drop":
                self.close_connection = True
            case "stall" | "cut":
                self._send_half(wire, pieces[:half], whole=False)
                if fault.kind == "stall":
                    self._outwait()
                self.close_connection = True
            case "quiet_end":
                self._send_half(wire, pieces[:half], whole=True)
            case "malformed":
                self._send_half(wire, [*pieces[:half], _broken(pieces[half])] if pieces else [])
            case "error_event" if pieces:
                self._send_half(wire, [*pieces[:half], error_event(wire, fault.code)])
            case _:
                self._send_other(wire, fault, stream=bool(pieces))

    def _send_half(self, wire: Wire, pieces: list[bytes], *, whole: bool = True) -> None:
        """``pieces`` of a stream, or half a body where there are none, framed as ``whole`` or not."""
        if pieces:
            self._begin_stream({})
            self._chunk(b"".join(pieces))
            if whole:
                self._chunk(b"")
            return
        content = json.dumps(body(wire, Answer())).encode()
        half = content[: len(content) // 2]
        self._send(200, half, {}, length=len(half) if whole else len(content))

    def _send_other(self, wire: Wire, fault: Fault, *, stream: bool) -> None:
        """Something well framed that is no answer."""
        kind = "text/event-stream" if stream else "application/json"
        if fault.kind == "page":
            self._send(200, b"<html><title>Welcome</title></html>", {}, kind="text/html")
        elif fault.kind == "empty":
            self._send(200, b"", {}, kind=kind)
        elif fault.kind in {"no_choices", "wrong"}:
            nothing: dict[str, Any] = {"choices": []} if wire == "openai" else {"content": []}
            content = json.dumps(nothing if fault.kind == "no_choices" else fault.body).encode()
            if stream:
                event = b"event: message_start\n" if wire == "anthropic" else b""
                content = event + b"data: " + content + b"\n\n"
            self._send(200, content, {}, kind=kind)
        else:
            detail = fault.body
            if detail is None:
                detail = error_body(wire, fault.status, "", "it went wrong")
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


def _broken(event: bytes) -> bytes:
    return event.rstrip(b"\n")[:-3] + b"\n\n"


@contextmanager
def quick_retries() -> Iterator[None]:
    """Within it the SDKs pause a thousandth as long before they try again.

    Their pauses after a timeout or a lost connection cannot be set from outside.
    """
    with pytest.MonkeyPatch.context() as patch:
        for sdk in ("openai", "anthropic"):
            patch.setattr(f"{sdk}._base_client.INITIAL_RETRY_DELAY", 0.0005)
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


@cache
def _trust() -> ssl.SSLContext:
    """What the SDKs read for each client, 20 ms of it, though nothing here is encrypted."""
    return ssl.create_default_context()


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server that answers, with quick retries; no other address can be reached."""
    for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
        monkeypatch.delenv(proxy.lower(), raising=False)
    monkeypatch.setattr("httpx2.create_ssl_context", _trust)
    with loopback_only(), quick_retries(), LoopbackServer() as server, patience_by_events(server):
        yield server
