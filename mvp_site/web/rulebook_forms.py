"""What the rulebook's form asks for, and how it offers the intentions. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from werkzeug.datastructures import MultiDict

from ..errors import RulebookQueryError
from ..operations.rulebook import RulebookQuery
from ..rulebook.categories import Category
from ..rulebook.intentions import Intention
from .forms import Form, read_form

FIELDS: Final[Mapping[str, str]] = {
    "question": "query", "intention": "intention", "entities": "entities",
    "hints": "context_hints", "category": "categories", "budget": "max_tokens",
    "continuation": "continuation",
}
"""The form's fields, each with the request's."""

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
    """A question as it was typed. With errors, by field, nothing is asked."""

    form: Form
    intention: Intention | None
    asked: bool

    @property
    def typed(self) -> Mapping[str, str]:
        """The texts of the fields."""
        return self.form.typed

    @property
    def errors(self) -> Mapping[str, str]:
        """What is wrong, by field."""
        return self.form.errors

    @property
    def budget(self) -> int:
        """How many tokens an answer may have."""
        return int(self.form.value("max_tokens"))

    @property
    def categories(self) -> tuple[Category, ...]:
        """The categories that are asked for; none for all."""
        return tuple(map(Category, self.form.value("categories") or ()))

    @property
    def opened(self) -> bool:
        """Whether one of the fields that are folded away was used, or is wrong."""
        return any(self.typed[name] or name in self.errors
                   for name in ("hints", "budget", "category"))

    def request(self) -> RulebookQuery:
        """The question."""
        asked: RulebookQuery = self.form.request()
        return asked


def read_question(args: MultiDict[str, str]) -> RulebookForm:
    """The question in ``args``."""
    form = read_form(RulebookQuery, args, FIELDS, {})
    found: Intention | None = None
    try:
        found = Intention.from_name(name) if (name := form.value("intention")) else None
    except RulebookQueryError as error:
        # The list of all stands in the form itself.
        said = str(error).rpartition("; ")[0]
        form.errors["intention"] = f"{said[:1].upper()}{said[1:]}."
    asked = any(name in args for name in FIELDS if name != "budget")
    return RulebookForm(form, found, asked and not form.errors)
