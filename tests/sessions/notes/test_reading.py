"""Notes as people write them: parts, pieces, numbers, and secrets that no player's piece has."""

from __future__ import annotations

import datetime
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import SessionsError
from mvp_site.sessions.intentions import NOTE_PARTS
from mvp_site.sessions.notes.headings import part_of
from mvp_site.sessions.notes.reading import read_notes
from mvp_site.sessions.notes.template import template
from mvp_site.sessions.types import CampaignDocument

CANARY = "zanzibar"


def read(text: str) -> CampaignDocument:
    return read_notes(text, "notes.md", 7)


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        *((part["heading"], key) for key, part in NOTE_PARTS.items()),
        *((also.upper(), key) for key, part in NOTE_PARTS.items() for also in part["also"]),
        ("🗡️ Combat!", "combat"), ("Loctions", "locations"), ("NPCs (new)", "npcs"), ("Puzzels", "puzzles"), ("Loot & Rewards", "loot"),
        ("NPCs / Locations", "npcs"), ("Quote of the night", "quotes"), ("The Mill", None), ("Fights at the mill", None), ("Harrowmere", None), ("The Secret Door", None), ("Keys of the king", None),
    ],
)
def test_the_part_a_heading_means(heading: str, part: str | None) -> None:
    assert part_of(heading) == part


@pytest.mark.parametrize(
    "form",
    ["## NPCs\n\n{}", "# NPCs\n{}", "NPCs\n====\n\n{}", "**NPCs**\n\n{}", "**NPCs:**\n{}", "NPCs:\n{}", "NPCs\n{}", "NPCS MET:\n\n{}",
     "NPCs: {}", "• NPCs: {}", "### Day two\n#### People we met\n{}", "- **NPCs:** {}"],
)
def test_forms_of_headings(form: str) -> None:
    (piece,) = read(form.format("Wenna runs the inn")).pieces
    assert (piece.part, "Wenna runs the inn" in piece.text) == ("npcs", True)


@pytest.mark.parametrize(
    "text",
    [
        "## DM notes\nzanzibar", "## DM: what really happened\n\nzanzibar\n\n### NPCs\n\n- zanzibar\n\n#### Deeper\nzanzibar",
        "## Secrets (GM only)\n- zanzibar", "# Keeper\nzanzibar", "## Not for players\n\n> zanzibar", "### 🤫 DM-only stuff\nzanzibar",
        "**GM Secrets**\n\nzanzibar\n\nNPCs:\nzanzibar", "DM ONLY:\n- zanzibar\n- zanzibar", "SECRETS\n-------\nzanzibar", "Spoilers:\nzanzibar",
        "## What the players don't know\nzanzibar", "## NPCs (dm)\n- zanzibar", "## Dungeon Master's notes\n| a |\n|---|\n| zanzibar |",
        "> [!dm] Aside\n> zanzibar\n>\n> zanzibar", "> [!secret]- zanzibar", "> ok\n> > [!gm]\n> > zanzibar", "DM: zanzibar\nand zanzibar",
        "- (DM only) zanzibar", "- Wick is kind\n  - DM: zanzibar\n    - zanzibar\n  - fine", "- Wick\n  zanzibar (DM only)\n- fine",
        "GM note: zanzibar", "*GM note* – zanzibar", "**DM:** zanzibar", "- **DM note:** zanzibar", "Fine.\nDM: zanzibar", "[DM] zanzibar",
        "Fine. <!-- zanzibar --> Fine.", "<!--\nzanzibar\n\nzanzibar\n-->", "<!-- zanzibar", "%% zanzibar %%", "```dm\nzanzibar\n```",
        "- DM only\n  - zanzibar\n  - zanzibar", "| Name | DM notes |\n|---|---|\n| Wick | zanzibar |", "| a | b |\n|---|---|\n| x | zanzibar (GM only) |",
        "Unknown to the party, zanzibar.", "Don't tell the players: zanzibar", "Keeper: zanzibar", "1. DM's eyes only: zanzibar",
        "---\naudience: dm\n---\n# Session 3: zanzibar\n\nzanzibar", "# Session 3 (DM notes)\nzanzibar\n## NPCs\nzanzibar",
        "## DM notes\n```\n## NPCs\nzanzibar\n```\nzanzibar", "## Dm Notes\n\n---\n\nzanzibar", "Summary\n\nDM  only :\n\n* zanzibar", "<details>\nDM: zanzibar\n</details>",
        "## Secrets we kept\n\n**Wenna**\n\nzanzibar", "- one\n- two [GM: zanzibar]", "## GM\n### zanzibar\n", "- Loot: coins\n- Secret: zanzibar",
        "<details><summary>DM only</summary>\n\nzanzibar\n\n</details>", "GM\n\n- zanzibar", "> ## DM notes\n> zanzibar", "## NPCs\n- Secret: zanzibar", "- Behind the scenes\n  - zanzibar\n    - zanzibar",
        "- Session prep:\n\n    * zanzibar", "## Our private notes\nzanzibar", "## Session prep\nzanzibar", "1. GM secrets\n   - zanzibar",
        "The ring is ||of zanzibar||.", "- A ring ||zanzibar made it||", "GM> zanzibar is a bandit.", "> DM > zanzibar is a bandit.", "- 🔒 zanzibar is a cultist.",
        "* 🔐 zanzibar waits.", "## Meisterwissen\nzanzibar lives.", "## Spielleiter-Infos\nzanzibar lives.", "Spielleiterwissen:\n- zanzibar lives.", "Today's prep: zanzibar",
        "# Sesja 4: tylko dla MG\n\nzanzibar lives.", "# Sitzung 4: nur für die Spielleitung\n\nzanzibar lives.", "# Séance 4 : réservé au MJ\n\nzanzibar lives.",
    ],
)
def test_what_is_for_the_dm_never_is_a_players(text: str) -> None:
    document = read(text)
    shown = [piece for piece in document.pieces if piece.audience == "player"]
    assert CANARY not in f"{document.title} {shown}"
    assert CANARY in repr([piece for piece in document.pieces if piece.audience == "dm"])


@pytest.mark.parametrize(
    "text",
    ["We found a secret door: it was stuck.", "The Hidden Temple: a ruin", "## The Secret Door\n\nIt opened.", "# Session 4: Secrets of the Chapel\n\nWe went.",
     "The lighthouse keeper: a bore.", "We gave the keeper (old Tam) a coin.", "- Admiral: he sailed", "The party prepared well.", "- The 🔒 of zanzibar holds.", "| a || zanzibar |", "Meister Zanzibar lives.", "## Der Meister\nHe lives.", "a || b: zanzibar", "<!-- persons met or heard of; - **Name** (aka Other Name, Third): text -->\nOk"],
)
def test_what_players_may_read(text: str) -> None:
    assert {piece.audience for piece in read(text).pieces} == {"player"}


def test_what_follows_a_secret_is_told_again() -> None:
    document = read("- Wick\n  - DM: zanzibar\n  - kind\n- Wenna\n\nDM: zanzibar\n\nWe left.\n\n## DM notes\nzanzibar\n## Loot\ncoins")
    assert [piece.text for piece in document.pieces if piece.audience == "player"] == ["Wick", "kind", "Wenna", "We left.", "coins"]
    assert [piece.id for piece in document.pieces if piece.audience == "player"] == ["key_events/1", "key_events/2", "key_events/3", "key_events/4", "loot/1"]


@pytest.mark.parametrize(
    ("text", "file", "number", "title", "date"),
    [
        ("---\nsession: 3\ntitle: The Mill\ndate: 2026-03-07\n---\nWe went.", "a.md", 3, "Session 3: The Mill", datetime.date(2026, 3, 7)),
        ("# Session 12 – The Bell (2026-04-04)\nWe went.", "a.md", 12, "Session 12: The Bell", datetime.date(2026, 4, 4)),
        ("## SESSION #04: 2026-03-07\nWe went.", "a.md", 4, "Session 4", datetime.date(2026, 3, 7)),
        ("# The Bell\nWe went.", "2026-03-07 s05.md", 5, "Session 5: The Bell", datetime.date(2026, 3, 7)),
        ("We went.", "notes/session_06.md", 6, "Session 6", None),
        ("---\nsession: 3\n---\n# Session -2\nWe went.", "a.md", 3, "Session 3", None), ("# Session - 2\nWe went.", "a.md", 2, "Session 2", None),
        ("# Session 1: Bells\n\n# Session 2\nWe went.", "a.md", 1, "Session 1: Bells", None),
    ],
)
def test_number_title_and_date(text: str, file: str, number: int, title: str, date: datetime.date | None) -> None:
    document = read_notes(text, file)
    assert (document.number, document.title, document.date) == (number, title, date)
    assert (document.id, document.kind, document.source) == (f"session-{number}", "session", text)


@pytest.mark.parametrize(
    ("text", "says"),
    [("# Session -2\nWe went.", "x.md: 'Session -2' is no session's number: they go from 0"),
     ("---\nsession: -2\n---\n# Session 3\n", "'session -2' is no"), ("# Session 1\n" + "- x\n" * 5_001, "x.md has more than 5,000 items and paragraphs"),
     ("---\nsession: 3\naudience: all\n---\n", "audience")],
)
def test_refused(text: str, says: str) -> None:
    with pytest.raises(SessionsError, match=says):
        read_notes(text, "x.md")


def test_the_template_has_all_parts_and_no_text() -> None:
    assert read_notes(template(), "x.md").pieces == ()
    assert all(f"## {part['heading']}\n" in template() for part in NOTE_PARTS.values())


def test_headings_are_titles_and_nested_ones_stay_in_their_part() -> None:
    document = read("## Places\n### The mill\n#### Cellar\nIt is wet.\n### Combat\nRats.\n## The road\nLong.\n## Nothing here")
    assert [(piece.part, piece.title, piece.text) for piece in document.pieces] == [
        ("locations", "Places – The mill – Cellar", "It is wet."), ("combat", "Places – Combat", "Rats."),
        ("other", "The road", "Long."), ("other", "Nothing here", "Nothing here"),
    ]


def test_long_texts_are_cut_at_sentences() -> None:
    pieces = read(" ".join(f"The party went on for day {day} and saw nothing." for day in range(60))).pieces
    assert all(len(piece.text.split()) <= 120 and piece.text.endswith(".") for piece in pieces)
    assert len(pieces) == 5


LINES = st.sampled_from([
    "", "", "# Bells", "## NPCs", "### DM notes", "**Loot**", "Loot:", "Loot: coins", "NPCs", "- Wenna: a host", "  - of the inn", "* DM: lied", "    deep", "1. one", "2) two",
    "> quoted", "> [!dm]", "```", "~~~", "| a | b |", "|---|---|", "| c | d |", "We went. Then we slept!", "[ref]: http://x.y", "***", "---", "===", "<!-- hid -->", "<!--", "-->", "<div>", "\tcode",
    "• dot", "– dash", "**bold** text", "DM only:", "Fine (GM only)", "\\# no", "- [ ] Find it", "- NPCs", "[[Wenna]] spoke", "Ünïcode – ok", "  ", "-", "a" * 50, "%% obs %%", "word " * 150,
])


@given(st.lists(st.one_of(LINES, LINES, st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)), max_size=25))
def test_no_text_is_lost(lines: list[str]) -> None:
    text = "\n".join(["We begin.", *lines])
    document = read(text)
    held = Counter(word for piece in document.pieces for word in re.findall(r"[^\W_]+", piece.text))
    titles = Counter(word for word in re.findall(r"[^\W_]+", " ".join([document.title, *(piece.title for piece in document.pieces)])))
    parts = set(re.findall(r"[^\W_]+", "NPCs DM notes Loot DM only"))
    for word, count in Counter(re.findall(r"[^\W_]+", text)).items():
        assert word in titles or word in parts or held[word] == count, word
    assert all(piece.lines and 1 <= piece.lines[0] <= piece.lines[1] <= len(lines) + 1 for piece in document.pieces)
    assert len({piece.id for piece in document.pieces}) == len(document.pieces)
