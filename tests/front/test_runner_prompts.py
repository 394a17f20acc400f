"""Prompts as game runners have them: what their parsers need is proposed for the header, what holds in one mode is not.

The 66 of `cases/runner_prompts` are by authors who had not seen the code; each listed beforehand what is needed in every turn,
what never, and of most which passage a turn needs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.archive.importing import propose, read_source
from mvp_site.operations.importing import ImportRequest
from mvp_site.retrieval.encoder import Encoder

from .conftest import CASES, Command, Operate

QUICK = {"dustline_bot", "hollowinn", "zechengeist", "emberlow"}
PROMPTS = [pytest.param(path.name, marks=() if path.name in QUICK else pytest.mark.slow) for path in sorted((CASES / "runner_prompts").iterdir())]
SOURCES = ("prompts", "prompt.md", "prompt.txt", "rules.md")
NOTES = (CASES / "runner/note_before_player/turns.txt").read_text("utf-8").splitlines()


def plain(text: str) -> str:
    return " ".join(text.split())


def read(name: str) -> tuple[Path, dict[str, Any]]:
    folder = CASES / "runner_prompts" / name
    return next(path for file in SOURCES if (path := folder / file).exists()), json.loads((folder / "needs.json").read_text("utf-8"))


@pytest.mark.parametrize("name", PROMPTS)
def test_the_proposed_header_holds_the_contract(name: str) -> None:
    path, needs = read(name)
    header = plain(propose(read_source(path)).header)
    missing = [line for line in needs["always"] if plain(line) not in header]
    assert 1 - len(missing) / len(needs["always"]) >= {
        "cable_ship": 0.84, "canal_trade": 0.84, "condominio_mostri": 0.83, "deadlight_salvage": 0.86, "iara_do_norte": 0.86, "skervily": 0.86, "ultimo_tren": 0.89, "wrackline": 0.88, "zubr": 0.51}.get(name, 0.9), missing
    of_one_mode = [line for line in needs["never"] if plain(line) in header]
    # A table with a row for each mode; paragraphs that say in one line what holds always and what does in one situation; prohibitions of one mode.
    assert len(of_one_mode) <= {"aduana": 2, "cable_ship": 1, "canal_trade": 1, "circuit_assize": 4, "condominio_mostri": 5, "greyannexe": 1, "hollowinn": 1, "kestrel_lanes": 1, "marrow_station": 1, "ninemasks": 1, "ombu": 1, "saltglass": 4, "saltlamp": 6}.get(name, 0), of_one_mode


def test_sections_that_a_field_has_as_values_are_modes_and_those_of_a_contents_are_not(tmp_path: Path) -> None:
    lore = "Answer in at most sixty words. The road is long and the inn is dear."
    (tmp_path / "prompt.md").write_text(
        "You are the voice of a caravan.\n\nIn here: **Answers**, **Safety**, **Camp**, **Road**, **Court**.\n\n# Answers\n\nReply with these lines and nothing else:\n\n```\n"
        "say=The fire is low.\nmode=camp\ndone=no\n```\n\n`mode` is camp, road or court.\n\n# Safety\n\nNever write gore. Never describe a child in danger.\n\n"
        + "".join(f"# {name}\n\n{lore} In {name} no one sings.\n\n" for name in ("Camp", "Road", "Court")))
    header = propose(read_source(tmp_path / "prompt.md")).header
    assert all(words in header for words in ("mode=camp", "`mode` is camp, road or court", "Never write gore", "a child in danger"))
    assert "sixty words" not in header


def test_the_text_before_the_first_heading_is_proposed_whole(operate: Operate, project: Path) -> None:
    path = CASES / "runner/preamble_unfenced_json/prompt.txt"
    report = operate("archive.import", ImportRequest(str(path), version="v1", into="prompt_archive", write=True))
    preamble, _, rest = path.read_text("utf-8").partition("\nLAMP AND OIL")
    assert [line for line in preamble.splitlines() if line.strip() not in report.header] == []
    assert "measure of oil" not in report.header
    files = "\n".join(file.read_text("utf-8") for file in sorted(Path("prompt_archive/v1").glob("*.md")))
    assert all(line.strip() in files for line in rest.splitlines())
    assert sum(line.startswith("#") for line in files.splitlines()) == 5


def test_an_import_separates_no_pair_of_markers(tmp_path: Path) -> None:
    lore = "The guard walks the wall and calls the hour. " * 60
    inner = "<!-- BEGIN inner -->\n## Inner\n\nOpen.\n<!-- END inner -->"
    (tmp_path / "prompt.md").write_text(f"You are the keeper.\n\n<!-- BEGIN_COMBAT -->\n# Rounds\n\n{lore}\n\n# Safety\n\nNever write gore. Never speak for the player.\n\n"
                                        f"{inner}\n\n# Cover\n\n{lore}\n<!-- END_COMBAT -->\n\n# After\n\n{lore}\n")
    texts = propose(read_source(tmp_path / "prompt.md")).texts
    assert "Never write gore" in texts["core_header.txt"]
    for text in texts.values():
        for opening, closing in (("<!-- BEGIN_COMBAT -->", "<!-- END_COMBAT -->"), ("<!-- BEGIN inner -->", "<!-- END inner -->")):
            assert text.count(opening) == text.count(closing)
            assert [*map(text.find, (opening, closing))] == sorted(map(text.find, (opening, closing)))
    assert sum("BEGIN_COMBAT" in text for text in texts.values()) == len(texts) - 1


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory, real_encoder: Encoder) -> PromptAssembler:
    """An assembler of five short sections, with the encoder that is shipped."""
    folder = tmp_path_factory.mktemp("shops")
    (folder / "archive/v1").mkdir(parents=True)
    (folder / "archive/core_header.txt").write_text("Answer in prose.\n")
    (folder / "archive/v1/rules.md").write_text((CASES / "runner/note_before_player/rules.md").read_text("utf-8"))
    settings = Settings(prompt_archive_dir=folder / "archive", prompt_index_dir=folder / "index", mvp_site_data_dir=folder / "data")
    build_prompt_index(settings, encoder=real_encoder)
    return PromptAssembler.open(settings, encoder=real_encoder)


@pytest.mark.parametrize(("note", "section"), [*zip(NOTES, ("Shops and trades", "Sleep", "Companions"), strict=True)])
def test_what_is_searched_can_differ_from_what_is_printed(shops: PromptAssembler, note: str, section: str) -> None:
    words = note.rpartition("Player: ")[2]
    turn = shops.assemble(note, query=words, floor=0.0)
    assert turn.chunks[0].best_section == section
    assert note in turn.prompt
    for prefix in ("GOD MODE: ", "think: "):
        assert shops.retrieve(f"{prefix}{words}", floor=0.0).chunks == turn.chunks


def test_the_header_is_shown_as_a_diff_and_headings_change_it(command: Command, project: Path) -> None:
    Path("prompt.md").write_text("You are the keeper of a lamp.\n\n# Answers\n\nReply in prose only.\n\n# Oil\n\nIt burns.\n\n# 4. Storms\n\nThey come in March.\n\n## Hail\n\nIt is loud.\n")
    shown = command("init", "a", "--from", "prompt.md").output
    assert "  You are the keeper of a lamp.\n" in shown
    assert "  Reply in prose only.\n" in shown
    assert "\n- 6 lines in prompt.md: # Oil\n" in shown
    pinned = json.loads(command("init", "b", "--from", "prompt.md", "--pin", "storms", "--unpin", "Answers", "--json").stdout)
    assert "  They come in March." in pinned["header"]
    assert "  It is loud." in pinned["header"]
    assert "  Reply in prose only." not in pinned["header"]
    assert "no heading or file is called 'stroms'; did you mean" in command("init", "c", "--from", "prompt.md", "--pin", "stroms").output
    assert not Path("c").exists()
    assert "--pin and --unpin go with --from" in command("init", "c", "--empty", "--pin", "storms").output
