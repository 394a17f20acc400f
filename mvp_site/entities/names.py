"""Names: how far a query is the name of an entity, exactly, in part, or misspelt.

Words are compared as :mod:`~..retrieval.names` does, and weigh by how few names have them (idf).
A query and a name agree by the part of the query's weight that the name has and the part of the
name's that the query has. Words that nothing here knows come mended
(:meth:`~.query_parsing.Reader.mend`); of a query that still names nothing, the name with the fewest
differing letters is held against it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..content.types import EntityType
from ..retrieval.names import fold, names_of, singular
from ..retrieval.text import STOPWORDS
from ..typos import misspelt_names, respaced

EXACT: Final = 1.0
PLURAL: Final = 0.98
MISSPELT: Final = 0.97
PART: Final = 0.6
"""What a query that is nothing but a part of a name agrees with it at least."""
_ALL: Final = 1 - 1e-6
LETTER: Final = 0.03
"""What each letter more costs by which a name differs."""
COMMON: Final = 2_000
"""A word that more names of a group have is no part of a name that somebody says."""
FUZZY_WORDS: Final = 6
SEVERAL: Final = 4
"""Up to so many words, all of them known, may be a misspelt name; of one word never."""
FUZZY_NAMES: Final = 20_000
"""Of more names than this, only misspelt words are mended, not whole names."""
_ARTICLES: Final = frozenset({"a", "an", "the"})
_ASIDE: Final = frozenset({
    "what", "tell", "show", "find", "look", "search", "give", "need", "want", "explain", "describe",
    "list", "please", "lookup", "stat", "block", "info", "information", "detail", "rule", "work",
    "stand", "cost", "price", "weigh", "weight", "worth", "much", "many", "cast", "can", "use",
    "called", "named", "level", "slot",
})
"""Words around a name that somebody looks up."""
STOPPED: Final = STOPWORDS | {singular(word) for word in STOPWORDS}
"""Stop words as names have them, in the singular."""
Span = tuple[int, int]


class NameIndex:
    """All names; ``kinds`` are words that say what the things of a group are."""

    def __init__(self, names: Sequence[str], spans: Mapping[str, Span],
                 kinds: Mapping[EntityType, frozenset[str]]) -> None:
        self._kinds: dict[str, frozenset[str]] = {str(k): v for k, v in kinds.items()}
        self._by_key: dict[tuple[str, str], list[int]] = {}
        self._by_word: dict[tuple[str, str], list[int]] = {}
        self._spelt: dict[str, list[int]] = {}
        self._fuzzy: dict[str, tuple[list[str], list[int]]] = {}
        self._said = [names_of(name) for name in names]
        for group, (start, end) in spans.items():
            keys, numbers = self._fuzzy.setdefault(group, ([], []))
            for number in range(start, end):
                said = self._said[number]
                for key in {key for one in said for key in (" ".join(one), plain(one))}:
                    self._by_key.setdefault((group, key), []).append(number)
                for word in {word for one in said for word in one}:
                    self._by_word.setdefault((group, word), []).append(number)
                self._spelt.setdefault(fold(names[number]), []).append(number)
                if end - start <= FUZZY_NAMES:
                    keys += map(" ".join, said)
                    numbers += [number] * len(said)
        count = max(len(names), 1)
        having = Counter[str]()
        for (_, word), numbers in self._by_word.items():
            having[word] += len(numbers)
        self._idf = {word: math.log1p(count / many) for word, many in having.items()}
        self._unseen = math.log1p(count)
        self._weight = [sum(self._idf[word] for word in set(said[-1])) for said in self._said]
        self._titles = dict.fromkeys(key for _, key in self._by_key)
        self._respaced = respaced(self._titles)
        self._longest: dict[str, int] = {}
        """By the first word of names, how many words the longest of them has."""
        for key in self._titles:
            words = key.split(" ")
            self._longest[words[0]] = max(self._longest.get(words[0], 0), len(words))

    def words(self) -> Iterable[str]:
        """Every word of a name once."""
        return self._idf

    def titled(self, key: str) -> bool:
        """Whether the words of ``key`` are a name of any group."""
        return key in self._titles

    def named_in(self, words: Sequence[str], groups: Sequence[str]) -> list[tuple[int, int]]:
        """Where names of the groups stand in ``words``, the longest first at each place."""
        found: list[tuple[int, int]] = []
        at = 0
        while at < len(words):
            length = next(
                (n for n in range(min(self._longest.get(words[at], 0), len(words) - at), 0, -1)
                 if any((group, " ".join(words[at : at + n])) in self._by_key for group in groups)),
                0,
            )
            if length:
                found.append((at, at + length))
            at += max(length, 1)
        return found

    def matches(self, words: Sequence[str], group: str, *, unknown: bool, text: str = "",
                ) -> dict[int, float]:
        """How far names of the group meet a query, in [0, 1] by number: 1 for the name itself.

        ``unknown`` says that a word of the query is one that no text here has. ``text`` is the
        folded query: of names with the same words in the singular, the one spelt so is the name.
        """
        if not words:
            return {}  # though a name may have none: "???"
        key = " ".join(words)
        exact: set[int] = set()
        for title in (key, plain(words), self._respaced.get(key.replace(" ", ""))):
            exact = exact or set(self._by_key.get((group, title), ()) if title else ())
        asked, kinds = self._asked(words, group)
        weights = {word: self._idf.get(word, self._unseen) for word in (*asked, *kinds)}
        most = sum(weights[word] for word in asked) or 1.0
        shared: dict[int, float] = {}
        beside: dict[int, float] = {}  # what kinds of things are said, where a name says them too
        for word in (*asked, *kinds):
            numbers = self._by_word.get((group, word), [])
            if len(numbers) > COMMON:
                continue  # it tells next to nothing, and the words' lane knows it as well
            held = beside if word in kinds else shared
            for number in numbers:
                held[number] = held.get(number, 0.0) + weights[word]
        found: dict[int, float] = {}
        for number, weight in shared.items():
            said = weight + beside.get(number, 0.0)
            mine = min(said / (self._weight[number] or 1.0), 1.0)
            theirs = min(weight / most, 1.0)
            # A name of which somebody says a part and nothing else is likely to be meant.
            score = PART + (1 - PART) * mine if theirs > _ALL else theirs * mine
            found[number] = score
        # "Poisons" is that rule before it is the plural of another's name.
        spelt = exact.intersection(self._spelt.get(text, ())) if len(exact) > 1 else exact
        for number in exact:
            found[number] = EXACT if number in (spelt or exact) else PLURAL
        several = 1 < len(words) <= SEVERAL
        if not exact and (several or (unknown and len(words) <= FUZZY_WORDS)):
            self._add_fuzzy(key, group, found)
        return found

    def _add_fuzzy(self, key: str, group: str, found: dict[int, float]) -> None:
        """Names that the whole of ``key`` misspells."""
        keys, numbers = self._fuzzy.get(group, ((), ()))
        for place, distance in misspelt_names(key, keys):
            number, score = numbers[place], MISSPELT - LETTER * (distance - 1)
            if number not in found or found[number] < score:
                found[number] = score

    def _asked(self, words: Sequence[str], group: str) -> tuple[list[str], list[str]]:
        """The words of a query that may be of a name, each once, and those that say a kind."""
        aside = self._kinds.get(group, frozenset())
        telling = [
            word for word in dict.fromkeys(words) if word not in STOPPED and word not in _ASIDE
        ]
        asked = [word for word in telling if word not in aside]
        return (asked, [word for word in telling if word in aside]) if asked else (telling, [])


def plain(words: Sequence[str]) -> str:
    """The words of a name without its articles, as a key; as they are if nothing else is left."""
    return " ".join(word for word in words if word not in _ARTICLES) or " ".join(words)
