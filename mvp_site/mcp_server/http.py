"""Streamable HTTP: who may come in, and the server that listens."""

from __future__ import annotations

import socket
from typing import Final

import uvicorn
from anyio import to_thread
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ..operations.request_origin import MAX_BODY, is_forged, not_local
from ..operations.token_attempts import TokenAttempts, client_key
from .server import Context, Parts, make_server

PATH: Final = "/mcp"
SESSIONS: Final = 1_000
"""Sessions at once, of 40 KB each; a client that would open another is told to come back (503)."""
IDLE_SECONDS: Final = 1_800
"""Seconds without a request after which a session is dropped: few clients say goodbye."""
_ENTITLED: Final = "mvp_site.entitled"


class Guard:
    """Turns away who may not come in, and notes of others whether they may see everything.

    With a token, who shows it may; who does not is a player, and must be on this machine. Without
    a token only this machine is answered, and may see everything. An address that was wrong about
    the token too often waits.
    """

    def __init__(self, app: ASGIApp, token: str | None, attempts: TokenAttempts) -> None:
        self._app = app
        self._token = token.encode() if token else None
        self._attempts = attempts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refusal, or hand the request on."""
        app = self._app
        if scope["type"] == "http":
            # Wrong tokens may be counted in a database.
            refusal, entitled = await to_thread.run_sync(self._decided, scope)
            scope[_ENTITLED] = entitled
            app = refusal or app
        await app(scope, receive, send)

    def _decided(self, scope: Scope) -> tuple[JSONResponse | None, bool]:
        headers = Headers(scope=scope)
        host, authorization = headers.get("host", ""), headers.get("authorization")
        site, address = headers.get("sec-fetch-site"), (scope.get("client") or ("",))[0]
        if is_forged(site, headers.get("origin"), host):
            return _refused(403, "this request was sent by another site's page"), False
        if self._token is not None and authorization is not None:
            refusal = self._of_token(self._token, authorization, client_key(address))
            return refusal, refusal is None
        elsewhere = not_local(address, host, headers.keys())
        if elsewhere is None:
            return None, self._token is None
        if self._token is None:
            elsewhere += ", and no DM token is set here: set MVP_SITE_DM_TOKEN and start again"
            return _refused(403, elsewhere), False
        return _refused(401, f"{elsewhere}: send 'Authorization: Bearer' and the DM token"), False

    def _of_token(self, token: bytes, authorization: str, key: str) -> JSONResponse | None:
        if wait := self._attempts.wait(key):
            return _refused(429, f"too many wrong tokens from this address: wait {wait} seconds")
        scheme, _, credentials = authorization.partition(" ")
        sent = credentials.strip().encode("latin-1", "replace") * (scheme.lower() == "bearer")
        if self._attempts.is_right(sent, token, key):
            return None
        return _refused(401, "this is not the DM token: send it as 'Authorization: Bearer …'")


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        OSError: the address is not this machine's, or the port is taken.
    """
    six = ":" in host
    return socket.create_server(
        (host, port), family=socket.AF_INET6 if six else socket.AF_INET, backlog=128,
        dualstack_ipv6=six and socket.has_dualstack_ipv6(),
    )


def make_http(parts: Parts, host: str, token: str | None,
              attempts: TokenAttempts | None = None) -> uvicorn.Server:
    """A guarded server; its ``run(sockets=[…])`` serves at :data:`PATH` until it is told to end."""
    def entitled(ctx: Context) -> bool:
        return ctx.request is not None and bool(ctx.request.scope.get(_ENTITLED))

    app = make_server(parts, entitled).streamable_http_app(
        streamable_http_path=PATH, host=host, max_request_body_size=MAX_BODY,
        max_sessions=SESSIONS, session_idle_timeout=IDLE_SECONDS,
        # Behind a proxy the Host header is the proxy's, and the token proves more than it: the
        # guard asks it only of who shows none. Without a token the SDK looks at it, too.
        transport_security=None if token is None else TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        ),
    )
    app.add_middleware(Guard, token=token, attempts=attempts or TokenAttempts())
    return uvicorn.Server(uvicorn.Config(
        app, log_config=None, access_log=False, ws="none", limit_concurrency=1_000,
        timeout_graceful_shutdown=5, server_header=False, proxy_headers=False,
    ))


def _refused(status: int, message: str) -> JSONResponse:
    challenge = {"WWW-Authenticate": 'Bearer realm="mvp-site"'}
    headers = challenge if status == 401 else {}
    return JSONResponse({"error": {"message": message}}, status, headers)
