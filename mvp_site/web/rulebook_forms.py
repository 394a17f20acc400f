"""What the rulebook's form asks for, read from a query string; nothing is believed. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from werkzeug.datastructures import MultiDict

from ..errors import RulebookQueryError
from ..operations.rulebook import MOST_TOKENS
from ..rulebook import continuation as continued
from ..rulebook.categories import Category
from ..rulebook.entities import checked_texts
from ..rulebook.intentions import Intention
from ..rulebook.query_parsing import READ_CHARS
from ..rulebook.rulebook import MAX_TOKENS, MIN_TOKENS

MAX_LIST: Final = 16_000
"""How many characters the names, or the hints, have together."""

_SPLIT: Final = re.compile(r"[,\n]")
_FIELDS: Final = ("question", "intention", "entities", "hints", "category", "continuation")

GROUPS: Final[tuple[tuple[str, tuple[Intention, ...]], ...]] = (
    ("Look up", (
        Intention.DESCRIBE_ENTITY, Intention.COMPARE_ENTITIES, Intention.FIND_BY_CRITERIA,
        Intention.COST_LOOKUP,
    )),
    ("Rules", (
        Intention.RULE_MECHANICS, Intention.CALCULATE_VALUES, Intention.SKILL_USAGE,
        Intention.SAVING_THROWS, Intention.REST_MECHANICS, Intention.INTERACTION_RULES,
    )),
    ("Combat", (
        Intention.ACTION_OPTIONS, Intention.CONDITION_EFFECTS, Intention.DAMAGE_TYPES,
        Intention.TACTICAL_USAGE,
    )),
    ("Magic and equipment", (
        Intention.SPELL_DETAILS, Intention.CLASS_SPELL_ACCESS, Intention.MAGIC_ITEM_USAGE,
        Intention.EQUIPMENT_PROPERTIES,
    )),
    ("Characters", (
        Intention.CHARACTER_CREATION, Intention.LEVEL_PROGRESSION, Intention.SUBCLASS_FEATURES,
        Intention.MULTICLASS_RULES, Intention.PREREQUISITE_CHECK, Intention.OPTIMIZATION_ADVICE,
    )),
    ("Creatures", (
        Intention.MONSTER_STATS, Intention.CREATURE_ABILITIES, Intention.LEGENDARY_MECHANICS,
    )),
    ("The world", (
        Intention.ENVIRONMENTAL_RULES, Intention.PLANAR_PROPERTIES, Intention.DOWNTIME_ACTIVITIES,
    )),
)
"""All intentions, as the form offers them."""


@dataclass(frozen=True, slots=True)
class RulebookForm:
    """A question as it was typed. ``errors`` are by field; with any, nothing is asked."""

    question: str = ""
    intention: Intention | None = None
    entities: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    categories: tuple[Category, ...] = ()
    budget: int = MAX_TOKENS
    continuation: str = ""
    entities_text: str = ""
    hints_text: str = ""
    budget_text: str = str(MAX_TOKENS)
    errors: Mapping[str, str] = field(default_factory=dict)
    asked: bool = False

    @property
    def opened(self) -> bool:
        """Whether one of the fields that are folded away was used, or is wrong."""
        return bool(
            self.hints_text or self.categories or self.budget_text != str(MAX_TOKENS)
            or {"hints", "budget", "category"} & set(self.errors)
        )


def read_form(args: MultiDict[str, str]) -> RulebookForm:
    """The question in ``args``."""
    errors: dict[str, str] = {}
    question = _text(args, "question", READ_CHARS, errors)
    entities_text = _text(args, "entities", MAX_LIST, errors)
    hints_text = _text(args, "hints", MAX_LIST, errors)
    continuation = _text(args, "continuation", continued.MAX_CHARS, errors)
    entities, hints = _parts(entities_text), _parts(hints_text)
    for name, what, texts in (("entities", "entities", entities),
                              ("hints", "context hints", hints)):
        if name not in errors:
            try:
                checked_texts(texts, what)
            except RulebookQueryError as error:
                errors[name] = _sentence(str(error))
    budget_text = args.get("budget", "").strip() or str(MAX_TOKENS)
    return RulebookForm(
        question, _intention(args.get("intention", ""), errors), entities, hints,
        _categories(args.getlist("category"), errors), _budget(budget_text, errors), continuation,
        entities_text, hints_text, budget_text[:20], errors,
        asked=any(name in args for name in _FIELDS) and not errors,
    )


def _text(args: Mapping[str, str], name: str, most: int, errors: dict[str, str]) -> str:
    found = args.get(name, "").replace("\r\n", "\n").strip()
    if len(found) > most:
        errors[name] = f"This has {len(found)} characters; {most} are the most here."
    elif "\0" in found:
        errors[name] = "This has a NUL character; leave it out."
    return found


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in map(str.strip, _SPLIT.split(text)) if part)


def _intention(name: str, errors: dict[str, str]) -> Intention | None:
    if not name.strip():
        return None
    try:
        return Intention.from_name(name)
    except RulebookQueryError as error:
        # The list of all stands in the form itself.
        errors["intention"] = _sentence(str(error).rpartition("; ")[0])
        return None


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _categories(numbers: Sequence[str], errors: dict[str, str]) -> tuple[Category, ...]:
    found = []
    for number in numbers:
        try:
            found.append(Category(int(number)))
        except ValueError:
            errors["category"] = (
                f"There is no category {number[:40]!r}; they are 1 to {len(Category)}."
            )
    return tuple(dict.fromkeys(found))


def _budget(text: str, errors: dict[str, str]) -> int:
    try:
        found = int(text) if len(text) < 20 else MOST_TOKENS + 1
    except ValueError:
        found = 0
    if not MIN_TOKENS <= found <= MOST_TOKENS:
        errors["budget"] = (
            f"The budget is a whole number of tokens from {MIN_TOKENS} to {MOST_TOKENS}."
        )
        return MAX_TOKENS
    return found
