"""Measures of routers, on questions whose answers are known."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from evaluation import routers_eval
from evaluation.routers_eval import run_corrected, run_routers

from mvp_site import Settings
from mvp_site.engine.local_router import LocalRouter
from mvp_site.engine.types import Decision, NamedEntity
from mvp_site.errors import SettingsError
from mvp_site.store.campaigns import CampaignStore

LINES = """\
{"id": "1", "query": "a", "needs": {"character": ["magic_info"]}, "entities": [{"name": "Web", "type": "spell", "domain": "character"}], "split": "tune"}
{"id": "2", "query": "b", "needs": {"rulebook": ["cost_lookup", "rest_mechanics"]}, "split": "tune"}
{"id": "3", "query": "c", "needs": {}, "split": "tune"}
"""


class Decides:
    """Decides the first rightly, of the second the second intention, and the third wrongly."""

    def decide(self, query: str, character_name: str, *, campaign: str) -> tuple[Decision, ...]:
        held = {
            "a": Decision("character", True, 1, "magic_info", (NamedEntity("webs", "spell"),), likely=("magic_info",)),
            "b": Decision("rulebook", True, 1, "skill_usage", likely=("skill_usage", "rest_mechanics")),
            "c": Decision("books", True, 1, entities=(NamedEntity("Fly", "spell"),)),
        }
        return held[query], Decision("session_notes", False, 1)

    def close(self) -> None:
        pass


def test_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text(LINES)
    monkeypatch.setattr(routers_eval, "sampled", lambda settings, **_: nullcontext(settings))
    monkeypatch.setattr(LocalRouter, "open", lambda *_, **__: Decides())
    report = run_routers(Settings(), "tune", questions=file, worst_shown=1)
    found = report.values
    assert found["domain_f1"] == pytest.approx(2 * 2 / (2 + 3))
    assert (found["intention"], found["intention_top2"]) == (0.5, 1.0)
    assert found["entity_f1"] == pytest.approx(2 / 3)
    assert [one["id"] for one in found["worst"]] == ["2"]
    assert {one["domain"]: one["needed"] for one in found["domains"]}["rulebook"] == 1


def test_what_was_corrected_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(mvp_site_data_dir=tmp_path)
    monkeypatch.setattr(LocalRouter, "open", lambda *_, **__: Decides())
    with pytest.raises(SettingsError, match="no routing has been corrected yet"):
        run_corrected(settings)
    with CampaignStore.open(settings) as store:
        kept = store.documents
        first = kept.save_routing("ours", {"query": "a", "character": "Ilse"}, {
            "character": {"is_needed": False, "intention": None}, "rulebook": {"is_needed": True, "intention": "cost_lookup"}})
        kept.save_routing("ours", {"query": "b", "character": ""}, {})
        kept.correct(first, {"character": {"is_needed": True, "intention": "magic_info"}})
        kept.correct(first, {"rulebook": {"is_needed": False, "intention": None}})
    found = run_corrected(settings).values
    assert (found["questions"], found["domain_f1"], found["intention"]) == (1, 1.0, 1.0)
