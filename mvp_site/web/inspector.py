"""The inspector's pages: one turn looked into, and one query beside itself in two versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ..errors import MvpSiteError
from ..operations.prompts import AssembleRequest, needs, players_reason
from ..operations.services import Services
from ..types import AssembledTurn
from . import figures
from .access import Caller, current
from .failures import failure_of
from .forms import Form, read_form
from .segments import Segment, segments

EXAMPLES: Final[tuple[tuple[str, str, str], ...]] = (
    ("I try to slip past the two guards at the gate", "story", "player"),
    ("think: how do we get the prisoners out before dawn?", "story", "player"),
    ("How does two-weapon fighting work again?", "dm", "player"),
    ("god: give everyone back their hit points", "god", "god"),
)


FIELDS: Final = {name: name for name in ("text", "mode", "audience", "state")}
MOST: Final = {"text": 8_000}


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
        query = read_query(services, {"version": services.default_version})
        looks, problem, status = _looks(services, query)
        return render_template(
            "inspect.html", query=query, versions=services.versions(), problem=problem,
            look=looks[0] if looks else None,
            examples=[e for e in EXAMPLES if current().entitled or e[1] != "god"],
        ), status

    @pages.get("/compare")
    def compare() -> ResponseReturnValue:
        current().require("the comparison of versions")
        versions = services.versions()
        first = services.default_version
        second = next((v for v in reversed(versions) if v != first), first)
        query = read_query(services, {"a": first, "b": second})
        looks, problem, status = _looks(services, query)
        return render_template(
            "compare.html", query=query, versions=versions, looks=looks, problem=problem,
            pairs=pairs(*looks) if looks else [],
        ), status

    return pages


@dataclass(frozen=True, slots=True)
class Query:
    """A turn as it was typed, and the versions that it is looked at in."""

    form: Form
    versions: tuple[str, ...]
    asked: bool

    @property
    def errors(self) -> dict[str, str]:
        """What is wrong, by field; with any, nothing is asked."""
        return self.form.errors


def read_query(services: Services, names: Mapping[str, str]) -> Query:
    """The query of the request under way.

    ``names`` are the fields of versions, with what each is by default.
    """
    form = read_form(AssembleRequest, request.args, FIELDS, MOST)
    chosen = []
    for name, default in names.items():
        version = request.args.get(name) or default
        if version != default and version not in services.versions():
            form.errors[name] = f"There is no version {version[:64]!r}."
            version = default
        chosen.append(version)
    return Query(form, tuple(chosen), "text" in request.args and not form.errors)


def _looks(services: Services, query: Query) -> tuple[list[Look], str, int]:
    """What the query gives in each of its versions, or why not; and the page's status."""
    if not query.asked:
        return [], "", 400 if query.errors else 200
    caller, asked = current(), query.form.request()
    caller.require_all(needs(asked))
    try:
        return [look(services, asked, version, caller) for version in query.versions], "", 200
    except MvpSiteError as error:
        failure = failure_of(error, entitled=caller.entitled, limit=0)
        return [], failure.message, failure.status


def look(services: Services, asked: AssembleRequest, version: str, caller: Caller) -> Look:
    """What a turn gives in ``version``, as ``caller`` may see it.

    Raises:
        MvpSiteError: the version cannot be served.
    """
    turn = services.assemble(version, asked.text, asked.mode, asked.audience, (), asked.state)
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
