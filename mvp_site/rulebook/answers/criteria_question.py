"""The words of one question, held against a book: which of its fields and values they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..reading.fact_types import DAMAGE_TYPE
from ..reading.values import RANKS, Key, dimension
from ..reading.vocabulary import KIND, MAX_PHRASE, TRAIT, Vocabulary
from .criteria import Criterion
from .criteria_words import (
    CONTEXTS,
    DAMAGE,
    FIELD_WORDS,
    LENGTHS,
    LINKS,
    SYNONYMS,
    TIMES,
    UNIT_FIELDS,
    Token,
    amount,
)

RARELY: Final = 0.1
_TELLING: Final = frozenset(
    {"type", "school", "size", "rarity", "classes", "properties", "alignment", DAMAGE_TYPE}
)
"""Fields that say what a thing is: "giants" are meant, not who speaks Giant."""
_LONGEST_FIELD: Final = 3
_PIECES: Final = frozenset({"piece", "pieces"})
_NOTHING: Final = Token("", "")


@dataclass(frozen=True, slots=True)
class Found:
    """Criteria that were read from ``length`` tokens.

    ``negated``: the words among them say that it is not wanted. ``continues``: they take the place
    of the criterion right before ("fly" and then "speed of 60 feet").
    """

    criteria: tuple[Criterion, ...]
    length: int
    negated: bool = False
    continues: bool = False


class Question:
    """The tokens of one text; ``of_kinds`` are the facts of the kinds of things it asks for.

    ``joined`` is the field of the value that "and", "or" or a comma joins the next one to.
    """

    __slots__ = ("_fields", "joined", "of_kinds", "tokens", "vocabulary")

    def __init__(
        self, tokens: Sequence[Token], vocabulary: Vocabulary, of_kinds: frozenset[int]
    ) -> None:
        self.tokens = tokens
        self.vocabulary = vocabulary
        self.of_kinds = of_kinds
        self.joined = ""
        self._fields: dict[int, tuple[str | None, int]] = {}

    def token(self, at: int) -> Token:
        """The token at ``at``, an empty one behind the last."""
        return self.tokens[at] if 0 <= at < len(self.tokens) else _NOTHING

    def text(self, at: int) -> str:
        """The text of the token at ``at``, '' behind the last."""
        return self.token(at).text

    def phrase(self, at: int, length: int) -> str:
        """The text of ``length`` tokens."""
        return " ".join(token.text for token in self.tokens[at : at + length])

    def longest(self, at: int, most: int = MAX_PHRASE) -> range:
        """The lengths of phrases that can start at ``at``, the longest first."""
        return range(min(most, len(self.tokens) - at), 0, -1)

    def after_links(self, at: int) -> int:
        """Where the first token from ``at`` on stands that does not only link."""
        while self.text(at) in LINKS:
            at += 1
        return at

    def field_at(self, at: int) -> tuple[str | None, int]:
        """The field that is named at ``at``, and by how many tokens."""
        if at not in self._fields:
            self._fields[at] = self._field_at(at)
        return self._fields[at]

    def unit_at(self, at: int) -> tuple[str, int]:
        """The unit at ``at``, and how many tokens it takes; '' and 0 for none."""
        text = self.text(at)
        if dimension(text) or text in LENGTHS or text in TIMES:
            return text, 1 + (self.text(at + 1) in _PIECES)
        return "", 0

    def value_of(self, field: str, at: int) -> tuple[Criterion | None, int]:
        """The longest value of ``field`` at ``at``, and how many tokens it takes."""
        for length in self.longest(at):
            # "1 bonus action": a number in front is part of how the value is written
            start = at + (length > 1 and amount(self.tokens[at]) is not None)
            key = self._key(start, at + length - start)
            if key and field in self.vocabulary.by_value.get(key, {}):
                said = self.phrase(start, at + length - start)
                return Criterion(field, "is", (said,), ""), length
        token = self.token(at)
        held = self.vocabulary.by_word.get(token.word, {})
        if token.key and not token.is_filler and field in held:
            return Criterion(field, "mentions", (token.text,), ""), 1
        return None, 0

    def value_at(
        self, at: int, fields: Iterable[str] | None = None
    ) -> tuple[Criterion | None, int]:
        """The longest value at ``at`` in whatever field has it, or in one of ``fields``."""
        for length in self.longest(at):
            found = self._value(at, length, fields)
            if found:
                return found, length
        return None, 0

    def _value(self, at: int, length: int, fields: Iterable[str] | None) -> Criterion | None:
        key = self._key(at, length)
        if not key or (length == 1 and self._is_no_value(at)):
            return None
        text = self.phrase(at, length)
        best = self._best(self.vocabulary.by_value.get(key, {}), fields, at + length)
        if best:
            return Criterion(best, "is", (text,), "")
        best, value = self._written_otherwise(text)
        if best:
            return Criterion(best, "is", (value,), "")
        held = self.vocabulary.by_word.get(self.tokens[at].word, {}) if length == 1 else {}
        best = self._best(held, fields, at + length)
        if best is None or best == self.field_at(at)[0]:
            return None
        return Criterion(best, "mentions", (text,), "")

    def _is_no_value(self, at: int) -> bool:
        token = self.tokens[at]
        return token.is_filler or amount(token) is not None or self.unit_at(at)[1] > 0

    def _written_otherwise(self, text: str) -> tuple[str | None, str]:
        """The field and value of words for which books have a letter, or that only compare."""
        field, value = SYNONYMS.get(text, (None, text))
        if field is None:
            field = next((name for name, ranks in RANKS.items() if text in ranks), None)
        return (field, value) if field in self.vocabulary.by_field else (None, "")

    def _best(
        self, held: Mapping[str, Sequence[int]], fields: Iterable[str] | None, behind: int
    ) -> str | None:
        """Of the fields that have a value, the one that is meant; None where no one can be.

        The field that the next words name comes first, then the one of the value that this one
        is joined to ("fire and poison"), then one that says what a thing is, then
        the one in which most things of the kinds asked for have the value, and a trait last.
        """
        allowed = None if fields is None else frozenset(fields)
        named, _ = self.field_at(behind)
        near = CONTEXTS.get(self.token(behind).key, ())
        ranked = sorted(
            (field == TRAIT, field != named and field not in near, field != self.joined,
             field not in _TELLING, -self._fitting(numbers), -len(numbers), field)
            for field, numbers in held.items()
            if field != KIND and (self._fits(numbers) if allowed is None else field in allowed)
        )
        best = ranked[0][-1] if ranked else None
        return DAMAGE_TYPE if best == "damage" and DAMAGE_TYPE in held else best

    def _fitting(self, numbers: Sequence[int]) -> int:
        return sum(number in self.of_kinds for number in numbers)

    def _fits(self, numbers: Sequence[int]) -> bool:
        """Whether things of the kinds asked for have a value, and not only by the way."""
        return not self.of_kinds or self._fitting(numbers) > RARELY * len(numbers)

    def _field_at(self, at: int) -> tuple[str | None, int]:
        for length in self.longest(at, _LONGEST_FIELD):
            part = self.tokens[at : at + length]
            if any(token.is_sign for token in part):
                continue
            text = self.phrase(at, length)
            field = FIELD_WORDS.get(text) or UNIT_FIELDS.get(text)
            field = field or self.vocabulary.field_of(tuple(token.key for token in part), text)
            if field:
                return field, length
        return None, 0

    def _key(self, at: int, length: int) -> Key:
        part = self.tokens[at : at + length]
        return tuple(token.key for token in part) if all(token.key for token in part) else ()

    def damage_behind(self, at: int) -> int:
        """1 where the word "damage" follows, which only says what sort of value stood before."""
        return int(self.token(at).key == DAMAGE)
