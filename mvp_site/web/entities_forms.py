"""What a query string asks of the entities, its filters as facets and chips, and the list. Pure.

A field's name asks for a value, and again for another; ``level_min`` and ``level_max`` for a
range; ``duration_contains`` for a part of a text. Pages and the API read them alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from ..content.captions import condition, label, shown
from ..content.notation import add, kinds_of, typed
from ..content.types import DESCRIPTIONS, SHORT, SORTED_BY, EntityType, field_names, fields_of
from ..content.wording import number
from ..entities.facets import CLOSED
from ..entities.results import Result, Results
from ..errors import FilterError
from ..operations.entities import EntitySearch
from ..retrieval.filters import (
    AnyOf,
    Clause,
    Condition,
    FieldKind,
    FilterField,
    as_filters,
    fold,
    parse_filters,
)
from .forms import Form, read_form

PAGE: Final = 20
MOST_PAGES: Final = 100
OWN: Final = frozenset({"q", "page", "like", "sort"})
"""What the page's address has beside fields."""

_CONTAINS: Final = "_contains"

Pairs = tuple[tuple[str, str], ...]
Chip = tuple[str, Pairs]
"""A constraint in words, and the address's pairs with it added, or taken away."""


@dataclass(frozen=True, slots=True)
class BrowseForm:
    """A search as it was typed. ``pairs`` are its filters as the address has them.

    With an ``error`` nothing is searched. ``like`` is the slug of what the rest is to be like.
    """

    typed: Form
    query: str = ""
    pairs: Pairs = ()
    filters: Mapping[str, Any] = field(default_factory=dict)
    condition: Condition = ()
    page: int = 1
    like: str = ""
    sort: str = ""
    error: str = ""

    @property
    def offset(self) -> int:
        """How many results stand on the pages before."""
        return (self.page - 1) * PAGE


def read_search(args: MultiDict[str, str], type_: EntityType | None) -> BrowseForm:
    """The search in ``args``; of all types, where ``type_`` is None, it has no filters."""
    form = read_form(EntitySearch, args, {"q": "query", "sort": "sort"})
    for wrong in form.errors.values():
        return refused(form, f"the search{wrong.removeprefix('This')}")
    query, number_ = form.value("query"), args.get("page", "")
    page = min(max(int(number_), 1), MOST_PAGES) if re.fullmatch("[0-9]{1,9}", number_) else 1
    if type_ is None:
        return BrowseForm(form, query, page=page)
    pairs = tuple(
        (key, value.strip()) for key, value in args.items(multi=True)
        if key not in OWN and value.strip()
    )
    try:
        filters = read_pairs(pairs, fields_of(type_))
        parsed = parse_filters(filters, fields_of(type_), type_)
    except FilterError as error:
        return refused(form, str(error))
    like = args.get("like", "").strip()
    return BrowseForm(form, query, pairs, filters, parsed, page, like, form.value("sort"))


def refused(typed: Form, problem: str) -> BrowseForm:
    """A form that says why nothing is searched."""
    error = f"{problem[:1].upper()}{problem[1:].removesuffix('.')}."
    return BrowseForm(typed, typed.value("query"), error=error)


def read_pairs(pairs: Iterable[tuple[str, str]], fields: Sequence[FilterField]) -> dict[str, Any]:
    """The filters of a query string's pairs, each value typed as its field is.

    Raises:
        FilterError: a field is given a part of a text, and something else.
    """
    kinds = kinds_of(fields)
    filters: dict[str, Any] = {}
    for key, text in pairs:
        stem = key.removesuffix(_CONTAINS)
        if stem != key and key not in kinds:
            add(filters, stem, {"contains": text})
        else:
            add(filters, key, typed(text, kinds.get(key)))
    return filters


def pairs_of(filters: Mapping[str, Any]) -> Pairs:
    """``filters`` as pairs of a query string: what :func:`read_pairs` reads."""
    texts: list[tuple[str, str]] = []
    for key, clause in filters.items():
        if isinstance(clause, Mapping):
            texts += [(f"{key}_{end}", text_of(value)) for end, value in clause.items()]
        else:
            several = clause if isinstance(clause, list | tuple) else [clause]
            texts += [(key, text_of(value)) for value in several]
    return tuple(texts)


def without(pairs: Pairs, name: str, type_: EntityType) -> Pairs:
    """``pairs`` but for those of the field ``name``, under any of its names."""
    return tuple((key, value) for key, value in pairs if field_of(key, type_) != name)


def field_of(key: str, type_: EntityType) -> str:
    """The name of the field that a key of a query string is about; '' for none."""
    names = field_names(type_)
    stems = (key, *(key.removesuffix(end) for end in ("_min", "_max", _CONTAINS)))
    return next((names[stem] for stem in stems if stem in names), "")


def text_of(value: Any) -> str:
    """A value as a query string has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, int | float) else str(value)


def active_chips(type_: EntityType, form: BrowseForm) -> tuple[Chip, ...]:
    """The filters in force, each with the address that lets go of it."""
    by_name = {filter_field.name: filter_field for filter_field in fields_of(type_)}
    return tuple(
        # A value stands as it was written, where it is plain; else as it is compared.
        (condition(by_name[name], name, folded if isinstance(folded, Mapping)
                   else form.filters.get(name, folded)), without(form.pairs, name, type_))
        for clause in form.condition for name, folded in as_filters([clause]).items()
    )


def stated_chips(type_: EntityType, form: BrowseForm, stated: Mapping[str, Any],
                 ) -> tuple[Chip, ...]:
    """What the words state and the filters do not, each with the address that applies it."""
    fields = fields_of(type_)
    by_name = {filter_field.name: filter_field for filter_field in fields}
    return tuple(
        (condition(by_name[name], name, want),
         (*without(form.pairs, name, type_), *pairs_of({name: want})))
        for key, want in stated.items()
        if (name := field_of(key, type_))
        and not set(parse_filters({key: want}, fields, type_)) <= set(form.condition)
    )


def held_to(results: Results) -> tuple[str, ...]:
    """In words, what a search of several types was held to."""
    by_name = {field.name: field for type_ in EntityType for field in fields_of(type_)}
    return tuple(condition(by_name.get(name), name, want)
                 for name, want in results.stated.items() if results.bound)


NUMBERS: Final = 12
"""Up to so many values of a number are boxes; more are a range."""

_UNSHOWN: Final = frozenset({"slug", "name"})


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """A box: the value as the address has it, as people read it, and how many have it."""

    value: str
    text: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A field to filter by: ``choices``, or a range between ``ends``, or a part of a text.

    ``given`` are its texts in the address, by key: ``level_min``, ``duration_contains``.
    """

    name: str
    title: str
    about: str
    active: bool
    given: Mapping[str, str]
    choices: tuple[FilterChoice, ...] | None = None
    ends: tuple[str, ...] = ()


def facets_of(type_: EntityType, form: BrowseForm,
              count: Callable[[Mapping[str, Any]], Mapping[str, Mapping[Any, int]]],
              ) -> tuple[tuple[Facet, ...], tuple[Facet, ...]]:
    """The facets of a type under the filters of ``form``: those that stand open, and the others.

    ``count`` says how often each value of each field is there under some filters, but for those on
    the field.
    """
    every, counts = count({}), count(form.filters)
    facets: dict[str, Facet] = {}
    for filter_field in fields_of(type_):
        name = filter_field.name
        clauses = [clause for clause in form.condition if clause.field == name]
        if name not in _UNSHOWN and (clauses or len(every.get(name, ())) > 1):
            facet = _facet(filter_field, every.get(name, {}), counts.get(name, {}), clauses)
            if facet.choices or facet.active or (facet.choices is None and counts.get(name)):
                facets[name] = facet
    first = DESCRIPTIONS[type_].facets.split() or tuple(facets)
    return (
        tuple(facets[name] for name in first if name in facets),
        tuple(facet for name, facet in facets.items() if name not in first),
    )


def _facet(field: FilterField, every: Mapping[Any, int], counts: Mapping[Any, int],
           clauses: Sequence[Clause]) -> Facet:
    numeric, flag = field.kind is FieldKind.NUMBER, field.kind is FieldKind.FLAG
    head = field.name, label(field.name), field.about, bool(clauses), _range_texts(field, clauses)
    ticked = {value for clause in clauses if isinstance(clause, AnyOf) for value in clause.values}
    few = flag or len(every) <= (NUMBERS if numeric else CLOSED)
    if few and all(isinstance(clause, AnyOf) for clause in clauses):
        ordered = sorted(every, reverse=flag) if numeric or flag else sorted(
            every, key=lambda value: (-every[value], str(value)))
        return Facet(*head, choices=tuple(
            FilterChoice(text_of(value), worded(field.name, value), counts.get(value, 0), chosen)
            for value in ordered
            if (chosen := (fold(value) if isinstance(value, str) else value) in ticked)
            or counts.get(value)
        ))
    if not numeric:
        return Facet(*head)
    numbers = [float(value) for value in every]
    ends = [shown(field.name, end(numbers)) if numbers else "" for end in (min, max)]
    return Facet(*head, ends=tuple(ends))


def _range_texts(field: FilterField, clauses: Sequence[Clause]) -> dict[str, str]:
    """What a range or a part of a text was asked for with, by key of the address.

    A range has no boxes: values become the range from the least to the greatest of them.
    """
    texts: dict[str, str] = {}
    for clause in clauses:
        if not isinstance(clause, AnyOf):
            texts |= pairs_of(as_filters([clause]))
        elif field.kind is FieldKind.NUMBER:
            numbers = [float(value) for value in clause.values]
            ends = {"min": min(numbers), "max": max(numbers)}
            texts = dict(pairs_of({field.name: ends})) | texts
        else:
            texts.setdefault(f"{field.name}_contains", str(clause.values[0]))
    return texts


def worded(name: str, value: Any) -> str:
    """A field's value as people write it."""
    return "cantrip" if name == "level" and value == 0 else shown(name, value)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its field, what stands above it and in full, and what a click on it asks for.

    ``order`` is ``ascending`` or ``descending`` where the list is sorted by it.
    """

    field: str
    title: str
    full: str
    sort: str
    order: str
    number: bool


def columns_of(type_: EntityType | None, order: str) -> tuple[Column, ...]:
    """The columns of a type's list in an order, the name first; that of the order is turned."""
    if type_ is None:
        return ()
    kinds = {filter_field.name: filter_field.kind for filter_field in fields_of(type_)}
    named = field_of(order.removeprefix("-"), type_)
    order = f"-{named}" if order.startswith("-") else named
    columns = []
    for name in ("name", *DESCRIPTIONS[type_].columns.split()):
        by = SORTED_BY.get(name, name)
        sorts = {by: "ascending", f"-{by}": "descending"}.get(order, "")
        columns.append(Column(
            name, SHORT.get(name) or label(name), label(name),
            f"-{by}" if sorts == "ascending" else by, sorts, kinds[name] is FieldKind.NUMBER,
        ))
    return tuple(columns)


def cells_of(entity: Result, columns: Iterable[Column]) -> tuple[str, ...]:
    """What an entity has in each column but that of its name; '' for nothing and for no."""
    return tuple(
        "" if (value := entity.get(column.field)) is False else worded(column.field, value)
        for column in columns if column.field != "name"
    )
