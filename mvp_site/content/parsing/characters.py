"""What characters are made of: classes with their features, races, backgrounds and feats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from ...retrieval.filters import fold
from ...text.names import singular
from ...text.vocabulary import ABILITIES, SIZES
from .labels import label, read, rows
from .parts import Blocks, TextPart, labelled, lines_of, named, parts, together, told

_MARK: Final = r"(?=\s*[:.])"
"""Behind labels that are plain words as well."""
_EACH: Final = "|".join(ABILITIES)
_PREREQUISITE: Final = label(r"Prerequisites?|\w[\w ]{0,30} Feat \(Prerequisites?",
                             r"(?P<prerequisite>[^.]+?)(?:\)?$|\.)")
_CATEGORY: Final = label("", r"(?P<category>[a-z][a-z ]{2,30} feat)(?=$| \()")
_BACKGROUND: Final = (
    label(f"Ability Scores{_MARK}", r"(?P<ability_scores>[a-z].+)"),
    label(f"Feat{_MARK}", r"(?P<feat>[a-z].+)"),
    label(f"Skill Proficienc(?:y|ies){_MARK}", r"(?P<skills>[a-z].+)"),
    label(f"Tool Proficienc(?:y|ies){_MARK}", r"(?P<tools>[a-z].+)"),
    label(f"Languages?{_MARK}", r"(?P<languages>[a-z].+)"),
    label(f"Equipment{_MARK}", r"(?P<starting_equipment>.+)"),
)
_CLASS: Final = (
    label("Hit Dice|Hit Die|Hit Point Die", r"1?(?P<hit_die>d\d+)\b(?: per [^.|]*? level)?"),
    label("Saving Throws?(?: Proficiencies)?",
          rf"(?P<saving_throws>(?:{_EACH})(?:(?:,| and|, and) (?:{_EACH}))*)"),
    label(f"Armor(?: Training| Proficiencies)?{_MARK}", r"(?P<armor>.+)"),
    label(f"Weapons?(?: Proficiencies)?{_MARK}", r"(?P<weapons>.+)"),
    label(f"Tools?(?: Proficiencies)?{_MARK}", r"(?P<tools>.+)"),
    label(f"Skills?(?: Proficiencies)?{_MARK}", r"(?P<skills>.+)"),
    label("Primary Ability", r"(?P<primary_ability>.+)"),
    label("Starting Equipment", r"(?P<starting_equipment>.+)"),
)
_SPECIES: Final = tuple(label(rf"(?:{names}){_MARK}", f"(?P<{key}>.+)") for names, key in (
    ("Ability Score Increases?|Ability Scores?", "increase"), ("Age", "age"), ("Size", "size"),
    ("Alignment", "alignment"), ("Creature Type", "creature_type"), ("Speed", "speed"),
    ("Languages?", "languages"),
))
_NUMBERS: Final = {"one": 1, "two": 2, "three": 3, "four": 4}
_LEVELLED: Final = r"(?:level (\d{1,2})\b|(\d{1,2})(?:st|nd|rd|th)[- ]level)"
_TITLED: Final = re.compile(rf"^{_LEVELLED}\s*[:.–—-]\s*| \({_LEVELLED}\)$", re.IGNORECASE)
_CASTS: Final = re.compile(rf"({_EACH}) is your spellcasting ability", re.IGNORECASE)
_RISES: Final = re.compile(
    rf"({_EACH}) (?:scores? (?:each )?increases? by |\+)(\d)", re.IGNORECASE
)
_SIZE: Final = re.compile(rf"(?:size is (?:either )?|^)({'|'.join(SIZES)})\b", re.IGNORECASE)
_SPEAKS: Final = re.compile(r"(?:read,? and write|speak(?!,)) (.+?)(?:\.|$)")
FEATURES: Final = "\0features"
"""Under this key classes and subclasses have documents of what levels bring."""


def feat(name: str, blocks: Blocks, _: Sequence[str]) -> dict[str, Any]:
    """A feat and what it asks for."""
    values, below = labelled(name, blocks, (_PREREQUISITE, _CATEGORY))
    abilities = re.findall(_EACH, values.given.get("prerequisite", ""), flags=re.IGNORECASE)
    return values.given | {"prerequisites": [ability.capitalize() for ability in abilities]} | told(
        values.rest, below)


def background(name: str, blocks: Blocks, _: Sequence[str]) -> dict[str, Any]:
    """A background; its feature and its tables are sections."""
    values, below = labelled(name, blocks, _BACKGROUND)
    fields = values.given
    trained = [fields.pop(key, "") for key in ("skills", "tools")]
    fields["proficiencies"] = [name for text in trained for name in _listed(text)]
    languages = fields.pop("languages", "")
    if count := _NUMBERS.get(languages.partition(" ")[0].lower()):
        fields["language_choices"] = count
    elif languages:
        fields["languages"] = _listed(languages)
    for part in below:
        title, _, feature = part.title.partition(":")
        if fold(title) == "feature":
            fields["feature"] = feature.strip()
    return fields | told(values.rest, below)


def race(name: str, blocks: Blocks, above: Sequence[str]) -> dict[str, Any]:
    """A race or species; its traits are sections and listed by name, and so are its subraces.

    Of a subrace the race is the title above it that its name ends with.
    """
    values, below = labelled(name, blocks, _SPECIES)
    sections, before = named(values.rest)
    fields: dict[str, Any] = {"traits": [section["name"] for section in sections], "subraces": []}
    top = min((part.level for part in below), default=0)
    for part, after in zip_longest(below, below[1:]):
        again = read(lines_of(part.texts), _SPECIES if part.level == top else ())
        traits, more = named(again.rest)
        if part.level == top and after and after.level > top:
            fields["subraces"].append(part.title)
            sections.append({"name": part.title, "desc": part.text})
            continue
        values.given = again.given | values.given
        if more:
            traits.insert(0, {"name": part.title, "desc": together(more)})
        fields["traits"] += [trait["name"] for trait in traits if part.level == top]
        sections += traits
    raw = values.given
    increase = raw.get("increase", "")
    rises = _RISES.findall(increase) or [(word, "1") for word in ABILITIES if " each " in increase]
    fields["ability_bonuses"] = [ability.capitalize() for ability, _ in rises]
    fields["ability_increases"] = [f"{ability.capitalize()} +{by}" for ability, by in rises]
    if size := _SIZE.search(raw.get("size", "")):
        fields["size"] = size[1].capitalize()
    if speed := re.search(r"(\d+) ?(?:feet|ft)", raw.get("speed", "")):
        fields["speed"] = speed[1]
    if spoken := _SPEAKS.search(raw.get("languages", "")):
        fields["languages"] = [ability for ability in _listed(spoken[1]) if ability[:1].isupper()]
    fields["race"] = next((word for word in reversed(above) if name.endswith(f" {word}")), "")
    stated = [{"name": key.replace("_", " ").capitalize(), "desc": text}
              for key, text in raw.items() if key not in {"increase", "speed"}]
    return fields | {"desc": together(before), "sections": [*stated, *sections]}


def class_(name: str, blocks: Blocks, _: Sequence[str]) -> dict[str, Any]:
    """A class, and its features, each with the level that brings it."""
    texts = parts(name, blocks)
    levels = next((rows for part in texts for text in part.texts if (rows := _levels(text))), [])
    fields: dict[str, Any] = {"levels": levels}
    stated = [read(lines_of(part.texts), _CLASS) for part in texts]
    for values in stated:
        fields = values.given | fields
    trained = [fields.pop(key, "") for key in ("armor", "weapons", "tools", "skills")]
    chosen = [name for name in trained if name.lower().startswith(("choose", "any", "one"))]
    fields["proficiency_choices"] = chosen
    fields["proficiencies"] = [name for text in trained if text not in chosen
                              for name in _listed(text)]
    fields |= _casting(texts)
    features = list(_features(texts, levels, {"class": name}))
    printed = [name for row in levels for name in row["features"]]
    fields["features"] = list(dict.fromkeys(printed or [feature["name"] for feature in features]))
    return fields | told(
        (name for name in stated[0].rest if not _levels(name)), texts[1:], features
    ) | {FEATURES: features}


def subclass(name: str, blocks: Blocks, above: Sequence[str]) -> dict[str, Any]:
    """A subclass and its features.

    Its class is the innermost of the titles ``above`` that its own text names too, else the one
    of "Fighter Subclass".
    """
    text_parts = parts(name, blocks)
    text = fold(" ".join((name, *(text for text, _ in blocks))))
    class_names = (singular(title) for title in reversed(above))
    of = next((title for title in class_names
               if re.search(rf"\b{re.escape(fold(title))}\b", text)), "")
    if not of and (match := re.search(r"\b(\w+) subclass\b", text)):
        of = match[1].capitalize()
    features = list(_features(text_parts, [], {"class": of, "subclass": name}))
    fields = {"class": of, "features": list(dict.fromkeys(feature["name"] for feature in features)),
             **_casting(text_parts)}
    return fields | told(text_parts[0].texts, text_parts[1:], features) | {FEATURES: features}


def _casting(text_parts: Sequence[TextPart]) -> dict[str, Any]:
    ability = _CASTS.search(" ".join(text for part in text_parts for text in part.texts))
    named_so = any(fold(part.title).endswith(("spellcasting", "pact magic")) for part in text_parts)
    return {"spellcaster": named_so or ability is not None,
            "spellcasting_ability": ability[1].capitalize() if ability else ""}


def _features(text_parts: Sequence[TextPart], levels: Sequence[dict[str, Any]], of: dict[str, str],
              ) -> Iterator[dict[str, Any]]:
    """The parts that a level brings: those of the table of levels, or that state their level."""
    table = {_plain(entry): row["level"] for row in reversed(levels) for entry in row["features"]}
    for part in text_parts[1:]:
        name = _TITLED.sub("", part.title)
        if table and _plain(name) not in table:
            continue
        match = re.search(_LEVELLED, " ".join((part.title, *part.texts))[:160], flags=re.IGNORECASE)
        level = table.get(_plain(name)) or (int(match[1] or match[2]) if match else 0)
        if level and part.text:
            yield {"name": name, "level": level, "desc": part.text,
                   **{key: entry for key, entry in of.items() if entry}}


def _plain(name: str) -> str:
    """The name of a feature without how often it is there: "Indomitable (one use)"."""
    return fold(name.partition(" (")[0])


def _levels(text: str) -> list[dict[str, Any]]:
    """The rows of a table of levels."""
    cells = rows(text)
    head = [fold(cell) for cell in cells[0]] if cells else []
    if "level" not in head or not any(title.endswith("features") for title in head):
        return []
    level_rows = []
    for row in cells[1:]:
        level: dict[str, Any] = {}
        for title, key, cell in zip(cells[0], head, row, strict=False):
            if key.endswith("features"):
                level["features"] = [] if cell in {"—", "–", "-"} else _listed(cell)
            elif key in {"level", "proficiency bonus"} and (number := re.search(r"\d+", cell)):
                level[key.replace(" ", "_")] = int(number[0])
            elif cell:
                level[title] = cell
        if "level" in level and "features" in level:
            level_rows.append(level)
    return level_rows


def _listed(text: str) -> list[str]:
    """The texts between commas and before "and"; none of "None"."""
    names = (name.strip(" .") for name in re.split(r",(?![^()]*\))|\band\b", text))
    return [name for name in names if name and name.lower() != "none"]
