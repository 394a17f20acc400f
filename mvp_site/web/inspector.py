"""The inspector's pages: one turn looked into, and one query beside itself in two versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import MvpSiteError
from ..operations.prompts import players_reason
from ..operations.services import Services
from ..types import AssembledTurn
from . import figures
from .access import Caller, current
from .failures import failure_of
from .forms import Query, read_query
from .segments import Segment, segments

EXAMPLES: Final[tuple[tuple[str, str, str], ...]] = (
    ("I try to slip past the two guards at the gate", "story", "player"),
    ("think: how do we get the prisoners out before dawn?", "story", "player"),
    ("How does two-weapon fighting work again?", "dm", "player"),
    ("god: give everyone back their hit points", "god", "god"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """A turn as the inspector shows it."""

    version: str
    turn: AssembledTurn
    parts: tuple[Segment, ...]
    tokens: figures.TokenFigure | None
    candidates: list[figures.Candidate]
    floor: float
    sparse_reason: str | None
    why_sparse: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A candidate of either version. ``same`` says whether both print the same text of it."""

    id: str
    left: figures.Candidate | None
    right: figures.Candidate | None
    same: bool


def blueprint(services: Services) -> Blueprint:
    """The pages ``/`` and ``/compare``."""
    pages = Blueprint("inspector", __name__)

    @pages.get("/")
    def inspect() -> ResponseReturnValue:
        versions = services.versions()
        query = read_query(request.args, versions, {"version": services.default_version})
        found, problem, status = None, "", 400 if query.errors else 200
        if query.asked:
            current().require_audience(query.audience, query.mode)
            try:
                found = look(services, query, query.versions[0], current())
            except MvpSiteError as error:
                failure = failure_of(error, entitled=current().entitled, limit=0)
                problem, status = failure.message, failure.status
        return render_template(
            "inspect.html", query=query, versions=versions, look=found, problem=problem,
            examples=[e for e in EXAMPLES if current().entitled or e[1] != "god"],
        ), status

    @pages.get("/compare")
    def compare() -> ResponseReturnValue:
        current().require("the comparison of versions")
        versions = services.versions()
        first = services.default_version
        second = next((v for v in reversed(versions) if v != first), first)
        query = read_query(request.args, versions, {"a": first, "b": second})
        looks: list[Look] = []
        problem, status = "", 400 if query.errors else 200
        if query.asked:
            try:
                looks = [look(services, query, one, current()) for one in query.versions]
            except MvpSiteError as error:
                failure = failure_of(error, entitled=current().entitled, limit=0)
                problem, status = failure.message, failure.status
        return render_template(
            "compare.html", query=query, versions=versions, looks=looks, problem=problem,
            pairs=pairs(*looks) if looks else [],
        ), status

    return pages


def look(services: Services, query: Query, version: str, caller: Caller) -> Look:
    """What ``query`` gives in ``version``, as ``caller`` may see it.

    Raises:
        MvpSiteError: the version cannot be served.
    """
    turn = services.assemble(version, query.text, query.mode, query.audience, (), query.state)
    parts = segments(turn)
    reason = turn.sparse_reason if caller.entitled else players_reason(turn)
    return Look(
        turn.telemetry["version"], turn, parts, figures.token_figure(turn, parts),
        figures.candidates(turn, entitled=caller.entitled), float(turn.telemetry["floor"]),
        reason, figures.WHY_SPARSE.get(reason or "", ""),
    )


def pairs(left: Look, right: Look) -> list[Pair]:
    """The candidates of both, by id, those that score best first."""
    sides = [{row.id: row for row in side.candidates} for side in (left, right)]
    texts = [{chunk.id: chunk.text for chunk in side.turn.chunks} for side in (left, right)]
    found = [
        Pair(
            name, sides[0].get(name), sides[1].get(name),
            name in texts[0] and texts[0][name] == texts[1].get(name),
        )
        for name in {**sides[0], **sides[1]}
    ]
    return sorted(found, key=lambda pair: (
        -max(row.score for row in (pair.left, pair.right) if row is not None), pair.id
    ))
