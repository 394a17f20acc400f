"""Who asks, and what they may: the DM token, loopback without one, and attempts that failed.

:mod:`~..operations.request_origin` has the rule; whoever does not show the token is a player.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from flask import Blueprint, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from pydantic import Field
from werkzeug.wrappers import Request

from ..operations import request_origin, token_attempts
from ..operations.all import operation
from ..operations.operation import Operation
from ..operations.requests import OperationRequest
from ..operations.services import Services
from ..store.campaigns import CampaignStore
from ..types import Audience
from .failures import RequestError
from .forms import read_form

Proof = Literal["local", "bearer", "cookie", "none"]
SESSION_KEY: Final = "dm"
CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="mvp-site"'}
_SIGNED_IN: Final = "signed in "
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a request comes from: ``entitled`` to every audience, or a player; and how we know."""

    entitled: bool
    proof: Proof = "none"

    def require(self, need: str) -> None:
        """Refuse ``need`` to a player.

        Raises:
            RequestError: 401, saying how to show the token.
        """
        if not self.entitled:
            raise RequestError(
                401, "token_required",
                f"{need} needs the DM token: send it as 'Authorization: Bearer …', or sign in at "
                f"{url_for('signin.ask')}", headers=CHALLENGE,
            )

    def require_all(self, needs: Iterable[str]) -> None:
        """Refuse to a player what :attr:`Operation.needs` names."""
        for need in needs:
            self.require(need)


@dataclass(frozen=True, slots=True)
class SignIn(OperationRequest):
    """Who signs in."""

    token: Annotated[str, Field(min_length=1, json_schema_extra={"format": "password"})]
    """The DM token."""


class SharedSessions:
    """Those who are signed in at any process of a database, each for a ``lifetime``."""

    def __init__(self, store: Callable[[], CampaignStore], lifetime: timedelta) -> None:
        self._store, self._seconds = store, lifetime.total_seconds()

    def add(self, name: str) -> None:
        """Let a session in."""
        self._store().shared_counts.add(_SIGNED_IN + name, 1, self._seconds)

    def discard(self, name: str) -> None:
        """Let it in no more."""
        self._store().shared_counts.remove(_SIGNED_IN + name)

    def __contains__(self, name: object) -> bool:
        return bool(self._store().shared_counts.counts(f"{_SIGNED_IN}{name}")[0])


class Gate:
    """Decides who a request comes from, and turns away what may not come in at all.

    ``sessions`` are those who are signed in. Only who has the token can add to it.
    """

    def __init__(self, token: str | None, attempts: token_attempts.TokenAttempts,
                 sessions: set[str] | SharedSessions) -> None:
        self._token = token.encode("utf-8") if token else None
        self._attempts = attempts
        self._sessions = sessions

    @property
    def open_here(self) -> bool:
        """Whether no token is configured: only this machine is answered, and it may do all."""
        return self._token is None

    def session_key(self) -> bytes | None:
        """The key that cookies are signed with: another token makes all of them worthless."""
        if self._token is None:
            return None
        return hmac.new(self._token, b"mvp-site session 1", hashlib.sha256).digest()

    def caller(self, request: Request) -> Caller:
        """Who ``request`` comes from.

        Raises:
            RequestError: 403 where it may not come in, 401 for a wrong token, 429 after too many.
        """
        check_origin(request)
        if self._token is None:
            reason = request_origin.not_local(
                request.remote_addr or "", request.headers.get("Host", ""), request.headers.keys()
            )
            if reason is not None:
                raise RequestError(
                    403, "not_local",
                    f"{reason}, and without a DM token this server answers its own machine "
                    "alone: ask at http://127.0.0.1, or set MVP_SITE_DM_TOKEN and start it again",
                )
            return Caller(True, "local")
        header = request.headers.get("Authorization")
        if header is not None:
            scheme, _, credentials = header.partition(" ")
            # WSGI hands headers over as Latin-1.
            sent = credentials.strip().encode("latin-1", "backslashreplace")
            if scheme.lower() != "bearer" or not self.admits(request, sent):
                raise RequestError(
                    401, "token_wrong",
                    "this is not the DM token: send it as 'Authorization: Bearer …', or leave the "
                    "header out and ask as a player", headers=CHALLENGE,
                )
            return Caller(True, "bearer")
        # A cookie counts for pages, and for reading. What the API changes takes the token.
        reads = request.method in {"GET", "HEAD"} or not request.path.startswith("/api/")
        if reads and (name := session.get(SESSION_KEY)) and name in self._sessions:
            return Caller(True, "cookie")
        return Caller(False)

    def sign_in(self) -> None:
        """Give the session under way a new name, and know it."""
        self.sign_out()
        session[SESSION_KEY] = secrets.token_urlsafe()
        session.permanent = True
        self._sessions.add(session[SESSION_KEY])

    def sign_out(self) -> None:
        """Forget the session under way: copies of its cookie are worth nothing from now on."""
        if name := session.get(SESSION_KEY):
            self._sessions.discard(name)
        session.clear()

    def admits(self, request: Request, token: bytes) -> bool:
        """Whether ``token`` is the right one; a wrong one counts against the request's address.

        Raises:
            RequestError: 429, after too many wrong ones; then the right one waits too.
        """
        key = token_attempts.client_key(request.remote_addr)
        if wait := self._attempts.wait(key):
            raise RequestError(
                429, "too_many_attempts",
                f"too many wrong tokens from this address: try again in {wait} seconds",
                headers={"Retry-After": str(wait)},
            )
        return self._token is not None and self._attempts.is_right(token, self._token, key)


def sign_in_pages(gate: Gate) -> Blueprint:
    """The page ``/sign-in``, to sign in with the DM token, and ``/sign-out``."""
    pages = Blueprint("signin", __name__)

    @pages.route("/sign-in", methods=["GET", "POST"])
    def ask() -> ResponseReturnValue:
        target = target_of(request.values)
        form = read_form(SignIn, request.form, {"token": "token"})
        if request.method != "POST":
            return render_template("sign_in.html", next=target, form=form, wrong=False)
        token = form.typed["token"].encode("utf-8", "surrogatepass")
        if not gate.open_here:
            if not gate.admits(request, token):
                page = render_template("sign_in.html", next=target, form=form, wrong=True)
                return page, 401, CHALLENGE
            gate.sign_in()
        return redirect(target, code=303)

    @pages.post("/sign-out")
    def sign_out() -> ResponseReturnValue:
        if not gate.open_here:
            gate.sign_out()
        return redirect(url_for("inspector.inspect"), code=303)

    return pages


def target_of(values: Mapping[str, str]) -> str:
    """Where a form leads when it is done: its ``next``, else the first page.

    Only a path of this site counts: no link leads away.
    """
    target = values.get("next", "")
    try:
        parts = urlsplit(target)
        is_path = parts.path.startswith("/") and not parts.scheme and not parts.netloc
    except ValueError:
        is_path = False
    inside = is_path and not target.startswith("//") and "\\" not in target
    return target if inside and target.isprintable() and target != "/" else url_for(
        "inspector.inspect"
    )


def current() -> Caller:
    """Who the request under way comes from."""
    caller: Caller = g.get("caller", Caller(False))
    return caller


def audience() -> Audience:
    """Whose matter the caller may see."""
    return "god" if current().entitled else "player"


def run(services: Services, chosen: Operation[Any] | str, arguments: Any) -> Any:
    """What an operation, or the one of a name, gives the caller.

    Raises:
        RequestError: it needs the DM token.
    """
    if isinstance(chosen, str):
        chosen = operation(chosen)
    current().require_all(chosen.needs(arguments))
    return chosen.run(services, arguments, current().entitled)


def check_origin(request: Request) -> None:
    """Refuse what another site's page makes a browser send (forged requests).

    Raises:
        RequestError: 403.
    """
    site, origin = (request.headers.get(name) for name in ("Sec-Fetch-Site", "Origin"))
    if request.method not in _SAFE_METHODS and request_origin.is_forged(site, origin, request.host):
        raise RequestError(
            403, "cross_site", "this request was sent by another site's page; send it from here"
        )
