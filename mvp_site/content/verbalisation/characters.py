"""The cards of what a character is made of, of conditions, and of what explains the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..reading import Reading
from ..wording import a, commas, enumerated, joined, ordinal

_BUILD: Final = {6: "frail", 8: "of average toughness", 10: "tough", 12: "very tough"}


def class_(of: Reading) -> Iterator[str]:
    """Whether and how it casts, hit die and saves, what it can use, subclasses and features."""
    ability = of.text("spellcasting_ability", " with {}")
    level = of.number("spellcasting_level")
    since = f" from {ordinal(int(level))} level" if level else ""
    kind = f", a spellcaster who casts{ability}{since}" if of.has("spellcaster") else ""
    martial = of.is_not("spellcaster")
    yield f"a {'martial ' * martial}class for characters{kind}"
    die = of.number("hit_die")
    yield enumerated((
        f"hit die d{die:g}{f' ({_BUILD[int(die)]})' if die in _BUILD else ''}" if die else "",
        of.several("saving_throws", "saving throws {}"),
    ))
    yield of.several("proficiencies", "proficient with {}")
    yield of.several("proficiency_choices", "can {}")
    yield of.several("subclasses", "subclasses: {}")
    yield of.several("features", "features: {}")


def subclass(of: Reading) -> Iterator[str]:
    """Of which class it is, and what it gives."""
    yield joined(a(of.lower("class")) if of.text("class") else "a", "subclass",
                 of.lower("flavor", "({})"))
    if of.has("spellcaster"):
        yield "its characters cast spells"
    yield of.several("features", "features: {}")
    spells = [
        spell.partition(" (")[0] for several in of.mapping("spells").values()
        if isinstance(several, list) for spell in several if isinstance(spell, str)
    ] or of.texts("spells")
    if spells:
        yield f"gives the spells {', '.join(dict.fromkeys(spells))}"
    of.passed("short_name")


def race(of: Reading) -> Iterator[str]:
    """Size and speed, the abilities that rise, languages, traits."""
    yield f"a subrace of {of.text('race')}" if of.text("race") else "a race for characters"
    yield commas(of.lower("size"), of.text("speed", "speed {} feet"))
    raised = of.texts("ability_increases") or of.texts("ability_bonuses")
    of.passed("ability_bonuses")
    if raised:
        yield f"ability score increase: {', '.join(raised)}"
    yield of.several("languages", "speaks {}")
    yield of.several("proficiencies", "proficient with {}")
    yield of.several("traits", "traits: {}")
    yield of.several("subraces", "subraces: {}")


def feature(of: Reading) -> Iterator[str]:
    """Who gets it, and when."""
    level = of.number("level")
    owner = joined(of.lower("class"), of.text("subclass", "({})"))
    when = f" at {ordinal(int(level))} level (level {level:g})" if level else ""
    yield f"{a(owner) if owner else 'a'} {'class ' * (not owner)}feature{when}"
    yield of.text("parent", "an option of {}")
    yield _options(of)
    yield of.several("prerequisites", "prerequisites: {}")


def trait(of: Reading) -> Iterator[str]:
    """Who has it, and the figures of what it does."""
    yield f"a racial trait{of.several('races', ' of {}')}"
    yield of.text("parent", "an option of {}")
    yield _options(of)
    size, shape = of.number("area_size"), of.text("area_shape")
    area = joined("" if size is None else f"{size:g}-foot", shape) if shape else ""
    yield commas(of.lower("damage_type", "{} damage"), area, of.text("save", "{} saving throw"))
    yield of.several("proficiencies", "proficient with {}")


def background(of: Reading) -> Iterator[str]:
    """What it makes one proficient in, and its feature."""
    yield "a background for characters"
    yield of.several("proficiencies", "proficient in {}")
    languages = of.number("language_choices")
    if languages:
        yield f"{languages:g} languages of one's choice"
    yield of.text("feature", "feature: {}")
    yield of.several("starting_equipment", "equipment: {}")


def feat(of: Reading) -> Iterator[str]:
    """What it asks for."""
    yield "a feat for characters"
    required = of.texts("prerequisite_scores") or of.texts("prerequisites")
    of.passed("prerequisites")
    if required:
        yield f"prerequisite: {enumerated(required)}"


def condition(of: Reading) -> Iterator[str]:
    """That it is a condition."""
    name = of.lower("name")
    yield f"a condition that a creature can be under{f': being {name}' if name else ''}"


def rule(of: Reading) -> Iterator[str]:
    """What it is of the rules, and what belongs to it."""
    category, chapter = of.lower("category"), of.text("chapter")
    kind = a(category) if category else "a rule"
    if category in {"chapter", "section"}:
        kind = f"{kind} of the rules{f' on {chapter}' if chapter else ''}"
    yield kind
    yield of.text("ability", "goes with {}")
    yield of.text("abbreviation", "abbreviated {}")
    yield of.several("skills", "skills: {}")
    yield of.text("rarity", "a {} language")
    yield of.several("speakers", "spoken by {}")
    yield of.text("script", "written in {} script")
    if about := list(dict.fromkeys((*of.texts("contents"), *of.texts("sections")))):
        yield f"about {', '.join(about)}"


def _options(of: Reading) -> str:
    chosen = of.mapping("options")
    several = chosen.get("from")
    listed = several if isinstance(several, list) else []
    # "Fighting Style: Defense" is "Defense" among its like.
    names = [option.rpartition(": ")[2] for option in listed if isinstance(option, str)]
    return f"choose {chosen.get('choose', 1)} of {', '.join(names)}" if names else ""
