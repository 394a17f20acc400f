"""Names: whether a query is the name of an entity, exactly or misspelt, or has one in it.

Words are compared as :mod:`~..text.names` does. Of a query that names nothing, the name with
the fewest differing letters is held against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..text.languages import ASKING, STOPWORDS
from ..text.names import fold, name_spans, names_of, singular
from ..text.names import words as words_of
from ..text.spelling import VARIATIONS
from ..text.typos import misspelt_names

EXACT: Final = 1.0
PLURAL: Final = 0.98
MISSPELT: Final = 0.97
WITHIN: Final = 0.9
"""What a name is worth that stands in a query, by the root of its part of the telling words."""
LETTER: Final = 0.03
"""What each letter more costs by which a name differs."""
FUZZY_WORDS: Final = 6
SEVERAL: Final = 4
"""Up to so many words, all of them known, may be a misspelt name; of one word never."""
FUZZY_NAMES: Final = 20_000
"""Of more names than this, only misspelt words are mended, not whole names."""
STOPPED: Final = STOPWORDS | {singular(word) for word in STOPWORDS}
"""Stop words as names have them, in the singular."""
IDLE: Final = ASKING | frozenset(map(singular, """
    all cost costs weigh weighs worth deal deals that with which requires require requiring uses
    use using has have spell monster creature something anything things stuff item items one ones
""".split()))  # noqa: SIM905
"""Words beside a name that ask for it or for a field of it, in the singular."""
Span = tuple[int, int]


class NameIndex:
    """All names by group; ``spans`` has each group's first number and the one after its last."""

    def __init__(self, names: Sequence[str], spans: Mapping[str, Span]) -> None:
        self._by_key: dict[tuple[str, str], list[int]] = {}
        self._spelt: dict[str, list[int]] = {}
        self._fuzzy: dict[str, tuple[list[str], list[int]]] = {}
        for group, (start, end) in spans.items():
            keys, numbers = self._fuzzy.setdefault(group, ([], []))
            for number in range(start, end):
                forms = names_of(names[number])
                for key in {key for form in forms for key in _keys(form)}:
                    self._by_key.setdefault((group, key), []).append(number)
                self._spelt.setdefault(fold(names[number]), []).append(number)
                if end - start <= FUZZY_NAMES:
                    keys += map(" ".join, forms)
                    numbers += [number] * len(forms)
        self._titles = {key for _, key in self._by_key}
        self._words = {word for key in self._titles for word in key.split(" ")}
        self._longest = max((key.count(" ") + 1 for key in self._titles), default=0)

    def words(self) -> Iterable[str]:
        """Every word of a name once."""
        return self._words

    def named_in(self, words: Sequence[str], groups: Sequence[str]) -> list[tuple[int, int]]:
        """Where names of the groups stand in ``words``, the longest first at each place."""
        def known(key: str) -> bool:
            return key in self._titles and any((group, key) in self._by_key for group in groups)

        return name_spans(words, known, self._longest)

    def matches(self, words: Sequence[str], group: str, *, unknown: bool, text: str = "",
                ) -> dict[int, float]:
        """How far names of the group meet a query, in [0, 1] by number: 1 for the name itself.

        ``unknown`` says that a word of the query is one that no text here has. ``text`` is the
        folded query: of names with the same words in the singular, the one spelt so is the name.
        """
        if not words:
            return {}  # though a name may have none: "???"
        key, by_key = " ".join(words), self._by_key
        keys = (*_keys(words), " ".join(words_of(VARIATIONS.get(text, ""))))
        exact = set(next(filter(None, (by_key.get((group, key)) for key in keys)), ()))
        # "Poisons" is that rule before it is the plural of another's name.
        spelt = exact.intersection(self._spelt.get(text, ())) if len(exact) > 1 else exact
        shares = {number: EXACT if number in (spelt or exact) else PLURAL for number in exact}
        several = 1 < len(words) <= SEVERAL
        if not exact and (several or (unknown and len(words) <= FUZZY_WORDS)):
            self._add_fuzzy(key, group, shares)
        telling = sum(word not in STOPPED | IDLE for word in words)
        for start, end in self.named_in(words, (group,)):
            for number in by_key[group, " ".join(words[start:end])]:
                shares.setdefault(number, WITHIN * min((end - start) / max(telling, 1), 1.0) ** 0.5)
        return shares

    def _add_fuzzy(self, key: str, group: str, strengths: dict[int, float]) -> None:
        keys, numbers = self._fuzzy.get(group, ((), ()))
        for place, distance in misspelt_names(key, keys):
            number, score = numbers[place], MISSPELT - LETTER * (distance - 1)
            if number not in strengths or strengths[number] < score:
                strengths[number] = score


def _keys(words: Sequence[str]) -> tuple[str, str, str]:
    """The words as keys: as they stand, those that tell in any order, and without spaces."""
    telling = " ".join(sorted(word for word in words if word not in STOPPED))
    return " ".join(words), telling or " ".join(words), "".join(words)
