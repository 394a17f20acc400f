"""Each store missing or damaged, on real files: what is left answers, and says what lacks and what mends it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mvp_site.engine.types import DOMAINS, Answer
from mvp_site.errors import EngineError, UnknownCharacterError
from mvp_site.operations.all import operation
from mvp_site.operations.asking import Ask, EngineAnswer
from mvp_site.operations.services import Services
from mvp_site.retrieval import building as rebuild
from mvp_site.retrieval.encoder import find_bundle, open_by_fingerprint
from mvp_site.sessions.session_notes import SAMPLE

from .conftest import ASKED, Site

pytestmark = pytest.mark.slow
RULES, BOOKS, CAMPAIGNS = "rulebook", "library/index", "campaigns.sqlite3"
Damage = Callable[[Path], object]


def altered(folder: str, name: str) -> Damage:
    """A byte of a served release is another."""
    def damage(data: Path) -> None:
        file = data / folder / (data / folder / "CURRENT").read_text().strip() / name
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    return damage


def sql(statement: str) -> Damage:
    def damage(data: Path) -> None:
        with closing(sqlite3.connect(data / CAMPAIGNS)) as connection, connection:
            connection.execute(f"{statement}")
    return damage


def row(change: str, document: str) -> Damage:
    return sql(f"UPDATE campaign_documents SET {change} WHERE id = '{document}'")


def gone(name: str) -> Damage:
    return lambda data: shutil.rmtree(data / name) if (data / name).is_dir() else (data / name).unlink()


def cut(data: Path) -> None:
    content = (data / CAMPAIGNS).read_bytes()
    (data / CAMPAIGNS).write_bytes(content[: len(content) // 2])


def a_folder(data: Path) -> None:
    """What nobody may read, whoever runs the tests."""
    (data / CAMPAIGNS).unlink()
    (data / CAMPAIGNS).mkdir()


SHEET_AGAIN = f"mvp-site characters import {SAMPLE} FILE"
NOTES_AGAIN = f"mvp-site sessions import {SAMPLE} FILE"
BACKUP = "restore it from a backup"
OF_CAMPAIGNS = ("character", "session_notes", "books")
# what is damaged, the domains that lack all or some of what they should have, and what mends it
CASES: dict[str, tuple[Damage, tuple[str, ...], tuple[str, ...], str]] = {
    "rules missing": (gone(RULES), ("rulebook",), (), "build it: mvp-site rulebook build"),
    "rules altered": (altered(RULES, "sections.json"), ("rulebook",), (), "mvp-site rulebook build --force"),
    "rules' index altered": (altered(RULES, "windows.faiss"), ("rulebook",), (), "mvp-site rulebook build --force"),
    "books missing": (gone("library"), ("books",), (), "build it: mvp-site library scan FOLDER"),
    "books altered": (altered(BOOKS, "manifest.json"), ("books",), (), "mvp-site library scan FOLDER --force"),
    "a book that is gone": (sql("INSERT INTO campaign_sources (campaign_id, source_id) VALUES ('lantern_road', 'burnt')"), (), ("books",), "the library has no burnt any more: mvp-site library scan"),
    "a sheet that is no JSON": (row("source = '{', digest = 'x'", "ilse-varn"), (), ("character",), SHEET_AGAIN),
    "a sheet that is none": (row("""source = '"{}"', digest = 'x'""", "ilse-varn"), (), ("character",), SHEET_AGAIN),
    "notes that are no text": (row("source = x'00ff', digest = 'x'", "session-2"), (), ("session_notes",), NOTES_AGAIN),
    "a time": (row("updated = 'soon'", "session-2"), ("character", "session_notes"), (), BACKUP),
    "documents dropped": (sql("DROP TABLE campaign_documents"), ("character", "session_notes"), (), BACKUP),
    "bindings dropped": (sql("DROP TABLE campaign_sources"), ("books",), (), BACKUP),
    "campaigns cut": (cut, OF_CAMPAIGNS, (), "The file is damaged: restore it"),
    "no database": (lambda data: (data / CAMPAIGNS).write_bytes(b"no database" * 1_000), OF_CAMPAIGNS, (), "It is no SQLite database"),
    "unreadable": (a_folder, OF_CAMPAIGNS, (), "See that its folder is there"),
}


def ask(site: Site, audience: str = "dm", character: str = "", campaign: str | None = SAMPLE) -> EngineAnswer:
    """The answer as the command line, the pages and assistants get it."""
    with closing(Services(site.settings())) as services:
        asked = Ask(ASKED, character, campaign, audience)  # type: ignore[arg-type]
        return operation("ask").run(services, asked, audience != "player")  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", CASES)
def test_what_is_left_answers_and_tells(site: Site, case: str) -> None:
    damage, lost, partly, mends = CASES[case]
    damage(site.root / "data")
    answer = ask(site)
    failed = {one.where: one for one in answer.errors if one.where in DOMAINS}
    assert {*failed} == {*lost, *partly}
    assert {one.domain for one in answer.evidence} == {*DOMAINS} - {*lost}
    assert {one.domain for one in answer.decisions} == {*DOMAINS}
    for where, one in failed.items():
        assert mends in one.why
        assert one.told in answer.text
        assert ("in part" in one.told) is (where in partly)


def test_whole_stores_have_nothing_to_tell(built: Site) -> None:
    assert (ask(built).errors, ask(built).notes) == ((), ())
    assert {one.domain for one in ask(built).evidence} == {*DOMAINS}


def test_damaged_vectors_are_made_again(site: Site) -> None:
    before = ask(site)
    row("vectors = x'00ff'", "session-2")(site.root / "data")
    row("vectors = zeroblob(length(vectors)), vector_keys = zeroblob(length(vector_keys))", "session-3")(site.root / "data")
    assert ask(site).evidence == before.evidence


@pytest.mark.parametrize("case", ["campaigns cut", "no database", "unreadable", "documents dropped"])
def test_where_a_name_cannot_be_looked_up_the_rules_answer(site: Site, case: str) -> None:
    CASES[case][0](site.root / "data")
    answer = ask(site, character="Ilse Varn", campaign=None)
    assert {one.domain for one in answer.evidence} == {"rulebook"}
    assert "could not be looked up; so no sheet, notes or books were asked" in answer.text
    assert CASES[case][3] in answer.errors[0].why
    gone(RULES)(site.root / "data")
    with pytest.raises(EngineError, match="could not be looked up"):
        ask(site, character="Ilse Varn", campaign=None)


def test_without_a_database_it_is_said_that_nothing_is_there(site: Site) -> None:
    gone(CAMPAIGNS)(site.root / "data")
    with pytest.raises(UnknownCharacterError, match="there is none yet: mvp-site characters import"):
        ask(site, character="Ilse Varn", campaign=None)
    answer = ask(site)
    assert {one.domain for one in answer.evidence} == {"rulebook"}
    assert "has no sheets and no notes" in answer.notes[-1]


def test_where_everything_is_gone_the_error_names_each(site: Site) -> None:
    for damage in (gone(RULES), gone("library"), cut):
        damage(site.root / "data")
    with pytest.raises(EngineError, match=r"rulebook: MissingIndexError: .*mvp-site rulebook build"):
        ask(site)
    with pytest.raises(EngineError) as raised:
        ask(site, "player")
    assert "mvp-site" not in str(raised.value)


def test_a_database_that_was_taken_away_is_told(site: Site) -> None:
    with closing(site.open()) as engine:
        engine.answer(ASKED, campaign=SAMPLE)
        for name in (CAMPAIGNS, f"{CAMPAIGNS}-wal", f"{CAMPAIGNS}-shm"):
            (site.root / "data" / name).unlink(missing_ok=True)
        answer: Answer = engine.answer(f"{ASKED} Tell!", campaign=SAMPLE)
    assert all("is gone" in error.why and "put it back" in error.why for error in answer.errors)
    assert {one.where for one in answer.errors} >= {*OF_CAMPAIGNS}


def test_rules_without_their_encoder_leave_the_rest(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "open_by_fingerprint", open_by_fingerprint)
    monkeypatch.setattr(rebuild, "find_bundle", find_bundle)
    answer = ask(site)
    assert {one.domain for one in answer.evidence} == {"character", "session_notes"}
    assert all("build the index again" in one.why for one in answer.errors)
