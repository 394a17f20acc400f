"""``mvp-site library``, over two books and a few entities, with the encoder's double."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mvp_site.entities.build import build_entities
from mvp_site.settings import Settings
from tests.entities.small_stock import stock_as_srd
from tests.library.conftest import ATLAS, SECRETS

from .invoking import Run, invoke, ok, under


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a command over an empty data folder; `books` in the working folder has two books."""
    under(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    books = tmp_path / "books"
    books.mkdir()
    (books / "atlas.md").write_text(ATLAS)
    (books / "secrets.md").write_text(SECRETS)
    with stock_as_srd(monkeypatch):
        yield invoke


@pytest.fixture
def scanned(run: Run) -> Run:
    """The same, with the books scanned and the entities built."""
    ok(run("library", "scan", "books", "--json"))
    build_entities(Settings())
    return run


COMMANDS = (
    (["ask", "lantern of reeds"], ["Atlas of the Low Marches", "Lantern of Reeds", "spell", "[Extract]", "    A green light walks over the water"], ["to extract: mvp-site library extract atlas 'Lantern of Reeds'", "SRD 5.1"]),
    (["ask", "the ferryman of the coast", "--type", "feat", "--type", "lore"], ["Brackwater", "lore"], []),
    (["ask", "smuggler king", "--source", "secrets", "--audience", "dm"], ["What the Ferryman Hides", "The truth about Brackwater"], []),
    (["ask", "???"], [], ["Nothing was found. Looked for:", "the words '???'", "Try other words"]),
    (["ask", "lantern", "--rerank"], ["Lantern of Reeds"], ["note: not put in order by a model: MVP_SITE_LLM names none"]),
    (["list"], ["atlas", "Atlas of the Low Marches", " spell", "secrets"], []),
    (["list", "atlas"], ["Atlas of the Low Marches · atlas.md", "    Mud Grasp", "100%"], []),
    (["list", "atlas", "--content-type", "spell"], ["Mud Grasp"], []),
    (["list", "atlas", "--content-type", "feat"], [], ["no entries"]),
    (["extract", "atlas", "mud grasp"], ["Mud Grasp · spells · sure 100%", "new: ", "mud-grasp"], []),
    (["extract", "secrets", "the truth about brackwater", "--for-players"], ["new: "], []),
    (["bind", "coast", "--source", "atlas", "--source", "secrets"], ["coast uses atlas, secrets"], []),
    (["bind", "coast"], ["coast is bound to no source: questions for it ask all"], []),
    (["scan"], ["2 sources: nothing changed, in "], []),
)


def test_commands_for_people_and_programs(scanned: Run) -> None:
    for words, printed, told in COMMANDS:
        result = scanned("library", *words)
        assert [text for text in printed if text not in ok(result)] == []
        assert [text for text in told if text not in result.stderr] == []
        as_json = scanned("library", *words, "--json")
        assert (isinstance(json.loads(ok(as_json)), dict), as_json.stderr) == (True, "")
    assert "0 sources: 2 removed" in ok(scanned("library", "scan", "--forget", "books"))


ERRORS = (
    (["list", "atlass"], 1, "the library has no source 'atlass': did you mean atlas?"),
    (["extract", "atlas", "Mud Grasps"], 1, "did you mean 'Mud Grasp'?"),
    (["bind", "coast", "--source", "atlass"], 1, "did you mean atlas?"),
    (["bind", "a b"], 1, "`campaign` has characters that it may not have"),
    (["ask", "x", "--type", "spells"], 2, "'spells' is not one of 'class'"),
    (["ask", "x", "--limit", "101"], 2, "1<=x<=100"),
    (["scan", "nowhere"], 2, "'nowhere' does not exist"),
    (["scan", "--forget", "nowhere"], 1, "nowhere is no folder of the library; its folders are "),
    (["scan", "books", "--forget", "books"], 2, "give FOLDER or --forget, not both"),
    (["ask", "smuggler", "--source", "secrets"], 1, "no source 'secrets': the sources are atlas"),
)


def test_errors_name_what_is_wrong_and_what_there_is(scanned: Run) -> None:
    for words, code, says in ERRORS:
        result = scanned("library", *words)
        assert (result.exit_code, result.stdout) == (code, "")
        assert says in " ".join(result.stderr.split())


def test_before_a_scan_the_command_to_scan_is_named_and_the_rest_asked(run: Run) -> None:
    for words in (["list"], ["extract", "atlas", "Mud Grasp"], ["bind", "coast", "--source", "atlas"], ["scan"]):
        result = run("library", *words)
        assert (result.exit_code, "mvp-site library scan FOLDER" in result.stderr) == (1, True)
    build_entities(Settings())
    result = run("library", "ask", "lantern moth")
    assert "Lantern Moth" in ok(result)
    assert "note: there is no release of the library" in result.stderr


def test_a_scan_reports(run: Run, tmp_path: Path) -> None:
    (tmp_path / "books/broken.pdf").write_bytes(b"no PDF")
    (tmp_path / "books/cover.jpg").write_bytes(b"x")
    (tmp_path / "books/away.md").symlink_to(__file__)
    result = run("library", "scan", "books")
    assert (result.exit_code, "3 sources: 3 new, in " in result.stdout) == (1, True)
    assert "encoded " in result.stdout
    assert result.stderr.count("broken.pdf") == 1
    assert "away.md: it is a link that leads out of the folder" in result.stderr
    assert "left alone, as no books: 1 .jpg" in result.stderr
    listed = run("library", "list")
    assert "not read" in ok(listed)
    assert "broken.pdf is not a PDF" in listed.stderr
