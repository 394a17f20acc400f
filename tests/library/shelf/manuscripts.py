"""What stands in each book, made from the SRD's own text."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import starmap
from pathlib import Path

from mvp_site.library.types import ContentType as Type
from mvp_site.rulebook.srd_book.book import render_srd
from mvp_site.srd import load_srd

from .outline import Part, Piece, folded, read_outline, typed

HOLLOWMERE = Path(__file__).with_name("hollowmere.md")
_LEVELS = ("Cantrips", *(f"{number} Level Spells" for number in (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")))
_STAT_BLOCK = frozenset({"Legendary Actions", "Lair Actions", "Actions", "Reactions"})
_OPENINGS = (
    "Before anybody rolls a die, read this chapter once from end to end with a pot of tea.",
    "Every table comes back to these pages sooner or later, mostly in the middle of a quarrel.",
    "Nobody learns this by heart; know where it stands, and look it up when it matters.",
)
_SIDEBARS = (
    "Our table keeps a bowl of sweets for whoever reads a page before asking the neighbours.",
    "A pencil mark in the margin is worth ten arguments; write down what your table decided.",
    "Nothing in this chapter is so holy that a good evening may not bend it a little.",
)


@cache
def _srd() -> dict[str, Part]:
    return {part.title: part for part in read_outline(render_srd(load_srd()))}


def _chapter(title: str, kind: Type, name: str = "") -> Part:
    return typed(replace(_srd()[title], title=name or title), kind)


def with_sidebars(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """``parts``, each with an opening of its own and a note beside its first paragraphs."""
    return tuple(
        replace(one, pieces=(Piece("paragraph", _OPENINGS[number % len(_OPENINGS)]), *one.pieces,
                             Piece("sidebar", _SIDEBARS[number % len(_SIDEBARS)])))
        for number, one in enumerate(parts)
    )


def spells() -> tuple[Part, ...]:
    """A part for each level, with the spells of it."""
    levels = {spell.name.casefold(): spell.level for spell in load_srd().spells}
    by_level: dict[int, list[Part]] = defaultdict(list)
    for part in _srd()["Spell Descriptions"].children:
        by_level[levels[part.title.casefold()]].append(folded(typed(part, Type.SPELL), frozenset(
            child.title for child in part.children)))
    return tuple(Part(_LEVELS[level], Type.SPELL, children=tuple(by_level[level]))
                 for level in sorted(by_level))


def creatures() -> tuple[Part, ...]:
    """A part for each type of monster, and one of people; below some types there are groups."""
    kinds = (*_srd()["Monsters"].children, _srd()["Nonplayer Characters"])
    return tuple(folded(typed(part, Type.MONSTER), _STAT_BLOCK) for part in kinds)


def player_options() -> tuple[Part, ...]:
    """Races, classes with subclasses, backgrounds, feats, alignment and languages, equipment."""
    subclasses = {one.name for one in load_srd().subclasses}

    def with_subclasses(part: Part) -> Part:
        named = any(name in part.title for name in subclasses)
        if named:
            return typed(part, Type.SUBCLASS)
        return replace(part, children=tuple(map(with_subclasses, part.children)))

    classes = _chapter("Classes", Type.CLASS)
    classes = replace(classes, children=tuple(
        replace(one, children=tuple(map(with_subclasses, one.children)))
        for one in classes.children))
    return (
        _chapter("Races", Type.RACE), classes, _chapter("Backgrounds", Type.BACKGROUND),
        _chapter("Feats", Type.FEAT), _chapter("Alignment", Type.RULE),
        _chapter("Languages", Type.RULE), _chapter("Equipment", Type.EQUIPMENT),
    )


def treasury() -> tuple[Part, ...]:
    """Magic items by category."""
    return tuple(typed(one, Type.MAGIC_ITEM) for one in _srd()["Magic Items"].children)


def rules() -> tuple[Part, ...]:
    """How to play and to run the game, and of gods and planes."""
    return (
        *starmap(_chapter, (
            ("Using Ability Scores", Type.RULE), ("Adventuring", Type.RULE),
            ("Combat", Type.RULE), ("Spellcasting", Type.RULE), ("Running the Game", Type.RULE),
            ("Fantasy-Historical Pantheons", Type.LORE), ("The Planes of Existence", Type.LORE),
        )),
    )


def kit() -> tuple[Part, ...]:
    """Equipment and conditions, as notes that somebody typed off."""
    return (_chapter("Equipment", Type.EQUIPMENT), _chapter("Conditions", Type.RULE))


def hollowmere() -> tuple[Part, ...]:
    """The invented setting and adventure: its chapters are lore up to the adventure."""
    book, = read_outline(HOLLOWMERE.read_text(encoding="utf-8"))
    return (replace(typed(book, Type.LORE), children=tuple(
        typed(one, Type.ADVENTURE if "Adventure" in one.title else Type.LORE)
        for one in book.children)),)
