"""The domains as the engine asks them: what is asked of each, what its evidence says, who may see it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mvp_site.engine.sources import BooksSource, Lazy, MemorySource
from mvp_site.engine.types import Decision, NamedEntity, Question
from mvp_site.errors import CorruptIndexError
from mvp_site.library.types import BookResult, ContentType
from mvp_site.sessions.types import CampaignPiece, FoundPieces, Mention, PieceHit

from .parts import decision

ASKED = Question("What did Brannoc burn?", "Ilse Varn", "road")


class Memory:
    """Sheets of two and the notes of a session; keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.closed = False

    def sheets(self, campaign: str) -> tuple[Any, ...]:
        return tuple(SimpleNamespace(id=one.lower()[:4], title=one) for one in ("Ilse Varn", "Brannoc Ashdown", "Pell"))

    def search(self, campaign: str, query: str, kind: Any, **more: Any) -> FoundPieces:
        self.asked.append({"kind": kind, **more})
        piece = CampaignPiece("items/1", "items", "Torch", "A torch.", mentions=(Mention("Torch", "item"),) * 2)
        secret = CampaignPiece("dm/1", "dm_notes", "Secret", "The torch is cursed.", audience="dm")
        return FoundPieces(PieceHit(kind, more["document"] or "session-1", "Title", one, 0.8, 1) for one in (piece, secret))

    def version(self, campaign: str, kind: Any = None) -> str:
        return f"{campaign} {kind}"

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("text", "entities", "sheets"), [
    ("What do I carry?", (), {"ilse": 0.8}),
    ("What did Brannoc burn?", (), {"bran": 0.8, "ilse": 0.4}),
    ("Who is he?", ("Brannoc Ashdown",), {"bran": 0.8, "ilse": 0.4}),
    ("Who? (nobody asks)", (), {"ilse": 0.8, "bran": 0.8, "pell": 0.8}),
    ("Compare ilse and brannoc", (), {"bran": 0.8, "ilse": 0.8}),
])
def test_the_askers_sheet_is_searched_and_those_that_are_named(
        text: str, entities: tuple[str, ...], sheets: dict[str, float]) -> None:
    memory: Any = Memory()
    found = MemorySource("character", lambda: memory).find(
        Question(text, "" if "nobody" in text else "Ilse Varn", "road"), decision("character", True, 0.9, *entities)
    )
    assert {one.id.split("/")[1]: one.relevance for one in found} == sheets


@pytest.mark.parametrize(("audience", "ids"), [
    ("player", ["session_notes/session-1/items/1"]),
    ("dm", ["session_notes/session-1/dm/1", "session_notes/session-1/items/1"]),
])
def test_notes_are_cited_and_what_is_for_the_dm_stays_his(audience: Any, ids: list[str]) -> None:
    memory: Any = Memory()
    source = MemorySource("session_notes", lambda: memory)
    asked = Question(ASKED.text, "", "road", audience)
    hinted = Decision("session_notes", True, 0.9, "npc_info", (NamedEntity("Corvin Hale", "x"),), ("a fight",))
    found = source.find(asked, hinted)
    assert [one.id for one in found] == ids
    assert (found[-1].citation, found[-1].names, found[-1].session) == ("Title, Torch", ("Torch",), 1)
    told = {"intention": "npc_info", "names": ["Corvin Hale"], "hints": ("a fight",), "audience": audience}
    assert memory.asked[0].items() >= told.items()
    assert source.version(asked) == "road session"
    assert source.find(Question("Hi"), hinted) == ()



def test_books_are_those_bound_that_the_audience_may_see() -> None:
    asked: list[Any] = []
    result = BookResult(
        title="Bells", source_id="lore", source="Lore of the Mere", path=("Places",), type=ContentType.LORE, confidence=1.0, page="12", end_page="13",
        counted_page=14, relevance=0.7, extract="They toll.", extract_page="13", text="They toll at night.")

    def ask(*given: Any, **more: Any) -> Any:
        asked.append((given, more))
        return SimpleNamespace(results=(result, result), lanes_failed={})

    library: Any = SimpleNamespace(ask=ask, fingerprint="f", sources=lambda *_: [SimpleNamespace(id="lore", problem="")])
    source = BooksSource(lambda: library, lambda campaign: ("lore", "secret") if campaign == "road" else ())
    found = source.find(ASKED, Decision("books", True, 0.9, None, (NamedEntity("Brannoc", "x"), NamedEntity("Drowned Bells", "x"))))
    assert [one.citation for one in found] == ["Lore of the Mere, Bells, p. 13"]
    assert asked[0] == ((f"{ASKED.text} Drowned Bells", 10), {"sources": ["lore"], "audience": "player"})
    assert (source.version(ASKED), source.version(Question("?", "", "other"))) == ("f lore secret", "")
    assert source.find(Question("?", "", "other"), decision("books")) == ()


def test_a_part_is_opened_when_needed_and_again_after_a_failure() -> None:
    made: list[Any] = [CorruptIndexError("cut"), Memory()]

    def opens() -> Any:
        if isinstance(one := made.pop(0), Exception):
            raise one
        return one

    lazy, given = Lazy(opens), Lazy(opens, Memory())
    with pytest.raises(CorruptIndexError):
        lazy()
    part = lazy()
    assert lazy() is part
    lazy.close()
    given.close()
    assert part.closed
    assert not given().closed
