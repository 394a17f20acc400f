"""Sections that read as if for the game master alone, of a file that players may see."""

from __future__ import annotations

import re
from typing import Final

from ...text.dm_words import SENTENCE, hides, orders, reserves

_OF: Final = re.compile(r"^\W*(?:the|his|her|he|she)\b", re.IGNORECASE)
_NAMED: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_POINTS: Final = re.compile(r"\b(?:it|them)\b", re.IGNORECASE)
_FOR_READER: Final = re.compile(r"\bfor you\b", re.IGNORECASE)
_ORDERED: Final = re.compile(
    r"(?i:\bnot|n['’]t|\bnever)(?: ever)? (?:reveal|tell|spoil|disclose|divulge|mention|admit|"
    r"give away)\b[^.!?]*?\bthat (?!you\b|they\b)[^.!?]*?\b[A-Z][a-z]+[^.!?]*")


def told_by_order(text: str) -> str:
    """The words of an order not to tell a fact of somebody, which tell it; '' where there are none.

    The narrator needs the order, so it stays where it is: a person decides.
    """
    match = _ORDERED.search(" ".join(text.split()))
    return match[0] if match else ""


def secret(title: str, text: str) -> str:
    """The words by which a section reads as if for the game master alone; '' where it has none.

    A rule on what the narrator may tell has none: the narrator is a game master who reads it. What
    is kept from players is a fact: a sentence of somebody or something in particular.
    """
    words = hides(f"# {title}\n\n{text}")
    is_secret = words and (hides(f"# {title}") or any(map(_keeps, SENTENCE.split(text))))
    return words if is_secret else ""


def _keeps(sentence: str) -> bool:
    """Whether a sentence speaks of the text that it stands in, or states a fact."""
    if reserves(sentence) and not _POINTS.search(sentence):
        return True
    return bool(_OF.search(sentence) or _NAMED.search(sentence)) and not (
        orders(sentence) or _FOR_READER.search(sentence))
