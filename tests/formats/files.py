"""Files of other tools, each format by three hands: the worlds and habits differ, the facts are known.

They are written here as each tool's public description has them, from three invented worlds. Each
world has five questions with the words that answer them, a text that is always there, one that is
switched off, one that a word keeps out, and a secret.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Fact:
    """An entry: its title, the words that call for it, its text, a question and its answer."""

    title: str
    keys: tuple[str, ...]
    text: str
    question: str
    answer: str


@dataclass(frozen=True)
class World:
    """What one hand writes about."""

    name: str
    always: str
    facts: tuple[Fact, ...]
    off: str
    barred: tuple[str, str, str]
    """A title, the word that keeps it out, its text."""
    secret: str


WORLDS = (
    World("Saltmarrow", "Tell it in the past tense, and never decide what a player feels.", (
        Fact("The tide clock", ("tide clock", "clock"), "The tide clock on Brack Quay loses eleven minutes each flood, and the harbour pays a boy to push it on.", "How much does the tide clock lose?", "eleven minutes"),
        Fact("Mother Quill", ("Mother Quill", "Quill"), "Mother Quill sells eel pies from a coffin lid and buys news for half a copper.", "What does Mother Quill buy?", "half a copper"),
        Fact("The Gutter Choir", ("Gutter Choir", "choir"), "The Gutter Choir steals only from bell towers. Its members wear one blue glove.", "How do I know a member of the Gutter Choir?", "one blue glove"),
        Fact("Fen lanterns", ("fen lantern", "marsh light"), "A fen lantern burns green where somebody drowned and goes out when it is named.", "What colour is a fen lantern?", "burns green"),
        Fact("Salt tax", ("salt tax", "toll"), "The salt tax is one measure in nine, taken at the weir by Reeve Hobb.", "Who takes the salt tax?", "Reeve Hobb"),
    ), "The old lighthouse was cut from the story.", ("Market by day", "midnight", "By day the fish market sells gull eggs in nets."), "Reeve Hobb drowned his own brother for the ledger."),
    World("Kestrelwatch", "Answer in at most two paragraphs; the players roll their own dice.", (
        Fact("Signal fires", ("signal fire", "beacon"), "Three signal fires mean raiders from the pass, four mean that the pass itself has moved.", "What do four signal fires mean?", "pass itself has moved"),
        Fact("Captain Isen", ("Isen", "captain"), "Captain Isen lost her left hand to frost and signs orders with a hot nail.", "How does Captain Isen sign orders?", "hot nail"),
        Fact("Goat road", ("goat road", "cliff path"), "The goat road takes two days in summer and is closed from first snow by a chain of bells.", "How long does the goat road take?", "two days"),
        Fact("Stone wasps", ("stone wasp", "wasps"), "Stone wasps nest in arrow slits; smoke of juniper drives them out within the hour.", "What drives out stone wasps?", "juniper"),
        Fact("The mess hall", ("mess hall", "kitchen"), "In the mess hall nobody sits at the ninth table, since the cook's debt is carved in it.", "Why does nobody sit at the ninth table in the mess hall?", "cook's debt"),
    ), "Dragons were planned for the north wall.", ("The gate at peace", "siege", "At peace the gate stands open and hens walk through it."), "Captain Isen opened the pass to the raiders herself."),
    World("Orrery Nine", "You are the station's voice. Keep to the second person.", (
        Fact("Dock rats", ("dock rat", "rats"), "Dock rats of Orrery Nine eat insulation and leave copper bright as teeth.", "What do the dock rats eat?", "insulation"),
        Fact("The long corridor", ("long corridor", "corridor seven"), "Corridor seven is longer going out than coming back, by forty paces.", "How much longer is corridor seven going out?", "forty paces"),
        Fact("Doctor Vale", ("Vale", "doctor"), "Doctor Vale stitches with fishing line and asks to be paid in sleep.", "What does Doctor Vale want as pay?", "paid in sleep"),
        Fact("Air ration", ("air ration", "oxygen"), "Each berth has an air ration of six hours; gamblers stake it at the Plum Table.", "Where do gamblers stake their air ration?", "Plum Table"),
        Fact("The brass sun", ("brass sun", "reactor"), "The brass sun is wound by hand on rest days, twelve turns and never thirteen.", "How many turns is the brass sun wound?", "twelve turns"),
    ), "A robot uprising was dropped.", ("Quiet shift", "alarm", "On a quiet shift the vents hum a lullaby."), "Doctor Vale has been dead for a year and is run by the station."),
)


def lore(world: World, hand: int) -> list[dict[str, Any]]:
    """The entries of a world as SillyTavern's editor of three times writes them."""
    rows: list[tuple[str, tuple[str, ...], str, dict[str, Any]]] = [(fact.title, fact.keys, fact.text, {}) for fact in world.facts]
    title, word, text = world.barred
    rows += [("How to tell it", (), world.always, {"constant": True, "order": 5}), ("Cut", ("cut",), world.off, {"disable": True}),
             (title, (title.split()[1],), text, {"keysecondary": [word], "selectiveLogic": 2}), ("GM only: the truth", ("truth",), world.secret, {})]
    habits: tuple[dict[str, Any], ...] = (
        {"constant": False, "selective": True, "order": 100, "position": 0, "disable": False},
        {"constant": False, "vectorized": False, "selective": True, "selectiveLogic": 0, "addMemo": True, "order": 100, "position": 4, "depth": 6, "disable": False,
         "excludeRecursion": False, "preventRecursion": False, "probability": 100, "useProbability": True, "group": "", "scanDepth": None, "caseSensitive": None,
         "matchWholeWords": None, "role": 0, "sticky": 2, "cooldown": 0, "delay": 0},
        {"constant": False, "selective": True, "order": 40, "probability": 60, "useProbability": True, "disable": False, "caseSensitive": True})
    return [{"uid": number, "key": [*keys], "keysecondary": [], "comment": title, "content": text, **habits[hand], **own}
            for number, (title, keys, text, own) in enumerate(rows)]


_CARD_NAMES = {"key": "keys", "keysecondary": "secondary_keys", "order": "insertion_order", "comment": "name"}
_CAMEL_NAMES = {"key": "keys", "keysecondary": "secondaryKeys", "order": "insertionOrder", "comment": "name"}
_NOVEL_NAMES = {"key": "keys", "comment": "displayName", "content": "text", "constant": "forceActivation"}


def renamed(entries: list[dict[str, Any]], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Entries with other names of fields, and `enabled` in place of `disable`."""
    return [{**{names.get(key, key): value for key, value in entry.items() if key != "disable"}, "enabled": not entry["disable"]} for entry in entries]


def world_book(world: World, hand: int) -> dict[str, Any]:
    entries = lore(world, hand)
    if hand == 2:  # as Chub exports it
        return {"name": world.name, "description": "", "is_creation": False, "scan_depth": 2, "token_budget": 500, "recursive_scanning": True, "extensions": {"chub": {"id": 7}},
                "entries": {str(entry["uid"]): {**entry, "keys": entry["key"], "enabled": not entry["disable"], "extensions": {"depth": 4}} for entry in entries}}
    return {"entries": {str(entry["uid"]): entry for entry in entries}}


def camel_book(world: World, hand: int) -> dict[str, Any]:
    entries = renamed(lore(world, hand), _CAMEL_NAMES)
    return {"name": world.name, "entries": entries, **({"recursiveScanning": True, "scanDepth": 4} if hand == 1 else {})}


def card(world: World, hand: int) -> dict[str, Any]:
    fields = {"name": world.name, "description": f"{{{{char}}}} is a place. {world.always}", "personality": "slow, watchful", "scenario": "", "first_mes": "You arrive in the rain and nobody asks your name.",
              "mes_example": "<START>\n{{user}}: Hello.\n{{char}}: Mind the step."}
    book = {"name": world.name, "extensions": {}, "entries": [{**entry, "extensions": {"selectiveLogic": entry.pop("selectiveLogic", 0)}} for entry in renamed(lore(world, hand), _CARD_NAMES)]}
    if hand == 0:
        return {**fields, "character_book": book}
    more = {"creator_notes": "Use a large model.", "system_prompt": "", "post_history_instructions": "Never speak for {{user}}.", "alternate_greetings": ["A second start in the fog."], "tags": ["town"],
            "creator": "somebody", "character_version": "1.1", "extensions": {"depth_prompt": {"prompt": "It always smells of tar.", "depth": 4}}, "character_book": book}
    if hand == 1:
        return {"spec": "chara_card_v2", "spec_version": "2.0", **fields, "data": {**fields, **more}}
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": {**fields, **more, "nickname": world.name, "group_only_greetings": [], "creation_date": 1, "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}]}}


def png(chunks: Mapping[str, Any]) -> bytes:
    """A picture of one pixel with texts in base64, as cards are kept."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    texts = b"".join(chunk(b"tEXt", name.encode() + b"\0" + base64.b64encode(json.dumps(value).encode())) for name, value in chunks.items())
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + texts + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def png_card(world: World, hand: int) -> bytes:
    value = card(world, hand)
    return png({"Comment": "made with care", "chara": value, **({"ccv3": value} if hand == 2 else {})})


def novel_book(world: World, hand: int) -> dict[str, Any]:
    config = {"prefix": "", "suffix": "\n", "tokenBudget": 2048, "reservedTokens": 0, "budgetPriority": 400, "trimDirection": "trimBottom", "insertionType": "newline", "insertionPosition": -1}
    entries = [{key: value for key, value in entry.items() if key in {"text", "displayName", "keys", "enabled", "forceActivation"}} | {"contextConfig": config, "searchRange": 1000, "keyRelative": False,
               "nonStoryActivatable": False, "category": "", "loreBiasGroups": []} for entry in renamed(lore(world, 0), _NOVEL_NAMES) if "selectiveLogic" not in entry]
    if hand == 1:
        entries[0]["keys"] = [" & ".join(entries[0]["keys"]), *entries[0]["keys"]]
    return {"lorebookVersion": (3, 5, 6)[hand], "entries": entries, "settings": {"orderByKeyLocations": False}, "categories": [] if hand else [{"name": "People", "id": "p", "enabled": True}]}


def scenario(world: World, hand: int) -> dict[str, Any]:
    return {"scenarioVersion": (0, 2, 3)[hand], "title": world.name, "author": "hand", "description": "A start.", "prompt": "You stand in the rain with ${coins} coins.", "tags": ["town"],
            "context": [{"text": world.always, "contextConfig": {}}, {"text": "[ Style: terse ]", "contextConfig": {}}], "ephemeralContext": [], "placeholders": [{"key": "coins", "defaultValue": "3"}],
            "settings": {"parameters": {"temperature": 0.6}}, "lorebook": novel_book(world, hand)}


def story(world: World, hand: int) -> dict[str, Any]:
    tale = scenario(world, hand)
    played: dict[str, Any] = {"story": {"version": 2, "fragments": [{"data": "You wait.", "origin": "user"}]}} if hand < 2 else {"document": base64.b64encode(b"binary").decode()}
    return {"storyContainerVersion": 1, "metadata": {"storyMetadataVersion": 1, "title": world.name, "description": "", "tags": []},
            "content": {"storyContentVersion": 4, "settings": tale["settings"], "context": tale["context"], "lorebook": tale["lorebook"], "ephemeralContext": [], **played}}


def cards_list(world: World, hand: int) -> list[dict[str, Any]]:
    rows = [(fact.title, ", ".join(fact.keys), fact.text) for fact in world.facts]
    secret = {"keys": "truth", "hidden": True}
    if hand == 0:
        return [*({"keys": keys, "value": text, "type": "location", "title": title, "description": "", "useForCharacterCreation": False} for title, keys, text in rows),
                {**secret, "value": world.secret, "title": "GM only: the truth", "type": "other"}]
    if hand == 1:
        return [*({"id": str(at), "keys": keys, "entry": text, "hidden": False, "genre": None} for at, (_, keys, text) in enumerate(rows)), {**secret, "entry": world.secret}]
    return [*({"keys": keys, "entry": text, "name": title, "type": "thing", "description": "mine"} for title, keys, text in rows), {**secret, "entry": world.secret, "name": "The truth"}]


def kobold_list(world: World, hand: int) -> list[dict[str, Any]]:
    rows = [{"key": ", ".join(fact.keys), "content": fact.text} for fact in world.facts]
    if hand == 0:
        return rows
    return [{**row, "keysecondary": "", "comment": fact.title, "selective": False, "constant": False, **({"folder": None} if hand == 1 else {"probability": "100", "keyanti": ""})}
            for row, fact in zip(rows, world.facts, strict=True)]


def save(world: World, hand: int) -> dict[str, Any]:
    if hand == 2:
        return {"title": world.name, "memory": world.always, "authorsNote": "Rain.", "prompt": "You wake.", "instructions": {"type": "scenario"}, "storyCards": cards_list(world, 0)}
    title, word, text = world.barred
    book = [*kobold_list(world, 2), {"key": title.split()[1], "keysecondary": "", "keyanti": word, "content": text, "comment": title, "selective": False, "constant": False},
            {"key": "cut", "content": world.off, "comment": "Cut", "widisabled": True}]
    return {"gamestarted": True, "prompt": "You wake in the rain.", "memory": world.always, "authorsnote": "[Style: terse]", "anotetemplate": "[Author's note: <|>]", "actions": ["You wait.", "Nothing comes."],
            "actions_metadata": {}, "worldinfo": book, "wifolders_d": {}, **({"savedsettings": {"temperature": 0.7}, "extrastopseq": ""} if hand else {"wifolders_l": []})}


def skills(world: World, hand: int) -> dict[str, str]:
    fields = ("license: MIT\n", "allowed-tools: [Read]\n", "metadata:\n  author: hand\n")[hand]
    return {f"{fact.title.lower().replace(' ', '-')}/SKILL.md": f"---\nname: {fact.title.lower().replace(' ', '-')}\ndescription: Use when the player asks about {' or '.join(fact.keys)}.\n{fields}---\n\n# {fact.title}\n\n{fact.text}\n"
            for fact in world.facts} | {"truth/SKILL.md": f"---\nname: truth\ndescription: For the last scene.\n---\n\n# GM only: the truth\n\n{world.secret}\n", "README.md": "For people.\n"}


def cursor(world: World, hand: int) -> dict[str, str]:
    globs = ("globs: *.md", "globs: [\"src/**/*.ts\", \"*.md\"]", "globs:")[hand]
    files = {f"{fact.title.lower().replace(' ', '_')}.mdc": f"---\ndescription: When the player asks about {fact.keys[0]}: {fact.keys[-1]}\n{globs}\nalwaysApply: false\n---\n\n# {fact.title}\n\n{fact.text}\n" for fact in world.facts}
    return {**files, "always.mdc": f"---\ndescription: How to tell it\n{globs}\nalwaysApply: true\n---\n\n{world.always}\n", "gm_only.mdc": f"---\ndescription: truth\nalwaysApply: false\n---\n\n# GM only\n\n{world.secret}\n"}


def claude(world: World, hand: int) -> dict[str, str]:
    paths = ("paths:\n  - \"src/**/*.py\"\n", "paths: src/**/*.{ts,tsx}\n", "")[hand]
    return {f"rules/{fact.title.lower().replace(' ', '-')}.md": (f"---\n{paths}---\n\n" if paths else "") + f"# {fact.title}\n\n{fact.text}\n" for fact in world.facts} | {
        "CLAUDE.md": f"# How to tell it\n\n{world.always}\n\nSee @rules/{world.facts[0].title.lower().replace(' ', '-')}.md\n", "rules/secret.md": f"# For the game master only\n\n{world.secret}\n"}


def vault(world: World, hand: int) -> dict[str, str]:
    folder = ("Places", "World/Lore", "30 Notes")[hand]
    linked = {fact.keys[0]: fact.title for fact in world.facts}
    notes = {f"{folder}/{fact.title}.md": f"---\ntags: [lore]\naliases:\n  - {fact.keys[-1]}\n---\n{fact.text}\n\nSee also [[{next(title for title in linked.values() if title != fact.title)}|the other one]].\n" for fact in world.facts}
    hidden = (f"> [!secret] Truth\n> {world.secret}", f"%%\n{world.secret}\n%%", f"<!-- DM: {world.secret} -->")[hand]
    return {**notes, "Index.md": f"# {world.name}\n\n" + "\n".join(f"- [[{title}]]" for title in linked.values()) + f"\n\n{hidden}\n", ".obsidian/app.json": "{}"}


def plain(world: World, hand: int) -> str:
    heads: tuple[Callable[[str], str], ...] = (lambda title: f"## {title}", str.upper, lambda title: f"**{title}**")
    role = ("You are the narrator.", "Du bist der Erzähler und antwortest auf Deutsch.", "Eres la narradora de esta historia y respondes en español.")[hand]
    parts = [f"{heads[hand](fact.title)}\n\n{fact.text}" for fact in world.facts]
    return "\n\n".join([f"{role} {world.always}", *parts, f"{heads[hand]('GM only')}\n\n{world.secret}"]) + "\n"


FORMATS: dict[str, Callable[[World, int], Any]] = {
    "SillyTavern and Chub world books": world_book, "world books in camelCase": camel_book, "character cards (JSON)": card, "character cards (PNG)": png_card, "NovelAI lorebooks": novel_book,
    "NovelAI scenarios": scenario, "NovelAI stories": story, "AI Dungeon lists": cards_list, "KoboldAI lists": kobold_list, "KoboldAI saves, AI Dungeon scenarios": save, "skills": skills,
    "Cursor rules": cursor, "Claude rules": claude, "Obsidian vaults": vault, "plain prompts": plain,
}
"""What writes each format, for a world and a hand."""


def write(root: Path, content: Any) -> Path:
    """A file, or a folder of files, below ``root``; its suffix says nothing."""
    if isinstance(content, dict) and content and all(isinstance(text, str) and "." in name for name, text in content.items()):
        for name, text in content.items():
            (root / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "folder" / name).write_text(text, "utf-8")
        return root / "folder"
    root.mkdir(parents=True, exist_ok=True)
    path = root / ("plain.txt" if isinstance(content, str) else "export")
    path.write_bytes(content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content, indent=1)).encode())
    return path
