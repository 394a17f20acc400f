"""The names that notes say by their form: leading names of items, wiki links, bold names.

Where else a name stands is for :mod:`.mentions` to find, which knows the names of all sessions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...text.names import fold, title_key
from ...text.titles import plain
from ..intentions import NOTE_PARTS
from ..types import CampaignDocument, CampaignPiece, KnownName, Mention
from .headings import exact_part, hidden_text
from .vault import UNTYPED, is_nobody

_NAME: Final = r"[^:|()\[\]*\n]{1,60}?"
_AKA: Final = r"(?:a\.?k\.?a\.?|also (?:known as|called)|called|known as|alias)\s*:?\s+"
_OPENING: Final = re.compile(
    r"^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(?:\[[ xX/>-]\]\s+)?(?P<cell>\|?)\s*"
    r"(?:[^\w\s\[*_~(\"'“|-]+\s*)?(?:~~)?"
    rf"(?:(?P<marks>\*\*?|__?)(?P<bold>{_NAME}):?(?P=marks):?|(?P<plain>{_NAME}))(?:~~)?\s*"
    r"(?P<note>(?:\([^()]*\)\s*)*)(?P<end>:|\s-+\s|\s*[\u2013\u2014]|\||,|\n|$)"
)
_ALSO: Final = re.compile(rf"^[\s,]*\(?{_AKA}([^()\n:;\u2013\u2014]{{2,80}})", re.IGNORECASE)
_IN_NOTE: Final = re.compile(rf"\(\s*(?:{_AKA}|also:?\s+)([^()]+)\)", re.IGNORECASE)
_BOLD: Final = re.compile(r"\*\*([^*\n:]{2,60}?)\*\*(?!:)|__([^_\n:]{2,60}?)__(?!:)")
_PROPER: Final = r"[A-Z][\w'’-]+(?: (?:(?:of|the|de|von|van) )*[A-Z][\w'’-]+)*"
_CALLED: Final = re.compile(
    rf"({_PROPER}),? \(?(?:a\.?k\.?a\.?|also known as|also called|called|known as) "
    rf"[\"“]?((?:the )?{_PROPER})"
)
_LOOSE: Final = frozenset({"item", "creature", "spell", "quest", "puzzle", "artifact"})
"""Types whose names may begin with a small letter."""
_MOST: Final = {"quest": 9, "puzzle": 8, "event": 8}
_ARTICLES: Final = frozenset({"the", "a", "an"})


def named(document: CampaignDocument,
          links: Mapping[str, Sequence[KnownName]]) -> CampaignDocument:
    """The document with the mentions of its pieces, and with other names that they say as known.

    ``links`` are what the links in pieces name, by the pieces' ids.
    """
    mentioned = [(piece, list(dict.fromkeys(_names(piece, links.get(piece.id, ())))))
                 for piece in document.pieces]
    sessions = () if document.number is None else (document.number,)
    return replace(document, pieces=tuple(
        replace(piece, mentions=tuple(dict.fromkeys(Mention(who.name, who.type) for who in names)))
        for piece, names in mentioned
    ), known=tuple(dict.fromkeys(
        replace(name, audience=piece.audience, sessions=sessions)
        for piece, names in mentioned for name in names if name.aliases
    )))


def _names(piece: CampaignPiece, links: Sequence[KnownName]) -> Iterator[KnownName]:
    linked = {title_key(called): link for link in links for called in (link.name, *link.aliases)}
    kind = NOTE_PARTS[piece.part].get("names", UNTYPED)
    if kind == "spell" and re.search(r"abilit|feature", piece.title, flags=re.IGNORECASE):
        kind = "ability" if "spell" not in fold(piece.title) else kind
    for number, line in enumerate(piece.text.split("\n")):
        if not (number and line[:1].isspace()) and (opening := _opening(line, kind, number)):
            key = title_key(opening.name)
            if link := linked.get(key):
                yield replace(opening, name=link.name, type=link.type or opening.type)
            elif not key.startswith(tuple(f"{called} " for called in linked)):
                yield opening
    yield from links
    for bold in _BOLD.finditer(piece.text):
        name = plain(bold[1] or bold[2])
        if _is_name(name, UNTYPED):
            yield linked.get(title_key(name)) or KnownName(name, UNTYPED)
    for called in _CALLED.finditer(piece.text):
        yield KnownName(called[1], UNTYPED, _others(called[1], [called[2]]))


def _opening(line: str, kind: str, number: int) -> KnownName | None:
    """What a list item, a row or a line of a part is about, where it says so first."""
    match = _OPENING.match(line)
    if not match or (match["cell"] and (match["end"] != "|" or not number)):
        return None  # a table's first row says what its columns are
    name = plain(match["bold"] or match["plain"] or "").strip(" \"'“”.,!?~")
    rest = line[match.end("end") - (match["end"] == ",") :]
    marked = bool(match["bold"] or match["cell"])
    also = _ALSO.match(rest)
    if match["end"] in {",", "", "\n"} and not marked and (
            kind == "event"
            or not (also or (match["end"] != "," and line[-1] != "."))):
        return None
    if not _is_name(name, kind, marked):
        return None
    aliases = [match[1] for match in (*_IN_NOTE.finditer(match["note"]), also) if match]
    if not (kind or marked or aliases):
        return None
    split = [name for alias in aliases for name in re.split(r"\s*(?:[,;/]| or | and )\s*", alias)]
    return KnownName(name, kind, _others(name, split))


def _others(name: str, aliases: list[str]) -> tuple[str, ...]:
    plain_names = (plain(alias).strip(" \"'“”.") for alias in aliases)
    return tuple(dict.fromkeys(
        alias for alias in plain_names if title_key(alias) not in {"", title_key(name)}
        and _is_name(alias, "item", marked=True)
    ))


def _is_name(name: str, kind: str, marked: bool = False) -> bool:
    """Whether a name of this kind may be written so; ``marked`` ones stand in bold or a link."""
    words = name.split()
    if len(words) > _MOST.get(kind, 6) or name[:1].isdigit() or is_nobody(name) or (
            exact_part(name) or hidden_text(f"{name}:")):
        return False
    if kind == "event":
        return sum(word[:1].isupper() for word in words[words[0].lower() in _ARTICLES :]) > 1
    proper = (words[words[0].lower() in _ARTICLES :] or words)[0][:1].isupper()
    return proper or (kind in _LOOSE and (marked or len(words) <= _MOST.get(kind, 4)))
