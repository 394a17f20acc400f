"""The text of a spell list to the spells that it lists, each with the level that it stands under.

Lists are bullets, comma lists, one name a line, or HTML lists. A level is a line of its own, bold
or not, or the label of a line ("**1st level:** alarm, shield"); so is the owner of a list ("**Bard
Spells**"). What reads as prose lists nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...retrieval.names import fold, title_key, words
from .tables import plain_cell

MAX_WORDS: Final = 8
MAX_NAME: Final = 60
MAX_LINE: Final = 20_000
MAX_SPELL_LEVEL: Final = 9

_NUMBERS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9,
}
_COUNT: Final = rf"(?:\d(?:st|nd|rd|th)|{'|'.join(_NUMBERS)})"
_LEVEL: Final = re.compile(
    rf"(?:spells? of )?(?:(?P<cantrip>cantrips?)\b|level (?P<number>\d)\b"
    rf"|(?P<ordinal>{_COUNT})[\s-]+level\b|(?P<zero>0)[\s-]+level\b|(?P<bare>{_COUNT})$)(?P<rest>.*)"
)
_LEVEL_LAST: Final = re.compile(
    rf"(?P<rest>.*?)[\s(:,\u2013-]+(?:(?P<cantrip>cantrips?)|level (?P<number>\d)"
    rf"|(?P<ordinal>{_COUNT})[\s-]+level|(?P<zero>0)[\s-]+level)[\s)]*$"
)
_NO_OWNER: Final = frozenset({
    "spell", "level", "cantrip", "0", "0th", "at", "will", "slot", "the", "list", "of", "and",
})
_LISTS: Final = re.compile(r"(?:^|(?<=\s))(?:spell[\s-]?lists?|spells|cantrips)$")
_TAIL: Final = frozenset({
    "spell", "spells", "list", "lists", "spelllist", "cantrips", "class", "table", "known", "magic",
})
_AFTER: Final = re.compile(r"\s+(?:by (?:spell )?level|table|\(.*\))$", re.IGNORECASE)
_HEAD: Final = re.compile(
    r"(?:class )?(?:spell[\s-]?lists?|spells|list of spells)"
    r"(?:\s*[:\u2013\u2014-]\s*|\s*\(\s*|\s+(?:of|for)\s+(?:the\s+)?)(?P<owner>[^()]+?)\)?$"
)
_GENERIC: Final = frozenset({
    "class", "domain", "oath", "circle", "expanded", "bonus", "additional", "subclass", "patron",
    "known", "prepared", "ritual", "new", "optional", "always", "innate", "concentration", "extra",
    "origin", "archetype", "tradition", "cantrip", "all", "other", "your", "level", "psionic",
    "complete", "full", "master", "list", "spell", "alphabetical", "common", "feature", "a", "the",
})
"""Words before "spells" that name no class."""
_BY_CLASS: Final = frozenset({"spells by class", "class spells", "spells per class"})

_HTML_ITEM: Final = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_HTML_BREAK: Final = re.compile(r"</?(?:ul|ol|div|p|br|tr|details|summary)\b[^<>]*>|</li>",
                                re.IGNORECASE)
_BULLET: Final = re.compile(r"(?:[-*+•·]|\d{1,3}[.)])[ \t]+")
_HASHES: Final = re.compile(r"#{1,6}[ \t]*(?=[^\s#])")
_BOLD: Final = re.compile(r"(?:\*{2,3}|_{2,3})(?![\s*_])([^*_]+)(?:\*{2,3}|_{2,3})[:.]?$")
_FENCE: Final = re.compile(r"`{3}|~{3}")
_LABEL: Final = re.compile(r"([^:.]{1,60}?)\s*(?::\s*|\.\s+)(\S.*)$")
_DETAIL: Final = re.compile(r"\s+(?:[\u2013\u2014-]{1,3}|\|)\s.*$|:\s.*$")
_INSIDE: Final = r"\(((?:[^()]|\([^()]*\))*)\)"
_NOTE: Final = re.compile(rf"\s*(?:{_INSIDE}|\[[^\[\]]*\]|[*†‡§^]+\d*|\{{[^{{}}]*\}})\s*$")
_IN_PARENTHESES: Final = re.compile(_INSIDE)
_AND: Final = re.compile(r"^(?:and|or)\s+", re.IGNORECASE)
_PROSE_ENDS: Final = (".", "!", "?", ":", ";")


@dataclass(frozen=True, slots=True)
class Listed:
    """A spell in a list: its name as written, its level where the list says it, the list's owner.

    ``owner`` is '' where the list itself does not name one. ``sure``: a level or a list of more
    than one stands over it, so that it can hardly be anything but a spell.
    """

    name: str
    level: int | None
    owner: str
    sure: bool


def level_label(text: str) -> tuple[int, str] | None:
    """The spell level that ``text`` is a heading of, and the class that it names or ''; else None.

    "Cantrips (0 Level)", "1st Level", "Level 2 Bard Spells", "2nd-level spells".
    """
    folded = fold(text).strip("*_# .:")
    if len(folded) > MAX_NAME:
        return None
    found = _LEVEL.match(folded) or _LEVEL_LAST.match(folded)
    if found is None:
        return None
    said = found.groupdict()
    number = said.get("number") or said.get("ordinal") or said.get("bare") or "0"
    level = _NUMBERS.get(number) or int(number[0])
    rest = [word for word in words(found["rest"]) if word not in _NO_OWNER and not word.isdigit()]
    if "level" in found["rest"] and level and len(rest) > 1:
        return None  # a sentence: "2nd level and again at 6th level"
    return (level, " ".join(rest)) if len(rest) <= 3 else None


def list_owner(title: str) -> str | None:
    """Whose spell list ``title`` is the name of: '' where it does not say; None if of no list.

    "Bard Spells", "The Wizard Spell List", "Spell List: Bard"; "Spell Lists" and "Oath Spells"
    name no owner.
    """
    text = " ".join(title.split()).strip(" :.*_")
    folded = fold(text)
    if not folded or len(folded) > MAX_NAME:
        return None
    headed = _HEAD.match(folded)
    if headed and len(folded) == len(text):
        owner = text[headed.start("owner") : headed.end("owner")]
        return "" if _GENERIC.issuperset(words(owner)) else _plain_owner(owner)
    text = _AFTER.sub("", text)
    folded = fold(text)
    if not _LISTS.search(folded):
        return None
    parts = text.split()
    while parts and fold(parts[-1]) in _TAIL:
        del parts[-1]
    if parts and fold(parts[0]) == "the":
        del parts[0]
    owner = " ".join(parts).rstrip(" -\u2013\u2014:,")
    return "" if _GENERIC.issuperset(words(owner)) else _plain_owner(owner)


def names_owners(title: str) -> bool:
    """Whether the parts of what is so called are named for those whose lists they are."""
    folded = fold(title)
    return "spell list" in folded or folded in _BY_CLASS


def listed_spells(
    content: str, level: int | None, owned: bool, known: Container[str],
) -> Iterator[Listed]:
    """The spells that ``content`` lists; ``level`` is the one of the heading above, if any.

    ``owned``: a line in bold may name whose list follows. ``known`` are the keys of the spells
    that the book describes. Tables are left to :mod:`~.spell_tables`.
    """
    owner = ""
    for text, bulleted, heads in _lines(content):
        plain = plain_cell(text)
        part = _LABEL.match(plain)
        labelled = level_label(part[1]) if part else None
        label = level_label(plain) if labelled is None else None
        if label is not None and (heads or not (bulleted or label[1])):
            level = label[0]
            continue
        if heads and owned:
            named = list_owner(plain)
            owner = (named or plain if named != "" else "").strip(" :.")
            level = None
            continue
        at, row = level, plain
        if part and labelled is not None:
            at, row = labelled[0], part[2]
        sure = at is not None
        for name, said in _names(row, bulleted or labelled is not None, sure, known):
            yield Listed(name, at if said is None else said, owner, sure or said is not None)


def split_names(text: str, known: Container[str]) -> list[tuple[str, int | None]]:
    """The names in ``text``, between commas, each with the level that it says in parentheses."""
    found: list[tuple[str, int | None]] = []
    for piece in _at_commas(text):
        part = _AND.sub("", piece.strip())
        said = next((
            level_label(inside) for inside in _IN_PARENTHESES.findall(part)
            if level_label(inside) is not None
        ), None)
        name = _clean(part)
        if not name:
            continue
        halves = name.split(" and ")
        if len(halves) > 1 and title_key(name) not in known and all(
            title_key(half) in known for half in halves
        ):
            found += [(half, None) for half in halves]
        else:
            found.append((name, said[0] if said else None))
    return found


def mended(listed: Sequence[Listed], known: Container[str]) -> Iterator[Listed]:
    """``listed`` with names put together that a line break cut in two, as the book shows."""
    at = 0
    while at < len(listed):
        item = listed[at]
        if at + 1 < len(listed) and title_key(item.name) not in known:
            whole = f"{item.name} {listed[at + 1].name}"
            if title_key(whole) in known and listed[at + 1].level == item.level:
                yield Listed(whole, item.level, item.owner, item.sure)
                at += 2
                continue
        yield item
        at += 1


def _plain_owner(owner: str) -> str | None:
    owner = re.sub(r"['\u2019]s?$", "", owner)
    return owner if 0 < len(owner.split()) <= MAX_WORDS else None


def _lines(content: str) -> Iterator[tuple[str, bool, bool]]:
    """Each line that may list something: its text, whether it is an item, whether it is a head."""
    if "<" in content:
        content = _HTML_BREAK.sub("\n", _HTML_ITEM.sub("\n- ", content))
    fenced = False
    for line in content.split("\n"):
        text = line.lstrip(" \t>").rstrip(" \t\\")
        if _FENCE.match(text):
            fenced = not fenced
            continue
        if not text or fenced or len(text) > MAX_LINE or text.startswith("|"):
            continue
        bullet = _BULLET.match(text)
        if bullet:
            text = text[bullet.end() :]
        hashes = _HASHES.match(text)
        if hashes:
            text = text[hashes.end() :]
        heads = hashes is not None or (_BOLD.match(text) is not None and bullet is None)
        yield text, bullet is not None, heads


def _names(
    row: str, item: bool, sure: bool, known: Container[str]
) -> Iterator[tuple[str, int | None]]:
    """The names in a line, none where it reads as prose."""
    if "," in row and title_key(_clean(row)) in known:
        pieces: list[tuple[str, int | None]] = [(_clean(row), None)]
    else:
        pieces = split_names(row.rstrip("."), known)
    if any(len(name.split()) > MAX_WORDS or len(name) > MAX_NAME for name, _ in pieces):
        return
    described = sum(title_key(name) in known for name, _ in pieces)
    prose = row.endswith(_PROSE_ENDS)
    if described * 2 >= len(pieces) or (not prose and (item or (sure and _titled(pieces)))):
        yield from pieces


def _titled(pieces: Sequence[tuple[str, int | None]]) -> bool:
    """Whether each of ``pieces`` is written as a title, or all are short."""
    return all(name[:1].isupper() or len(name.split()) <= 4 for name, _ in pieces)


def _clean(text: str) -> str:
    """``text`` without notes in parentheses, marks of footnotes and what explains it."""
    text = _DETAIL.sub("", text.strip())
    while True:
        shorter = _NOTE.sub("", text)
        if shorter == text or not shorter:
            break
        text = shorter
    return text.strip(" .*_\"\u201c\u201d")


def _at_commas(text: str) -> Iterator[str]:
    start = depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char in ",;" and depth <= 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]
