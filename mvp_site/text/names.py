"""How names are compared: folded text, and words without plural, possessive or accent.

Two spellings of one name have the same words: "Thieves' Tools" and "thieves tools", "two-weapon
fighting" and "Two Weapon Fighting", "goblins" and "Goblin". The words of a name stand in a text
only as whole words, so "rage" is not in "average". A singular is a rule of thumb; what matters is
that the name and the text go through the same one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from .languages import UNSPACED, UNSPACED_CHARACTER
from .normalising import clean

_SPELLINGS: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02b9\u02bc\u2032`\u00b4\uff07", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\uff02", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)
"""Quotes, dashes, and what is not seen: each as the one that a keyboard has."""
_SPACE: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_CHARACTER: Final = re.compile(
    rf"[{UNSPACED}]|(?:(?![{UNSPACED}])[^\W_])+(?:'[^\W_]+)*"
)
"""The same where some characters are written without spaces: each of them is a word."""
_ACCENTED: Final = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_NOTE: Final = re.compile(r" ?\([^()]*\)")
_INVERTED: Final = re.compile(r"([^,]+), ?([^,]+)")
_IRREGULAR: Final = {
    "axes": "axe", "calves": "calf", "children": "child", "dice": "die", "dwarves": "dwarf",
    "elves": "elf", "feet": "foot", "geese": "goose", "halves": "half", "hooves": "hoof",
    "knives": "knife", "leaves": "leaf", "lice": "louse", "lives": "life", "loaves": "loaf",
    "men": "man", "mice": "mouse", "oxen": "ox", "scarves": "scarf", "selves": "self",
    "shelves": "shelf", "staves": "staff", "teeth": "tooth", "thieves": "thief",
    "werewolves": "werewolf", "wives": "wife", "wolves": "wolf", "women": "woman",
}


def fold(text: str) -> str:
    """``text`` in NFKC and lower case, quotes and dashes plain, white space single."""
    if text.isascii() and "\x00" not in text:
        return " ".join(text.replace("`", "'").lower().split())
    text = unicodedata.normalize("NFKC", clean(text).translate(_SPELLINGS)).lower()
    text = unicodedata.normalize("NFKC", text).translate(_SPELLINGS)
    return _SPACE.sub(" ", text).strip()


def words(text: str) -> tuple[str, ...]:
    """The words of ``text`` as they are compared, in order: singular, no possessive, no accent."""
    text = _ACCENTED.sub(lambda match: unicodedata.normalize("NFD", match[0])[0], fold(text))
    pattern = _WORD if text.isascii() or not UNSPACED_CHARACTER.search(text) else _CHARACTER
    return tuple(_plain(word) for word in pattern.findall(text))


def distinct_words(texts: Iterable[str]) -> frozenset[str]:
    """The words of texts, as :func:`words` has them."""
    spaced: set[str] = set()
    for text in texts:
        spaced.update(text.split())
    return frozenset(words(" ".join(spaced)))


def word_spans(folded: str) -> list[tuple[str, int, int]]:
    """The words of a text that :func:`fold` gave, as :func:`words` has them, and where they are."""
    if folded.isascii():
        return [(_plain(match[0]), *match.span()) for match in _WORD.finditer(folded)]
    pattern = _CHARACTER if UNSPACED_CHARACTER.search(folded) else _WORD
    return [(words(match[0])[0], *match.span()) for match in pattern.finditer(folded)]


def names_of(title: str) -> tuple[tuple[str, ...], ...]:
    """The words of ``title``, and of the names that it stands for; at least one, none twice.

    All have words, unless the title has none.

    A title that is set for an alphabetical list ("Lantern, hooded", "Rope, hempen (50 feet)")
    stands for the name as people say it ("hooded lantern", "hempen rope").
    """
    title = fold(title)
    plain = _NOTE.sub("", title)
    forms = [title, plain] if plain != title else [title]
    if inverted := _INVERTED.fullmatch(plain.strip()):
        forms.append(f"{inverted[2]} {inverted[1]}")
    names = dict.fromkeys(tuple(without_article(words(name))) for name in forms)
    return tuple(filter(None, names)) or ((),)


def name_spans(tokens: Sequence[str], is_name: Callable[[str], bool], most: int,
               ) -> list[tuple[int, int]]:
    """Where names of up to ``most`` words stand in ``tokens``: the longest at each place.

    From the first word to behind the last; ``is_name`` says whether words with spaces are a name.
    """
    spans, at = [], 0
    while at < len(tokens):
        ends = range(min(at + most, len(tokens)), at, -1)
        end = next((end for end in ends if is_name(" ".join(tokens[at:end]))), 0)
        if end:
            spans.append((at, end))
        at = end or at + 1
    return spans


def title_key(title: str) -> str:
    """What is the same for all spellings of a title: its words, a leading article left out.

    '' for a title without a letter or digit.
    """
    return " ".join(without_article(words(title)))


def without_article(parts: Sequence[str]) -> Sequence[str]:
    """``parts`` without the articles they open with; the last word always stays."""
    start = 0
    while start < len(parts) - 1 and parts[start] in {"a", "an", "the"}:
        start += 1
    return parts[start:]


def stands_in(name: Sequence[str], text: Sequence[str]) -> bool:
    """Whether the words of ``name`` stand in those of ``text``, next to each other and in order."""
    if not name:
        return False
    if len(name) == 1:
        return name[0] in text
    first, length, target = name[0], len(name), tuple(name)
    return any(
        word == first and tuple(text[at : at + length]) == target
        for at, word in enumerate(text[: len(text) - length + 1])
    )


def singular(word: str) -> str:
    """The singular of a lower-case word; a word that only looks like a plural stays as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("oes") and len(word) > 5:
        return word[:-2]
    return word[:-1]


@lru_cache(1 << 15)
def _plain(word: str) -> str:
    if "'" in word:
        word = word.removesuffix("'s").replace("'", "")
    return singular(word)
