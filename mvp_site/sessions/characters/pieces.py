"""A sheet cut into pieces that can be read alone: what is indexed, printed and cited.

Each thing with a name is a piece (a spell, an item, an ally), each block of numbers is one, and so
is each paragraph or two of what is told. The types of :mod:`.character` say which is which, and
what of it is a name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import count
from typing import Any, Final, NamedTuple

from ...content.slugs import latin_slug, slug_of
from ...content.wording import ordinal
from ...text.names import title_key
from ...text.vocabulary import ABILITIES
from ..notes.headings import reserves
from ..types import MAX_PIECES, CampaignDocument, CampaignPiece, Fact, KnownName, Mention, too_many
from .character import (
    Base,
    Character,
    Contact,
    Feature,
    Item,
    Slots,
    Spell,
    Spellcasting,
)
from .parts import Entity, marks, names_of
from .reading import read_sheet, write_character

_RUN: Final = 900
"""Characters of a told text that stand in one piece, where its paragraphs allow it."""
_LONGEST: Final = 80
"""Characters of a name; what is longer is a description."""
_LISTED: Final = 20
ALL: Final = "all"
"""The end of the id of a piece that names all things of a list."""
_SEVERAL: Final = 2
"""From so many on, things of a list are also told by their names together."""
_TURN: Final = ("my turn", "your turn", "his turn", "her turn", "their turn", "a turn")
"""What people call what a character can do in a fight, put together."""
_SIGNED: Final = {"bonus", "attack_bonus", "initiative", "proficiency_bonus"}
_WHOLE: Final = {"current_hit_points": ("max_hit_points", "hit points"),
                 "hit_dice_left": ("hit_dice", "hit dice")}
"""What is left, with that of which it is and what both are called: "hit points: 25 of 32"."""
_REST: Final = {whole: left for left, (whole, _) in _WHOLE.items()}
_NOTED: Final = {"armor_class": "armor"}
"""Fields with the one that says what they are of: "armor class: 15 (leather)"."""
_FORMS: Final = {"passive_scores": ("passive {}",), "saves": ("{} save", "{} saving throw"),
                 "speeds": ("{}", "{} speed"),
                 "attacks": ("{} damage", "{} attack", "{} attack bonus", "{} to hit")}
"""What rows and things of these are called, other rows by their name alone."""
_SHORT: Final = {name: name[:3] for name in ABILITIES}
_MAGIC: Final = re.compile(r"\s*(?:[+]\d+|\([^()]*\))")
"""What stands at a weapon's name and is not said: "Longsword +1 (two-handed)"."""
_CALLED: Final = {"slots": "spell slots", "save_dc": "save DC", "xp": "experience points",
                  "cp": "copper", "sp": "silver", "ep": "electrum", "gp": "gold",
                  "pp": "platinum", **{ability: ability.capitalize() for ability in ABILITIES}}


def sheet_document(text: str, file: str) -> CampaignDocument:
    """The document of a sheet as :func:`.read_sheet` reads it, with what is to be told of it.

    Raises:
        SessionsError: it cannot be read, has wrong values or too much in it.
    """
    character, moved = read_sheet(text, file)
    document = document_of(character)
    if len(document.pieces) > MAX_PIECES:
        raise too_many(file)
    keys = ", ".join(moved[:_LISTED]) + (" …" if len(moved) > _LISTED else "")
    why = (f"{file}: kept among the notes, for no part of a sheet has a key of this name, or the "
            f"sheet has the field by another name too: {keys}")
    return replace(document, warnings=(why,) if moved else ())


def document_of(character: Character) -> CampaignDocument:
    """The character as a document: its pieces, and the names that it knows.

    Its id is the slug of its name. What is in the DM's notes, or says anywhere that it is the DM's,
    is in pieces for the DM, and makes nothing known.
    """
    name = character.base.name
    pieces = [_summary(character)]
    for part in fields(Character):
        if part.name != "base":
            pieces += _pieces(part.name, getattr(character, part.name), part.name,
                              _entity(Character, part.name))
    pieces += _turn(character)
    pieces = [replace(piece, audience="dm", mentions=())
              if reserves(f"{piece.title}: {piece.text}".replace("_", " ")) else piece
              for piece in pieces]
    aliases = _aliases(character)
    return CampaignDocument(
        id=latin_slug(name) or "character", kind="character", title=name,
        pieces=tuple(_finished(pieces, aliases)), source=write_character(character),
        known=tuple(KnownName(name.name, name.type, aliases.get(name.name, ()))
                    for name in dict.fromkeys(name for piece in pieces for name in piece.mentions)),
    )


def _finished(pieces: list[CampaignPiece],
              aliases: Mapping[str, tuple[str, ...]]) -> Iterator[CampaignPiece]:
    """The pieces with ids of their own, and the sheet's names in their texts."""
    by_spelling = {called: mention for piece in pieces for mention in piece.mentions
             for called in (mention.name, *aliases.get(mention.name, ())) if not called.islower()}
    longest = sorted(by_spelling, key=lambda called: (-len(called), called))
    names = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest)) or '(?!)'})(?!\w)")
    used: set[str] = set()
    numbers: defaultdict[str, Iterator[int]] = defaultdict(partial(count, 2))
    for piece in pieces:
        id_ = piece.id
        while id_ in used:
            id_ = f"{piece.id}-{next(numbers[piece.id])}"
        used.add(id_)
        mentions = (*piece.mentions, *(by_spelling[match] for match in names.findall(piece.text)))
        yield replace(piece, id=id_, mentions=tuple(dict.fromkeys(mentions)))


class _Says(NamedTuple):
    text: str
    mentions: tuple[Mention, ...]
    facts: tuple[Fact, ...]


def _summary(character: Character) -> CampaignPiece:
    """Who it is, in a sentence, with the numbers that one asks for first."""
    base = character.base
    race = base.subrace if base.race in base.subrace else f"{base.subrace} {base.race}".strip()
    classes = ", ".join(
        f"{row.name}{f' of level {row.level}' if row.level else ''}"
        f"{f' ({row.subclass})' if row.subclass else ''}" for row in base.classes
    )
    levels = [class_level.level for class_level in base.classes if class_level.level]
    level = f"level {sum(levels)} in all" if len(levels) == len(base.classes) > 1 else ""
    who = ", ".join(filter(None, (race, classes, level))) or "a character"
    rest = _wording(replace(base, name="", race="", subrace=""))
    stats = _wording(character.combat_stats)
    return CampaignPiece("base", "base", base.name,
                 _sentences(f"{base.name}: {who}", rest.text, stats.text),
                 mentions=tuple(m for row in (base, *base.classes) for m in _wording(row).mentions),
                 facts=(Fact(("race", "subrace", "class", "subclass", "level"), who), *rest.facts,
                        *stats.facts))


def _turn(character: Character) -> Iterator[CampaignPiece]:
    """What it can do in its turn, from all parts that say so."""
    stats, economy = character.combat_stats, character.action_economy
    attacks = []
    for row in stats.attacks:
        bonus = "" if row.bonus is None else f"{row.bonus:+d}"
        said = ", ".join(filter(None, (bonus, row.damage)))
        attacks.append(f"{row.name} ({said})" if said else row.name)
    attacks = attacks or [row.name for row in character.inventory.items if row.kind == "weapon"]
    spells = [row.name for block in character.spell_list for row in block.spells
              if row.prepared is not False]
    told = {_label(field.name): [row.name for row in getattr(economy, field.name)]
            for field in fields(economy)}
    options = {"move": [f"{row.description} ({row.name})" for row in stats.speeds],
               "attack": attacks, **told, "cast": spells if not any(told.values()) else []}
    if text := "; ".join(f"{label}: {', '.join(names)}"
                         for label, names in options.items() if any(names)):
        yield CampaignPiece(f"action_economy/{ALL}", "action_economy", "on a turn", text,
                            facts=(Fact(_TURN, text),))


def _status(value: Any, owner: Any) -> str:
    """How a thing stands now, in a sentence: a spell by its owner's slots, a feature by its uses.

    '' where the sheet does not say.
    """
    if isinstance(value, Feature) and value.uses_left is not None:
        of = f" ({value.uses})" if value.uses else ""
        return f"{value.name}: {value.uses_left or 'no'} uses left{of}"
    if not (isinstance(value, Spell) and isinstance(owner, Spellcasting)):
        return ""
    if value.level is not None:
        return f"{value.name} {_castable(value, value.level, owner.slots)}"
    rows = [row for row in owner.slots if row.total is not None]
    free = [_left(row) for row in rows if (row.total or 0) > (row.used or 0)]
    return f"{value.name} " + (
        f"can be cast now, as far as its level allows: {', '.join(free)}" if free else
        "cannot be cast now: no slot is left") if rows else ""


def _castable(spell: Spell, level: int, slots: tuple[Slots, ...]) -> str:
    """Whether a spell can be cast now, and why."""
    if level == 0:
        return "can be cast at will: it is a cantrip"
    if spell.prepared is False:
        as_ritual = ", only as a ritual" if spell.ritual else ""
        return f"cannot be cast now{as_ritual}: it is not prepared"
    enough = [row for row in slots if row.level >= level and row.total is not None]
    free = [_left(row) for row in enough if (row.total or 0) > (row.used or 0)]
    if enough and not free:
        return f"cannot be cast now: no slot of level {level} or higher is left"
    why = ", ".join(["prepared"] * bool(spell.prepared) + free[:1])
    return f"can be cast now: {why}" if free else f"is {why or 'known'}"


def _left(slots: Slots) -> str:
    left = (slots.total or 0) - (slots.used or 0)
    return f"{left} of {slots.total} level {slots.level} slots left"


def _pieces(part: str, value: Any, path: str, entity: Entity | None = None,
            owner: Any = None) -> Iterator[CampaignPiece]:
    """The pieces of a part or of what stands in it, in ``owner``, without whose they are."""
    title = ", ".join(map(_label, path.split("/")))
    if is_dataclass(value):
        wording = _wording(value)
        if wording.text:
            yield CampaignPiece(path, part, title, wording.text, mentions=wording.mentions,
                                facts=wording.facts)
        for field in fields(value):
            if _nested(inner := getattr(value, field.name)):
                yield from _pieces(part, inner, f"{path}/{field.name}",
                                   _entity(type(value), field.name), value)
    elif value and value[0].form == "heading":
        yield from _writing(part, value, title)
    elif value and value[0].form == "block":
        yield from _blocks(part, value, path)
    elif value and (value[0].form == "row" or entity is None):
        says = [_wording(row, entity) for row in value]
        says = [wording._replace(text=_left(row) if getattr(row, "total", None) else wording.text)
                for row, wording in zip(value, says, strict=True)]
        name = _label(path.rpartition("/")[2])
        itself = (Mention(name, entity.type),) if entity and entity.itself else ()
        yield CampaignPiece(path, part, title, "; ".join(row.text for row in says),
                    mentions=(*itself, *(m for row in says for m in row.mentions)),
                    facts=tuple(
                        Fact(_slot_names(row.level) if isinstance(row, Slots) else
                             _forms(path, row.name) or (title_key(row.name),), wording.text)
                        for row, wording in zip(value, says, strict=True)
                        if isinstance(row, Slots) or hasattr(row, "name")
                    ))
    else:
        if len(value) >= _SEVERAL:
            yield _all(part, path, _label(path.rpartition("/")[2]), _names(value, owner))
        for entry in value:
            wording, forms = _wording(entry, entity), _forms(path, entry.name)
            facts = [Fact(forms, wording.text)] if forms else []
            if status := _status(entry, owner):
                facts.append(Fact((), status, status=True))
            yield CampaignPiece(f"{part}/{slug_of(entry.name) or 'unnamed'}", part,
                        entry.name if 0 < len(entry.name) <= _LONGEST else title,
                        _sentences(wording.text, status), mentions=wording.mentions,
                        facts=tuple(facts))


def _blocks(part: str, value: tuple[Spellcasting, ...], path: str) -> Iterator[CampaignPiece]:
    """The pieces of blocks of spells; of several the names of all stand together."""
    lists = [_names(block.spells, block) for block in value if block.spells]
    several = len(lists) >= _SEVERAL
    for block in value:
        yield from (piece for piece in _pieces(part, block, path)
                    if not (several and piece.id.endswith(f"/{ALL}")))
    if several:
        yield _all(part, path, "spells", "; ".join(lists))


def _all(part: str, path: str, label: str, names: str) -> CampaignPiece:
    """The piece that names all things of a list."""
    return CampaignPiece(f"{path}/{ALL}", part, f"all {label}", names, facts=(
        Fact((title_key(f"all {label}"),), f"{label}: {names}"),))


def _slot_names(level: int) -> tuple[str, ...]:
    """What people call the slots of a level: "level 2 slots", "2nd-level spell slot"."""
    return tuple(f"{of} {spell}slot{end}" for of in (f"level {level}", f"{ordinal(level)} level")
                 for spell in ("", "spell ") for end in ("", "s"))


def _forms(path: str, name: str) -> tuple[str, ...]:
    """What people call a row or a thing with this name, where it is not the name alone."""
    forms = _FORMS.get(path.rpartition("/")[2], ())
    names = dict.fromkeys(filter(None, (name, _MAGIC.sub("", name), _SHORT.get(name.lower()))))
    return tuple(dict.fromkeys(title_key(form.format(name)) for name in names for form in forms))


def _names(value: tuple[Any, ...], owner: Any) -> str:
    """The names of things with how many there are, spells by their level and its slots."""
    slots = {row.level: row for row in getattr(owner, "slots", ()) if row.total is not None}
    groups: dict[str, list[str]] = {}
    for entry in sorted(value, key=lambda entry: getattr(entry, "level", None) or 0):
        level, count_ = getattr(entry, "level", None), getattr(entry, "quantity", 1)
        left = f" ({_left(slots[level])})" if level in slots else ""
        head = "" if level is None else f"{_fact(entry, 'level', 'level', level)}{left}: "
        unprepared = " (not prepared)" if getattr(entry, "prepared", None) is False else ""
        groups.setdefault(head, []).append(
            f"{entry.name}{f' ×{count_}' if count_ > 1 else ''}{unprepared}")
    return "; ".join(head + ", ".join(names) for head, names in groups.items())


def _writing(part: str, value: tuple[Any, ...], label: str) -> Iterator[CampaignPiece]:
    for entry in value:
        for text in _paragraphs(entry.text) or [entry.title]:
            yield CampaignPiece(f"{part}/{slug_of(entry.title) or 'text'}", part,
                        (entry.title or label)[:_LONGEST],
                        text if len(entry.title) <= _LONGEST else f"{entry.title}. {text}",
                        "dm" if part == "dm_notes" else "player")


def _paragraphs(text: str) -> list[str]:
    """``text`` in runs of whole paragraphs, short ones together."""
    runs: list[str] = []
    for paragraph in filter(None, (paragraph.strip() for paragraph in re.split(r"\n\s*\n", text))):
        if runs and len(runs[-1]) + len(paragraph) <= _RUN:
            runs[-1] += f"\n\n{paragraph}"
        else:
            runs.append(paragraph)
    return runs


def _wording(value: Any, entity: Entity | None = None) -> _Says:
    """What the texts, numbers and flags of ``value`` say, and the names among them."""
    head, facts, ends = "", list[Fact](), []
    mentions: list[Mention] = []
    for field in fields(value):
        content, label = getattr(value, field.name), _label(field.name)
        named = _entity(type(value), field.name)
        if content is None or content in ("", ()) or _nested(content) or (
                content == field.default and field.name in {"quantity", "kind"}):
            continue
        if field.name == "name":
            head, named = content, named or entity
        elif field.name in {"description", "note"}:
            ends.append(content)
        elif field.name == "kind":
            facts.append(Fact((), content))
            mentions = [Mention(mention.name, content) for mention in mentions]
        elif any(note == field.name and getattr(value, noted, None) is not None
                 for noted, note in _NOTED.items()):
            continue
        elif getattr(value, _REST.get(field.name, ""), None) is None:
            whole, called = _WHOLE.get(field.name, ("", ""))
            of, note = getattr(value, whole, None) or "", _NOTED.get(field.name, "")
            of_what = f" ({text})" if (text := getattr(value, note, "")) else ""
            keys = [key for own in (field.name, whole) if own
                    for key in names_of(type(value), own)[1:]] + [note] * bool(of_what)
            keys += [noted for noted, note in _NOTED.items() if note == field.name]
            facts.append(Fact(
                tuple(sorted({title_key(name) for name in (label, called, *map(_label, keys))})),
                f"{called}: {content} of {of}" if of
                else _fact(value, field.name, label, content) + of_what,
            ))
        if named:
            texts = [label] if named.itself else [content] if isinstance(content, str) else content
            mentions += [Mention(text, named.type) for text in texts if 0 < len(text) <= _LONGEST]
    row = value.form == "row"
    listed = (", " if row else "; ").join(fact.text for fact in facts)
    text = (" " if row else ", ").join(filter(None, (head, listed)))
    text = ": ".join(filter(None, (text, *ends))) if value.form == "entry" else (
        _sentences(text, *ends))
    return _Says(text, tuple(mentions), tuple(facts))


def _sentences(*texts: str) -> str:
    """The texts one behind another, each with a stop before the next."""
    lines = [text for text in texts if text]
    stopped = (line if line[-1] in ".!?…" else f"{line}." for line in lines[:-1])
    return " ".join([*stopped, *lines[-1:]])


def _fact(value: Any, key: str, label: str, fact: Any) -> str:
    """A field in words."""
    if isinstance(fact, bool):
        return label if fact else f"not {label}"
    if isinstance(fact, (str, tuple)):
        return f"{label}: {fact if isinstance(fact, str) else '; '.join(fact)}"
    digits = f"{fact:+d}" if key in _SIGNED else f"{fact:.12g}"
    if value.form == "scores":
        return f"{label} {fact} ({fact // 2 - 5:+d})"
    if key in {"bonus", "score"}:
        return digits
    if key == "level" and value.form == "spell":
        return f"level {digits}" if fact else "cantrip"
    return f"{label} {digits}" if value.form == "row" else f"{label}: {digits}"


def _nested(value: Any) -> bool:
    return is_dataclass(value) or (isinstance(value, tuple) and any(map(is_dataclass, value)))


def _label(key: str) -> str:
    return _CALLED.get(key, key.replace("_", " "))


def _aliases(character: Character) -> dict[str, tuple[str, ...]]:
    named: list[Base | Contact | Item] = [
        character.base, *character.organisations, *character.allies, *character.enemies,
        *character.inventory.items]
    return {entity.name: entity.aliases for entity in named}


def _entity(type_: type[Any], field: str) -> Entity | None:
    return next((mark for mark in marks(type_, field) if isinstance(mark, Entity)), None)
