"""Notes and books by three hands in each format, of invented games, with what must be answered and what must be hidden."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple

from docx import Document

SECRET = "zanzibar"
"""The word that every secret tells."""


class Game(NamedTuple):
    """Files by their names, questions with what answers them, and whether the files have a secret."""

    files: dict[str, Any]
    questions: tuple[tuple[str, str], ...]
    secret: bool = True


RIVER = (("Who paid the ferryman?", "Mossa"), ("What did Derry steal?", "lamp"), ("Where is the tin crown?", "weir"), ("Who waits at the mill?", "Hanna"), ("What did the bell do?", "rang"))
RIVER_TEXT = ("Mossa paid the ferryman with a ring.", "Derry stole a lamp from the chapel.", "The tin crown lies under the weir.", "Hanna Vell waits at the mill.", "The bell rang nine times.")
PEAK = (("What guards the pass?", "ogre"), ("Who sold the map?", "Ilva"), ("What broke on the stairs?", "lantern"), ("Whom did we promise salt?", "abbot"), ("What sleeps in the well?", "eel"))
PEAK_TEXT = ("An ogre guards the pass.", "Ilva sold us the map of the peak.", "The lantern broke on the stairs.", "We promised salt to the abbot.", "An eel sleeps in the well.")
SHIP = (("Who steers the ship?", "Quill"), ("What is in the hold?", "salt"), ("Who fell overboard?", "Bram"), ("Which island burned?", "Skerry"), ("What does the captain fear?", "gulls"))
SHIP_TEXT = ("Captain Quill steers the ship.", "The hold is full of salt.", "Bram fell overboard near the reef.", "Skerry island burned at dawn.", "The captain fears gulls.")
HANDS = ((RIVER_TEXT, RIVER), (PEAK_TEXT, PEAK), (SHIP_TEXT, SHIP))


def _lines(texts: tuple[str, ...], mark: str) -> str:
    return "\n".join(f"{mark}{text}" for text in texts)


def numbered() -> list[Game]:
    """Notes with a number: by a heading, by the file's name, by front matter."""
    forms = ("# Session 3: The night\n\n## Key events\n\n{}\n\n## DM notes\n\nThe abbot is zanzibar.\n", "{}\n\nDM: the miller is zanzibar.\n", "---\nsession: 3\nlocation: the coast\n---\n{}\n\n> [!secret]\n> It is zanzibar.\n")
    names = ("a.md", "Session 3.md", "notes.txt")
    return [Game({name: form.format(_lines(texts, mark))}, questions) for name, form, mark, (texts, questions) in zip(names, forms, ("- ", "", "- "), HANDS, strict=True)]


def dated() -> list[Game]:
    """Diaries: ISO dates as names, months in Dutch, a title in Spanish; five days each."""
    names: tuple[Callable[[int], tuple[str, str]], ...] = (lambda day: (f"2031-05-0{day}.md", ""), lambda day: (f"{day} mei 2031.md", "---\ntags: [journal]\n---\n"), lambda day: (f"dia {day}.md", f"# {day} de mayo de 2031\n\n"))
    secrets = ("%% zanzibar did it %%", "<!-- DM: zanzibar did it -->", "## Notas del máster\n\nzanzibar did it\n")
    games = []
    for name, secret, (texts, questions) in zip(names, secrets, HANDS, strict=True):
        files = {}
        for day, text in enumerate(texts, 1):
            file, head = name(day)
            files[file] = f"{head}{text}\n\n{secret if day == 3 else ''}\n"
        games.append(Game(files, questions))
    return games


def vaults() -> list[Game]:
    """Obsidian vaults: links by path, short links with aliases, callouts and queries."""
    river = {"Sessions/Session 1.md": "# Session 1\n\n- [[People/NPCs/Mossa|Mossa]] paid the ferryman with a ring.\n- [[People/Party/Derry|Derry]] stole a lamp from the chapel.\n",
             "Items/Tin Crown.md": "It lies under the weir.\n\n%% It is zanzibar's. %%\n", "People/NPCs/Hanna Vell.md": "---\naliases: [the Smith]\n---\nHanna waits at the mill.\n",
             "Places/Bell Tower/index.md": "The bell rang nine times.\n\n```dataview\nLIST\n```\n"}
    peak = {"Journal/2031-01-02.md": "An ogre guards the pass. ![[map.png]]\n\n> [!gm]- Truth\n> It serves zanzibar.\n", "NPCs/Ilva.md": "sold:: the map of the peak\n\nIlva sold us the map.\n",
            "Journal/2031-01-09.md": "The [[Lantern]] broke on the stairs. We promised salt to the [[Abbot Fenn|abbot]].\n", "Locations/Well.md": "An eel sleeps in it. ^eel\n"}
    ship = {"Log/Session 2 - Reef.md": "> [!summary]\n> [[Quill|Captain Quill]] steers the ship.\n\nBram fell overboard near the reef.\n\n<details><summary>Spoilers</summary>\n\nHe is zanzibar.\n\n</details>\n",
            "Ship/Hold.md": "The hold is full of salt.\n", "Orte/Skerry.md": "Skerry island burned at dawn.\n\n## Geheimnisse\n\nzanzibar lit it.\n", "NSCs/Quill.md": "The captain fears gulls.\n"}
    return [Game(files, questions) for files, (_, questions) in zip((river, peak, ship), HANDS, strict=True)]


def _word(texts: tuple[str, ...], titles: tuple[str, ...], size: int = 0, style: str = "") -> bytes:
    document = Document()
    document.core_properties.title = ""
    if style:
        document.add_paragraph("The Book", style=style)
    for title, text in zip(titles, texts, strict=True):
        run = document.add_paragraph().add_run(title)
        run.bold = True
        if size:
            run.font.size = size
        document.add_paragraph(f"{text} It is told in the whole valley, and nobody doubts it.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


TITLES = (("The ferryman", "The chapel", "The weir", "The mill", "The bell"), ("The pass", "The map", "The stairs", "The abbot", "The well"), ("The helm", "The hold", "The reef", "The island", "The gulls"))


def word_files() -> list[Game]:
    """Word documents whose headings are only bold: plain, larger, below a title in its style."""
    forms: tuple[dict[str, Any], ...] = ({}, {"size": 177800}, {"style": "Title"})
    return [Game({"book.docx": _word(texts, titles, **form)}, questions, secret=False) for form, titles, (texts, questions) in zip(forms, TITLES, HANDS, strict=True)]


def brews() -> list[Game]:
    """Homebrewery: version 3 with blocks, version 3 with columns and notes, legacy with quoted boxes."""
    forms = ("{{{{wide\n# Book\n}}}}\n\n{}\n\n\\page\n{{{{pageNumber,auto}}}}\n{{{{footnote PART 1}}}}\n", "# Book\n{{{{toc,wide\n- Contents\n}}}}\n\n{}\n\n\\column\n{{{{note\n##### Aside\nNothing more.\n}}}}\n:::\n",
             "# Book\n\n{}\n\n> ##### Aside\n> Nothing more.\n\n\\pagebreakNum\n\n<div class='footnote'>PART 1</div>\n")
    games = []
    for form, titles, (texts, questions) in zip(forms, TITLES, HANDS, strict=True):
        body = "\n\n".join(f"## {title}\n\n**Told by** :: the valley\n\n{text}" for title, text in zip(titles, texts, strict=True))
        games.append(Game({"brew.md": form.format(body)}, questions, secret=False))
    return games


def vault_books() -> list[Game]:
    """Vaults scanned as books, with secrets of other marks and languages."""
    secrets = ("%% zanzibar did it %%", "> [!gm]\n> zanzibar did it", "## Segreti del master\n\nzanzibar did it")
    return [Game({"lore.md": "# Lore\n\n" + "\n\n".join(f"## {title}\n\n[[People/X|They]] say: {text}" for title, text in zip(titles, texts, strict=True)) + f"\n\n{secret}\n"}, questions)
            for secret, titles, (texts, questions) in zip(secrets, TITLES, HANDS, strict=True)]
