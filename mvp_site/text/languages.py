"""Languages: which one a text is in, what words it leaves out, and how it stems the others.

English has its own stop words. Those of other languages come from ``stop-words``, stems from
Snowball where it has the language. A word is looked up with and without its accents, as people
leave them out. Scripts that are written without spaces, or with endings that stick, have no stems:
their runs of characters are read in pairs (:mod:`~.normalising`).
"""

from __future__ import annotations

import math
import re
import threading
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import Stemmer

STOPWORDS: Final = frozenset(
    """a about above after again all also am an and any are as at be because been before being
    below between both but by can could did do does doing don down during each else few for from
    further get gets getting go goes going got had has have having he her here hers him his how i
    if im in into is it its ive just ll let lets like make makes me more most my myself no nor not
    now of off on once only onto or other our out over own please re s same shall she should so
    some such t than that the their them then there these they thing things this those through to
    too try tries trying under until up upon us use ve very want wants was way we well were what
    when where whether which while who whom whose why will with would yes yet you your
    """.split()  # noqa: SIM905 - a word list reads best as text
)
ASKING: Final = frozenset(
    """any available best book choice every find give good kind list look many much need option
    possible recommend search show sort suggest tell type want""".split()  # noqa: SIM905
)
"""What else stands in questions in English and says nothing of what is looked for."""
HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々"
HIRAGANA: Final = "\u3041-\u309f"
_UNSPACED: Final = {  # the languages of such scripts, by ISO 639-1 codes: names, characters
    "ja": ("Japanese", f"{HIRAGANA}\u30a0-\u30ff"), "ko": ("Korean", "\uac00-\ud7af"),
    "th": ("Thai", "\u0e01-\u0e5b"), "lo": ("Lao", "\u0e81-\u0edf"),
    "bo": ("Tibetan", "\u0f00-\u0fff"), "my": ("Burmese", "\u1000-\u109f"),
    "km": ("Khmer", "\u1780-\u17ff"), "zh": ("Chinese", HAN),
}
UNSPACED: Final = "".join(characters for _, characters in _UNSPACED.values())
"""The characters of scripts that are written without spaces, or with endings that stick."""
UNSPACED_CHARACTER: Final = re.compile(f"[{UNSPACED}]")
LEAST: Final = 0.1
"""The share of a text that are stop words of its language, and of a collection that is in one
of its languages."""
_SCRIPTS: Final = {code: re.compile(f"[{characters}]")
                   for code, (_, characters) in _UNSPACED.items()}
PAIRED: Final = frozenset(_SCRIPTS)
"""The languages that are read in pairs of characters."""
_KANA: Final = 0.05
"""The share of kana from which on Han characters are Japanese."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_WHOLE: Final = math.lcm(*range(1, 100))
"""Divided by the number of languages that have a word, without a rest: equal shares stay equal."""
_MARKS: Final = re.compile("[\u0300-\u036f]")
_lock: Final = threading.Lock()


def _stemming(name: str) -> Callable[[str], str]:
    stemmer = Stemmer.Stemmer(name)

    @lru_cache(50_000)
    def stem(word: str) -> str:
        with _lock:  # PyStemmer objects are not thread-safe
            return str(stemmer.stemWord(word))

    return stem


stem: Final = _stemming("english")
"""The Porter2 stem of a lower-case word."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """How words are read in one language, or in several that stand side by side."""

    codes: tuple[str, ...]
    stop_words: frozenset[str]
    stemmers: tuple[Callable[[str], str], ...]

    def telling(self, words: Iterable[str]) -> list[str]:
        """Those of folded words that are not left out."""
        stop_words = self.stop_words
        telling = [word for word in words if word not in stop_words]
        if self.codes == ("en",):
            return telling
        return [word for word in telling if unaccented(word) not in stop_words]

    def stems(self, words: Iterable[str]) -> Iterable[str]:
        """The stems of folded words; of several languages each that is another."""
        if len(self.stemmers) == 1:
            return map(self.stemmers[0], words)
        return [stem for word in words
                for stem in dict.fromkeys(stem(word) for stem in self.stemmers)]


ENGLISH: Final = Language(("en",), STOPWORDS, (stem,))


@cache
def language(codes: tuple[str, ...]) -> Language:
    """How words of languages are read, by their ISO 639-1 codes; unknown ones have no stop words.

    A word of several languages is left out if one of them leaves it out, and has a stem by each.
    """
    if codes == ENGLISH.codes:
        return ENGLISH
    names = _names()
    stemmers = tuple(
        stem if code == "en" else _stemming(names[code])
        for code in codes if code == "en" or names.get(code) in Stemmer.algorithms()
    )
    return Language(codes, frozenset().union(*map(_stop_words, codes)), stemmers or (str,))


def recognised(texts: Iterable[str]) -> tuple[str, ...]:
    """The languages of texts by their ISO 639-1 codes, the most used first; English of none.

    A text counts as the language of whose stop words it has most, each divided among those that
    have it; a collection as those of at least :data:`LEAST` of its words.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        code, size = _language_of(text)
        counts[code] += size
    del counts[""]
    least = LEAST * counts.total()
    codes = [code for code, count in counts.items() if count and count >= least]
    return tuple(sorted(codes, key=lambda code: (-counts[code], code))) or ENGLISH.codes


def name_of(code: str) -> str:
    """What a language is called in English; the code itself where it is not known."""
    return _UNSPACED[code][0] if code in _UNSPACED else _names().get(code, code).capitalize()


def unaccented(word: str) -> str:
    """``word`` without accents."""
    return word if word.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", word))


@lru_cache(2_048)
def _language_of(text: str) -> tuple[str, int]:
    """The language of a text, '' where it cannot be told, and how many words it has."""
    if not text.isascii():
        scripts = {code: len(pattern.findall(text)) for code, pattern in _SCRIPTS.items()}
        letters = sum(scripts.values())
        if 2 * letters > sum(map(str.isalpha, text)):
            code = next(code for code in _SCRIPTS
                        if scripts[code] > (0 if code == "zh" else _KANA * letters))
            return code, letters // 2
    words = Counter(_WORD.findall(text.casefold()))
    languages, counts, shares = _languages_of(), Counter[str](), Counter[str]()
    for word, count in words.items():
        codes = languages.get(word, ())
        for code in codes:  # a stop word of many languages tells little of each
            shares[code] += count * _WHOLE // len(codes)
            counts[code] += count
    code = max(sorted(shares, key=lambda code: (code != "en", code)),
               key=lambda code: shares[code], default="")
    return code if counts[code] > LEAST * words.total() else "", words.total()


@cache
def _names() -> dict[str, str]:
    import stop_words  # reads a file, and English needs none

    return dict(stop_words.LANGUAGE_MAPPING)


@cache
def _stop_words(code: str) -> frozenset[str]:
    if code == "en":
        return STOPWORDS
    if code not in _names():
        return frozenset()
    import stop_words

    words = {word.casefold() for word in stop_words.get_stop_words(code)}
    if code in _SCRIPTS:  # where a character alone stands twice
        words = {word if word[1:] else word * 2 for word in words}
    return frozenset(words | {*map(unaccented, words)})


@cache
def _languages_of() -> dict[str, tuple[str, ...]]:
    """The languages of which each word is a stop word."""
    languages = defaultdict[str, tuple[str, ...]](tuple)
    for code in ("en", *sorted({*_names()} - {"en", *_SCRIPTS})):
        for word in _stop_words(code):
            languages[word] += (code,)
    return dict(languages)
