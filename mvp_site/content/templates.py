"""Templates of ``entity_types.toml``: what an entity is, in words, from its fields. Pure.

A template is literal text, braces and groups. A part is left out where a brace has nothing or its
question is answered no, and where a group in ``<…>`` has no part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard

from ..retrieval.filters import fold
from ..text.normalising import clean
from .captions import flat, shown
from .types import WORDS
from .wording import counted, enumerated, natural, number, ordinal

_TOKEN: Final = re.compile(
    r"\{(?P<sign>[?!]?)(?P<key>\w+)(?:~(?P<has>\w+))?(?::(?P<forms>[\w.]+))?\}"
    r"|(?P<open>[\[<])|(?P<close>[\]>])|(?P<bar>\|)|(?P<text>[^{}\[\]<>|]+)"
)
_ARTICLE: Final = re.compile("a~(?=(.?))")
_JOINS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    ",": ", ".join, ";": "; ".join, " ": " ".join, "&": enumerated,
}
_TIERS: Final = (
    (0.5, "a weak foe for beginners"), (4, "a foe for low levels"),
    (10, "a dangerous foe for middle levels"), (16, "a powerful foe for high levels"),
)
_EPIC: Final = "a deadly, epic foe for the highest levels"
_SORTS: Final = ("crossbow", "bow", "sword", "axe", "hammer", "club", "staff")
"""What the names of weapons end in, nearest first."""
_MOST: Final = 1e15


class _Brace(NamedTuple):
    sign: str
    key: str
    has: str
    forms: Sequence[str]


class _Alternatives(NamedTuple):
    required: bool
    join: Callable[[Sequence[str]], str]
    parts: Sequence[_Part]


_Part: TypeAlias = Sequence[str | _Brace | _Alternatives]


def render(template: str, document: Mapping[str, Any]) -> str:
    """What ``template`` says of ``document``; '' where that lacks what is asked."""
    text = _worded(_parsed(template), document) or ""
    return _ARTICLE.sub(lambda match: "an " if match[1].casefold() in "aeiou8" else "a ", text)


@cache
def keys_of(templates: tuple[str, ...]) -> frozenset[str]:
    """The keys of documents that ``templates`` ask for."""
    return frozenset(match["key"] for template in templates
                     for match in _TOKEN.finditer(template) if match["key"])


def texts(key: str, value: Any) -> list[str]:
    """What a value says, each text once: its entries or their names, or itself in one line."""
    several = value if isinstance(value, list | tuple) else [flat(key, value)]
    names = (entry.get("name") if isinstance(entry, Mapping) else entry for entry in several)
    return list(filter(None, dict.fromkeys(clean(shown(key, name)) for name in names)))


def is_number(value: Any) -> TypeGuard[float]:
    """Whether it is a number that can be told; NaN is between no bounds."""
    return (isinstance(value, int | float) and not isinstance(value, bool)
            and -_MOST < value < _MOST)


@cache
def _parsed(template: str) -> _Part:
    return _parts(_TOKEN.finditer(template))[0]


def _parts(tokens: Iterator[re.Match[str]]) -> list[_Part]:
    """The parts up to the end of a group, or of all."""
    parts: list[list[str | _Brace | _Alternatives]] = [[]]
    for token in tokens:
        if token["close"]:
            break
        if token["bar"]:
            parts.append([])
        elif token["key"]:
            forms = token["forms"].split(".") if token["forms"] else ()
            parts[-1].append(_Brace(token["sign"], token["key"], token["has"], forms))
        elif token["open"]:
            first, *others = _parts(tokens)
            join = _JOINS.get(str(first[0])) if len(first) == 1 else None
            parts[-1].append(_Alternatives(
                token["open"] == "<", join or (lambda several: several[0]),
                others if join else [first, *others],
            ))
        else:
            parts[-1].append(token["text"])
    return [*parts]


def _worded(part: _Part, document: Mapping[str, Any]) -> str | None:
    """The text of a part; None where it is left out."""
    words = ""
    for node in part:
        match node:
            case str():
                text: str | None = node
            case _Brace():
                text = _value(node, document)
            case _Alternatives(required, join, parts):
                several = [worded for each in parts
                           if (worded := _worded(each, document)) is not None]
                text = join(several) if several else None if required else ""
        if text is None:
            return None
        words += text
    return words


def _value(brace: _Brace, document: Mapping[str, Any]) -> str | None:
    """The value in its form, '' for a question that is answered yes."""
    value = document.get(brace.key)
    text = _formed(brace, value) if brace.forms or not brace.sign else ""
    if not brace.sign:
        return text or None
    answer = bool(text) if brace.forms else bool(value)
    if brace.has:
        answer = any(brace.has in fold(each) for each in texts(brace.key, value))
    return "" if answer == (brace.sign == "?") else None


def _formed(brace: _Brace, value: Any) -> str:
    forms = brace.forms
    if forms and (whole := _WHOLE.get(forms[0])):
        several, forms = [clean(text) for text in whole(value)], forms[1:]
    else:
        several = texts(brace.key, value)
    for form in forms:
        if form in {"and", "or"}:
            several = [enumerated(several, form)]
        else:
            several = [_EACH[form](text) for text in several if text]
    return ", ".join(filter(None, several))


def _bonuses(value: Any) -> list[str]:
    """``Dexterity +6`` of a mapping; another value as it is."""
    if isinstance(value, Mapping) and all(type(bonus) is int for bonus in value.values()):
        return [f"{name} {bonus:+d}" for name, bonus in value.items()]
    return [flat("", value)]


def _counted(value: Any) -> list[str]:
    return [counted(str(entry.get("name", "")), entry.get("quantity", 1))
            if isinstance(entry, Mapping) else str(entry)
            for entry in (value if isinstance(value, list | tuple) else ())]


def _spells(value: Any) -> list[str]:
    """The names of spells, listed or by the level that gives them, without what limits them."""
    if isinstance(value, Mapping):
        value = [spell for several in value.values() if isinstance(several, list)
                 for spell in several]
    return list(dict.fromkeys(text.partition(" (")[0] for text in texts("", value)))


def _options(value: Any) -> list[str]:
    names = texts("", value.get("from")) if isinstance(value, Mapping) else []
    # "Fighting Style: Defense" is "Defense" among its like.
    listed = ", ".join(name.rpartition(": ")[2] for name in names)
    return [f"choose {value.get('choose', 1)} of {listed}"] if listed else []


def _several(value: Any) -> list[str]:
    count = value if is_number(value) else len(value) if isinstance(value, Mapping) else 0
    return ["several"] * (count > 1)


def _steps(value: Any) -> list[str]:
    steps = value.values() if isinstance(value, Mapping) else ()
    return [step for step in steps if isinstance(step, str)]


def _magic(kind: str) -> str:
    """``wondrous magic item``, ``magic ring``."""
    head, space, last = kind.rpartition(" ")
    return kind if "magic" in kind else f"{head}{space}magic {last}"


def _sort(name: str) -> str:
    """The word that a compound name hides: a light crossbow is a kind of crossbow."""
    last = name.casefold().rpartition(" ")[2]
    sort = next((sort for sort in _SORTS if last.endswith(sort)), "")
    return sort if sort != last else ""


_OF_NUMBERS: Final[Mapping[str, Callable[[float], str]]] = {
    "number": number, "ordinal": lambda value: ordinal(int(value)),
    "tier": lambda value: next((tier for most, tier in _TIERS if value <= most), _EPIC),
    "outstanding": lambda value: "so" * (value >= 18),
    "cantrip": lambda value: "cantrip" * (value == 0),
}
_WHOLE: Final[Mapping[str, Callable[[Any], list[str]]]] = {
    **{form: lambda value, form=form: (  # type: ignore[misc]
        [_OF_NUMBERS[form](value)] if is_number(value) else []) for form in _OF_NUMBERS},
    "keys": lambda value: [*map(str, value)] if isinstance(value, Mapping) else texts("", value),
    "several": _several, "bonuses": _bonuses, "counted": _counted, "given": _spells,
    "options": _options, "flat": lambda value: [flat("", value)],
    "first": lambda value: _steps(value)[:1],
}
"""Forms of a value as it is; they come first."""
_EACH: Final[Mapping[str, Callable[[str], str]]] = {
    **{form: lambda text, words=words: words.get(text.lower(), "")  # type: ignore[misc]
       for form, words in WORDS.items()},
    "component": lambda text: WORDS["component"].get(text.lower(), text),
    "suffered": lambda text: WORDS["suffered"].get(text, text),
    "lower": str.lower, "cap": str.capitalize, "plural": "{}s".format,
    "bare": lambda text: text.rstrip("."), "inner": lambda text: text[:1].lower() + text[1:],
    "spaced": lambda text: " ".join(text.replace("+", " + ").replace("-", " - ").split()),
    "turned": lambda name: natural(name) if natural(name) != name else "",
    "damage": lambda text: text if "from" in text else f"{text} damage",
    "sort": _sort, "magic": _magic,
}
"""Forms of each text."""
