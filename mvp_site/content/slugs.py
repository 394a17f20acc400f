"""Slugs, and how a message words what is wrong with a value."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MAX_SLUG: Final = 100
_LATIN: Final = 60
"""Characters of the Latin words of a slug that has others too."""
_LETTERS: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "\u0131": "i"}
    | dict.fromkeys("'’‘\u02bc`", "")
)
_READ: Final = 1_000
"""Characters of a name that a slug is made of; more are no name."""


def slug_of(name: str) -> str:
    """The words of ``name``, lower case, joined by hyphens; '' without a letter or digit.

    Latin letters lose their accents; those of other scripts stay. At most :data:`MAX_SLUG`
    characters, cut behind a word where there is one to cut behind.
    """
    folded = unicodedata.normalize("NFKD", name[:_READ]).casefold()
    letters = ""
    for char in unicodedata.normalize("NFKD", folded.translate(_LETTERS)):
        if char.isalnum():
            letters += char
        elif not unicodedata.category(char).startswith("M"):
            letters += " "
        elif not letters.isascii() and not letters[-1].isascii():
            letters += char  # a vowel sign or the like: without it the word is another
    slug = unicodedata.normalize("NFC", "-".join(letters.split()))
    if len(slug) <= MAX_SLUG:
        return slug
    cut = slug[: MAX_SLUG + 1].rpartition("-")[0] or slug[:MAX_SLUG]
    return cut.strip("-")


def latin_slug(name: str) -> str:
    """The same in Latin letters and digits: other words become a digest of all of them."""
    slug = slug_of(name)
    if slug.isascii():
        return slug
    latin = "-".join(re.findall(r"[a-z0-9]+", slug))[:_LATIN].strip("-")
    return f"{latin or 'id'}-{hashlib.sha256(slug.encode()).hexdigest()[:8]}"


def problem(path: Iterable[str | int], why: str) -> str:
    """``actions: entry 2: desc: must be a text; found 4``; entries count from 1."""
    steps = [f"entry {step + 1}" if isinstance(step, int) else step[:MAX_SLUG] for step in path]
    return ": ".join([*steps, why])


def shown(value: object) -> str:
    """``value`` as JSON, cut to what a message can hold."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:60]}…"
