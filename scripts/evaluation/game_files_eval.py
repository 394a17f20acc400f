"""What becomes of sheets, entities, notes and books of other tools: three files or more by different hands.

Usage: PYTHONPATH=. python -m scripts.evaluation.game_files_eval

Each is imported, built with the shipped encoder, and asked. A row says how many lines are kept, how many of the
values that must follow do, how many secrets no player sees, and how many of five questions a file are answered
by the first three passages. What is missed goes to the error output.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from mvp_site import Settings
from mvp_site.content.own_files import read_folders
from mvp_site.operations.all import operation
from mvp_site.operations.asking import Ask
from mvp_site.operations.services import Services
from mvp_site.operations.sessions import FileText, ImportFiles
from tests.formats import game_files
from tests.formats.game_files import SECRET, Game
from tests.formats.records import ENTITIES
from tests.formats.sheets import FORMS, FOUNDRY, pdf_form

CASES = Path(__file__).resolve().parents[2] / "tests/cases/books"
HERO = (("How many hit points do I have?", "30 of 3"), ("What is my armor class?", "18"), ("How much gold do I have?", "128"), ("Do I know Bless?", "Bless"), ("How many ropes do I carry?", "Rope"))
OLDER = json.loads((CASES / "foundry_actor/actor.json").read_text("utf-8"))
SHEETS: dict[str, list[Any]] = {
    "Foundry dnd5e character": [FOUNDRY, OLDER, {"data" if key == "system" else key: value for key, value in OLDER.items()}],
    "PDF with form fields": [pdf_form(fields) for fields in FORMS.values()],
}
Pair = list[int]


class Row:
    """What was measured of a format: of each what was right, and of how many."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines, self.fields, self.secrets, self.answers = [0, 0], [0, 0], [0, 0], [0, 0]

    def count(self, pair: Pair, right: bool, missed: str) -> None:
        pair[0] += right
        pair[1] += 1
        if not right:
            print(f"missed: {self.name}: {missed}", file=sys.stderr)

    def __str__(self) -> str:
        pairs = (f"{right} of {total}" if total else "–" for right, total in (self.lines, self.fields, self.secrets, self.answers))
        return f"| {self.name} | {' | '.join(pairs)} |"


def file_of(name: str, content: Any) -> FileText:
    if isinstance(content, bytes):
        return FileText(name, base64=b64encode(content).decode())
    return FileText(name, content if isinstance(content, str) else json.dumps(content))


def sheets(row: Row, services: Services, values: list[Any]) -> None:
    for hand, value in enumerate(values):
        campaign = f"{'pdf' if isinstance(value, bytes) else 'actor'}-{hand}"
        imported = operation("characters.import").run(services, ImportFiles(campaign, (file_of("hero", value),)), True)
        hero = services.session_notes().character(campaign, imported.documents[0].id)
        stats, coins = hero.combat_stats, hero.inventory.coins
        for label, right in (("ac", stats.armor_class == 18), ("hp", stats.current_hit_points == 30), ("max", (stats.max_hit_points or 0) >= 34),
                             ("gold", coins.gp == 128), ("wisdom", hero.ability_scores.wisdom == 18), ("class", hero.base.classes[0].name == "Cleric")):
            row.count(row.fields, right, f"{hand}: {label}")
        ask(row, services, campaign, [pair for pair in HERO if pair[1] != "Bless" or "Bless" in str(value) or isinstance(value, bytes)], hero.base.name)
        if SECRET in str(value):
            hidden(row, services, campaign)


def notes(row: Row, services: Services, games: list[Game]) -> None:
    for hand, game in enumerate(games):
        campaign = f"{row.name.split()[0].lower()}-{hand}"
        operation("sessions.import").run(services, ImportFiles(campaign, tuple(file_of(*file) for file in game.files.items())), True)
        index = services.session_notes()
        texts = " ".join(f"{piece.title} {piece.text}" for stamp in index.documents(campaign, "session") for piece in index.session(campaign, stamp.id).pieces)
        kept(row, game, texts)
        ask(row, services, campaign, game.questions)
        hidden(row, services, campaign)


def kept(row: Row, game: Game, texts: str) -> None:
    words = set(re.findall(r"\w+", texts))
    for content in game.files.values():
        for line in content.splitlines() if isinstance(content, str) else ():
            said = re.findall(r"\w+", re.sub(r"\[\[[^|\]]*\|([^\]]*)\]\]", r"\1", line))
            if said and not re.match(r"```|LIST|\\|\{\{|#|---|session:|>? ?\[!|<|tags|aliases|:", line):
                row.count(row.lines, {*said} <= words | {"png", "map", "eel"}, line)


def ask(row: Row, services: Services, campaign: str, questions: Any, character: str = "") -> None:
    for query, answer in questions:
        answered = operation("ask").run(services, Ask(query, campaign=campaign, character=character or None), False)
        domain = "character" if character else "session_notes"
        first = "\n".join(one.text for one in [one for one in answered.evidence if one.domain == domain][:3])
        row.count(row.answers, answer in first, f"{campaign}: {query}")


def hidden(row: Row, services: Services, campaign: str) -> None:
    answered = operation("ask").run(services, Ask(f"Who or what is {SECRET}, the secret?", campaign=campaign), False)
    row.count(row.secrets, SECRET not in "\n".join(one.text for one in answered.evidence), campaign)


def entities(row: Row, kind: str) -> None:
    for name, (folder, value, fields) in ENTITIES.items():
        if not name.startswith(kind):
            continue
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / folder).mkdir()
            (Path(place) / folder / "theirs.json").write_text(json.dumps(value), "utf-8")
            documents = [one for several in read_folders([Path(place)]).documents.values() for one in several]
        for key, right in fields.items():
            row.count(row.fields, bool(documents) and documents[0].get(key) == right, f"{name}: {key}")
        if SECRET in json.dumps(value):
            row.count(row.secrets, SECRET not in str(documents), name)


def books(row: Row, settings: Settings, games: list[Game]) -> None:
    from mvp_site import Library

    for hand, game in enumerate(games):
        with tempfile.TemporaryDirectory() as place:
            for name, content in game.files.items():
                path = Path(place) / "books" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
            with closing(Library.open(replace(settings, mvp_site_data_dir=Path(place)))) as library:
                library.scan(Path(place) / "books")
                texts = " ".join(block.text for source in library.sources() for block in library.book(source.id).text.blocks)
                kept(row, game, texts)
                for query, answer in game.questions:
                    results = library.ask(query, 3).results
                    row.count(row.answers, any(answer in one.text for one in results), f"{hand}: {query}")
                if game.secret:
                    results = library.ask(f"What did {SECRET} do?", 20).results
                    row.count(row.secrets, SECRET not in str(results), f"{hand}")


def main() -> None:
    """Print the table."""
    print("| format | lines kept | values right | secrets hidden | answered |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        settings = Settings(mvp_site_data_dir=Path(place))
        with closing(Services(settings)) as services:
            for name, values in SHEETS.items():
                sheets(row := Row(name), services, values)
                print(row, flush=True)
            for name, make in (("Numbered notes", game_files.numbered), ("Dated notes", game_files.dated), ("Obsidian vault as notes", game_files.vaults)):
                notes(row := Row(name), services, make())
                print(row, flush=True)
        for kind in ("foundry", "5e.tools", "open5e"):
            entities(row := Row(f"{kind} entities"), kind)
            print(row, flush=True)
        sources: tuple[tuple[str, Callable[[], list[Game]]], ...] = (("Word, headings in bold", game_files.word_files), ("Homebrewery", game_files.brews), ("Obsidian vault as a book", game_files.vault_books))
        for name, make in sources:
            books(row := Row(name), settings, make())
            print(row, flush=True)


if __name__ == "__main__":
    main()
