"""Text analysis for the lexical lane: normalisation, stemmed terms, tokens kept whole.

Words are lower-cased and stemmed (Porter2). Tokens that carry meaning as a whole here, such as
``1d20+5``, ``god:return_story``, ``state_updates`` or ``__DELETE__``, stand as themselves and in
parts; a game quantity and its number (``CR 1/4``, ``level 3``, ``DC 15``) also make one term.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
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

_QUANTITY: Final = re.compile(
    r"\b(cr|challenge(?:\s+rating)?|level|lvl|dc|ac|tier)\s*(?:of\s+)?[:=]?\s*(\d+(?:/\d+)?)\b"
)
_QUANTITY_NAME: Final = {"challenge": "cr", "challenge rating": "cr", "lvl": "level"}
_ORDINAL_LEVEL: Final = re.compile(r"\b(\d+)(?:st|nd|rd|th)[\s-]+level\b")
_COMPOUND: Final = re.compile(r"(?<!\w)(?:\w+(?:[+\-/:.]\w+)+|\w*_\w*|\d*d\d+\w*)")
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
"""Scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Kana, Han."""
_RUN: Final = re.compile(f"[{_UNSPACED}]+")
_WORD: Final = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
_SPACE: Final = re.compile(r"\s+")
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\udfff\ufffd]")
_SIGNATURES: Final = {
    b"%PDF-": "a PDF", b"PK\x03\x04": "a zip file, as docx, odt and epub are",
    b"\xd0\xcf\x11\xe0": "an old Office document", b"{\\rtf": "an RTF document",
    b"\x1f\x8b": "a gzip file", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
}
_BROKEN: Final = re.compile("[\x00\ud800-\udfff]")

_stemmer = Stemmer.Stemmer("english")
_stemmer_lock = threading.Lock()


def clean(text: str) -> str:
    """``text`` with NUL characters and lone surrogates replaced by U+FFFD."""
    if text.isascii() and "\x00" not in text:
        return text
    return _BROKEN.sub("\ufffd", text)


def binary_kind(content: bytes) -> str:
    """What a file is that its first bytes say is no plain text; '' where they say nothing."""
    return next((kind for sign, kind in _SIGNATURES.items() if content.startswith(sign)), "")


def too_many_controls(text: str) -> int:
    """How many control characters ``text`` has, where they are too many for text; else 0."""
    controls = sum(1 for _ in _CONTROL.finditer(text))
    # Stray ones happen in text: up to 15, or a fiftieth of it; but never as most of it.
    few = controls < 16 and 2 * controls <= len(text)
    return 0 if few or controls <= 0.02 * len(text) else controls


def normalise(text: str) -> str:
    """``text`` in NFKC, case folded, white space collapsed: how queries are compared."""
    text = clean(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


@lru_cache(50_000)
def stem(word: str) -> str:
    """The Porter2 stem of a lower-case word."""
    with _stemmer_lock:  # PyStemmer objects are not thread-safe
        return str(_stemmer.stemWord(word))


def terms(text: str) -> list[str]:
    """The terms of ``text`` for the lexical lane, in order, with repeats, stop words left out."""
    return terms_of(normalise(text))


def terms_of(text: str) -> list[str]:
    """The same of a text that is normalised already."""
    all_terms = [
        f"{_QUANTITY_NAME.get(_SPACE.sub(' ', name), name)}={number}"
        for name, number in _QUANTITY.findall(text)
    ]
    all_terms += [f"level={number}" for number in _ORDINAL_LEVEL.findall(text)]
    all_terms += [whole for whole in _COMPOUND.findall(text) if not whole.isalpha()]
    all_terms += [stem(word) for word in _words(text) if len(word) > 1 or word.isdigit()
                  or _RUN.match(word)]
    return all_terms


def content_words(text: str) -> set[str]:
    """The stems of the words of ``text`` but for stop words, numbers and single letters."""
    return {
        stem(word) for word in _words(normalise(text))
        if (len(word) > 1 or _RUN.match(word)) and not word.isdigit()
    }


def _words(text: str) -> list[str]:
    tokens = _WORD.findall(text.replace("’", "'").replace("'s", " "))
    if not text.isascii():
        tokens = [part for word in tokens
                  for part in (_bigrams(word) if _RUN.fullmatch(word) else [word])]
    return [word for word in tokens if word not in STOPWORDS]


def _bigrams(run: str) -> list[str]:
    """Each two letters next to each other, as of a script without blanks; of one, itself."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
