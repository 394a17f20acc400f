"""Keys and values by which people keep a text from players, besides ``audience``. Pure.

There is one table, for archives, notes, books and users' entities. A key counts only where all its
words stand in the table: ``secret_door`` hides nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from .shipped_tables import shipped_tables

Sense = Literal["hidden", "unclear", ""]

_TABLES: Final[dict[str, dict[str, str]]] = shipped_tables(__package__, "hiding_keys.toml")
_ABOUT: Final = {kind: words.split() for kind, words in _TABLES["words"].items()}
"""What the words of a key or a value are about; some are about several things."""
_KINDS: Final = {
    word: {kind for kind, words in _ABOUT.items() if word in words}
    for several in _ABOUT.values() for word in several
} | {f"un{word}": {"not", "shown"} for word in _ABOUT["shown"]}
_TAGS: Final = frozenset(_TABLES["labels"]["tags"].split())
"""Several of these may stand in one text, parted by spaces."""
_LABELS: Final = _TAGS.union(_TABLES["labels"]["others"].split())
_VALUES: Final = frozenset({"value", "enabled", "is", "set"})
"""Below these alone stands the value of the key above."""
_FLAGS: Final = {
    word: flag == "true" for flag, words in _TABLES["flags"].items() for word in words.split()
}
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[^\W_]+")
_PARTS: Final = re.compile(r"[,;]")
_READ: Final = 400
_NAMES: Final = 3
"""Words under a key "gm" that may be a person's name."""
_LONGEST: Final = 30
"""Letters of words that are written as one."""
_LINE: Final = re.compile(r"[\s>*_+#%-]*(?:<!--\s*)?([^\W\d_][\w -]*?)[*_]*\s*[:=]+[*_]*\s*(.*)")
_ENDS: Final = " \t\"'[]*_%->"


def hiding(key: str, value: Any) -> Sense:
    """Whether a key with its value keeps a text from players; ``unclear`` where it may mean to."""
    if (label := compatible(key[:_READ]).strip()) in _LABELS:
        return _of_labels(label, value)
    kinds, value = _kinds(key), _single(value)
    if (flag := _flag(value)) is not None:
        return "hidden" if _flagged(kinds, flag) else ""
    if value == []:
        return "hidden" if kinds & {"player", "readers", "sight"} else ""
    if not kinds or value in (None, "") or isinstance(value, Mapping):
        return ""
    return _of_readers(kinds, value)


def _of_readers(kinds: frozenset[str], value: Any) -> Sense:
    """What a key says that names who may read, or what is kept."""
    readers = frozenset[str]().union(*map(_kinds, _items(value)))
    if (kinds & {"secret", "shown", "readers"} and _hides(readers)) or (
            "player" in kinds and "secret" in readers):
        return "hidden"
    if "secret" in kinds and "things" not in kinds:
        return "unclear"
    return "unclear" if "sight" in kinds and not readers & {"player", "all", "shown"} else ""


def hiding_keys(values: Mapping[str, Any]) -> Iterator[tuple[str, Sense]]:
    """The keys that hide a text or may mean to, as they are written, with what they say.

    What stands under a key of the table or one for data about the text counts as well.
    """
    for key, value in values.items():
        if sense := hiding(str(key), value):
            yield f"{key}: {value}"[:80], sense
        if isinstance(value, Mapping) and _kinds(str(key)):
            yield from ((f"{key}: {under}"[:80], sense) for under, sense in hiding_keys(value)
                        if sense == "hidden")


def of_the_master(key: str, value: Any) -> bool:
    """Whether a key is named as what the game master alone knows, and has something to say."""
    kinds = _kinds(key)
    if kinds == {"master"}:
        return isinstance(value, str) and len(value.split()) > _NAMES
    return bool(value and "things" in kinds and kinds & {"master", "teller", "secret"})


def withholds(key: str, *, any_word: bool = False) -> bool:
    """Whether a key is named as what players are not told, whatever stands below it.

    With ``any_word`` it is where one of its words speaks of secrets or of the game master.
    """
    kinds = _kinds(key)
    if "not" in kinds:
        return bool(kinds & {"player", "shown", "known"})
    if "secret" in kinds or ("master" in kinds and not kinds & {"player", "all", "shown"}):
        return True
    return any_word and any((_kinds_of(word) or set()) & {"secret", "master"}
                            for word in _WORD.findall(compatible(_HUMP.sub(" ", key[:_READ]))))


def shows(key: str, value: Any) -> bool:
    """Whether a key names what is for players: then what stands beside it may not be."""
    kinds = _kinds(key)
    return (bool(kinds & {"player", "all", "shown"}) and not kinds & {"secret", "not"}
            and _flag(value) is None)


def hiding_line(line: str) -> bool:
    """Whether a line of text reads as a key that plainly hides it."""
    match = _LINE.match(line[:_READ])
    return match is not None and hiding(match[1], match[2].strip(_ENDS)) == "hidden"


def compatible(text: str) -> str:
    """``text`` in compatibility forms, case folded, without characters that cannot be seen."""
    if text.isascii():
        return text.lower()
    unseen = {ord(char): None for char in set(text) if unicodedata.category(char) == "Cf"}
    return unicodedata.normalize("NFKC", text.translate(unseen) if unseen else text).casefold()


def _flagged(kinds: frozenset[str], flag: bool) -> bool:
    """Whether a key that is true or false hides."""
    if "not" in kinds:
        return flag and bool(kinds & {"player", "shown"})
    if "secret" in kinds:
        return flag
    if kinds & {"master", "role"}:
        return flag and ("only" in kinds or "shown" not in kinds)
    return not flag and "only" not in kinds and bool(kinds & {"player", "shown", "known"})


def _hides(kinds: frozenset[str]) -> bool:
    """Whether words keep from players."""
    if "not" in kinds:
        return bool(kinds & {"player", "shown"})
    return "secret" in kinds or bool(kinds & {"master", "role"} and not kinds & {"player", "all"})


def _of_labels(key: str, value: Any) -> Sense:
    """What tags say; of the game master's name alone it is unclear: prompts are often tagged so."""
    labels = list(_items(value))
    if isinstance(value, str) and key in _TAGS:
        labels += value.split()
    sense: Sense = ""
    for part in (part for label in labels for part in (label, *label.split("/"))):
        kinds = _kinds(part)
        if _hides(kinds) and kinds & {"secret", "not", "only", "things"}:
            return "hidden"
        if _hides(kinds) and "master" in kinds:
            sense = "unclear"
    return sense


@lru_cache(4096)
def _kinds(text: str) -> frozenset[str]:
    """What the words of a text are about; empty where one of them is not in the table."""
    words = _WORD.findall(compatible(_HUMP.sub(" ", text[:_READ])))
    kinds = [_kinds_of(word) for word in words]
    if kinds[1:] and None in kinds[:-1] and words[-1] in {"publish", "published"}:
        return frozenset({"shown"})  # of whose site, as in dg-publish, says nothing
    return frozenset() if None in kinds else frozenset[str]().union(*filter(None, kinds))


def _kinds_of(word: str) -> set[str] | None:
    """What a word is about, or words that are written as one; None for what is not in the table.

    Two short ones are no such word: a GMPC is a character.
    """
    if word in _KINDS or len(word) > _LONGEST:
        return _KINDS.get(word)
    for at in range(2, len(word) - 1):
        first, rest = _KINDS.get(word[:at]), word[at:]
        if first is not None and max(at, len(rest)) > 3 and (
                (more := _kinds_of(rest)) is not None):
            return first | more
    return None


def _single(value: Any) -> Any:
    """A value without the lists and mappings that hold it alone."""
    for _ in range(4):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        elif isinstance(value, Mapping) and len(value) == 1 and _VALUES.issuperset(
                compatible(str(key)) for key in value):
            value = next(iter(value.values()))
    return value


def _items(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        yield from (part for item in value for part in _items(item))
    elif isinstance(value, Mapping):
        yield from (part for item in value.values() for part in _items(item))
    else:
        yield from _PARTS.split(str(value)[:_READ])


def _flag(value: Any) -> bool | None:
    """Whether a value says yes or no; None where it says something else."""
    return None if value is None else _FLAGS.get(compatible(str(value)[:_READ]).strip())
