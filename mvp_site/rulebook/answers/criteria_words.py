"""The words that criteria are put in: how much, which way round, and what they say nothing with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...retrieval.names import fold, words
from ...retrieval.text import STOPWORDS, stem
from .criteria import Comparison

MAX_TOKENS: Final = 400
"""What stands behind so many words of a question is not read as criteria."""

_TOKEN: Final = re.compile(
    r"\d+/\d+|\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?|[<>]=|[<>=:;,+≤≥]|[^\W\d_]+(?:'[^\W\d_]+)*"
)
_SPAN: Final = re.compile(r"(\d(?:st|nd|rd|th)?)\s*-\s*(?=\d)")
_NUMERIC: Final = re.compile(r"\d.*")

_BEFORE: Final[dict[str, Comparison]] = {
    "at least": ">=", "minimum": ">=", "min": ">=", "no less than": ">=", "not less than": ">=",
    "no lower than": ">=", "from": ">=", ">=": ">=", "≥": ">=", "starting at": ">=",
    "at most": "<=", "up to": "<=", "maximum": "<=", "max": "<=", "no more than": "<=",
    "not more than": "<=", "no higher than": "<=", "<=": "<=", "≤": "<=", "within": "<=",
    "under": "<", "less than": "<", "below": "<", "lower than": "<", "fewer than": "<",
    "smaller than": "<", "<": "<", "cheaper than": "<", "lighter than": "<", "weaker than": "<",
    "over": ">", "more than": ">", "above": ">", "greater than": ">", "higher than": ">",
    "exceeding": ">", "larger than": ">", "bigger than": ">", ">": ">", "beyond": ">",
    "heavier than": ">", "stronger than": ">", "costlier than": ">",
    "exactly": "=", "equal to": "=", "equals": "=", "=": "=", "==": "=",
}
_BEHIND: Final[dict[str, Comparison]] = {
    **{f"{join} {word}": "<=" for join in ("or", "and")
       for word in ("lower", "less", "under", "below", "fewer", "cheaper", "smaller", "lighter",
                    "down", "worse")},
    **{f"{join} {word}": ">=" for join in ("or", "and")
       for word in ("higher", "more", "above", "greater", "better", "up", "over", "larger",
                    "bigger", "heavier", "beyond")},
    "+": ">=", "plus": ">=", "max": "<=", "maximum": "<=", "minimum": ">=", "min": ">=",
}
FIELD_WORDS: Final = {
    "worth": "cost", "priced": "cost", "costing": "cost", "costs": "cost", "cost": "cost",
    "weighing": "weight", "weighs": "weight", "weigh": "weight", "price": "cost",
    "cheaper": "cost", "costlier": "cost", "lighter": "weight", "heavier": "weight",
    "lasting": "duration", "lasts": "duration", "last": "duration",
    "levels": "level", "crs": "challenge rating", "rated": "challenge rating",
}
"""Words that name a field as a verb or by a comparison, and are no label of it."""
UNIT_FIELDS: Final = {"xp": "xp", "hp": "hit points", "ac": "armor class"}

_NUMBER_WORDS: Final = {
    word: str(value)
    for value, names in enumerate(
        ("zero", "one first", "two second", "three third", "four fourth", "five fifth",
         "six sixth", "seven seventh", "eight eighth", "nine ninth", "ten tenth")
    )
    for word in names.split()
} | {"half": "1/2", "quarter": "1/4", "eighth": "1/8"}
DAMAGE: Final = "damag"
"""The stem of the word that follows a type of damage."""
CONTEXTS: Final = {
    "immun": ("immunities", "damage immunities", "condition immunities"),
    "resist": ("resistances", "damage resistances"),
    "vulner": ("vulnerabilities", "damage vulnerabilities"),
    "speak": ("languages",), "languag": ("languages",), "know": ("languages",),
    "deal": ("damage type", "damage"), "inflict": ("damage type", "damage"),
    DAMAGE: ("damage type", "damage"), "do": ("damage type", "damage"),
}
"""Words, by their stem, that say in which fields the value beside them stands."""
SYNONYMS: Final = {
    "verbal": ("components", "v"), "somatic": ("components", "s"), "material": ("components", "m"),
}
"""Values that books write otherwise: field and value."""
NEGATIONS: Final = frozenset(
    {"no", "not", "without", "non", "lacking", "isn't", "aren't", "doesn't", "don't", "can't",
     "cannot", "never", "except", "excluding", "nor", "neither"}
)
HAVING: Final = frozenset({"with", "having", "has", "have", "that", "any", "some"})
LINKS: Final = frozenset(
    {"of", "is", "are", "to", "=", ":", "as", "the", "a", "an", "in", "by", "from", "against",
     "for", "be", "type", "school", "class"}
)
"""What may stand between a field and its value."""
TRUTHS: Final = frozenset({"yes", "no", "true", "false", "required"})
LENGTHS: Final = frozenset(
    {"feet", "foot", "ft", "mile", "miles", "yard", "yards", "meters", "metres", "m"}
)
TIMES: Final = frozenset(
    {"round", "rounds", "minute", "minutes", "hour", "hours", "day", "days"}
)
RANGE_JOINS: Final = frozenset({"to", "and", "through", "until"})
_FILLER: Final = STOPWORDS | frozenset(
    """find list show give get search need want like please available thing kind sort option use
    gives tag buy purchase called using every each able many number rating field value entry me
    there requires require required requiring needs needing costs cost make made usable castable
    cast take takes taking d&d dnd 5e srd game rulebook book
    """.split()  # noqa: SIM905 - a word list reads best as text
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign of a question; ``word`` is its singular, ``key`` its stem.

    Both are '' for a sign.
    """

    text: str
    key: str
    word: str = ""

    @property
    def is_sign(self) -> bool:
        """Whether it only separates or compares."""
        return not self.key

    @property
    def is_filler(self) -> bool:
        """Whether it says nothing by itself."""
        return self.is_sign or self.text in _FILLER


def tokens(text: str) -> list[Token]:
    """The tokens of ``text`` in order, at most :data:`MAX_TOKENS`."""
    found = []
    for match in _TOKEN.finditer(_SPAN.sub(r"\1 to ", fold(text))):
        word = next(iter(words(match[0])), "")
        found.append(Token(match[0], stem(word) if word else "", word))
        if len(found) == MAX_TOKENS:
            break
    return found


def amount(token: Token) -> str | None:
    """The number that ``token`` is, in digits: "third" is 3, "3rd" 3, "1/4" itself; else None."""
    if _NUMERIC.fullmatch(token.text):
        return token.text.rstrip("stndrh").rstrip(",")
    return _NUMBER_WORDS.get(token.text)


def comparison_before(found: Sequence[Token], at: int) -> tuple[Comparison | None, int]:
    """The comparison that stands at ``at`` in front of a number, and how many tokens it takes."""
    return _longest(_BEFORE, found, at)


def comparison_behind(found: Sequence[Token], at: int) -> tuple[Comparison | None, int]:
    """The comparison that follows a number, and how many tokens it takes."""
    return _longest(_BEHIND, found, at)


def _longest(
    table: dict[str, Comparison], found: Sequence[Token], at: int
) -> tuple[Comparison | None, int]:
    for length in (3, 2, 1):
        if at + length <= len(found):
            comparison = table.get(" ".join(token.text for token in found[at : at + length]))
            if comparison:
                return comparison, length
    return None, 0
