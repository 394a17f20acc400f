"""The page ``/ask``: questions at a campaign's table, answers beside their evidence.

The address of an answer is its question; what was answered is kept for a while, so that a reload
asks nothing. Players may ask; only who has the DM token asks as the DM, and corrects what routers
decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlencode

from cachetools import TTLCache
from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ..engine.final_prompt import HEADINGS
from ..engine.gazetteer import HELPERS
from ..errors import MvpSiteError
from ..operations.asking import AnswerEvidence, Ask, Correction, EngineAnswer
from ..operations.services import Services
from ..operations.sessions import ListDocuments
from ..sessions.state_documents import ORIGIN
from ..text.json_values import at
from ..turns.state import PC
from .access import audience, current, run
from .failures import failure_of
from .forms import Form, read_form
from .library import linker

FIELDS: Final = {
    "q": "query", "character": "character", "campaign": "campaign", "audience": "audience",
}
"""The form's fields, each with the request's."""
CORRECTED: Final = {name: name for name in ("routing", "domain", "needed", "intention")}
HUES: Final = {"character": 3, "rulebook": 2, "session_notes": 5, "books": 1}
"""The colour of each domain."""
KEPT: Final = 64
KEPT_SECONDS: Final = 3600
"""How many answers are kept, and how long."""
_ELSEWHERE: Final = frozenset({"cross-site", "same-site"})
Answers = TTLCache[tuple[Ask, bool], EngineAnswer]


def blueprint(services: Services) -> Blueprint:
    """The pages under ``/ask``."""
    pages = Blueprint("chat", __name__, url_prefix="/ask")
    answers: Answers = TTLCache(KEPT, KEPT_SECONDS)

    @pages.get("")
    def ask() -> ResponseReturnValue:
        return _page(services, read_form(Ask, request.args, FIELDS), answers)

    @pages.post("/correct")
    def correct() -> ResponseReturnValue:
        form = read_form(Correction, request.form, CORRECTED)
        run(services, "corrections.add", form.request())
        again = {name: request.form.get(name, "") for name in FIELDS if name in request.form}
        again["corrected"] = form.typed["domain"]
        return redirect(f"{url_for('chat.ask')}?{urlencode(again)}#corrected", code=303)

    return pages


def _asks() -> bool:
    """Whether the request under way asks: it has a question, and no other site sent people here."""
    headers = request.headers
    return bool(request.args.get("q")) and headers.get("Sec-Fetch-Site") not in _ELSEWHERE and (
        "prefetch" not in headers.get("Sec-Purpose", ""))


def _page(services: Services, form: Form, answers: Answers) -> ResponseReturnValue:
    """The form, and the answer where a question is asked."""
    entitled, submitted = current().entitled, "q" in request.args
    campaign, answer, failure = form.values.get("campaign"), None, None
    campaigns: list[str] = []
    characters: tuple[str, ...] = ()
    try:
        if entitled:
            documents = [document for name in ("characters.list", "sessions.list")
                         for document in run(services, name, ListDocuments()).documents]
            campaigns = sorted({entry.campaign for entry in documents})
            if campaign is None and "campaign" not in request.args and campaigns:
                campaign = form.values["campaign"] = campaigns[0]
        if campaign is not None:
            sheets = run(services, "characters.list", ListDocuments(campaign))
            characters = tuple(document.title for document in sheets.documents)
        if _asks() and not form.errors:
            question = form.request(), entitled
            answer = answers.get(question)
            if answer is None or request.args.get("again"):
                answer = answers[question] = run(services, "ask", question[0])
    except MvpSiteError as error:
        failure = failure_of(error, entitled=entitled)
    chosen = answer.character if answer else form.typed["character"]
    return render_template(
        "ask.html", form=form, campaign=campaign or "",
        campaigns=[(id_, services.title_of(id_)) for id_ in campaigns], failure=failure,
        characters=characters, answer=answer, numbers=reading_order(answer) if answer else {},
        chosen=chosen or _played(services, campaign, characters),
        attribution=answer.attribution if answer else "", of_state=ORIGIN,
        game_title=services.title_of(campaign) if campaign else "",
        domains=HEADINGS, hues=HUES, correction=read_form(Correction, MultiDict(), CORRECTED),
        intentions={HEADINGS[domain]: helper.intents for domain, helper in HELPERS.items()},
        link_of=_links(services), corrected=request.args.get("corrected", ""),
    ), failure.status if failure else 400 if submitted and form.errors else 200


def _played(services: Services, campaign: str | None, characters: Sequence[str]) -> str:
    """Whose question it probably is: the character that the campaign is played with, else any."""
    if "character" in request.args or campaign is None:
        return ""
    name: Any = ""
    with suppress(MvpSiteError):
        name = at(services.store().load(campaign).state, PC, "name")
    if characters and name not in characters:
        return characters[0]
    return name if isinstance(name, str) else ""


def reading_order(answer: EngineAnswer) -> dict[int, int]:
    """The numbers of the evidence as one meets them when one reads, by the answer's own."""
    cited = [number for row in (*answer.said(), *answer.relations) for number in row.evidence]
    every = dict.fromkeys((*cited, *(piece.number for piece in answer.evidence)))
    return {number: place for place, number in enumerate(every, 1)}


def _links(services: Services) -> Callable[[AnswerEvidence], str]:
    """A function from evidence to the page where it is read; '' where the caller has none."""
    place = linker(services)

    def link_of(evidence: AnswerEvidence) -> str:
        domain, _, rest = evidence.id.partition("/")
        if domain == "rulebook" and not rest.startswith(("table/", "steps/")):
            return url_for("rulebook.read", section=rest)
        if domain != "books":
            return ""
        source_id, page = rest.partition("/")[0], rest.rpartition("@")[2]
        try:
            services.library().source(source_id, audience())
            return place(source_id, evidence.title, int(page) or None)
        except MvpSiteError:
            return ""

    return link_of
