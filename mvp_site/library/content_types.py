"""What each entry of a book is about: by its text, then by what stands above, beside and below it.

Evidence is added up as log-odds, as in naive Bayes: the cues in the entry's own text (its
signature), the chapter that it stands in, what it is a part of, and its siblings. A title counts
only as a whole: as the name of a chapter, or by its form ("12. Guard Room").
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp
from typing import Any, Final, NamedTuple, TypeAlias

from ..text.names import singular
from ..text.shipped_tables import shipped_tables
from ..text.vocabulary import SCHOOLS
from .types import ContentsEntry, ContentType, Text

Scores: TypeAlias = dict[ContentType, float]
_C = ContentType
_CUES: Final[dict[str, Any]] = shipped_tables(__package__, "cues.toml")
_RULES_WORDS: Final = frozenset(_CUES["rules_words"].split())
_LORE_WORDS: Final = frozenset(_CUES["lore_words"].split())
_CHAPTERS: Final = {
    name: ContentType[kind.upper()] for kind, names in _CUES["chapters"].items() for name in names
}
_PATTERNS: Final = {
    table: [(frozenset(row.get("words", "").replace("SCHOOL", " ".join(SCHOOLS)).split()),
             re.compile(row["pattern"].replace("SCHOOL", f"(?:{'|'.join(SCHOOLS)})")),
             {ContentType[kind.upper()]: weight for kind, weight in row["weights"].items()})
            for row in _CUES[table]]
    for table in ("titles", "cues")
}
_NTH: Final = r"(\d+)(?:st|nd|rd|th)[- ]level"
_FEATURE: Final = re.compile(
    rf"level (\d+): |[^\n]{{0,60}}\({_NTH}\)\n|[^\n]*\n\W{{0,3}}(?:{_NTH} [\w' -]{{3,40}}feature"
    rf"|[\w' ,-]{{3,60}}feature, {_NTH}|(?:at|by|upon reaching) {_NTH}"
    rf"|(?:also )?(?:starting|beginning|starts|when you)\b[^.\n]{{0,80}}?{_NTH})"
)
"""How a feature of a class begins, its title and its text; the group that matches is its level."""
_READ: Final = 4_000
"""So many characters of an entry's own text are looked at; what a thing is stands up front."""
_SIGNED: Final = 4.0
"""The weight of cues from which on a text says by itself what it is."""
WHOLE: Final = frozenset({_C.CLASS, _C.SUBCLASS, _C.RACE, _C.BACKGROUND, _C.FEAT, _C.SPELL,
                           _C.MONSTER, _C.MAGIC_ITEM})
"""Types of single things, whose parts under headings of their own are the same thing."""
_RULE: Final = 1.5
"""What is nothing else is a rule."""
_PART: Final = 5.0
_CHAPTER: Final[Mapping[ContentType, float]] = {
    **dict.fromkeys(_C, 1.5),
    **dict.fromkeys((_C.SUBCLASS, _C.FEAT, _C.EQUIPMENT, _C.RULE, _C.LORE, _C.ADVENTURE), 3.0),
}
"""What a chapter's name says of an entry in it: less where its things would have signatures."""
_SIBLINGS: Final = 4.0
_PROSE: Final = ((-.02, _C.LORE, 2.5), (.01, _C.LORE, 1.0), (.05, _C.RULE, 0.0), (1, _C.RULE, 1.0))
"""Up to which share of rules' words, less that of a world's, a text of some length speaks for a
type, and how much; all that stands beside an entry counts as well, as one paragraph may lack them.
"""
_WITH_PARTS: Final = frozenset({_C.CLASS, _C.SUBCLASS, _C.RACE, _C.BACKGROUND, _C.MONSTER})
_AFTER: Final = 3.0
"""What follows such a thing may be a part of it, where headings are of one level."""

_PLAYED: Final = .5
"""The mean weight of an adventure's cues from which on a chapter of five entries or more is one:
its places, people and background have few cues of their own.
"""
_TITLE: Final = 200
"""So many characters of a title are looked at."""
_WORD: Final = re.compile("[a-z]+")
_NUMBERED: Final = re.compile(
    r"^(?:chapter|part|appendix|book|section|volume)\s+(?:\d+|[ivxlc]+|[a-z]|one|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve)\b[\s:.–—-]*"
)
_AROUND: Final = re.compile(
    r"^(?:the|new|character|player|all|sample|additional|optional|list of|magic(?=al)) "
    r"|(?: descriptions?| a ?[-–—] ?z| by [a-z ]+|:.*)$"
)


def typed(text: Text, entries: Sequence[ContentsEntry]) -> tuple[ContentsEntry, ...]:
    """The entries, each with its type and how sure that is, in (0, 1].

    An entry with others below it that is no single thing, such as a chapter, is what most of those
    are; where most are rules, it is a rule.
    """
    chapters = [chapter_of(entry.title) for entry in entries]
    own = [_read(text, *pair) for pair in zip(entries, chapters, strict=True)]
    prose = _prose(entries, own)
    signed = _signed(entries, own, chapters)
    listed, beside = list(signed), defaultdict[int | None, Counter[ContentType | None]](Counter)
    for number in reversed(range(len(entries))):
        kind, count = next(iter(beside[number].most_common(1)), (None, 0))
        if listed[number] is None and 2 * count > len(entries[number].children):
            listed[number] = kind  # what is no single thing is what most below it are
        beside[entries[number].parent][listed[number]] += 1
    within: list[ContentType | None] = []
    part_of: list[ContentType | None] = []
    all_scores: list[Scores] = []
    previous: dict[int | None, ContentType | None] = {}
    for number, entry in enumerate(entries):
        scores, above = own[number].scores, entry.parent
        scores[_C.RULE] += _RULE
        chapter, whole, spoken = (None, None, None) if above is None else (
            within[above], part_of[above], prose[above]
        )
        if whole:
            scores[whole] += _PART
        elif chapter:
            scores[chapter] += _CHAPTER[chapter]
        if not whole and not signed[number]:
            for kind, weight in filter(None, (spoken, prose[number])):
                scores[kind] += weight
        others = beside[above].copy()
        others[listed[number]] -= 1
        total = sum(others.values())
        for other, count in others.items():
            if other and 2 * count > total:
                scores[other] += _SIBLINGS * count / (total + 1)
        if (before := previous.get(above)) and not entry.children and not signed[number]:
            scores[before] += _AFTER
        odds = _shares(scores)
        best = _best(odds)
        previous[above] = best if best in _WITH_PARTS and not entry.children else None
        within.append(chapters[number] or chapter or _played(entry, own))
        part_of.append(best if best in WHOLE and best in (whole, signed[number]) else None)
        all_scores.append(odds)
    return tuple(_with_types(entries, all_scores, part_of))


def chapter_of(title: str) -> ContentType | None:
    """What a chapter of that name holds; None where it says nothing.

    The name counts as a whole, or by the plural that it ends with: "Simple Melee Weapons".
    """
    name = _NUMBERED.sub("", " ".join(title[:_TITLE].casefold().split()))
    name = _AROUND.sub("", _AROUND.sub("", name)).strip(" .:–—-")
    words = name.split()
    several = 1 < len(words) <= 5 and not words[0].endswith("ing") and name.endswith("s")
    ends = (name, " ".join(words[-2:]), words[-1]) if several else (name,)
    names = (name for end in ends for name in (end, singular(end)))
    return next((_CHAPTERS[name] for name in names if name in _CHAPTERS), None)


class _Own(NamedTuple):
    """What an entry's title and the beginning of its own text say.

    ``rules`` are its words of rules less those of a world, ``feature`` is the level at which a
    class gives it, 0 where it is no feature.
    """

    scores: Scores
    words: int
    rules: int
    feature: int


def _read(text: Text, entry: ContentsEntry, chapter: ContentType | None) -> _Own:
    scores = dict.fromkeys(_C, 0.0)
    title, pieces = entry.title[:_TITLE].casefold(), _pieces(text, entry)
    cues = [(weights, 1.0) for _, pattern, weights in _PATTERNS["titles"]
            if pattern.fullmatch(title)]
    if chapter:
        cues.append(({chapter: 1.0}, 1.0))
    count = rules = 0
    for piece in pieces:
        words = _WORD.findall(piece)
        present = set(words)
        cues += [(weights, 1 / len(pieces)) for cues_words, pattern, weights in _PATTERNS["cues"]
                 if not present.isdisjoint(cues_words) and pattern.search(piece)]
        count += len(words)
        rules += sum((word in _RULES_WORDS) - (word in _LORE_WORDS) for word in words)
    for weights, share in cues:
        for kind, weight in weights.items():
            scores[kind] += share * weight
    feature = _FEATURE.match(f"{title}\n{pieces[0][:300]}")
    level = int(next(filter(None, feature.groups()))) if feature else 0
    return _Own(scores, count, rules, level)


def _pieces(text: Text, entry: ContentsEntry) -> list[str]:
    """An entry's own text in lower case, a line a block, without its heading.

    Of a range of pages all of it, in pieces that each may be about something; else its beginning.
    """
    start = entry.start + bool(text.blocks[entry.start].level)
    whole = entry.origin == "pages"
    pieces: list[list[str]] = [[]]
    length = 0
    for block in text.blocks[start : entry.own_end]:
        if length >= _READ:
            if not whole:
                break
            pieces.append([])
            length = 0
        pieces[-1].append(block.text[:_READ])
        length += len(pieces[-1][-1])
    return ["\n".join(piece)[:_READ].casefold().replace("’", "'").replace("\u00a0", " ")
            for piece in pieces]


def _prose(entries: Sequence[ContentsEntry],
           own: Sequence[_Own]) -> list[tuple[ContentType, float] | None]:
    """What the share of rules' words in each entry and below it speaks for; None for few words."""
    count, rules = [reading.words for reading in own], [part.rules for part in own]
    typed_entries: list[tuple[ContentType, float] | None] = [None] * len(entries)
    for number in reversed(range(len(entries))):
        if count[number] >= 25:
            share = rules[number] / count[number]
            typed_entries[number] = next(row[1:] for row in _PROSE if share <= row[0])
        parent = entries[number].parent
        if parent is not None:
            count[parent] += count[number]
            rules[parent] += rules[number]
    return typed_entries


def _signed(entries: Sequence[ContentsEntry], own: Sequence[_Own],
            chapters: Sequence[ContentType | None]) -> list[ContentType | None]:
    """What each entry is by its own signature, or by its parts, which are a subclass's features."""
    signed: list[ContentType | None] = []
    for entry, reading, chapter in zip(entries, own, chapters, strict=True):
        best = _best(reading.scores)
        content_type = best if reading.scores[best] >= _SIGNED else None
        gained = [level for child in entry.children if (level := own[child].feature)]
        if content_type in (None, _C.SUBCLASS) and chapter is not _C.CLASS and (
            len(set(gained)) > 1 and not reading.feature
        ):
            content_type = _C.SUBCLASS
            reading.scores[content_type] += 8.0
        signed.append(content_type)
    return signed


def _played(entry: ContentsEntry, own: Sequence[_Own]) -> ContentType | None:
    """Adventure where enough of the entries below are written to be played, None elsewhere."""
    below = [own[child].scores[_C.ADVENTURE] for child in entry.children]
    enough = len(below) >= 5 and sum(below) >= _PLAYED * len(below)
    return _C.ADVENTURE if enough else None


def _with_types(entries: Sequence[ContentsEntry], scores: Sequence[Scores],
                part_of: Sequence[ContentType | None]) -> Iterable[ContentsEntry]:
    """The entries with their types, those of chapters counted from what is below them."""
    below = [dict.fromkeys(_C, 0.0) for _ in entries]
    result = list(entries)
    for number in reversed(range(len(entries))):
        entry, odds = entries[number], scores[number]
        counted = {_best(odds): 1.0}
        if entry.children and part_of[number] is None:
            counted = {kind: count + odds[kind] for kind, count in below[number].items()}
            odds = _divided(counted)
        best = _best(odds)
        result[number] = replace(entry, type=best, confidence=min(odds[best], 1.0))
        if entry.parent is not None:
            for kind, count in counted.items():
                below[entry.parent][kind] += count
    return result


def _shares(scores: Mapping[ContentType, float]) -> Scores:
    highest = max(scores.values())
    return _divided({kind: exp(scores[kind] - highest) for kind in _C})


def _divided(counts: Scores) -> Scores:
    total = sum(counts.values())
    return {kind: count / total for kind, count in counts.items()}


def _best(odds: Scores) -> ContentType:
    return max(odds, key=odds.__getitem__)
