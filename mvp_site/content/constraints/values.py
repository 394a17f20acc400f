"""Values that are said of entities: their forms in speech, and what finds them.

Those that have more and less may have a bound: "Large or bigger", "no rarer than uncommon".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...retrieval.filters import AnyOf
from .quantities import StatedQuantity, bounds, reader_of, signs_of
from .words import Speech, ValueMeaning, Way

_OF_DAMAGE: Final = frozenset({"damage_type", "resistances", "immunities", "vulnerabilities"})
_DOES: Final = "wants?|needs?|is|has|would"
_NAMED_ONCE: Final = {1: ("one", "an", "a"), 2: ("two",), 6: ("six",), 7: ("seven",),
                      8: ("eight",), 10: ("ten",), 12: ("twelve",), 24: ("twenty four",)}
_COUNTED: Final = re.compile(r"(\d+) (\D+)")
_ONE_DIE: Final = re.compile(r"1(d\d+)")
_GAP: Final = re.compile(r"[\s-]+")
_PART: Final = re.compile(r",|\b(?:or|and|up to)\b")
_ARTICLE: Final = re.compile(r"^(?:an?|the) ")
_BOUNDED: Final = re.compile(
    r"(?<!h)(?:(?P<led>[lmou])z?|(?P<b>b)z?)?n(?:(?P<to>(?(b)e|[ht]))n|(?P<up>U)|(?P<down>D))?(?!h)"
)


class StatedValue(NamedTuple):
    """Values of a field that are said, and where; ``alone`` without a noun before or behind."""

    field: str
    values: tuple[str, ...]
    start: int
    end: int
    alone: bool


class Values:
    """Finds the values of a type's fields as its :class:`.Speech` says them."""

    def __init__(self, speech: Speech, values: Mapping[str, Iterable[str]]) -> None:
        by_field = {field: tuple(values.get(field, ())) for field in speech.said}
        self._ways: dict[str, tuple[Way, re.Pattern[str], dict[str, tuple[str, ...]]]] = {}
        patterns = []
        for way in sorted(speech.ways, key=_bare):
            if by_form := _meant(way, by_field[way.field], speech.aliases):
                name, pattern = f"w{len(self._ways)}", alternatives(by_form)
                self._ways[name] = way, re.compile(rf"(?:{pattern})(?!\w)"), by_form
                patterns.append(f"(?P<{name}>{_pattern(way, pattern, name, by_field)})")
        self._pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(patterns) or '(?!)'})")

    def find(self, text: str) -> Iterator[StatedValue]:
        """The values in a folded text, in order."""
        for match in self._pattern.finditer(text):
            name = match.lastgroup or ""
            way, each, by_form = self._ways[name]
            spoken = each.findall(match[f"{name}v"])
            values = {value for phrase in spoken for value in by_form[_GAP.sub(" ", phrase)]}
            yield StatedValue(way.field, tuple(sorted(values)), *match.span(), _bare(way))


class Orders:
    """Finds bounds on the values of fields that are in an order, the least first."""

    def __init__(self, orders: Mapping[str, Sequence[str]]) -> None:
        self._orders = orders
        self._places = {field: {form: place for place, value in enumerate(order)
                                for form in (*forms(value), value)}
                        for field, order in orders.items()}
        self._readers = {
            field: reader_of({"n": rf"(?<!\w)(?:{alternatives(places)})(?!\w)"})
            for field, places in self._places.items()
        }

    def find(self, text: str) -> Iterator[StatedQuantity]:
        """The bounds in a folded text; two on one field bind together."""
        for field, order in self._orders.items():
            words, signs = signs_of(text, self._readers[field])
            hits: list[tuple[set[str], int, int]] = []
            for match in _BOUNDED.finditer(signs):
                places = [self._places[field][_GAP.sub(" ", words[at][0])]
                          for at in range(*match.span()) if signs[at] == "n"]
                if ends := bounds(match, places, 1):
                    low, high = (int(end) if end is not None else None for end in ends)
                    values = order[low : None if high is None else high + 1]
                    hits.append((set(values), words[match.start()].start(),
                                  words[match.end() - 1].end()))
            common = set.intersection(*(values for values, _, _ in hits)) if hits else set()
            if common:
                clause = AnyOf(field, tuple(sorted(common)))
                yield from (StatedQuantity(clause, start, end) for _, start, end in hits)


def forms(value: str) -> set[str]:
    """How a value of a field is said: singular or plural, a count in figures or in words."""
    if counted := _COUNTED.fullmatch(value):
        count, unit = int(counted[1]), counted[2]
        units = {unit, unit.removesuffix("s"), f"{unit.removesuffix('s')}s"}
        return {f"{number} {unit}" for number in (counted[1], *_NAMED_ONCE.get(count, ()))
                for unit in units}
    if die := _ONE_DIE.fullmatch(value):
        return {value, die[1]}
    *front, last = value.split() or [""]
    every = {value, *(" ".join((*front, plural)) for plural in _plurals(last))}
    if front:  # of one word the singular may be a thing, not its kind: a tool for digging
        every.update(" ".join((*front, singular)) for singular in _singulars(last))
        if front[1:2] == ["of"] or front[-1:] == ["of"]:
            every.update(" ".join((plural, *front[1:], last)) for plural in _plurals(front[0]))
    return every


def alternatives(forms_said: Iterable[str]) -> str:
    """The forms as alternatives, the longest first, by their first letters."""
    by_first: dict[str, list[str]] = {}
    for form in sorted(forms_said, key=len)[::-1]:
        by_first.setdefault(form[0], []).append(_escaped(form[1:]))
    return "|".join(f"{_escaped(first)}(?:{'|'.join(rests)})" for first, rests in by_first.items())


def _escaped(text: str) -> str:
    return re.escape(text).replace(r"\ ", r"[\s-]")


def _plurals(word: str) -> list[str]:
    if word.endswith(("s", "x", "ch", "sh")):
        return [f"{word}es"]
    if word.endswith("y"):
        return [f"{word}s", f"{word[:-1]}ies"]
    if word.endswith(("f", "fe")):
        return [f"{word}s", f"{word.rstrip('fe')}ves"]
    return [f"{word}s"]


def _singulars(word: str) -> list[str]:
    if word.endswith("ci"):
        return [f"{word[:-1]}us"]
    return [word[:-1]] if word.endswith("s") and not word.endswith("ss") else []


def _bare(way: Way) -> bool:
    """Whether nothing has to stand around, so that any other way is tried first."""
    return not (way.before or way.behind)


def _meant(way: Way, texts: Sequence[str], aliases: Mapping[str, str],
           ) -> dict[str, tuple[str, ...]]:
    by_value: dict[str, tuple[str, ...]] = {}
    for value in texts:
        match way.meaning:
            case ValueMeaning.ITSELF:
                by_value[value] = (value,)
            case ValueMeaning.LISTED:
                by_value[value] = tuple(stored for stored in texts if value in stored.split(", "))
            case ValueMeaning.PART:
                for part in _PART.split(value):
                    form_text = _ARTICLE.sub("", part.strip())
                    by_value[form_text] = (*by_value.get(form_text, ()), value)
            case ValueMeaning.WORD:
                for word in way.only:
                    if re.search(rf"(?<!non )\b{word}\b", value) and "(" not in value:
                        by_value[word] = (*by_value.get(word, ()), value)
    by_form: dict[str, tuple[str, ...]] = {}
    for value, values in by_value.items():
        if values and 2 < len(value) <= 40 and value not in way.never:
            by_form.setdefault(value, values)
            ways = {value} if way.meaning is ValueMeaning.WORD else forms(value)
            ways.update(form for alias, of in aliases.items() if of == value
                        for form in forms(alias))
            for form in ways:
                by_form.setdefault(form, values)
    return by_form


def _pattern(way: Way, phrase: str, name: str, texts: Mapping[str, Sequence[str]]) -> str:
    each = rf"(?:{phrase})(?!\w)"
    further = rf"(?:\s*,|\s+or|\s+and)+\s+(?:(?:an?|the|any)\s+)?{each}"
    several = rf"(?P<{name}v>{each}(?:{further}){{0,11}})"
    before, behind = way.before, way.behind
    if "{type}" in behind:
        types = alternatives(form for value in texts.get("type", ()) for form in forms(value))
        behind = behind.replace("{type}", types or "(?!)")
    if not behind:
        who = "" if way.field in {"type", "subtype", "size", "alignment"} else "|who"
        damage = r"(?:\s+damage)?" * (way.field in _OF_DAMAGE)
        behind = rf"{damage}(?!\s+(?:{_DOES}{who})\b)"
    return rf"{before}{several}{behind}(?!\w)"
