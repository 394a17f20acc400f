"""Text analysis for the lexical lane: normalisation, stemmed terms, tokens kept whole.

Words are lower-cased and stemmed, in English by Porter2 (:mod:`~.languages`). Scripts without
spaces are read in pairs of characters, Han ones alone too, so that a word is found inside a
sentence; hiragana, mostly endings and particles, is read where a text has nothing else. Tokens that
carry meaning as a whole here, such as
``1d20+5``, ``god:return_story``, ``state_updates`` or ``__DELETE__``, stand as themselves and in
parts; a game quantity and its number (``CR 1/4``, ``level 3``, ``DC 15``) also make one term.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

from .languages import ENGLISH, HAN, HIRAGANA, UNSPACED, UNSPACED_CHARACTER, Language

_QUANTITY: Final = re.compile(
    r"\b(cr|challenge(?:\s+rating)?|level|lvl|dc|ac|tier)\s*(?:of\s+)?[:=]?\s*(\d+(?:/\d+)?)\b"
)
_QUANTITY_NAME: Final = {"challenge": "cr", "challenge rating": "cr", "lvl": "level"}
_ORDINAL_LEVEL: Final = re.compile(r"\b(\d+)(?:st|nd|rd|th)[\s-]+level\b")
_COMPOUND: Final = re.compile(r"(?<!\w)(?:\w+(?:[+\-/:.]\w+)+|\w*_\w*|\d*d\d+\w*)")
_WORD: Final = re.compile(r"[^\W_]+")
_RUN: Final = re.compile(f"(?:(?![{HIRAGANA}])[{UNSPACED}])+|([{HIRAGANA}]+)")
_HAN: Final = re.compile(f"[{HAN}]")
_SPACE: Final = re.compile(r"\s+")
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\udfff\ufffd]")
_SIGNATURES: Final = {
    b"%PDF-": "a PDF", b"PK\x03\x04": "a zip file, as docx, odt and epub are",
    b"\xd0\xcf\x11\xe0": "an old Office document", b"{\\rtf": "an RTF document",
    b"\x1f\x8b": "a gzip file", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
}
_BROKEN: Final = re.compile("[\x00\ud800-\udfff]")


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


def terms(text: str, language: Language = ENGLISH) -> list[str]:
    """The terms of ``text`` for the lexical lane, in order, with repeats, stop words left out."""
    return terms_of(normalise(text), language)


def terms_of(text: str, language: Language = ENGLISH) -> list[str]:
    """The same of a text that is normalised already."""
    all_terms = [
        f"{_QUANTITY_NAME.get(_SPACE.sub(' ', name), name)}={number}"
        for name, number in _QUANTITY.findall(text)
    ]
    all_terms += [f"level={number}" for number in _ORDINAL_LEVEL.findall(text)]
    all_terms += [whole for whole in _COMPOUND.findall(text) if not whole.isalpha()]
    words = [word for word in _words(text, language) if len(word) > 1 or word.isdigit()]
    all_terms += language.stems(words)
    return all_terms


def content_words(text: str, language: Language = ENGLISH) -> set[str]:
    """The stems of the words of ``text`` but for stop words, numbers and single letters."""
    return {*language.stems([
        word for word in _words(normalise(text), language)
        if len(word) > 1 and not word.isdigit()
    ])}


def _words(text: str, language: Language) -> list[str]:
    text = text.replace("’", "'").replace("'s", " ")
    if text.isascii() or not UNSPACED_CHARACTER.search(text):
        return language.telling(_WORD.findall(text))
    plain = _RUN.sub(lambda run: " " if run[1] else _in_pairs(run), text)
    return language.telling(_WORD.findall(plain) or _WORD.findall(_RUN.sub(_in_pairs, text)))


def _in_pairs(run: re.Match[str]) -> str:
    """A run of characters as its pairs, and Han characters alone, which then stand twice."""
    text = run[0]
    pairs = map("".join, pairwise(text))
    alone = _HAN.findall(text) if text[1:] else text
    return f" {' '.join((*pairs, *(character * 2 for character in alone)))} "
