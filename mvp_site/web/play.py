"""The pages under ``/play``: the campaigns, one of them as a table to play at, what it looks up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from flask import Blueprint, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ..archive.header_files import first_state
from ..content.slugs import slug_of
from ..errors import InvalidRequestError, MvpSiteError, UnknownCampaignError
from ..operations import campaigns, requests
from ..operations.all import operation
from ..operations.begin_campaign import BeginCampaign
from ..operations.player_view import players_state
from ..operations.services import Services
from ..operations.sessions import ListDocuments
from ..operations.turns import ShowTurn, TakeTurn, readable
from ..sessions.state_documents import PREFIX
from ..sessions.types import PieceHit
from ..store.types import TurnRecord
from ..text.normalising import normalise
from ..turns.draft import SIGNED
from ..turns.spending import spending
from ..types import MODES
from .access import audience, current, run
from .api import events_of
from .compendium import CompendiumSearch, things_of
from .failures import HttpFailure, RequestError, error_body, failure_of
from .forms import Form, labelled, read_form
from .narrative import story_of
from .records import WHY_FALLBACK, answer_view, manifest_of
from .sheet import SheetEntry, changes, entries_of, sheet_of
from .streaming import EVENT_STREAM

LOG: Final = 30
"""How many turns of a campaign stand on a page."""
LAST: Final = 10
"""Among so many the last turn that counts is looked for."""
NOTED: Final = 4
"""How many pieces of notes, and of sheets, a look-up shows."""
_LEAST: Final = 0.3
"""The relevance from which on a piece of the campaign is shown."""
CARDS: Final = 24
"""How many campaigns do."""
_FIRST_WORDS: Final = 220
Entry = tuple[TurnRecord, dict[str, Any]]
"""A turn, and how it is shown."""
CAMPAIGN: Final = {"campaign": "campaign_id"}
BEGUN: Final = {"title": "title", "character": "character"}
TURN: Final = {"turn": "turn_id"}
LIMIT: Final = {**CAMPAIGN, "usd": "usd"}
BRANCH: Final = {**TURN, "title": "title"}
RENAMED: Final = {**CAMPAIGN, "title": "title"}
SAID: Final = {
    **CAMPAIGN, "retry": "replaces", "key": "idempotency_key",
    **{name: name for name in ("user_input", "mode", "audience")},
}
"""Each form's fields, with those of its request."""
_REFUSED: Final = {
    "say": "Nothing was played.", "undo": "Nothing was taken back.",
    "retake": "Nothing was taken again.", "limit": "The limit was not changed.",
    "rename": "The title was not changed.", "delete": "Nothing was deleted.",
    **dict.fromkeys(("branch", "begin"), "No campaign was begun."),
}
"""What a form that fails did not do."""


@dataclass(frozen=True, slots=True)
class StoryTurn:
    """Turns that stand together: one that counts with what it took the place of, or taken back.

    ``earlier`` are the versions that *Retry* replaced, or all turns of a run that was taken back.
    """

    record: TurnRecord | None
    view: dict[str, Any]
    earlier: tuple[Entry, ...] = ()


def blueprint(services: Services) -> Blueprint:
    """``/play``: say something, read what comes of it, choose what is next, or take it back."""
    pages = Blueprint("play", __name__)

    @pages.get("/play")
    def read() -> ResponseReturnValue:
        return _page(services, request.args)

    @pages.get("/play/look-up")
    def look_up() -> ResponseReturnValue:
        return _look_up(services)

    acts: dict[str, Callable[[Services], ResponseReturnValue]] = {
        "say": _say, "undo": partial(_of_turn, "undo"), "retake": partial(_of_turn, "retake"),
        "branch": _branch, "limit": _limit, "begin": _begin, "rename": _rename, "delete": _delete,
    }
    for name, act in acts.items():
        path = "/play" if name == "say" else f"/play/{name}"
        pages.add_url_rule(path, name, _posted(services, name, act), methods=["POST"])
    return pages


def _posted(services: Services, name: str, act: Callable[[Services], ResponseReturnValue],
            ) -> Callable[[], ResponseReturnValue]:
    """What a form does; where it fails the campaign's page with the words that were typed."""
    def posted() -> ResponseReturnValue:
        try:
            return act(services)
        except (MvpSiteError, RequestError) as error:
            failure = failure_of(error, entitled=current().entitled)
        if EVENT_STREAM in request.headers.get("Accept", ""):
            return jsonify(error_body(failure)), failure.status, failure.headers
        return _page(services, request.form, failure, _REFUSED[name])

    return posted


def _of_turn(name: str, services: Services) -> ResponseReturnValue:
    """What is done with one turn: it is taken back, or again."""
    turn = read_form(ShowTurn, request.form, TURN).request()
    return _back(run(services, f"turn.{name}", turn).campaign.id)


def _branch(services: Services) -> ResponseReturnValue:
    form = _titled(services, campaigns.Branch, BRANCH)
    run(services, "turn.branch", form.request())
    return _back(form.values["campaign_id"])


def _limit(services: Services) -> ResponseReturnValue:
    limited = read_form(campaigns.LimitSpending, request.form, LIMIT).request()
    run(services, "campaign.limit", limited)
    return _back(limited.campaign_id, "spending", done="limit")


def _rename(services: Services) -> ResponseReturnValue:
    """Another title of a campaign."""
    renamed = read_form(campaigns.RenameCampaign, request.form, RENAMED).request()
    run(services, "campaign.rename", renamed)
    return _back(renamed.campaign_id, "content")


def _delete(services: Services) -> ResponseReturnValue:
    """A campaign's end."""
    run(services, "campaign.delete", read_form(
        campaigns.ShowCampaign, request.form, CAMPAIGN).request())
    return redirect(url_for("play.read"), code=303)


def _begin(services: Services) -> ResponseReturnValue:
    """A new campaign, its id made of its title; a sheet is named ``campaign/character``."""
    form = _titled(services, BeginCampaign, BEGUN)
    source, _, character = form.values.pop("character", "").partition("/")
    if character:
        form.values.update(character=character, source=source)
    run(services, "campaign.begin", form.request())
    return _back(form.values["campaign_id"])


def _titled(services: Services, kind: type, names: Mapping[str, str]) -> Form:
    """The form that begins a campaign, whose id is made of the title.

    Raises:
        InvalidRequestError: it has no title.
    """
    form = read_form(kind, request.form, names)
    title = form.values.get("title", "")
    if not title and "title" not in form.errors:
        raise InvalidRequestError("Give the campaign a title.")
    stem = slug_of(title).encode("ascii", "ignore").decode().strip("-")[:90] or "campaign"
    ids = (stem, *(f"{stem}-{number}" for number in range(2, 1_000)))
    form.values["campaign_id"] = next(filter(services.is_new, ids), stem)
    return form


def _say(services: Services) -> ResponseReturnValue:
    """A turn: one of the form's own words, or a past one again."""
    form, entitled = read_form(TakeTurn, request.form, SAID), current().entitled
    if retry := form.values.get("replaces"):
        turn = readable(services, retry, entitled)
        form.values.update((name, getattr(turn, name)) for name in (
            "campaign_id", "user_input", "mode", "audience"))
    elif not form.typed["user_input"]:
        raise InvalidRequestError("Say something first: the turn has no text.")
    elif form.value("mode") == "god" and form.value("audience") == "player" and entitled:
        form.values["audience"] = "god"
    call = form.request()
    if (events := events_of(services, operation("turn"), call)) is not None:
        return events
    run(services, "turn", call)
    return _back(call.campaign_id)


def _back(campaign: str, anchor: str = "latest", done: str | None = None) -> ResponseReturnValue:
    return redirect(url_for("play.read", campaign=campaign, done=done, _anchor=anchor), code=303)


def _page(services: Services, args: MultiDict[str, str], failure: HttpFailure | None = None,
          refused: str = "") -> ResponseReturnValue:
    """The cards of all campaigns, or one; players see what was answered to players."""
    entitled = current().entitled
    opened = read_form(campaigns.ShowCampaign, args, CAMPAIGN)
    campaign = opened.values.get("campaign_id", "")
    said = read_form(TakeTurn, args, SAID)
    modes = [(name, labelled(name)) for name in MODES if entitled or name != "god"]
    mode = said.value("mode")
    values = _story(services, campaign, entitled) if campaign else {
        "cards": _cards(services) if entitled and not opened.errors else (),
        "sheets": _sheets(services) if entitled else (), "title": "",
    }
    status = 400 if opened.typed["campaign"] and opened.errors else 200
    limiting = read_form(campaigns.LimitSpending, args, LIMIT)
    return render_template(
        "play.html", **values, campaign=campaign, modes=modes, opened=opened, said=said,
        branching=read_form(campaigns.Branch, MultiDict(), BRANCH),
        beginning=read_form(BeginCampaign, args, BEGUN), limiting=limiting,
        renaming=read_form(campaigns.RenameCampaign, MultiDict(), RENAMED),
        mode=mode if mode in dict(modes) else "story", refused=refused, done=args.get("done", ""),
        failure=None if "usd" in limiting.errors else failure,  # it is said at the field
        problem=services.problem(), why_fallback=WHY_FALLBACK,
    ), failure.status if failure else status, failure.headers if failure else {}


def _cards(services: Services) -> list[dict[str, Any]]:
    """The campaigns, last changed first, each with the last turn that counts."""
    store, cards = services.store(), []
    for summary in store.campaigns(CARDS):
        turns = store.turns(LAST, summary.id) if summary.turns else ()
        last = next((turn for turn in turns if turn.withdrawn is None), None)
        view = _view(last) if last else None
        words = next(filter(None, (
            view["narrative"], view["god_mode_response"], view["raw"],
            view["planning_block"]["thinking"])), "") if view else ""
        cards.append({
            "campaign": summary, "words": story_of(words).striptags()[:_FIRST_WORDS],
            "turns": store.counting(summary.id) if summary.turns else 0,
            "version": str(last.manifest.get("version", "")) if last else "",
        })
    return cards


def _story(services: Services, campaign: str, entitled: bool) -> dict[str, Any]:
    """A page of a campaign's turns, oldest first; on the last one its sheet, and what changed."""
    before, store, is_new = request.args.get("before") or None, services.store(), False
    try:
        turns = requests.read(campaigns.ListTurns, {
            "campaign_id": campaign, "limit": LOG, "before": before,
        })
        page, further = campaigns.page_of(services, turns, entitled)
        game = store.load(campaign)
        state: Mapping[str, Any] = game.state
        title = game.title
    except UnknownCampaignError:
        page, further, title, is_new = [], None, "", True  # its first turn makes it
        state = first_state(services.beside()) or {}
    last = next((turn_record for turn_record in page if turn_record.withdrawn is None), None)
    was = last.state_before if last and not last.fallback else state
    told = was, state
    if last and last.audience == "player":  # what changed is told to whom the turn was answered
        told = players_state(was), players_state(state)
    if not entitled:
        state = players_state(state)
    entries = [(record, _view(record)) for record in reversed(page)]
    return {
        "title": title, "entries": entries, "story": _story_turns(entries), "further": further,
        "is_new": is_new, "numbers": {
            record.id: number for number, record in enumerate(
                (record for record, _ in entries if record.withdrawn is None),
                1 + (store.counting(campaign, page[-1].number - 1) if page else 0))},
        "retaken": set() if before or not entries else _retakable(entries, last),
        "earlier": before is not None, "last": last,
        "sheet": sheet_of(state), "changes": () if before else changes(*told),
        "account": spending(services.settings, services.store(), campaign) if entitled else None,
        "begins_empty": not page and not state,
        "offline": services.offline or any(view["signed"] for _, view in entries),
    }


def _story_turns(entries: Sequence[Entry]) -> Iterator[StoryTurn]:
    """Each turn that counts with its other versions; between them runs taken back."""
    back: list[Entry] = []
    for record, shown in entries:
        if record.withdrawn is not None:
            back.append((record, shown))
            continue
        split = len(back)
        while split and back[split - 1][0].user_input == record.user_input:
            split -= 1
        if split:
            yield StoryTurn(None, {}, _versions(back[:split]))
        others = {_made(entry[0]): entry for entry in back[split:]}
        others.pop(_made(record), None)
        yield StoryTurn(record, shown, tuple(others.values()))
        back = []
    if back:
        yield StoryTurn(None, {}, _versions(back))


def _versions(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """What was taken back, a turn and its copies once."""
    return tuple({_made(entry[0]): entry for entry in entries}.values())


def _made(record: TurnRecord) -> str:
    """What a turn has in common with its copies: the moment when it was played."""
    return str(record.manifest.get("created", record.id))


def _retakable(entries: Sequence[Entry], last: TurnRecord | None) -> set[str]:
    """The turns taken back that may count again: what follows ``last``, or its other versions."""
    records = [record for record, _ in entries]

    def followed(turn: TurnRecord) -> int:
        return max((record.number for record in records if record.number < turn.number and (
            record.withdrawn is None or record.withdrawn >= turn.number)), default=0)

    return {
        record.id for record in records if record.withdrawn is not None and (
            followed(record) == (last.number if last else 0)
            or (last and followed(record) == followed(last) and record.audience == last.audience))
    }


def _sheets(services: Services) -> list[tuple[str, str]]:
    """The imported characters of all campaigns, each with what it is called in a list."""
    with suppress(MvpSiteError):
        documents = run(services, "characters.list", ListDocuments()).documents
        return [(f"{row.campaign}/{row.title}", f"{row.title} ({row.campaign})")
                for row in documents]
    return []


def _look_up(services: Services) -> ResponseReturnValue:
    """What the campaign and the compendium have on something; of the last turn, where it is ''."""
    opened = read_form(campaigns.ShowCampaign, request.args, CAMPAIGN)
    form, campaign = read_form(CompendiumSearch, request.args, {"q": "query"}), ""
    people: list[SheetEntry] = []
    pieces: list[PieceHit] = []
    state: dict[str, SheetEntry] = {}
    passages: list[tuple[str, str, str]] = []
    query = form.value("query").strip()
    if opened.values:
        campaign = opened.request().campaign_id
        with suppress(UnknownCampaignError):
            state = _in_state(services, campaign)
            people = _people(state, query)
            passages = [] if query else _passages(services, campaign)
        if query:
            pieces = _noted(services, campaign, query)
            people, pieces = _of_state(state, people, pieces)
    things, missing = things_of(services, query)
    return render_template(
        "look_up.html", form=form, campaign=campaign, people=people, pieces=pieces,
        passages=passages, things=things, missing=missing,
    ), 400 if form.errors else 200


def _in_state(services: Services, campaign: str) -> dict[str, SheetEntry]:
    """Who and what the state has, by its place there."""
    state: Mapping[str, Any] = services.store().load(campaign).state
    return entries_of(state if current().entitled else players_state(state))


def _people(state: Mapping[str, SheetEntry], query: str) -> list[SheetEntry]:
    """Who and what is called so, the words in any order; without a query, people and places."""
    words = normalise(query).split()
    return [entry for place, entry in state.items() if (
        all(word in normalise(entry.name) for word in words) if words
        else place.startswith(("npcs/", "locations/")))]


def _of_state(state: Mapping[str, SheetEntry], people: Iterable[SheetEntry],
              pieces: Iterable[PieceHit]) -> tuple[list[SheetEntry], list[PieceHit]]:
    """Whom the pieces of the state are about, after those that are called so; and the others."""
    about = [state.get(hit.piece.id.removesuffix("/all")) if hit.document.startswith(PREFIX)
             else None for hit in pieces]
    entries = {id(entry): entry for entry in (*people, *filter(None, about))}
    return [*entries.values()], [hit for hit, entry in zip(pieces, about, strict=True) if not entry]


def _noted(services: Services, campaign: str, query: str) -> list[PieceHit]:
    """What notes of sessions, sheets and the state say on something."""
    pieces: list[PieceHit] = []
    with suppress(MvpSiteError):
        notes = services.session_notes()
        if notes.has(campaign):
            for kind in ("session", "character"):
                pieces += notes.search(campaign, query, kind, audience=audience(), limit=NOTED)
    return [hit for hit in pieces if hit.relevance >= _LEAST]


def _passages(services: Services, campaign: str) -> list[tuple[str, str, str]]:
    """The passages of the last turn: id, title, text; the DM's to see."""
    turns = services.store().turns(1, campaign) if current().entitled else ()
    return [
        (chunk["id"], chunk["section"].rpartition(" > ")[2],
         text.partition("\n")[2].rpartition("\n")[0])
        for turn in turns for log in [manifest_of(turn)]
        for chunk, text in zip(log["chunks"], log["printed"], strict=False)
    ]


def _view(record: TurnRecord) -> dict[str, Any]:
    """A turn for the page: what the offline narrator signs with stands on top of it instead."""
    view = answer_view(record.answer, record.manifest)
    signed = SIGNED in view["narrative"]
    return {**view, "narrative": view["narrative"].replace(SIGNED, "").strip(), "signed": signed}
