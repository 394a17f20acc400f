"""The inspector's pages: one turn looked into, and one query beside itself in two versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import MvpSiteError
from ..operations.prompts import AssembleRequest, needs, players_reason
from ..operations.services import Services
from ..types import AssembledTurn
from .access import current
from .failures import failure_of
from .figures import Candidate, Segment, TokenFigure, candidates, segments, token_figure
from .forms import read_form

FIELDS: Final = {name: name for name in ("text", "mode", "audience", "state")}
MOST: Final = {"text": 8_000}


@dataclass(frozen=True, slots=True)
class Look:
    """A turn as the inspector shows it."""

    turn: AssembledTurn
    parts: tuple[Segment, ...]
    tokens: TokenFigure | None
    candidates: list[Candidate]
    sparse_reason: str | None


def blueprint(services: Services) -> Blueprint:
    """The pages ``/`` and ``/compare``."""
    pages = Blueprint("inspector", __name__)

    @pages.get("/")
    def inspect() -> ResponseReturnValue:
        shown, status = _looked(services, {"version": services.default_version})
        offered = () if "text" in request.args else services.examples(shown["chosen"][0])
        examples = [
            (text, mode, "god" if mode == "god" else "player") for text, mode in offered
            if current().entitled or mode != "god"
        ]
        return render_template("inspect.html", examples=examples, **shown), status

    @pages.get("/compare")
    def compare() -> ResponseReturnValue:
        current().require("the comparison of versions")
        first = services.default_version
        second = next((v for v in reversed(services.versions()) if v != first), first)
        shown, status = _looked(services, {"a": first, "b": second})
        return render_template("compare.html", pairs=pairs(shown["looks"]), **shown), status

    return pages


def _looked(services: Services, names: Mapping[str, str]) -> tuple[dict[str, Any], int]:
    """What the query under way gives in each of its versions, or why not; and the page's status.

    ``names`` are the fields of versions, with what each is by default.
    """
    form, versions = read_form(AssembleRequest, request.args, FIELDS, MOST), services.versions()
    chosen = []
    for name, default in names.items():
        version = request.args.get(name) or default
        if version != default and version not in versions:
            form.errors[name] = f"There is no version {version[:64]!r}."
            version = default
        chosen.append(version)
    looks: list[Look] = []
    problem, status = "", 400 if form.errors else 200
    if "text" in request.args and not form.errors:
        asked = form.request()
        current().require_all(needs(asked))
        try:
            looks = [_look(services, asked, version) for version in chosen]
        except MvpSiteError as error:
            failure = failure_of(error, entitled=current().entitled, limit=0)
            problem, status = failure.message, failure.status
    return {"query": form, "chosen": chosen, "versions": versions, "looks": looks,
            "problem": problem}, status


def _look(services: Services, asked: AssembleRequest, version: str) -> Look:
    turn = services.assemble(version, asked.text, asked.mode, asked.audience, (), asked.state)
    parts, entitled = segments(turn), current().entitled
    return Look(
        turn, parts, token_figure(turn, parts), candidates(turn, entitled=entitled),
        turn.sparse_reason if entitled else players_reason(turn),
    )


def pairs(looks: list[Look]) -> list[tuple[str, list[Candidate | None], bool]]:
    """The candidates of the looks by id, the best first, and whether all print the same text."""
    sides = [{row.chunk.id: row for row in look.candidates} for look in looks]
    texts = [{chunk.id: chunk.text for chunk in look.turn.chunks} for look in looks]
    best = {
        name: max(side[name].chunk.score for side in sides if name in side)
        for side in sides for name in side
    }
    return [
        (name, [side.get(name) for side in sides],
         all(name in held and held[name] == texts[0].get(name) for held in texts))
        for name in sorted(best, key=lambda name: (-best[name], name))
    ]
