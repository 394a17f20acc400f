"""The application factory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, Unpack

from flask import Flask, Response, g, jsonify, make_response, render_template, request, url_for
from flask.json.provider import DefaultJSONProvider
from flask.sessions import SecureCookieSessionInterface
from flask.typing import ResponseReturnValue
from flask_limiter import RateLimitExceeded
from jinja2 import StrictUndefined
from pydantic_core import to_jsonable_python
from werkzeug.middleware.proxy_fix import ProxyFix

from ..errors import MissingIndexError, MvpSiteError
from ..operations.all import OPERATIONS
from ..operations.operation import Operation
from ..operations.request_counts import shares_counts, storage_of
from ..operations.request_origin import MAX_BODY
from ..operations.services import GivenParts, Services
from ..operations.token_attempts import TokenAttempts, seconds_until
from ..settings import Settings, settings_of
from ..turns.contracts import contract_in_force
from . import api, archive, chat, compendium, inspector, limits, operations_page, play, turn_pages
from . import entities as entity_pages
from . import library as library_pages
from . import rulebook as rulebook_pages
from .access import Gate, SharedSessions, current, sign_in_pages
from .failures import error_body, failure_of
from .figures import NAMES, hue_of
from .forms import labelled
from .metrics import CONTENT_TYPE, Metrics
from .narrative import emphasised, story_of
from .openapi import Document, document
from .rulebook_text import MOST_SHOWN, html_of
from .sections import place, sections

CONFIG: Final[dict[str, Any]] = {
    "MAX_CONTENT_LENGTH": MAX_BODY,
    "MAX_FORM_MEMORY_SIZE": limits.LARGE,
    "MAX_FORM_PARTS": 32,
    "PERMANENT_SESSION_LIFETIME": timedelta(hours=12),
    "SESSION_COOKIE_NAME": "mvp_site_session",
    "SESSION_COOKIE_HTTPONLY": True,
    "SESSION_COOKIE_SAMESITE": "Strict",
    "SESSION_REFRESH_EACH_REQUEST": False,
    "TRUSTED_PROXIES": 0,
    **limits.DEFAULTS,
}
"""What ``config`` may change. ``TRUSTED_PROXIES``: how many stand before the app and are ours."""

HEADERS: Final = {
    # No inline script or style, nothing from elsewhere, and no page may frame ours.
    "Content-Security-Policy": "; ".join((
        "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'",
        "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    )),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""What a browser may do with what this app sends."""

VIEWER_POLICY: Final = HEADERS["Content-Security-Policy"].replace(
    "img-src 'self'", "img-src 'self' data:"
)
"""That of the API's page: its viewer's icons stand in its style sheet."""

_PROGRAMS: Final = frozenset({"/api", "/healthz", "/livez", "/readyz", "/metrics", "/openapi.json"})


class _Json(DefaultJSONProvider):
    """JSON of what operations give, as all interfaces have it; times by ISO 8601."""

    default = staticmethod(to_jsonable_python)


class _Sessions(SecureCookieSessionInterface):
    """Cookies signed with SHA-256, and sent over HTTPS alone where they were set over it."""

    digest_method = staticmethod(hashlib.sha256)

    def get_cookie_secure(self, app: Flask) -> bool:
        return bool(request.is_secure or app.config["SESSION_COOKIE_SECURE"])

    def get_cookie_path(self, app: Flask) -> str:
        return str(app.config["SESSION_COOKIE_PATH"] or request.script_root or "/")


def create_app(settings: Settings | None = None, *,
               operations: Sequence[Operation[Any]] = OPERATIONS,
               config: Mapping[str, Any] | None = None, **given: Unpack[GivenParts]) -> Flask:
    """The web application: the JSON API, the inspector, and the pages to look up and to play.

    ``settings`` are by default those of the environment. Parts that are not ``given`` are opened
    by them when they are first needed. ``operations`` are what the API serves; ``config`` is
    Flask's configuration over :data:`CONFIG`, for limits, sizes and proxies.

    Raises:
        SettingsError: a setting cannot be used.
    """
    settings = settings_of(settings)
    app = Flask(__name__)
    app.config.from_mapping({**CONFIG, **(config or {})})
    metrics = Metrics()
    turns = limits.Places(int(app.config[limits.TURNS]))
    services = Services(
        settings, assembled=metrics.assembled, around=partial(metrics.playing, turns), **given,
    )
    app.extensions["services"] = services
    counted_in = storage_of(settings, services.settings_store)
    gate = Gate(
        settings.mvp_site_dm_token, TokenAttempts(app.config[limits.ATTEMPTS], **counted_in),
        SharedSessions(services.settings_store, app.permanent_session_lifetime)
        if shares_counts(settings) else set(),
    )
    app.secret_key = gate.session_key()
    app.session_interface = _Sessions()
    if proxies := int(app.config["TRUSTED_PROXIES"]):
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=proxies
        )

    @app.before_request
    def admit() -> None:
        if not _is_program():
            # A form is read whole at once, so its own limit must hold for the whole body.
            request.max_content_length = app.config["MAX_FORM_MEMORY_SIZE"]
        # Before the limits are looked at: who may not come in is not counted.
        g.caller = gate.caller(request)

    limiter = limits.install(app, counted_in)
    limits.bound_bodies(app)

    def described() -> Document:
        return document(
            operations, token=not gate.open_here, contract=contract_in_force(services.settings),
            root=request.script_root,
        )

    for pages in (inspector, archive, turn_pages, play, compendium, rulebook_pages, entity_pages,
                  library_pages, chat):
        app.register_blueprint(pages.blueprint(services))
    app.register_blueprint(sign_in_pages(gate))
    app.register_blueprint(operations_page.blueprint(services, metrics, described))
    app.register_blueprint(
        api.blueprint(services, [op for op in operations if "api" in op.surfaces])
    )
    _operators(app, metrics, described)
    _pages(app, gate)

    @app.errorhandler(Exception)
    def failed(error: Exception) -> ResponseReturnValue:
        failure = failure_of(
            error, entitled=current().entitled, limit=request.max_content_length or 0
        )
        if failure.status >= 500:
            why = str(error) if isinstance(error, MvpSiteError) else failure.message
            campaign = next(iter(getattr(error, "__notes__", ())), "")
            metrics.failed(request.path, failure.status, why, campaign)
        if isinstance(error, RateLimitExceeded):
            limit = limiter.current_limit
            failure.headers["Retry-After"] = str(seconds_until(limit.reset_at) if limit else 60)
        if _is_program():
            body = jsonify(error_body(failure))
        else:
            body = make_response(render_template(
                "error.html", failure=failure,
                unbuilt=request.blueprint if isinstance(error, MissingIndexError) else "",
            ))
        body.status_code = failure.status
        body.headers.extend(failure.headers)
        return body

    @app.after_request
    def finish(response: Response) -> Response:
        route = request.url_rule.rule if request.url_rule else "none"
        metrics.answered(route, response.status_code)
        response.headers.update(HEADERS)
        if request.endpoint == "operations.api":
            response.headers["Content-Security-Policy"] = VIEWER_POLICY
        # Static files and pictures of pages may be kept, and are asked for anew; nothing else.
        caching = {"static": "no-cache", "library.picture": "private, no-cache",
                   "operations.viewer": "no-cache"}
        response.headers["Cache-Control"] = caching.get(request.endpoint or "", "no-store")
        return response

    return app


def _operators(app: Flask, metrics: Metrics, described: Callable[[], Document]) -> None:
    """What operators and programs ask beside operations: metrics and the OpenAPI document."""
    app.json = _Json(app)

    @app.get("/livez")
    def alive() -> ResponseReturnValue:
        return jsonify({"status": "ok"})

    app.add_url_rule("/readyz", endpoint="ready", view_func=app.view_functions["api.health"])

    @app.get("/metrics")
    def metrics_() -> ResponseReturnValue:
        current().require("the metrics")
        return Response(metrics.text(), content_type=CONTENT_TYPE)

    @app.get("/openapi.json")
    def openapi() -> ResponseReturnValue:
        return jsonify(described())


def _pages(app: Flask, gate: Gate) -> None:
    """What every template has."""
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(most_shown=MOST_SHOWN, part_names=NAMES)
    app.jinja_env.filters.update(
        number="{:,.0f}".format, score="{:.3f}".format, hue=hue_of, prose=html_of,
        story=story_of, emphasis=emphasised,
        percent=lambda share: f"{share * 100:.1f} %" if share < 0.1 else f"{share * 100:.0f} %",
        # A part of a sum, with its sign.
        signed=lambda value: f"{value:+.3f}".replace("-", "−"),
        when=lambda time: time.astimezone(UTC).strftime("%d %b %Y, %H:%M UTC"),
        day=lambda time: time.astimezone(UTC).strftime("%d %b, %H:%M"),
        read_time=datetime.fromisoformat,
        iso=lambda time: time.astimezone(UTC).isoformat(timespec="seconds"),
        # A mode's or an audience's name, and one of code, as people write them; a message.
        label=labelled,
        named=lambda name: name.replace("_", " ").capitalize(),
        sentence=lambda text: text[:1].upper() + text[1:],
        # Neighbours that are alike, with how many they are.
        groupby_run=lambda rows, name: [
            (value, len(list(run))) for value, run in groupby(rows, attrgetter(name))],
        cut=lambda text, mark: [part.strip() for part in text.split(mark) if part.strip()],
    )

    @app.context_processor
    def everywhere() -> dict[str, Any]:
        address = request.script_root + request.full_path.removesuffix("?")
        back = address if request.method == "GET" else url_for("inspector.inspect")
        section, tab = place(request.endpoint or "")
        return {"viewer": current(), "open_here": gate.open_here, "back": back,
                "site_sections": sections(current().entitled), "section_here": section,
                "tab_here": tab}


def _is_program() -> bool:
    """Whether programs, not people, ask at the path under way: their errors are JSON."""
    return request.path in _PROGRAMS or request.path.startswith("/api/")
