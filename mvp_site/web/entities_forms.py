"""What a query string asks of the entities: words, filters, a page; nothing is believed. Pure.

A field's name asks for a value, and again for another; ``level_min`` and ``level_max`` for a
range; ``duration_contains`` for a part of a text. Pages and the API read them alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from ..content.captions import condition
from ..content.notation import add, kinds_of, typed
from ..content.types import EntityType, fields_of
from ..content.wording import number
from ..entities.results import Results
from ..errors import FilterError
from ..operations.entities import MAX_QUERY
from ..retrieval.filters import Condition, Field, as_filters, parse_filters
from ..strict_json import JsonError, check
from .forms import whole_number

PAGE: Final = 20
MOST_PAGES: Final = 100
OWN: Final = frozenset({"q", "page", "like"})
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

    query: str = ""
    pairs: Pairs = ()
    filters: Mapping[str, Any] = field(default_factory=dict)
    condition: Condition = ()
    page: int = 1
    like: str = ""
    error: str = ""

    @property
    def offset(self) -> int:
        """How many results stand on the pages before."""
        return (self.page - 1) * PAGE


def read_form(args: MultiDict[str, str], type_: EntityType | None) -> BrowseForm:
    """The search in ``args``; of all types, where ``type_`` is None, it has no filters."""
    query = args.get("q", "").strip()
    page = _page(args.get("page", ""))
    try:
        check(query, "the search")
    except JsonError as error:
        return refused("", str(error))
    if len(query) > MAX_QUERY:
        size = f"the search has {len(query)} characters"
        return refused("", f"{size}; it must have at most {MAX_QUERY}")
    if type_ is None:
        return BrowseForm(query, page=page)
    pairs = tuple(
        (key, value.strip()) for key, value in args.items(multi=True)
        if key not in OWN and value.strip()
    )
    try:
        filters = read_pairs(pairs, fields_of(type_))
        parsed = parse_filters(filters, fields_of(type_), type_)
    except FilterError as error:
        return refused(query, str(error))
    return BrowseForm(query, pairs, filters, parsed, page, args.get("like", "").strip())


def refused(query: str, problem: str) -> BrowseForm:
    """A form that says why nothing is searched."""
    return BrowseForm(query, error=f"{problem[:1].upper()}{problem[1:]}.")


def read_pairs(pairs: Iterable[tuple[str, str]], fields: Sequence[Field]) -> dict[str, Any]:
    """The filters of a query string's pairs, each value typed as its field is.

    Raises:
        FilterError: a field is given a part of a text, and something else.
    """
    kinds = kinds_of(fields)
    found: dict[str, Any] = {}
    for key, text in pairs:
        stem = key.removesuffix(_CONTAINS)
        if stem != key and key not in kinds:
            add(found, stem, {"contains": text})
        else:
            add(found, key, typed(text, kinds.get(key)))
    return found


def pairs_of(filters: Mapping[str, Any]) -> Pairs:
    """``filters`` as pairs of a query string: what :func:`read_pairs` reads."""
    found: list[tuple[str, str]] = []
    for key, wanted in filters.items():
        if isinstance(wanted, Mapping):
            found += [(f"{key}_{end}", text_of(value)) for end, value in wanted.items()]
        else:
            several = wanted if isinstance(wanted, list | tuple) else [wanted]
            found += [(key, text_of(value)) for value in several]
    return tuple(found)


def without(pairs: Pairs, name: str, fields: Sequence[Field]) -> Pairs:
    """``pairs`` but for those of the field ``name``, under any of its names."""
    return tuple((key, value) for key, value in pairs if field_of(key, fields) != name)


def field_of(key: str, fields: Sequence[Field]) -> str:
    """The name of the field that a key of a query string is about; '' for none."""
    names = {name: one.name for one in fields for name in (one.name, *one.also)}
    if key in names:
        return names[key]
    stems = (key.removesuffix(end) for end in ("_min", "_max", _CONTAINS))
    return next((names[stem] for stem in stems if stem in names), "")


def text_of(value: Any) -> str:
    """A value as a query string has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, int | float) else str(value)


def _page(text: str) -> int:
    """A page from 1 on; what is none is the first."""
    try:
        return min(max(whole_number(text), 1), MOST_PAGES)
    except ValueError:
        return 1


def active_chips(type_: EntityType, form: BrowseForm) -> tuple[Chip, ...]:
    """The filters in force, each with the address that lets go of it."""
    fields = {one.name: one for one in fields_of(type_)}
    return tuple(
        # A value stands as it was written, where it is plain; else as it is compared.
        (condition(fields[name], name, folded if isinstance(folded, Mapping)
                   else form.filters.get(name, folded)),
         without(form.pairs, name, fields_of(type_)))
        for clause in form.condition for name, folded in as_filters([clause]).items()
    )


def stated_chips(type_: EntityType, form: BrowseForm, stated: Mapping[str, Any],
                 ) -> tuple[Chip, ...]:
    """What the words state and the filters do not, each with the address that applies it."""
    fields = fields_of(type_)
    by_name = {one.name: one for one in fields}
    return tuple(
        (condition(by_name[name], name, wanted),
         (*without(form.pairs, name, fields), *pairs_of({name: wanted})))
        for key, wanted in stated.items()
        if (name := field_of(key, fields))
        and not set(parse_filters({key: wanted}, fields, type_)) <= set(form.condition)
    )


def held_to(found: Results) -> tuple[str, ...]:
    """In words, what a search of several types was held to."""
    by_name = {one.name: one for type_ in EntityType for one in fields_of(type_)}
    return tuple(condition(by_name.get(name), name, wanted)
                 for name, wanted in found.stated.items() if found.bound)
