"""The pages and the API inside a Flask app of your own, under a prefix."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Flask, Response, request
from flask.typing import ResponseReturnValue

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_REST: Final = "/<path:path>"


def blueprint(site: Flask, name: str = "mvp_site") -> Blueprint:
    """A blueprint that answers with ``site``, the app that :func:`mvp_site.web.create_app` made.

    Register it under any prefix. ``site`` keeps what is its own: limits, sizes, sign-in, headers,
    templates and static files; its links lead below the prefix. What your app does before and
    after each request is done for these too.
    """
    pages = Blueprint(name, __name__)

    @pages.route("/", defaults={"path": ""}, methods=_METHODS, provide_automatic_options=False)
    @pages.route(_REST, methods=_METHODS, provide_automatic_options=False)
    def answer(path: str, **_: str) -> ResponseReturnValue:  # noqa: ARG001 (the raw path is handed on)
        assert request.url_rule is not None
        prefix = request.url_rule.rule.removesuffix(_REST).rstrip("/")
        # By parts, since a prefix may have variables, and the path comes as it was sent.
        *before, rest = request.environ["PATH_INFO"].split("/", prefix.count("/") + 1)
        root = request.environ.get("SCRIPT_NAME", "") + "/".join(before)
        return Response.from_app(
            site, {**request.environ, "SCRIPT_NAME": root, "PATH_INFO": f"/{rest}"}
        )

    return pages
