"""The engine: what fails is done without and told; calls overlap; contexts are kept while they hold."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from mvp_site.engine.types import Answer, Domain, NamedEntity
from mvp_site.errors import (
    EngineError,
    ModelUnavailableError,
    RouterError,
    StoreError,
    UnknownCharacterError,
)
from mvp_site.llm.protocol import ModelReply

from .parts import (
    THREE,
    Has,
    Remembers,
    Says,
    VirtualTime,
    Writes,
    decision,
    engine,
    evidence,
    in_virtual_time,
)

ASKED = "What does Fireball do?"


async def _never() -> None:
    await asyncio.Event().wait()


FAILURES: dict[str, Any] = {
    "timeout": _never,
    "error": ModelUnavailableError("overloaded"),
    "crash": ZeroDivisionError("boom"),
    "cancelled": asyncio.CancelledError(),
}


@pytest.mark.requirement("5", "Graceful degradation: one router fails, the results of the others are used")
@pytest.mark.parametrize("domain", THREE)
@pytest.mark.parametrize("how", FAILURES)
def test_a_router_that_fails_gives_way_to_the_next_or_leaves_the_other_domains(domain: Domain, how: str) -> None:
    first, second = Says(**{domain: FAILURES[how]}), Says("second")
    answer = in_virtual_time(engine([first, second]).aanswer(ASKED))
    assert second.calls == [domain]
    assert {piece.domain for piece in answer.evidence} == {*THREE}
    assert [failure.where for failure in answer.errors] == [f"first router of {domain}"]
    assert answer.errors[0].why
    alone = in_virtual_time(engine([Says(**{domain: FAILURES[how]})]).aanswer(ASKED))
    assert {piece.domain for piece in alone.evidence} == {*THREE} - {domain}
    assert "no router could read the question" in alone.text


@pytest.mark.requirement("5", "Clear error messages when critical data is missing")
def test_where_all_that_is_needed_fails_the_error_names_each() -> None:
    sources = [Has(one, fails=StoreError(f"no {one}")) for one in THREE]
    with pytest.raises(EngineError) as raised:
        engine([Says(rulebook=decision("rulebook", False, 0.999))], sources).answer(ASKED)
    assert "no character" in str(raised.value)
    assert "no session_notes" in str(raised.value)
    assert "no rulebook" not in str(raised.value)
    with pytest.raises(EngineError, match=r"first router of character.*first router of rulebook"):
        engine([Says(**{one: RouterError("no") for one in THREE})]).answer(ASKED)


def test_a_late_domain_is_not_waited_for() -> None:
    late, answered = Has("rulebook"), threading.Event()

    async def ask() -> Answer:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTime)
        late.find = lambda *_: loop.hang(answered) or ()  # type: ignore[func-returns-value,method-assign]
        return await engine(sources=[Has("character"), late]).aanswer(ASKED)

    try:
        answer = in_virtual_time(ask())
    finally:
        answered.set()
    assert [(one.where, one.why) for one in answer.errors] == [("rulebook", "no answer within 5.0 s")]
    assert answer.timings["total"] == 5


def test_nothing_needed_and_nothing_found_are_answers() -> None:
    none = engine([Says(**{one: decision(one, False) for one in THREE})]).answer("Hello!")
    assert (none.evidence, none.confidence, none.errors) == ((), 0.0, ())
    assert "Nothing was found" in none.text
    empty = Has("rulebook")
    empty.found = ()
    found = engine([Says(rulebook=decision("rulebook", True, 0.9, "Firebal"))], [empty]).answer(ASKED)
    assert "Rules: Firebal" in found.text
    assert found.evidence == ()


@pytest.mark.requirement("5", "Only needed query routers are invoked")
def test_a_doubted_domain_is_searched_and_an_unneeded_one_is_not() -> None:
    sources = [Has(one) for one in THREE]
    said = {"character": decision("character", False, 0.55), "rulebook": decision("rulebook", False, 0.999)}
    engine([Says(**said)], sources).answer(ASKED)
    assert [len(one.asked) for one in sources] == [1, 0, 1]


def test_a_domain_without_anything_to_ask_is_not_routed() -> None:
    router = Says()
    answer = engine([router], [Has("rulebook"), Has("books", version="")]).answer(ASKED)
    assert router.calls == ["rulebook"] == [one.domain for one in answer.decisions]


def test_the_name_is_resolved_and_a_wrong_one_is_told() -> None:
    def resolve(name: str, campaign: str | None) -> Any:
        if name == "Nobody":
            raise UnknownCharacterError("there is no Nobody")
        return SimpleNamespace(title="Ilse Varn", campaign=campaign or "road")

    made = engine(open_notes=Remembers(resolve=resolve))
    assert (asked := made.answer(ASKED, " ilse ").question).character == "Ilse Varn"
    assert asked.campaign == "road"
    with pytest.raises(UnknownCharacterError):
        made.answer(ASKED, "Nobody")
    with pytest.raises(EngineError, match="empty"):
        made.answer("  ")


def test_the_sync_call_works_inside_a_running_loop() -> None:
    async def inside() -> str:
        return engine().process_query(ASKED, "")

    assert asyncio.run(inside()) == engine().process_query(ASKED, "")


@pytest.mark.requirement("5", "Performance monitoring: each stage is timed, and bounded")
def test_a_deadline_bounds_every_stage() -> None:
    model = Writes()

    async def late(_: Any) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError

    model.acomplete = late  # type: ignore[method-assign]
    made = engine([Says(character=_never), Says("second")], model=model, timeout=60.0)
    answer = in_virtual_time(made.aanswer(ASKED, deadline=50.0))
    assert answer.by == "evidence"
    assert answer.timings["total"] == 50
    assert [one.where for one in answer.errors] == ["first router of character", "final call"]


@pytest.mark.requirement("5", "Context caching, with invalidation when data changes")
@pytest.mark.parametrize("domain", [*THREE, "books"])
def test_a_kept_context_goes_with_any_version(domain: Domain) -> None:
    router, sources = Says(), [Has(one) for one in (*THREE, "books")]  # type: ignore[arg-type]
    made = engine([router], sources)
    first = made.answer(ASKED)
    again = made.answer(f" {ASKED} ")
    assert len(router.calls) == 4
    assert again.evidence == first.evidence
    assert "route" not in again.timings
    next(one for one in sources if one.domain == domain).now = "2"
    made.answer(ASKED)
    assert len(router.calls) == 8
    made.answer(ASKED, audience="dm")
    made.answer(ASKED, campaign="another")
    made.answer(ASKED, max_tokens=1_000)
    assert len(router.calls) == 20


@pytest.mark.parametrize(("routers", "sources"), [
    ([Says(character=RouterError("no")), Says("second")], [Has(one) for one in THREE]),
    ([Says()], [Has("character", fails=StoreError("locked")), Has("rulebook")]),
])
def test_nothing_is_kept_where_something_failed(routers: Any, sources: Any) -> None:
    made = engine(routers, sources)
    made.answer(ASKED)
    made.answer(ASKED)
    assert len(sources[-1].asked) == 2


@pytest.mark.requirement("5", "The final call answers from the assembled context and references its sources")
def test_the_model_writes_the_answer_and_its_citations_are_checked() -> None:
    model = Writes("It burns [1]. The bridge fell [2][9].")
    answer = engine(model=model).answer(ASKED)
    assert (answer.by, len(model.requests)) == ("double", 1)
    assert answer.text.startswith("It burns [1]. The bridge fell [2].")
    assert [one.evidence for one in answer.sentences] == [(answer.evidence[0].id,), (answer.evidence[1].id,)]
    assert answer.notes == ("The answer cited [9], and there is no such evidence.",)


@pytest.mark.requirement("5", "Response personalization: a character's voice by its traits, where it is asked for")
def test_a_model_answers_in_the_characters_voice_by_its_traits() -> None:
    model, own = Writes("Aye [1]."), Remembers(traits=lambda *_: ("Ideal: no door stays shut",))
    made = engine(model=model, open_notes=own)
    made.answer(ASKED, "Ilse", campaign="ours", voice=True)
    model.said = ["It burns [1]."]
    made.answer(ASKED, "Ilse", campaign="ours")
    assert ["no door stays shut" in str(request.messages) for request in model.requests] == [True, False]
    assert ["first person" in str(request.messages) for request in model.requests] == [True, False]


@pytest.mark.parametrize(("said", "text", "notes"), [
    (["It burns.", "It burns [1]."], "It burns [1].", 0), (["It burns.", "It burns still."], "It burns still.", 1),
])
def test_an_answer_without_a_citation_is_asked_for_again(said: list[str], text: str, notes: int) -> None:
    model = Writes(*said)
    answer = engine(model=model).answer(ASKED)
    assert answer.text.startswith(text)
    assert len(answer.notes) == notes
    assert len(model.requests) == 2
    assert [one.role for one in model.requests[1].messages] == ["system", "user", "assistant", "user"]  # type: ignore[union-attr]


def test_no_model_is_asked_without_evidence() -> None:
    model = Writes()
    assert "Nothing" in engine([Says(**{one: decision(one, False) for one in THREE})], model=model).answer("Hi").text


@pytest.mark.requirement("5", "Query learning: what was decided is kept for corrections")
def test_a_routing_is_recorded_and_one_that_cannot_be_is_told() -> None:
    assert engine(open_notes=Remembers(save_routing=lambda *_: "id-1")).answer(ASKED).id == "id-1"

    def broken(*_: Any) -> str:
        raise StoreError("locked")
    answer = engine(open_notes=Remembers(save_routing=broken)).answer(ASKED)
    assert (answer.id, [one.where for one in answer.errors]) == ("", ["record"])


def test_an_answer_is_the_same_every_time_and_names_whose_text_it_is() -> None:
    found = [evidence("rulebook", number, relevance=0.5) for number in range(9)]
    answers = [engine(sources=[Has("character"), Has("rulebook", *order, attribution="SRD")]).answer(ASKED)
               for order in (found, found[::-1])]
    texts, answer = {answer.text for answer in answers}, answers[0]
    assert len(texts) == 1
    assert answer.attribution == "SRD"


TABLE = "The table says more.\n\n| Level | Bonus | Features |\n| --- | --- | --- |\n" + "\n".join(f"| {number}th | +{number} | {'Extra Attack' if number == 5 else '—'} |" for number in range(4, 60))
CLOSE = "Aiming is hard in a crowd. " * 8 + "You have disadvantage if you are within 5 feet of a hostile creature who can see you. " + "Nothing else is said here. " * 40


@pytest.mark.parametrize(("title", "text", "query", "says"), [
    ("Gladiator Table", TABLE, "What does a gladiator get at level 5?", "**Gladiator Table**: Level 5th, Bonus +5, Features Extra Attack [1]"),
    ("Close Combat", CLOSE, "When do I have disadvantage within 5 feet of a hostile creature?", "hostile creature who can see you. Nothing"),
    ("Ogre", "| STR | DEX |\n| --- | --- |\n| 19 (+4) | 8 (-1) |", "How strong is an ogre?", "**Ogre**: STR 19 (+4), DEX 8 (-1) [1]"),
])
def test_what_is_quoted_is_whole_sentences_and_rows(title: str, text: str, query: str, says: str) -> None:
    piece = replace(evidence("rulebook", text=text, names=()), title=title)
    first = engine([Says(rulebook=decision("rulebook"))], [Has("rulebook", piece)]).answer(query).text.splitlines()[0]
    assert says in first
    assert first.endswith(" [1]")
    assert "|" not in first


@pytest.mark.parametrize(("intention", "first"), [("rule_mechanics", "Grappling"), ("monster_stats", "Ogre")])
def test_a_creature_that_is_met_does_not_answer_for_the_rule(intention: str, first: str) -> None:
    asked = replace(decision("rulebook"), intention=intention, entities=(NamedEntity("Ogre", "creature"),))
    found = [replace(evidence("rulebook", number, text, relevance=relevance, names=()), title=title) for number, (title, text, relevance) in enumerate(
        (("Ogre", "Large giant. Armor Class 11.", 0.9), ("Grappling", "You seize a creature by a check of Strength.", 0.8)), 1)]
    text = engine([Says(rulebook=asked)], [Has("rulebook", *found)]).answer("How do I grapple an ogre?").text
    assert text.startswith(f"**{first}**")
