"""How much gold evidence the engine prints: what counts as printed, and the measures of a few questions."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from evaluation import sets
from evaluation.__main__ import evaluate
from evaluation.engine_eval import FILE, Gold

from mvp_site.engine import local_router
from mvp_site.engine.examples import example_questions
from mvp_site.engine.types import Domain, Evidence
from tests.cli.invoking import invoke, ok, under

measure = partial(invoke, command=evaluate)

PRINTED = (
    Evidence("session_notes/session-2/npcs/1", "session_notes", "Session 2, NPCs", "**Corvin Hale** limps.", "", 0.9, session=2),
    Evidence("character/ilse/gear/1", "character", "Rope", "Fifty feet of hemp.", "", 0.9),
    Evidence("rulebook/7", "rulebook", "Resting", "Two ways.\n\n### Short Rest\n\nAn hour.", "", 0.9),
)


@pytest.mark.parametrize(("gold", "stands"), [
    (Gold(session=2, text="corvin hale LIMPS"), True), (Gold(session=1, text="Corvin Hale limps"), False),
    (Gold(session=2, text="Fifty feet"), False), (Gold(sheet="Ilse", text="Rope Fifty feet"), True),
    (Gold(sheet="Ilse", text="limps"), False), (Gold(rulebook="resting"), True), (Gold(rulebook="Short Rest"), True),
    (Gold(rulebook="Rest"), False), (Gold(rulebook="Rope"), False),
])
def test_gold_is_printed_or_not(gold: Gold, stands: bool) -> None:
    assert gold.stands_in(PRINTED) is stands



@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """A handful of the shipped questions in place of all, by part; one of them asks for what nobody wrote."""
    under(tmp_path, monkeypatch)
    examples = example_questions()[::8]
    monkeypatch.setattr(local_router, "example_questions", lambda: examples)
    lines = [json.loads(line) for line in sets.shipped_text(FILE).splitlines() if line]
    notes: list[Domain] = ["session_notes"]
    parts = {split: [one for one in lines if one["split"] == split and one["domains"] == notes][:most]
             for split, most in (("tune", 3), ("test", 2))}
    parts["tune"][0]["gold"] = [{"session": 1, "text": "nobody ever wrote this"}]
    parts["tune"][2]["query"] = parts["tune"][2]["gold"][0]["text"]  # which words alone find
    parts["tune"][1]["domains"] = ["character", "session_notes"]
    text = "\n".join(json.dumps(one) for part in parts.values() for one in part)
    monkeypatch.setattr(sets, "shipped_text", lambda _: text)
    return {split: [one["id"] for one in part] for split, part in parts.items()}


def test_the_report_for_programs_and_for_people(few: dict[str, list[str]]) -> None:
    found = json.loads(ok(measure("engine", "--json")))
    recall = found["recall"]
    assert (found["questions"], sorted(recall)) == (3, ["all", "one domain", "several domains", "with character", "with session_notes"])
    assert recall["all"] == pytest.approx((1 + recall["several domains"]) / 3)
    assert recall["with character"] == recall["several domains"]
    assert 0 < found["tokens"] <= 4_000
    page = ok(measure("engine", "--worst", "5"))
    for said in ("recall in 4000 tokens", "several domains", f"{recall['all']:.3f}", "evidence: ", "(wanted ≥ 0.92)",
                 f"{few['tune'][0]} ", "lacks session 1: nobody ever wrote this"):
        assert said in page
    assert json.loads(ok(measure("engine", "--json", "--max-tokens", "200")))["tokens"] <= 200
