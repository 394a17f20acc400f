"""What becomes of sheets, entities, notes and books of other tools, of three files or more each.

Usage: python -m scripts.evaluation.game_files_eval

Each file is imported, built with the shipped encoder, and asked. A row says how many lines are
kept, how many of the values that must follow do, how many secrets no player sees, and how many of
five questions a file are answered by the first three passages. What is missed goes to the error
output.
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

from mvp_site import Library, Settings
from mvp_site.content.own_files import read_folders
from mvp_site.operations.all import operation
from mvp_site.operations.services import Services
from mvp_site.operations.sessions import FileText, ImportFiles
from tests.formats import game_files
from tests.formats.game_files import SECRET, Game
from tests.formats.records import ENTITIES
from tests.formats.sheets import FORMS, FOUNDRY, pdf_form

CASES = Path(__file__).resolve().parents[2] / "tests/cases/books"
HERO = (
    ("How many hit points do I have?", "30 of 3"), ("What is my armor class?", "18"),
    ("How much gold do I have?", "128"), ("Do I know Bless?", "Bless"),
    ("How many ropes do I carry?", "Rope"),
)
OLDER = json.loads((CASES / "foundry_actor/actor.json").read_text("utf-8"))
SHEETS: dict[str, list[Any]] = {
    "Foundry dnd5e character": [FOUNDRY, OLDER, {
        "data" if key == "system" else key: value for key, value in OLDER.items()}],
    "PDF with form fields": [pdf_form(fields) for fields in FORMS.values()],
}
Pair = list[int]
_LINK = re.compile(r"\[\[[^|\]]*\|([^\]]*)\]\]")
_MARKS = re.compile(r"```|LIST|\\|\{\{|#|---|session:|>? ?\[!|<|tags|aliases|:")


class Row:
    """What was measured of a format: of each what was right, and of how many."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines, self.fields, self.secrets, self.answers = [0, 0], [0, 0], [0, 0], [0, 0]

    def count(self, pair: Pair, right: bool, missed: str) -> None:
        """Add a case to what was measured; tell one that is missed."""
        pair[0] += right
        pair[1] += 1
        if not right:
            print(f"missed: {self.name}: {missed}", file=sys.stderr)

    def __str__(self) -> str:
        pairs = (f"{right} of {total}" if total else "–" for right, total in (
            self.lines, self.fields, self.secrets, self.answers))
        return f"| {self.name} | {' | '.join(pairs)} |"


def file_of(name: str, content: Any) -> FileText:
    """A file as operations take it: text, bytes, or what becomes JSON."""
    if isinstance(content, bytes):
        return FileText(name, base64=b64encode(content).decode())
    return FileText(name, content if isinstance(content, str) else json.dumps(content))


def sheets(row: Row, services: Services, values: list[Any]) -> None:
    """Import characters and ask them."""
    for hand, value in enumerate(values):
        campaign = f"{'pdf' if isinstance(value, bytes) else 'actor'}-{hand}"
        imported = operation("characters.import").run(
            services, ImportFiles(campaign, (file_of("hero", value),)), True)
        hero = services.session_notes().character(campaign, imported.documents[0].id)
        stats, coins = hero.combat_stats, hero.inventory.coins
        for label, right in (
                ("ac", stats.armor_class == 18), ("hp", stats.current_hit_points == 30),
                ("max", (stats.max_hit_points or 0) >= 34), ("gold", coins.gp == 128),
                ("wisdom", hero.ability_scores.wisdom == 18),
                ("class", hero.base.classes[0].name == "Cleric")):
            row.count(row.fields, right, f"{hand}: {label}")
        asked_of = [pair for pair in HERO if pair[1] != "Bless" or hero.spell_list]
        ask(row, services, campaign, asked_of, "character")
        if SECRET in str(value):
            hidden(row, services, campaign, "character")


def notes(row: Row, services: Services, games: list[Game]) -> None:
    """Import the notes of games and ask them."""
    for hand, game in enumerate(games):
        campaign = f"{row.name.split()[0].lower()}-{hand}"
        files = tuple(file_of(*file) for file in game.files.items())
        operation("sessions.import").run(services, ImportFiles(campaign, files), True)
        index = services.session_notes()
        texts = " ".join(
            f"{piece.title} {piece.text}" for stamp in index.documents(campaign, "session")
            for piece in index.session(campaign, stamp.id).pieces)
        kept(row, game, texts)
        ask(row, services, campaign, game.questions)
        hidden(row, services, campaign)


def kept(row: Row, game: Game, texts: str) -> None:
    """Count the lines of prose whose words all are in the texts."""
    words = set(re.findall(r"\w+", texts))
    for content in game.files.values():
        for line in content.splitlines() if isinstance(content, str) else ():
            own = re.findall(r"\w+", _LINK.sub(r"\1", line))
            if own and not _MARKS.match(line):
                row.count(row.lines, {*own} <= words | {"png", "map", "eel"}, line)


def asked(services: Services, campaign: str, query: str, kind: Any) -> list[str]:
    """The texts that a player gets, the likeliest first."""
    hits = services.session_notes().search(campaign, query, kind, audience="player", limit=20)
    return [hit.piece.text for hit in hits]


def ask(row: Row, services: Services, campaign: str, questions: Any,
        kind: Any = "session") -> None:
    """Count the questions that the first three pieces answer."""
    for query, answer in questions:
        first = "\n".join(asked(services, campaign, query, kind)[:3])
        row.count(row.answers, answer.lower() in first.lower(), f"{campaign}: {query}")


def hidden(row: Row, services: Services, campaign: str, kind: Any = "session") -> None:
    """Count a secret that no player gets."""
    told = asked(services, campaign, f"Who or what is {SECRET}, the secret?", kind)
    row.count(row.secrets, SECRET not in "\n".join(told), campaign)


def entities(row: Row, kind: str) -> None:
    """Read the records of a tool as own entities."""
    for name, (folder, value, fields) in ENTITIES.items():
        if not name.startswith(kind):
            continue
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / folder).mkdir()
            (Path(place) / folder / "theirs.json").write_text(json.dumps(value), "utf-8")
            entities = read_folders([Path(place)]).documents.values()
            documents = [document for several in entities for document in several]
        for key, right in fields.items():
            value_read = documents[0].get(key) if documents else None
            row.count(row.fields, value_read == right, f"{name}: {key}")
        if SECRET in json.dumps(value):
            row.count(row.secrets, SECRET not in str(documents), name)


def books(row: Row, settings: Settings, games: list[Game]) -> None:
    """Scan books and ask them."""
    for hand, game in enumerate(games):
        with tempfile.TemporaryDirectory() as place:
            for name, content in game.files.items():
                path = Path(place) / "books" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
            with closing(Library.open(replace(settings, mvp_site_data_dir=Path(place)))) as library:
                library.scan(Path(place) / "books")
                texts = " ".join(block.text for source in library.sources()
                                 for block in library.book(source.id).text.blocks)
                kept(row, game, texts)
                for query, answer in game.questions:
                    results = library.ask(query, 3).results
                    right = any(answer in result.text for result in results)
                    row.count(row.answers, right, f"{hand}: {query}")
                if game.secret:
                    results = library.ask(f"What did {SECRET} do?", 20).results
                    row.count(row.secrets, SECRET not in str(results), f"{hand}")


def main() -> None:
    """Print the table."""
    print("| format | lines kept | values right | secrets hidden | answered |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        settings = Settings(mvp_site_data_dir=Path(place))
        with closing(Services(settings)) as services:
            for name, values in SHEETS.items():
                sheets(row := Row(name), services, values)
                print(row, flush=True)
            for name, make in (("Numbered notes", game_files.numbered),
                               ("Dated notes", game_files.dated),
                               ("Obsidian vault as notes", game_files.vaults)):
                notes(row := Row(name), services, make())
                print(row, flush=True)
        for kind in ("foundry", "5e.tools", "open5e"):
            entities(row := Row(f"{kind} entities"), kind)
            print(row, flush=True)
        sources: tuple[tuple[str, Callable[[], list[Game]]], ...] = (
            ("Word, headings in bold", game_files.word_files), ("Homebrewery", game_files.brews),
            ("Obsidian vault as a book", game_files.vault_books))
        for name, make in sources:
            books(row := Row(name), settings, make())
            print(row, flush=True)


if __name__ == "__main__":
    main()
