"""Questions over notes that are really imported, to the real engine: what is the DM's own reaches no player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import product

import pytest

from mvp_site import Settings
from mvp_site.mcp_server.texts import cut_answer, text_of
from mvp_site.operations.all import operation
from mvp_site.operations.asking import Ask, Correction, EngineAnswer
from mvp_site.operations.services import Services
from mvp_site.operations.sessions import FileText, ImportFiles
from mvp_site.rulebook.rulebook import Rulebook
from tests.cli.invoking import under

NOTES = """---
session: 1
---
# Session 1: The Ferry

## NPCs
- **Corvin Hale** (aka the Grey Heron): a smuggler who sells lamp oil at the ferry.

## DM notes
- Corvin Hale is the brother of **Vessna Kree**, who pays him in drowned silver for the lamp oil at the ferry.
"""
SHEET = '{"base": {"name": "Ilse Varn", "race": "high elf", "classes": [{"name": "wizard", "level": 5}]}}'
CANARY = ("Vessna", "drowned silver")
QUESTIONS = ("Who is Corvin Hale?", "Who is Vessna Kree?", "Who pays the smuggler in drowned silver?", "What happened at the ferry?", "Tell me of the brother of Corvin", "What are the DM notes of session 1?")


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """A campaign with a sheet and a session, and a small book of rules."""
    root = tmp_path_factory.mktemp("notes")
    with pytest.MonkeyPatch.context() as patch:
        under(root, patch)
        book = Rulebook.from_markdown("# Falling\n\nWho falls takes damage.\n")
        opened = Services(Settings(mvp_site_data_dir=root), rulebook=book)
        for name, file in (("sessions.import", FileText("one.md", NOTES)), ("characters.import", FileText("ilse.json", SHEET))):
            operation(name).run(opened, ImportFiles("road", (file,)), True)
        yield opened
        opened.close()


def ask(services: Services, query: str, **how: str) -> EngineAnswer:
    return operation("ask").run(services, Ask(query, campaign="road", **how), how.get("audience", "player") != "player")  # type: ignore[arg-type]


def test_nothing_of_the_dm_reaches_a_player(services: Services) -> None:
    for query, character in product(QUESTIONS, ("", "Ilse")):
        found = ask(services, query, character=character)
        said = f"{asdict(found)} {text_of(asdict(cut_answer(found)))}".replace(query, "")
        assert not [word for word in CANARY if word in said and word not in query]  # a name that it has is said back
    assert "drowned silver" in str(ask(services, QUESTIONS[0], audience="dm"))
    assert "lamp oil" in str(ask(services, QUESTIONS[0]))


def test_a_routing_is_kept_and_corrected(services: Services) -> None:
    found = ask(services, QUESTIONS[0], character="Ilse")
    operation("ask.correct").run(services, Correction(found.routing, "session_notes", True, "npc_info"), True)
    kept = services.campaigns().documents.routings(corrected_only=True)
    assert [(one.id, one.corrected) for one in kept] == [(found.routing, {"session_notes": {"is_needed": True, "intention": "npc_info"}})]
