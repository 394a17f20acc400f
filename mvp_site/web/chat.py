"""The page ``/ask``: questions about a character and its campaign, answers beside their evidence.

A page keeps its earlier questions in its own form. Players may ask; only who has the DM token asks
as the DM, and corrects what routers decided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from ..engine.final_prompt import HEADINGS
from ..engine.gazetteer import HELPERS
from ..errors import MvpSiteError
from ..operations.asking import AnswerEvidence, Ask, Correction
from ..operations.services import Services
from ..operations.sessions import ListDocuments
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
EARLIER: Final = 4
"""How many earlier questions stand on a page."""


def blueprint(services: Services) -> Blueprint:
    """The pages under ``/ask``."""
    pages = Blueprint("chat", __name__, url_prefix="/ask")

    @pages.route("", methods=["GET", "POST"])
    def ask() -> ResponseReturnValue:
        submitted = request.method == "POST"
        form = read_form(Ask, request.form if submitted else request.args, FIELDS)
        return _page(services, form, submitted=submitted)

    @pages.post("/correct")
    def correct() -> ResponseReturnValue:
        form = read_form(Correction, request.form, CORRECTED)
        run(services, "corrections.add", form.request())
        again = {name: request.form.get(name, "") for name in FIELDS if name in request.form}
        again["corrected"] = form.typed["domain"]
        return redirect(f"{url_for('chat.ask')}?{urlencode(again)}", code=303)

    return pages


def _page(services: Services, form: Form, *, submitted: bool) -> ResponseReturnValue:
    """The form, and the answer where a question was ``submitted``."""
    entitled = current().entitled
    campaign, answer, failure = form.values.get("campaign"), None, None
    campaigns: list[str] = []
    characters: tuple[str, ...] = ()
    try:
        if entitled:
            documents = [document for name in ("characters.list", "sessions.list")
                    for document in run(services, name, ListDocuments()).documents]
            campaigns = sorted({entry.campaign for entry in documents})
            if campaign is None and "campaign" not in request.values and campaigns:
                campaign = form.values["campaign"] = campaigns[0]
        if campaign is not None:
            sheets = run(services, "characters.list", ListDocuments(campaign))
            characters = tuple(document.title for document in sheets.documents)
        if submitted and not form.errors:
            answer = run(services, "ask", form.request())
    except MvpSiteError as error:
        failure = failure_of(error, entitled=entitled)
    earlier = [entry for entry in dict.fromkeys(request.form.getlist("earlier"))
               if entry.strip() and entry != form.typed["q"]]
    return render_template(
        "ask.html", form=form, campaign=campaign or "", campaigns=campaigns, failure=failure,
        characters=characters, answer=answer, earlier=earlier[-EARLIER:],
        attribution=answer.attribution if answer else "",
        domains=HEADINGS, hues=HUES, correction=read_form(Correction, MultiDict(), CORRECTED),
        intentions={HEADINGS[domain]: helper.intents for domain, helper in HELPERS.items()},
        link_of=_links(services), corrected=request.args.get("corrected", ""),
    ), failure.status if failure else 400 if submitted and form.errors else 200


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
