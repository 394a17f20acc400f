"""Sheets and notes of campaigns: kept, found, and kept from whom they are not for; on each engine."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mvp_site.errors import SessionsError, StoreError, UnknownCharacterError
from mvp_site.sessions import session_notes
from mvp_site.sessions.notes.reading import read_notes
from mvp_site.sessions.session_notes import SessionNotes
from mvp_site.settings import Settings
from mvp_site.store.campaigns import CampaignStore
from tests.entities.small_stock import CountingEncoder
from tests.llm.loopback import loopback_only
from tests.retrieval.backends.conftest import quick_milvus  # noqa: F401 (a fixture)
from tests.store.conftest import postgres, postgres_url  # noqa: F401 (fixtures)
from tests.texts import case_text

FIRST = case_text("first_session.md")
SECOND = FIRST.replace("session: 1", "session: 2").replace("Session 1: The Ferry", "Session 2: The Mill").replace(
    "a smuggler who sells lamp oil", "hides in the mill and owes Ilse a horse")
ILSE = '{"base": {"name": "Ilse Varn", "race": "high elf", "classes": [{"name": "wizard", "level": 5}]}}'
Open = Callable[[], SessionNotes]


@pytest.fixture(params=["here", pytest.param("milvus", marks=pytest.mark.engine),
                        pytest.param("milvus and postgresql", marks=[pytest.mark.engine, pytest.mark.postgresql, pytest.mark.slow])])
def opened(request: pytest.FixtureRequest, tmp_path: Path, _no_network: None, quick_milvus: None,  # noqa: F811
           ) -> Iterator[Open]:
    """Opens the notes of one database, as processes of one game do."""
    uri = str(tmp_path / "notes.db") if "milvus" in request.param else None
    url = request.getfixturevalue("postgres_url") if "postgresql" in request.param else None
    settings = Settings(mvp_site_data_dir=tmp_path, mvp_site_milvus_uri=uri, mvp_site_database_url=url)
    made: list[SessionNotes] = []

    def open_() -> SessionNotes:
        made.append(SessionNotes.open(settings, encoder=CountingEncoder()))
        return made[-1]

    with loopback_only():
        yield open_
        for one in made:
            one.close()


@pytest.fixture
def notes(opened: Open) -> SessionNotes:
    one = opened()
    one.import_notes("lanterns", [("one.md", FIRST), ("two.md", SECOND)])
    one.import_characters("lanterns", [("ilse.json", ILSE)])
    return one


def test_what_is_imported_is_found(notes: SessionNotes) -> None:
    found = notes.search("lanterns", "who sells lamp oil?", "session")
    assert (found[0].document, found[0].number, found[0].piece.part) == ("session-1", 1, "npcs")
    assert "lamp oil" in found[0].piece.text
    assert [one.relevance for one in found] == sorted((one.relevance for one in found), reverse=True)
    assert notes.search("lanterns", "wizard level", "character")[0].kind == "character"
    assert notes.search("lanterns", "  ", "session") == ()
    assert notes.search("elsewhere", "lamp oil", "session") == ()


def test_what_is_the_dms_reaches_no_player(notes: SessionNotes) -> None:
    asked = "who is Vessna Kree and what of the drowned silver?"
    for audience, sees in (("player", False), ("dm", True), ("god", True)):
        texts = [one.piece.text for one in notes.search("lanterns", asked, "session", audience=audience, limit=100)]
        assert any("drowned silver" in text for text in texts) == sees
        names = [name for one in notes.known("lanterns", audience) for name in (one.name, *one.aliases)]
        assert ("Vessna Kree" in names) == sees
        assert "Corvin Hale" in names


def test_one_campaign_knows_nothing_of_another(opened: Open, notes: SessionNotes) -> None:
    opened().import_notes("mirrors", [("one.md", FIRST.replace("Corvin Hale", "Aldous Finch"))])
    assert {"Corvin Hale", "Aldous Finch"} & {one.name for one in notes.known("mirrors", "player")} == {"Aldous Finch"}
    assert not any("Aldous" in one.piece.text for one in notes.search("lanterns", "Aldous Finch", "session"))


def test_another_process_answers_from_what_was_imported_meanwhile(opened: Open, notes: SessionNotes) -> None:
    other = opened()
    before = other.version("lanterns", "session"), other.version("lanterns", "character")
    assert "a horse" in other.search("lanterns", "owes Ilse a horse", "session")[0].piece.text
    notes.import_notes("lanterns", [("two.md", SECOND.replace("a horse", "a boat"))])
    texts = [one.piece.text for one in other.search("lanterns", "owes Ilse a horse or a boat", "session", limit=50)]
    assert any("a boat" in text for text in texts)
    assert not any("a horse" in text for text in texts)
    assert (other.version("lanterns", "session") == before[0], other.version("lanterns", "character") == before[1]) == (False, True)


def test_a_session_that_names_itself_and_the_last_one_come_first(notes: SessionNotes) -> None:
    for asked, number in (("what of Corvin in session 1?", 1), ("what of Corvin in session 2?", 2),
                          ("what of Corvin in the first session?", 1), ("the 2nd session: what of Corvin", 2), ("what of Corvin last session?", 2)):
        assert notes.search("lanterns", asked, "session", names=["Corvin Hale"])[0].number == number


def test_a_bad_file_refuses_itself_alone(notes: SessionNotes) -> None:
    found = notes.import_notes("lanterns", [("a.md", "# Session 3\n\nRain."), ("b.md", "# Session 3\n\nSnow.")])
    assert [one.id for one in found] == ["session-3"]
    assert found.refused[0].reason.startswith("b.md is of session 3, and so is a.md: write `session: N`")
    for given, says in (([("a.json", ILSE.replace("Ilse", "Oda")), ("b.yaml", "base: 5")], "b.yaml is no character's sheet"),
                        ([("a.json", ILSE), ("b.json", ILSE)], "b.json is of Ilse Varn, and so is a.json: import one of them")):
        assert [one.reason.startswith(says) for one in notes.import_characters("lanterns", given).refused] == [True]
    before = notes.documents("lanterns")
    with pytest.raises(SessionsError, match=r"b\.yaml is no character's sheet"):
        notes.import_characters("lanterns", [("b.yaml", "base: 5")])
    assert notes.documents("lanterns") == before


@pytest.mark.parametrize("said", ["Ilse Varn", "ilse", "Ilse Varm", "VARN", "Ilsa", "Ilsee", "Varm"])
def test_a_character_is_found_by_what_people_call_it(notes: SessionNotes, said: str) -> None:
    assert notes.resolve(said).title == "Ilse Varn"
    assert notes.character("lanterns", notes.resolve(said).id).base.name == "Ilse Varn"


def test_a_character_that_there_is_not_or_twice(opened: Open, notes: SessionNotes) -> None:
    with pytest.raises(UnknownCharacterError, match="there is no character 'Bram': there are Ilse Varn"):
        notes.resolve("Bram")
    with pytest.raises(UnknownCharacterError, match="there is none yet: mvp-site characters import"):
        notes.resolve("Ilse", "elsewhere")
    notes.import_characters("mirrors", [("ilse.json", ILSE)])
    with pytest.raises(UnknownCharacterError, match="Ilse Varn in lanterns, Ilse Varn in mirrors; name the campaign too"):
        notes.resolve("Ilse")
    assert notes.resolve("Ilse", "mirrors").campaign == "mirrors"
    notes.import_characters("units", [(name, f"base: {name}") for name in ("Brannoc Ashdown", "Brannod Vale", "Unit 7")])
    for name in ("Brannok", "Unit 8"):
        with pytest.raises(UnknownCharacterError, match=f"there is no character '{name}'"):
            notes.resolve(name, "units")


def test_documents_are_listed_read_and_forgotten(notes: SessionNotes) -> None:
    assert [(one.kind, one.id, one.number) for one in notes.documents("lanterns")] == [
        ("character", "ilse-varn", None), ("session", "session-1", 1), ("session", "session-2", 2)]
    assert notes.session("lanterns", "session-2").title == "Session 2: The Mill"
    notes.forget("lanterns", "session", "session-2")
    assert not any(one.number == 2 for one in notes.search("lanterns", "Corvin", "session", limit=50))
    with pytest.raises(SessionsError, match="campaign 'lanterns' has no session 'session-2': there are session-1"):
        notes.session("lanterns", "session-2")


def test_a_damaged_document_is_told_with_its_remedy(notes: SessionNotes, opened: Open) -> None:
    with closing(CampaignStore.open(notes._settings)) as store, store._database.write("breaking") as connection:
        connection.exec_driver_sql("""UPDATE campaign_documents SET source = '"{"', digest = 'x' WHERE kind = 'character'""")
    again = opened()
    found = again.search("lanterns", "lamp oil", "session")
    assert (len(found) > 0, found.damaged) == (True, ())
    told = "the character 'ilse-varn' is damaged in the database .*, or import it again: mvp-site characters import lanterns FILE"
    assert [re.match(told, why) is not None for why in again.search("lanterns", "wizard", "character").damaged] == [True]
    with pytest.raises(StoreError, match=told):
        again.character("lanterns", "ilse-varn")


def test_kept_vectors_are_not_encoded_again_and_damaged_ones_are(notes: SessionNotes, opened: Open) -> None:
    first = opened()
    first.known("lanterns", "player")
    assert first.encoder().texts == []  # type: ignore[attr-defined]
    with closing(CampaignStore.open(notes._settings)) as store, store._database.write("breaking") as connection:
        connection.exec_driver_sql("UPDATE campaign_documents SET vectors = NULL WHERE id = 'session-1'")
    again = opened()
    again.known("lanterns", "player")
    assert again.encoder().texts  # type: ignore[attr-defined]
    last = opened()
    last.known("lanterns", "player")
    assert last.encoder().texts == []  # type: ignore[attr-defined]


def test_what_was_built_of_a_large_campaign_serves_the_next_process(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next process reads no notes; what is deleted goes with it, and damage is mended."""
    monkeypatch.setattr(session_notes, "LARGE", 1)
    first = opened()
    first.import_notes("lanterns", [("one.md", FIRST), ("two.md", SECOND)])
    first.import_characters("lanterns", [("ilse.json", ILSE)])

    def answers(notes: SessionNotes) -> list[object]:
        return [(audience, kind, notes.search("lanterns", "who sells lamp oil, and who pays Corvin?", kind, audience=audience), notes.known("lanterns", audience),
                 notes.session("lanterns", "session-1")) for audience in ("player", "dm") for kind in ("session", "character")]  # type: ignore[arg-type]

    def builds() -> dict[str, bytes]:
        with first._documents._database.read("looking") as connection:
            rows = connection.exec_driver_sql("SELECT part, content FROM campaign_builds").all()
        return {part: bytes(content) for part, content in rows}

    before = answers(first)
    assert len(builds()) == 4  # the documents, and the words of three audiences
    reads = []
    monkeypatch.setattr(session_notes, "read_notes", lambda *row: reads.append(row) or read_notes(*row))
    assert answers(opened()) == before
    assert not reads
    with first._documents._database.write("damaging") as connection:
        connection.exec_driver_sql("UPDATE campaign_builds SET content = substr(content, 2)")
    assert answers(opened()) == before
    assert len(reads) == 2
    first.forget("lanterns", "session", "session-2")
    assert builds() == {}
    assert first.search("lanterns", "who sells lamp oil?", "session")
    first.import_notes("lanterns", [("one.md", SECOND.replace("session: 2", "session: 1"))])
    assert builds() == {}


def test_a_campaign_that_is_read_keeps_no_other_waiting(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own questions wait, and say for what."""
    notes, reading, go = opened(), threading.Event(), threading.Event()
    notes.import_notes("small", [("one.md", FIRST)])
    notes.import_notes("large", [("two.md", SECOND)])

    def slowly(text: str, file: str, number: float | None = None) -> Any:
        if "Session 2" in text:
            reading.set()
            assert go.wait(60)
        return read_notes(text, file, number)

    monkeypatch.setattr(session_notes, "read_notes", slowly)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(notes.search, "large", "who hides in the mill?", "session")
        assert reading.wait(60)
        try:
            assert notes.search("small", "who sells lamp oil?", "session")
            assert "large" in notes.opening
        finally:
            go.set()
        assert waiting.result(60)
