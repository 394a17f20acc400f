"""The inspector's pages: one turn looked into, and one query beside itself in two versions.

``turn=ID`` alone opens the prompt of a played turn as it was sent; with a query, that is assembled.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from flask import Blueprint, current_app, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ..archive.versions import newest
from ..errors import MvpSiteError
from ..operations.prompts import (
    AssembleRequest,
    PassageRequest,
    RetrieveRequest,
    assembled,
    for_asker,
    line_text,
    missed_text,
    needs,
)
from ..operations.services import Services
from ..settings import Settings
from ..text.normalising import normalise
from ..turns.replay import Replayed
from ..types import MODES, DroppedChunk, Message
from . import figures
from .access import current, run
from .as_code import as_curl, as_python
from .diffs import DiffRow, side_by_side
from .failures import failure_of
from .forms import labelled, read_form
from .records import manifest_of

FIELDS: Final = {
    "q": "text", "budget": "max_tokens_retrieved",
    **{name: name for name in ("mode", "audience", "floor", "history", "state")},
}
VIEWS: Final = ("parts", "text", "messages", "json", "curl", "python")
_OTHERS: Final = 8
"""Sections that are offered where none is called as was asked."""
_COMPARED: Final = frozenset({"header", "passage"})


@dataclass(frozen=True, slots=True)
class InspectedTurn:
    """A turn as the inspector shows it. ``code`` is it and its request as text, by view."""

    turn: figures.Prompt
    parts: tuple[figures.PromptPart, ...]
    tokens: figures.TokenFigure | None
    candidates: list[figures.CandidateRow]
    changes: tuple[figures.BudgetChange, ...]
    code: Mapping[str, str]


def blueprint(services: Services) -> Blueprint:
    """The pages ``/`` and ``/compare``."""
    pages = Blueprint("inspector", __name__)

    @pages.get("/")
    def inspect() -> ResponseReturnValue:
        variables, status = _looked(services, {"version": services.default_version})
        has_content = variables["looks"] or variables["problem"] or variables["played"]
        offered = () if has_content else services.examples(variables["chosen"][0])
        examples = [
            (text, mode, "god" if mode == "god" else "player") for text, mode in offered
            if current().entitled or mode != "god"
        ]
        view = request.args.get("view", "")
        return render_template(
            "inspect.html", examples=examples, views=VIEWS, missed_text=missed_text,
            line_text=line_text, view=view if view in VIEWS else VIEWS[0],
            **_asked_why(services, variables), **variables,
        ), status

    @pages.get("/compare")
    def compare() -> ResponseReturnValue:
        current().require("the comparison of versions")
        served = services.default_version
        first, second = _older_and_newer(services.settings, served, services.versions())
        if "turn" in request.args:
            first = second = served
        variables, status = _looked(services, {"a": first, "b": second})
        looks = variables["looks"]
        return render_template(
            "compare.html", pairs=pairs(looks), differences=differences(looks), **variables
        ), status

    return pages


def _older_and_newer(settings: Settings, served: str, versions: Sequence[str]) -> tuple[str, str]:
    """The version that is served and the newest other one, the older first."""
    other = newest(settings, [name for name in versions if name != served]) or served
    return (served, other) if newest(settings, [served, other]) == other else (other, served)


def _looked(services: Services, names: Mapping[str, str]) -> tuple[dict[str, Any], int]:
    """What the query under way gives in each of its versions, or why not; and the page's status.

    ``names`` are the fields of versions, with what each is by default. Where two are compared of a
    turn that was played, the first is the prompt as it was sent.
    """
    args, played = _query_fields(services, next(iter(names)))
    reopened = len(names) == 1 and "q" not in request.args and bool(played and played.turn)
    form = read_form(AssembleRequest, args, {**FIELDS, **dict.fromkeys(names, "version")})
    versions = services.versions()
    chosen = []
    for name, default in names.items():
        version = args.get(name) or default
        if version != default and version not in versions:
            form.errors[name] = f"There is no version {version[:64]!r}."
            version = default
        chosen.append(version)
    looks: list[InspectedTurn] = []
    problem, status = "", 400 if form.errors else 200
    if reopened and played is not None:
        looks.append(_as_sent(played))
    elif "q" in args and not form.errors:
        query = form.request()
        current().require_all(needs(query))
        try:
            if len(chosen) > 1 and played is not None and played.turn is not None:
                looks.append(_look(played.turn, figures.parts_of(played.turn), {}))
            looks += [
                _assembled(services, replace(query, version=version))
                for version in chosen[len(looks):]
            ]
        except MvpSiteError as error:
            failure = failure_of(error, entitled=current().entitled)
            problem, status = failure.message, failure.status
    return {"query": form, "modes": _modes(services, chosen[0]), "chosen": chosen,
            "versions": versions, "looks": looks,
            "problem": problem, "played": played, "reopened": reopened,
            "link": {name: text for name, text in form.typed.items() if text}}, status


def _as_sent(played: Replayed) -> InspectedTurn:
    """A played turn as it was sent, with the candidates that its manifest keeps."""
    assert played.turn is not None
    log, telemetry = manifest_of(played.record), played.turn.telemetry
    sent = log["sent"]
    turn = replace(played.turn, dropped=tuple(
        DroppedChunk(**row) for row in log["dropped"]
    ), telemetry={
        "floor": log["floor"],
        "best_score": max((row["score"] for row in log["dropped"]), default=0.0),
        "tokens": {**telemetry["tokens"], **({"retrieved": sent["retrieved"]} if sent else {})},
    })
    # As the turn counted them: of messages, which have no delimiters.
    parts = (*(replace(part, tokens=sent.get(part.kind, part.tokens))
               for part in figures.parts_of(turn)), *figures.tool_part(sent.get("tool", 0)))
    messages = [{"role": message.role, "content": message.content} for message in turn.messages]
    return _look(turn, parts, {"json": current_app.json.dumps(
        messages, ensure_ascii=False, indent=2, sort_keys=False)})


def _asked_why(services: Services, looked: Mapping[str, Any]) -> dict[str, Any]:
    """The sections that can be asked after, and where the one that is stands in the turn."""
    name, answer, wrong = request.args.get("why", "").strip()[:200], None, ""
    titles: dict[str, str] = {}
    others: list[tuple[str, str]] = []
    key = normalise(name)
    if looked["looks"] and current().entitled:
        version = looked["chosen"][0]
        with suppress(MvpSiteError):
            loaded = services.assembler(version).loaded
            chunks = loaded.release.chunks if loaded else ()
            titles = {piece.path[-1]: chunk.id
                      for chunk in chunks for piece in chunk.pieces if piece.path}
        near = [(title, id_) for title, id_ in titles.items() if key in normalise(title)]
        meant = near[0][0] if len(near) == 1 else name
        if name:
            others = [(title, id_) for title, id_ in titles.items()
                      if key in normalise(title) or key == normalise(id_.partition("#")[0])]
            query = looked["query"].request()
            given = {field.name: getattr(query, field.name) for field in fields(PassageRequest)}
            try:
                answer = run(services, "retrieve", RetrieveRequest(
                    **{**given, "version": version}, why=meant)).why
            except MvpSiteError as error:
                wrong = failure_of(error, entitled=True).message.partition("; did you")[0]
                # No title: what it is about, as a turn of these words would find it.
                plan = run(services, "retrieve", RetrieveRequest(name, version=version))
                ids = [*(chunk.id for chunk in plan.chunks), *(row.id for row in plan.dropped)]
                by_id = {id_: title for title, id_ in reversed(titles.items())}
                others += [(by_id[id_], id_) for id_ in ids if id_ in by_id]
    others = [row for row in dict.fromkeys(others) if not answer or row[1] != answer.id]
    return {"why_others": others[:_OTHERS], "why": answer,
            "why_asked": name, "why_wrong": wrong, "titles": titles}


def _modes(services: Services, version: str) -> list[tuple[str, str]]:
    """The modes of a version, each as it is written; the built-in ones where it has no index."""
    modes: tuple[str, ...] = MODES
    with suppress(MvpSiteError):
        modes = services.assembler(version).modes
    return [(mode, labelled(mode)) for mode in modes]


def _query_fields(services: Services, version: str) -> tuple[MultiDict[str, str], Replayed | None]:
    """The query's fields: as they were sent, else those of the turn that is named."""
    args = request.args
    if "turn" not in args:
        return args, None
    current().require("the record of turns")
    played = services.replay(args["turn"][:100])
    record = played.record
    messages: tuple[Message, ...] = ()
    if played.turn:
        heads = sum(segment.kind in {"header", "contents"} for segment in played.turn.segments)
        messages = played.turn.messages[heads:-1]
    values = {
        "q": record.user_input, "mode": record.mode, "audience": record.audience,
        "state": json.dumps(record.taken_on, ensure_ascii=False),
        "history": json.dumps(
            [{"role": row.role, "content": row.content} for row in messages], ensure_ascii=False
        ) if messages else "",
    }
    if record.manifest.get("version") in services.versions():
        values[version] = record.manifest["version"]
    return MultiDict({**values, **args.to_dict()}), played


def _assembled(services: Services, query: AssembleRequest) -> InspectedTurn:
    whole = assembled(services, replace(query, explain=True))
    turn = for_asker(whole, current().entitled)
    plain = replace(turn, account=None)
    return _look(turn, figures.parts_of(whole), {
        "json": current_app.json.dumps(plain, ensure_ascii=False, indent=2, sort_keys=False),
        "curl": as_curl(query, request.url_root, token=current().proof not in {"local", "none"}),
        "python": as_python(query),
    })


def _look(turn: figures.Prompt, parts: tuple[figures.PromptPart, ...], code: Mapping[str, str],
          ) -> InspectedTurn:
    return InspectedTurn(
        turn, parts, figures.token_figure(turn, parts), figures.candidates(turn),
        figures.changes(turn), {"text": turn.prompt, **code},
    )


def differences(looks: list[InspectedTurn]) -> list[tuple[figures.PromptPart, str, list[DiffRow]]]:
    """The header and the passages in which two looks differ; nothing for fewer.

    Each with whether ``left`` or ``right`` alone has it, or ``both``, and then with its lines. A
    passage of one is that of the other whose heading path it has.
    """
    if len(looks) < 2:
        return []
    left, right = (_by_section(look.parts) for look in looks)
    changes: list[tuple[figures.PromptPart, str, list[DiffRow]]] = []
    for name, segment in {**right, **left}.items():
        other = right.get(name)
        where = "right" if name not in left else "both" if other else "left"
        if other is None or name not in left:
            changes.append((segment, where, []))
        elif _within(segment) != _within(other):
            changes.append((segment, where, side_by_side(_within(segment), _within(other))))
    return sorted(changes, key=lambda row: (row[1], row[0].number))


def _within(part: figures.PromptPart) -> str:
    """What a passage says between its delimiters, which name the version's own chunks."""
    return "\n".join(part.text.splitlines()[1:-1]) if part.kind == "passage" else part.text


def _by_section(parts: tuple[figures.PromptPart, ...]) -> dict[tuple[str, int], figures.PromptPart]:
    """Header and passages by their heading paths, and which one it is of those with the same."""
    by_section: dict[tuple[str, int], figures.PromptPart] = {}
    counts: Counter[str] = Counter()
    for segment in parts:
        if segment.kind in _COMPARED:
            by_section[segment.section, counts[segment.section]] = segment
            counts[segment.section] += 1
    return by_section


def pairs(looks: list[InspectedTurn]) -> list[tuple[str, list[figures.CandidateRow | None], bool]]:
    """The candidates of the looks by id, the best first, and whether all print the same text."""
    sides = [{row.chunk.id: row for row in look.candidates} for look in looks]
    texts = [{chunk.id: chunk.text for chunk in look.turn.chunks} for look in looks]
    best = {
        name: max(side[name].chunk.score for side in sides if name in side)
        for side in sides for name in side
    }
    return [
        (name, [side.get(name) for side in sides],
         all(name in text and text[name] == texts[0].get(name) for text in texts))
        for name in sorted(best, key=lambda name: (-best[name], name))
    ]
