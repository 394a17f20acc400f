"""Signing in with the DM token, and out again."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from .access import CHALLENGE, Gate


def blueprint(gate: Gate) -> Blueprint:
    """The page ``/sign-in``, and ``/sign-out``."""
    pages = Blueprint("signin", __name__)

    @pages.get("/sign-in")
    def ask() -> ResponseReturnValue:
        return render_template("sign_in.html", next=own_path(request.args.get("next", "")))

    @pages.post("/sign-in")
    def sign_in() -> ResponseReturnValue:
        target = own_path(request.form.get("next", ""))
        given = request.form.get("token", "").strip().encode("utf-8", "surrogatepass")
        if gate.open_here:
            return redirect(target, code=303)
        if not gate.admits(request, given):
            page = render_template("sign_in.html", next=target, wrong=True)
            return page, 401, CHALLENGE
        gate.sign_in()
        return redirect(target, code=303)

    @pages.post("/sign-out")
    def sign_out() -> ResponseReturnValue:
        if not gate.open_here:
            gate.sign_out()
        return redirect(url_for("inspector.inspect"), code=303)

    return pages


def own_path(target: str) -> str:
    """``target`` where it is a path of this site, else the first page: no link leads away."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return "/"
    plain = target.isprintable() and "\\" not in target
    inside = target.startswith("/") and not target.startswith("//")
    return target if plain and inside and not parts.scheme and not parts.netloc else "/"
