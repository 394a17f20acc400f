"""Regular expressions of keys as the phrases that they match; none is ever run.

Of a word that may go on with any letters, its beginning counts from three letters on. Conditions on
what is not there (``(?!…)``) match nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MOST: Final = 16
"""Phrases of one pattern."""
_TIMES: Final = 3
"""A pattern that asks for more of the same says nothing in words."""
_FEW: Final = 6
"""So many characters of a class are each tried; of more it could be any."""
_CHARS: Final = 80
"""Characters of a phrase."""
_ANY, _DOT = "\0", "\1"
_QUANTIFIER: Final = re.compile(r"(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})[?+]?")
_GROUP: Final = re.compile(r"\?(?:[:>]|P?<[^\W\d]\w*>|<?(=)|<?(!)|[a-zA-Z-]+(?=\))|[a-zA-Z-]*:)?")
_ESCAPE: Final = re.compile(r"\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})"
                            r"|[pPkN]\{[^}]*\}|k<[^>]*>|(.))", re.DOTALL)
_PLAIN: Final = {"n": " ", "t": " ", "r": " ", "f": " ", "v": " ", "s": " ", "b": "", "B": "",
                 "A": "", "Z": "", "z": "", "d": _ANY, "D": _ANY, "w": _ANY, "W": " ", "S": _ANY}


class PatternError(ValueError):
    """A pattern cannot be read."""


def phrases_of(pattern: str) -> tuple[tuple[str, ...], bool]:
    """The phrases that a pattern matches, at most :data:`MOST`, and whether there are more.

    There are none where it matches nothing that can be said in words.

    Raises:
        PatternError: it cannot be read.
    """
    if len(pattern) > 1_000:
        raise PatternError
    reader = _PatternReader(pattern)
    variants = reader.alternatives(0)
    if reader.at < len(pattern):
        raise PatternError
    phrases = dict.fromkeys(phrase for phrase in map(_spoken, variants) if 0 < len(phrase) < _CHARS)
    return tuple(phrases)[:MOST], reader.cut or len(phrases) > MOST


def _spoken(variant: str) -> str:
    """A string of the pattern as words, without gaps and what they leave of a word."""
    words: list[str] = []
    for word in variant.split():
        parts = re.split("[\0\1]+", word)
        whole = len(parts) == 1
        words += parts if whole else [part for part in (parts[:1] if _ANY in word else parts)
                                      if len(part) >= 3]
    return " ".join(filter(None, (word.strip(".,;:!?\"'()") for word in words)))


class _PatternReader:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.cut = pattern, 0, False

    def alternatives(self, depth: int) -> list[str]:
        if depth > 20:
            raise PatternError
        variants = self._sequence(depth)
        while self.pattern.startswith("|", self.at):
            self.at += 1
            variants = self._few([*variants, *self._sequence(depth)])
        return variants

    def _few(self, variants: Iterable[str]) -> list[str]:
        """The first variants, twice as many as are wanted: some turn out to be the same words."""
        unique = [*dict.fromkeys(variants)]
        self.cut |= len(unique) > 2 * MOST
        return unique[: 2 * MOST]

    def _sequence(self, depth: int) -> list[str]:
        variants = [""]
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts, is_gap = self._atom(depth)
            parts = self._repeated(parts, is_gap)
            variants = self._few(before + part for part in parts for before in variants)
        return variants

    def _atom(self, depth: int) -> tuple[list[str], bool]:
        """What the next character, class or group matches, and whether it is any text."""
        char = self.pattern[self.at]
        self.at += 1
        if char == "(":
            return self._group(depth), False
        if char == "[":
            return self._class(), False
        if char == "\\":
            return [self._escaped()], False
        if char in "*+?":
            raise PatternError
        return ([""] if char in "^$" else [_DOT] if char == "." else [char]), char == "."

    def _group(self, depth: int) -> list[str]:
        kind = _GROUP.match(self.pattern, self.at)
        self.at = kind.end() if kind else self.at
        variants = self.alternatives(depth + 1)
        if not self.pattern.startswith(")", self.at):
            raise PatternError
        self.at += 1
        return [""] if kind and kind[2] else variants

    def _escaped(self) -> str:
        match = _ESCAPE.match(self.pattern, self.at - 1)
        if not match:
            raise PatternError
        self.at = match.end()
        digits = match[1] or match[2] or match[3]
        if digits:
            code = int(digits, 16)
            return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else _ANY
        char = match[4] or ""
        return _PLAIN.get(char, _ANY if not char or char.isdigit() else char)

    def _class(self) -> list[str]:
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        members: list[str] = []
        first = True
        while first or not self.pattern.startswith("]", self.at):
            if self.at >= len(self.pattern):
                raise PatternError
            first = False
            char = self.pattern[self.at]
            self.at += 1
            char = self._escaped() if char == "\\" else char
            end = self.pattern[self.at + 1 : self.at + 2]
            if self.pattern.startswith("-", self.at) and end not in {"", "]"} and len(char) == 1:
                self.at += 2
                end = self._escaped() if end == "\\" else end
                size = ord(end[:1] or "\0") - ord(char) + 1
                members += map(chr, range(ord(char), ord(char) + max(min(size, _FEW + 1), 0)))
            else:
                members.append(char)
        self.at += 1
        if negated or _ANY in members or len({*members}) > _FEW:
            return [_ANY]
        return self._few(" " if not member.isalnum() else member for member in members if member)

    def _repeated(self, parts: list[str], is_gap: bool) -> list[str]:
        """An atom's matches as its quantifier repeats them: the fewest, and one more."""
        match = _QUANTIFIER.match(self.pattern, self.at)
        if not match:
            return parts
        self.at = match.end()
        sign = match[1]
        fewest = {"*": 0, "?": 0, "+": 1}[sign] if sign else int(match[2])
        most = {"*": fewest + 1, "?": 1, "+": 1}[sign] if sign else (
            int(match[4] or fewest + 1) if match[3] else fewest)
        if is_gap:
            return [" "] if most > 1 or sign in {"*", "+"} else [_DOT if fewest else "", " "]
        if parts == [_ANY]:
            return [_ANY * min(fewest, 1)]
        if fewest > _TIMES:
            raise PatternError
        counts = range(fewest, min(most, fewest + 1, _TIMES) + 1)
        return self._few(part * count for count in counts for part in parts)
