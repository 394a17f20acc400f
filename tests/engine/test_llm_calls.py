"""The engine asks a model over HTTP: its calls overlap, and each that fails is done without and told."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from mvp_site import Rulebook
from mvp_site.engine.central_engine import CentralEngine
from mvp_site.engine.llm_router import intention_key, router_prompt
from mvp_site.engine.local_router import LocalRouter
from mvp_site.engine.types import DOMAINS, Domain
from mvp_site.library.library import Library
from mvp_site.sessions.session_notes import SAMPLE, SessionNotes
from tests.llm.asking import MODELS
from tests.llm.loopback import LoopbackServer, loopback  # noqa: F401 (a fixture)
from tests.llm.wire_answers import Answer, Fault

from .conftest import ASKED, Site
from .parts import INTENTIONS

FINAL = "It bursts [1]."
Says = Answer | Fault | Callable[[], Answer]


@dataclass
class Model:
    """What the server answers, by domain or ``final``; unset, that each is needed."""

    says: dict[str, Says] = field(default_factory=dict)

    def __call__(self, request: dict[str, Any]) -> Answer | Fault:
        text = json.dumps(request)
        of = next((one for one, said in _prompts().items() if said in text), "final")
        said = self.says.get(of, good(of))
        return said() if callable(said) else said


def _prompts() -> dict[Domain, str]:
    """By what each router's prompt is known."""
    prompts = {one: str(router_prompt(one, "", "")[0].content) for one in DOMAINS}
    return {one: json.dumps(prompt.strip())[1:-1] for one, prompt in prompts.items()}


def good(of: str) -> Answer:
    if of == "final":
        return Answer(FINAL)
    said = {"is_needed": True, "confidence": 0.9, "entities": [{"name": "Emberburst", "type": "spell"}]}
    intention = INTENTIONS[of]  # type: ignore[index]
    return Answer(json.dumps(said | ({intention_key(of): intention} if intention else {})))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def parts(built: Site) -> Iterator[dict[str, Any]]:
    """What all engines of this module share."""
    with closing(SessionNotes.open(built.settings())) as notes, closing(Library.open(built.settings())) as library:
        book = Rulebook.open(built.settings())
        local = LocalRouter.open(built.settings(), rulebook=book, open_notes=lambda: notes)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LocalRouter, "open", lambda *_, **__: local)
            yield {"notes": notes, "library": library, "rulebook": book}


Opens = Callable[..., tuple[CentralEngine, Model]]


@pytest.fixture
def opens(parts: dict[str, Any], built: Site, loopback: LoopbackServer) -> Iterator[Opens]:  # noqa: F811
    """Opens an engine whose model is the server."""
    made: list[CentralEngine] = []

    def open_(says: dict[str, Says], llm: str = MODELS[0]) -> tuple[CentralEngine, Model]:
        loopback.responder = model = Model(says)
        settings = loopback.settings(llm, mvp_site_data_dir=built.root / "data")
        made.append(CentralEngine.open(settings, **parts))
        made[-1]._timeout = 20.0  # so that a slow machine is not what is late
        return made[-1], model

    yield open_
    for one in made:
        one.close()


FAULTS: dict[str, tuple[Answer | Fault, str]] = {
    "silent": (Fault("slow"), "was silent for 5 seconds"), "stalled": (Fault("stall"), "was silent for 5 seconds"),
    "HTTP 500": (Fault("status", 500), "HTTP 500"), "HTTP 429": (Fault("status", 429), "HTTP 429"),
    "HTTP 401": (Fault("status", 401), "check OPENAI_API_KEY"), "dropped": (Fault("drop"), "broke its connection"),
    "malformed": (Fault("malformed"), "has a fault of its own"), "empty": (Fault("empty"), "a damaged answer"),
    "nothing": (Fault("nothing"), "a damaged answer"), "a page": (Fault("page"), "a damaged answer"),
}
ANSWERS: dict[str, tuple[Answer | Fault, str]] = {
    "prose": (Answer("I think so."), "gave no decision on {}"), "another form": (Answer('{"is_needed": "yes"}'), "gave no decision on {}"),
    "a list": (Answer("[]"), "gave no decision on {}"), "no words": (Answer(""), "a damaged answer (it is empty)"),
    "refused": (Answer("", stop="refused"), "the model refused"), "cut off": (Answer('{"is_ne', stop="length"), "cut off"),
}


@pytest.mark.slow
@pytest.mark.parametrize("domain", [DOMAINS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in DOMAINS[1:])])
@pytest.mark.parametrize("how", [*FAULTS, *ANSWERS])
def test_where_a_routers_call_fails_this_machine_decides(opens: Opens, domain: Domain, how: str) -> None:
    said, why = (FAULTS | ANSWERS)[how]
    engine, _ = opens({domain: said})
    answer = engine.answer(ASKED, "Ilse Varn")
    assert {one.domain: one.by for one in answer.decisions} == dict.fromkeys(DOMAINS, MODELS[0]) | {domain: "local"}
    assert [one.where for one in answer.errors] == [f"{MODELS[0]} router of {domain}"]
    assert why.format(domain) in answer.errors[0].why
    assert answer.errors[0].told in answer.text
    assert {one.domain for one in answer.evidence} == {*DOMAINS}
    assert (answer.by, answer.text.startswith(FINAL)) == (MODELS[0], True)


@pytest.mark.requirement("5", "Fallback: without the final call the evidence answers")
@pytest.mark.slow
@pytest.mark.parametrize("how", [*FAULTS, "no words", "refused"])
def test_where_the_final_call_fails_the_evidence_answers(opens: Opens, how: str) -> None:
    said, _ = (FAULTS | ANSWERS)[how]
    engine, _ = opens({"final": said})
    answer = engine.answer(ASKED, "Ilse Varn")
    assert (answer.by, [one.where for one in answer.errors]) == ("evidence", ["final call"])
    assert answer.errors[0].told in answer.text
    assert "Emberburst" in answer.text


@pytest.mark.parametrize("llm", MODELS)
def test_where_the_model_is_away_this_machine_answers(opens: Opens, llm: str) -> None:
    away = Fault("status", 503)
    engine, _ = opens(dict.fromkeys((*DOMAINS, "final"), away), llm)
    answer = engine.answer(ASKED, "Ilse Varn")
    assert {one.by for one in answer.decisions} == {"local"}
    assert [one.where for one in answer.errors] == [*(f"{llm} router of {one}" for one in DOMAINS), "final call"]
    assert all("is overloaded; try again later" in one.why for one in answer.errors)
    assert {one.domain for one in answer.evidence} == {*DOMAINS}
    engine._model = None
    assert engine.answer(ASKED, "Ilse Varn").errors[:4] == answer.errors[:4]  # nothing that failed is kept


def test_who_is_cancelled_leaves_no_call_behind(opens: Opens, loopback: LoopbackServer) -> None:  # noqa: F811
    cancelled = threading.Event()
    engine, _ = opens(dict.fromkeys(DOMAINS, Answer(gate=cancelled)))

    async def ask() -> set[Any]:
        task = asyncio.create_task(engine.aanswer(ASKED, "Ilse Varn"))
        await asyncio.to_thread(loopback.wait_until, len(DOMAINS))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        cancelled.set()
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(ask()) == set()
    loopback.responder = Model()
    assert engine.answer(ASKED, "Ilse Varn").errors == ()


@pytest.mark.requirement("5", "All routers' calls execute simultaneously")
@pytest.mark.parametrize("llm", MODELS)
def test_the_calls_of_all_routers_are_under_way_at_once(opens: Opens, llm: str) -> None:
    met = threading.Barrier(len(DOMAINS), timeout=60)

    def held(of: str) -> Callable[[], Answer]:
        return lambda: good(of) if met.wait() >= 0 else Answer()

    engine, _ = opens({one: held(one) for one in DOMAINS}, llm)
    answer = engine.answer(ASKED, "Ilse Varn")
    assert (answer.errors, {one.by for one in answer.decisions}) == ((), {llm})


def test_an_encoder_that_fails_is_told_and_words_find(opens: Opens, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("out of memory")

    engine, _ = opens({})
    monkeypatch.setattr("tests.hashing.HashingEncoder.encode", broken)
    answer = engine.answer(f"{ASKED} Tell!", campaign=SAMPLE)
    assert {one.domain for one in answer.evidence} >= {"character", "rulebook", "session_notes"}
    assert {one.where for one in answer.errors} == {*DOMAINS}
    assert all("the dense lane failed (RuntimeError: out of memory)" in one.why for one in answer.errors)
    assert all("could be searched in part only" in one.told and one.told in answer.text for one in answer.errors)
