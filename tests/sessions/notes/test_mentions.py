"""One name for one thing across sessions and sheets, and nothing of a secret in what players know."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mvp_site.sessions.notes.mentions import linked
from mvp_site.sessions.notes.reading import read_notes
from mvp_site.sessions.types import CampaignDocument, CampaignPiece, KnownName, Mention

STYLES = Path(__file__).parent / "styles"


def notes(*texts: str) -> list[CampaignDocument]:
    return [read_notes(text, "x.md", number) for number, text in enumerate(texts, 1)]


def sheet(name: str, *mentions: Mention, text: str = "") -> CampaignDocument:
    return CampaignDocument("one", "character", name, (CampaignPiece("p", "base", "", text, mentions=mentions),), "")


def told(documents: list[CampaignDocument], audience: str = "player") -> dict[str, KnownName]:
    return {one.name: one for one in linked(documents)[1] if one.audience == audience}


@pytest.mark.parametrize(
    ("text", "name", "kind", "aliases"),
    [
        ("## NPCs\n- **Mara Quill** (aka Inky, The Pen): clerk", "Mara Quill", "non_player_character", {"Inky", "Pen"}),
        ("## NPCs\n- Mara Quill, called the Pen: clerk", "Mara Quill", "non_player_character", {"Pen"}),
        ("## NPCs\n- *Mara Quill* (clerk) – writes", "Mara Quill", "non_player_character", set()),
        ("## Who we met\nMara Quill - clerk\nSomeone else", "Mara Quill", "non_player_character", set()),
        ("## Places\n1. the Drowned Rat (tavern): loud", "Drowned Rat", "location", set()), ("## Quests\n- [x] Find the lost bell: done", "Find the lost bell", "quest", set()),
        ("## Loot\n- silver key: from the well", "silver key", "item", set()), ("## Spells\n- Misty Step: Ilse", "Misty Step", "spell", set()),
        ("## Abilities used\n- Sneak Attack: Pell", "Sneak Attack", "ability", set()), ("## Gods\n- **Saint Ambry**: kind", "Saint Ambry", "deity", set()),
        ("## Factions\n| Name | Mood |\n|---|---|\n| Salt Guild | cross |", "Salt Guild", "organization", set()), ("## Relics\n- **Eye of Noon**", "Eye of Noon", "artifact", set()),
        ("## Events\n- **Battle of Reeds**: we won", "Battle of Reeds", "event", set()), ("## Puzzles\n- the nine-bell lock: opened", "nine-bell lock", "puzzle", set()),
        ("## Fights\n- Ghouls: six", "Ghouls", "creature", set()), ("## Party\n- Pell: rogue 5", "Pell", "player_character", set()),
        ("We met [[Mara Quill|Inky]] there.", "Mara Quill", "non_player_character", {"Inky"}), ("We met **Mara Quill** there.", "Mara Quill", "non_player_character", set()),
        ("Mara Quill, also known as the Pen, came.", "Mara Quill", "non_player_character", {"Pen"}),
    ],
)
def test_names_by_their_form(text: str, name: str, kind: str, aliases: set[str]) -> None:
    found = told(notes(text))[name]
    assert (found.type, found.sessions) == (kind, (1,))
    assert aliases <= set(found.aliases)


@pytest.mark.parametrize("text", ["## NPCs\n- we met nobody at all today", "## Loot\n- 30 gp", "It was **very** odd.", "## Events\n- Morning: rain", "## NPCs\nDM: none", "## Loot\n| Who | What |\n|---|---|"])
def test_what_is_no_name(text: str) -> None:
    assert told(notes(text)) == {}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("- **Mayor Edda Crane**: rules", "Edda spoke."), ("- **Mayor Edda Crane**: rules", "Mayor Crane spoke."), ("- **Mayor Edda Crane**: rules", "## NPCs\n- **Crane**: spoke"),
        ("- **Edda Crane**: rules", "## NPCs\n- **Mayor Edda Crane**: spoke"), ("- **Mayor Edda Crane**: rules", "## NPCs\n- **Mayor Edda Crene**: spoke"),
        ("- **Mayor Edda Crane** (aka Old Beak): rules", "old beak spoke"), ("- **Mayor Edda Crane**: rules", "We saw EDDA CRANE'S house."), ("- **Mayor Edda Crane**: rules", "[[Mayor Edda Crane|Beak]] is a friend"),
        ("- **Mayor Edda Crane**: rules", "- **Edda Crane (aka Beak)**: mayor"),
    ],
)
def test_one_thing_by_other_names(first: str, second: str) -> None:
    documents, known = linked(notes(f"## NPCs\n{first}", second))
    assert [(one.name, one.sessions) for one in known] == [("Mayor Edda Crane", (1, 2))]
    assert documents[1].pieces[0].mentions == (Mention("Mayor Edda Crane", "non_player_character"),)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Brannoc Ashdown", "Torvald Ashdown"), ("Lady Oriane Vell", "Lord Marcus Vell"), ("Father Ashdown", "Captain Ashdown"), ("Mara Quill", "Mira Quill"), ("Edda Crane", "Edda Vell"), ("Old Nettie", "Young Nettie")],
)
def test_two_persons_are_never_one(first: str, second: str) -> None:
    short = {word for word in first.split() if word in second.split()}.pop()
    documents, known = linked(notes(f"## NPCs\n- **{first}**: one\n- **{second}**: two", f"We saw {short}.", f"## NPCs\n- **{short}**: who?"))
    assert {one.name for one in known} == {first, second}
    assert all(short not in one.aliases for one in known)
    assert [piece.mentions for one in documents[1:] for piece in one.pieces] == [(), ()]


def test_titles_and_other_names_keep_persons_apart() -> None:
    documents, _ = linked(notes("## NPCs\n- **Lady Oriane Vell**: noble\n- **Hob**: dead", "Lord Vell came.", "A Torvald Vell came.", "Oriane Ashdown came.", "But Vell came.", "Lady Vell and Hob came."))
    assert [[one.name for one in document.pieces[0].mentions] for document in documents[1:]] == [[], [], [], ["Lady Oriane Vell"], ["Lady Oriane Vell", "Hob"]]


def test_a_family_name_is_the_characters_on_the_own_sheet() -> None:
    own = sheet("Brannoc Ashdown", Mention("Ashdown", "character"), Mention("Torvald Ashdown", "ally"), Mention("Stealth", "skill"))
    documents, known = linked([own, *notes("Torvald Ashdown and Brannoc hid by Stealth.")])
    assert documents[0].pieces[0].mentions[0] == Mention("Brannoc Ashdown", "character")
    assert [(one.name, one.type, one.sessions) for one in known] == [
        ("Brannoc Ashdown", "player_character", (1,)), ("Stealth", "skill", ()), ("Torvald Ashdown", "non_player_character", (1,))]


def test_spells_are_no_common_words() -> None:
    own = sheet("Ilse", Mention("Light", "spell"), Mention("Shield", "spell"), Mention("Shield of Faith", "spell"))
    documents, _ = linked([own, *notes("The light fell on a shield.", "Light was poor.", "Ilse cast light.", "She used Shield of Faith, then Shield.")])
    assert [[one.name for one in document.pieces[0].mentions if one.type == "spell"] for document in documents[1:]] == [[], [], ["Light"], ["Shield of Faith", "Shield"]]


def test_an_alias_that_is_another_things_name_is_not_joined() -> None:
    found = told(notes("## Spells\n- **Magic Missile**: Ilse", "## Items\n- **Wand of Sparks** (aka Magic Missile, Sparky): charged"))
    assert {name: one.aliases for name, one in found.items()} == {"Magic Missile": (), "Wand of Sparks": ("Sparky",)}


def test_the_type_most_often_said_wins() -> None:
    found = told(notes("## Party\n- Ilse: wizard", "## Spells used\n- **Ilse**: Fireball\n- **Ilse**: Web\n## Status\n- Ilse: hurt", "## NPCs\n- Rime: a hag", "## NPCs\n- Rime: hag", "## Fights\n- Rime: fled"))
    assert {name: one.type for name, one in found.items()} == {"Ilse": "player_character", "Rime": "non_player_character"}


def test_players_learn_nothing_from_what_is_the_dms() -> None:
    documents, known = linked(notes(
        "## NPCs\n- **Corvin Hale**: smuggler\n- **The Grey Heron**: a rumour\n## DM notes\n- **Corvin Hale** (aka the Grey Heron, Zanzibar): spy",
        "The Grey Heron was here. So was Zanzibar, and Wex.\n\n## DM notes\n### NPCs\n- **Wex**: a lich\n\nCorvin Hale knows of it.",
    ))
    players = {one.name: one for one in known if one.audience == "player"}
    assert {name: (one.aliases, one.sessions) for name, one in players.items()} == {"Corvin Hale": (("Corvin", "Hale"), (1,)), "Grey Heron": (("Grey", "Heron"), (1, 2))}
    assert [one.name for one in documents[1].pieces[0].mentions] == ["Grey Heron"]
    secret = {one.name: one for one in known if one.audience == "dm"}
    assert set(secret) == {"Corvin Hale", "Wex"}
    assert {"Zanzibar", "Grey Heron"} <= set(secret["Corvin Hale"].aliases)
    assert secret["Corvin Hale"].sessions == (1, 2)


def test_what_players_get_is_the_same_without_what_is_the_dms() -> None:
    files = [file.read_text("utf-8") for file in sorted(STYLES.iterdir())]
    documents = notes(*files, "## NPCs\n- **Mayor Edda Crane**: a\n- Edda: b\n- DM: **Edda Crain**\n- **Vane** (DM: **Vane Ashdown**, a spy)", "Edda and Vane. <!-- **Edda Vell** -->")
    bare = [replace(one, pieces=tuple(piece for piece in one.pieces if piece.audience == "player"), known=tuple(
        known for known in one.known if known.audience == "player")) for one in documents]
    (full, known), (some, public) = linked(documents), linked(bare)
    assert public == tuple(one for one in known if one.audience == "player")
    assert [one.pieces for one in some] == [tuple(piece for piece in one.pieces if piece.audience == "player") for one in full]


def test_linking_does_not_depend_on_the_order_of_documents_and_keeps_it() -> None:
    documents = notes("## NPCs\n- Edda Crane: a", "## NPCs\n- Mayor Edda Crane: b", "## NPCs\n- Edda Crine: c")
    (one, known), (other, same) = linked(documents), linked(documents[::-1])
    assert (one, known) == (other[::-1], same)
    assert linked([]) == ((), ())


def test_notes_as_different_people_write_them() -> None:
    documents, known = linked([read_notes(file.read_text("utf-8"), file.name) for file in sorted(STYLES.iterdir())])
    assert sorted(one.number or 0 for one in documents) == [2, 3, 4, 5, 6]
    names = {one.name: one for one in known if one.audience == "player"}
    assert names["Hesper Vane"].sessions == (2, 3, 4, 5, 6)
    assert "Pale Widow" in names["Hesper Vane"].aliases
    assert names["Brother Anselm"].sessions == (3, 4, 5, 6)
    assert (names["Tin whistle"].type, names["Tin whistle"].sessions) == ("item", (3, 5))
    assert (names["Bell Tower"].type, names["Umbrel"].type) == ("non_player_character", "non_player_character")
    shown = [piece for one in documents for piece in one.pieces if piece.audience == "player"]
    assert not {"xylograph", "Umbrelle"} & set(f"{shown} {names}".replace("'", " ").split())
    assert sum("xylograph" in piece.text for one in documents for piece in one.pieces) == 6
    assert {piece.part for one in documents for piece in one.pieces if one.number == 6} >= {"npcs", "combat", "loot", "foreshadowing"}
