"""Constraints as chips: filters to let go of, and what words state to apply. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..content.captions import condition
from ..content.types import EntityType, fields_of
from ..entities.results import Results
from ..retrieval.filters import as_filters, parse_filters
from .entities_forms import BrowseForm, Pairs, field_of, pairs_of, without


@dataclass(frozen=True, slots=True)
class Chip:
    """A constraint in words, and the address's pairs with it added, or taken away."""

    text: str
    pairs: Pairs


def active_chips(type_: EntityType, form: BrowseForm) -> tuple[Chip, ...]:
    """The filters in force, each with the address that lets go of it."""
    fields = fields_of(type_)
    by_name = {one.name: one for one in fields}
    return tuple(
        Chip(condition(by_name[clause.field], clause.field, _wanted(clause.field, form, wanted)),
             without(form.pairs, clause.field, fields))
        for clause in form.condition for wanted in as_filters([clause]).values()
    )


def _wanted(name: str, form: BrowseForm, folded: Any) -> Any:
    """A filter's value as it was written, where it is plain; else as it is compared."""
    return form.filters.get(name, folded) if not isinstance(folded, Mapping) else folded


def stated_chips(type_: EntityType, form: BrowseForm, stated: Mapping[str, Any],
                 ) -> tuple[Chip, ...]:
    """What the words state and the filters do not, each with the address that applies it."""
    fields = fields_of(type_)
    by_name = {one.name: one for one in fields}
    found = []
    for key, wanted in stated.items():
        name = field_of(key, fields)
        said = parse_filters({key: wanted}, fields, type_)
        if name and not set(said) <= set(form.condition):
            added = (*without(form.pairs, name, fields), *pairs_of({name: wanted}))
            found.append(Chip(condition(by_name[name], name, wanted), added))
    return tuple(found)


def held_to(found: Results) -> tuple[str, ...]:
    """In words, what a search of several types was held to."""
    if not found.bound:
        return ()
    by_name = {one.name: one for type_ in EntityType for one in fields_of(type_)}
    return tuple(condition(by_name.get(name), name, wanted)
                 for name, wanted in found.stated.items())
