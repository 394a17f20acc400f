"""``mvp-site ask``, ``sessions`` and ``characters``, over doubles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mvp_site.engine.types import CitedSentence
from mvp_site.errors import EngineError
from mvp_site.operations.services import Services
from tests.engine_doubles import SECRET, KeptNotes, TellingEngine

from .invoking import invoke, ok


@pytest.fixture(autouse=True)
def doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[TellingEngine, KeptNotes]:
    """A folder with notes and a sheet; every command is served by the doubles."""
    parts = TellingEngine(), KeptNotes()
    monkeypatch.setattr(Services, "engine", lambda _: parts[0])
    monkeypatch.setattr(Services, "session_notes", lambda _: parts[1])
    monkeypatch.setattr(Services, "has_campaigns", lambda _: True)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes/more").mkdir(parents=True)
    (tmp_path / "notes/one.md").write_text("\ufeffSession 8: Rain", "utf-8")
    (tmp_path / "notes/more/two.txt").write_text("Session 9: Bells", "utf-8")
    (tmp_path / "notes/map.png").write_bytes(b"\x89PNG")
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "none").mkdir()
    (tmp_path / "pell.yaml").write_text("Pell Underbough")
    (tmp_path / "odd.yaml").write_text("Odd\npets: [Mog]")
    return parts


COMMANDS = (
    (["ask", "Could I counter it?", "--character", "Ilse"], ["She could: Counterspell is prepared. [1]\n", "[2] Rules · Rules, Spells", "and 1 more, which --json shows", "· Counterspell is on the sheet", "· Session 3 is the newest"],
            ["sure 82% · 640 tokens · 0.1 s", "Character sheet magic_info: Counterspell  93%, by local", "Books           not needed", "books: the books were not asked (no such file", "1 more did not fit", "SRD 5.1"]),
    (["sessions", "list", "lantern_road"], ["session-3", "Session 3: The ferry"], []),
    (["sessions", "list", "nowhere"], [], ["none yet"]),
    (["sessions", "forget", "lantern_road", "session-3"], ["deleted session-3 of lantern_road"], []),
    (["sessions", "list", "lantern_road"], [], ["none yet"]),
    (["characters", "forget", "lantern_road", "brannoc"], ["deleted brannoc"], []),
    (["characters", "list"], ["ilse-varn", "secret_campaign"], []),
    (["sessions", "template"], ["# "], []),
    (["sessions", "import", "new", "notes"], ["imported Session 8: Rain (one): 1 pieces", "Session 9: Bells"], ["ask with: mvp-site ask QUESTION --campaign new"]),
    (["sessions", "import", "new", "notes/one.md"], ["Session 8: Rain"], []),
    (["sessions", "import", "--sample"], ["imported Pell", "The road"], ["--campaign lantern_road"]),
    (["sessions", "import", "mine", "--sample"], ["The road"], ["--campaign mine"]),
    (["characters", "import", "new", "odd.yaml"], ["imported Odd"], ["warning: odd.yaml: kept among the notes: pets"]),
    (["characters", "import", "new", "pell.yaml"], ["imported Pell Underbough (pell)"], []),
)


def test_commands() -> None:
    for words, printed, told in COMMANDS:
        result = invoke(*words)
        assert [text for text in printed if text not in ok(result)] == []
        assert [text for text in told if text not in result.stderr] == []
        assert "\ufeff" not in result.stdout


ERRORS = (
    (["ask", "x", "--character", "Mordin"], 1, "there is no character 'Mordin'"),
    (["ask", "x", "--max-tokens", "5"], 2, "200<=x<=32000"),
    (["ask", "x", "--campaign", "a b"], 1, "`campaign` has characters that it may not have"),
    (["sessions", "import", "new"], 2, "give CAMPAIGN and files, or --sample"),
    (["sessions", "import", "new", "notes", "--sample"], 2, "give CAMPAIGN and files, or --sample"),
    (["sessions", "import", "new", "gone.md"], 2, "'gone.md' does not exist"),
    (["sessions", "import", "new", "none"], 1, "`files` has 0 entries"),
    (["sessions", "import", "new", "empty.md"], 1, "empty.md says nothing"),
    (["characters", "import", "new", "notes"], 1, "`files` has 0 entries"),
)


def test_errors_name_what_is_wrong() -> None:
    for words, code, says in ERRORS:
        result = invoke(*words)
        assert (result.exit_code, says in result.stderr) == (code, True), result.stderr


@pytest.mark.parametrize("as_dm", [False, True])
def test_the_dm_asks_as_one(doubles: tuple[TellingEngine, KeptNotes], as_dm: bool) -> None:
    found = json.loads(ok(invoke("ask", "who drowned him?", "--json", *["--dm"] * as_dm)))
    assert doubles[0].asked[0]["audience"] == ("dm" if as_dm else "player")
    assert (SECRET in str(found)) is as_dm
    assert found["evidence"][1]["id"] == "rulebook/spells/counterspell"


def test_json_is_one_document_and_terminals_are_not_obeyed(doubles: tuple[TellingEngine, KeptNotes]) -> None:
    assert json.loads(ok(invoke("sessions", "import", "new", "notes", "--json")))["campaign"] == "new"
    assert json.loads(ok(invoke("characters", "list", "new", "--json"))) == {"documents": []}
    doubles[0].changed = {"sentences": (CitedSentence("\x1b[31mred"),)}
    assert "\ufffd[31mred" in ok(invoke("ask", "x"))
    doubles[0].fails = EngineError("everything failed: ask later")
    assert "error: everything failed: ask later" in invoke("ask", "x").stderr
