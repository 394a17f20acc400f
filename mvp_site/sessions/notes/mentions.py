"""Who and what a campaign's sheets and notes name: one name for each, however it was written.

What players may know is found in what players may read, and in nothing else; then the DM's in all
of it. So neither a name nor an alias, a type or a session comes to players out of a secret.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from ...errors import SessionsError
from ...text.names import title_key, words
from ...types import AUDIENCES, audiences_of
from ..intentions import TITLES
from ..types import CampaignDocument, CampaignPiece, KnownName, Mention
from .name_joining import COMMON, CampaignEntity, things_of

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OPENS = re.compile(r"(?:^|[.!?:…\n|>\"“(*•]|[-–—] )[\s*_\"“\[(]*\Z")
_BESIDE = re.compile(r"\w \Z")
_CASTING = frozenset({"cast", "casting", "recast"})


class _Token(NamedTuple):
    """A word of a text as names are compared; ``beside`` where a space alone parts it from one."""

    key: str
    capital: bool
    opens: bool
    beside: bool


def linked(documents: Sequence[CampaignDocument]) -> tuple[tuple[CampaignDocument, ...],
                                                           tuple[KnownName, ...]]:
    """The documents of one campaign with full names in their mentions, and all that they name.

    ``documents`` are as they were read, and keep their order; what is known goes by name. Something
    that the DM knows more of than players has a second entry for the DM. What stands in a sheet's
    text by a name that the sheet does not list has a type of session notes.
    """
    places = [(at, place) for at, document in enumerate(documents)
              for place in range(len(document.pieces))]
    tokens = {(at, place): _tokens(documents[at].pieces[place].text) for at, place in places}
    pieces: dict[tuple[int, int], CampaignPiece] = {}
    entities: dict[KnownName, KnownName] = {}
    audiences = {documents[at].pieces[place].audience for at, place in places}
    for audience in (one for one in AUDIENCES if one == "player" or one in audiences):
        readable = audiences_of(audience, SessionsError)
        names = _Names(documents, readable)
        sessions: dict[str, set[float]] = defaultdict(set)
        for at, place in places:
            document, piece = documents[at], documents[at].pieces[place]
            if piece.audience not in readable:
                continue
            mentions = names.mentions(document, piece, tokens[at, place])
            if piece.audience == audience:
                pieces[at, place] = replace(piece, mentions=mentions)
            for mention in mentions if document.number is not None else ():
                sessions[mention.name].add(document.number or 0)
        for thing in names.things:
            entity = KnownName(thing.name, thing.type, names.aliases(thing),
                               sessions=tuple(sorted(sessions[thing.name])))
            entities.setdefault(entity, replace(entity, audience=audience))
    ordered = sorted(entities.values(), key=lambda entity: (
        entity.name.casefold(), entity.name, AUDIENCES.index(entity.audience)
    ))
    return tuple(
        replace(document, pieces=tuple(pieces[at, place] for place in range(len(document.pieces))))
        for at, document in enumerate(documents)
    ), tuple(ordered)


class _Names:
    """What names mean in the pieces that are for some audiences."""

    def __init__(self, documents: Sequence[CampaignDocument], readable: Sequence[str]) -> None:
        self.things, self._of = things_of(documents, readable)
        self._short = self._short_names()
        self._standing = {tuple(key.split()): (thing, thing.proper)
                          for key, thing in self._of.items() if thing.stands}
        self._standing |= {tuple(key.split()): (thing, True) for key, thing in self._short.items()}
        self._sizes: dict[str, set[int]] = defaultdict(set)
        for parts in self._standing:
            self._sizes[parts[0]].add(len(parts))

    def aliases(self, thing: CampaignEntity) -> tuple[str, ...]:
        """The other names of a thing, those that nobody wrote but all would take for it too."""
        short = (word for key, word in thing.short.items() if self._short.get(key) is thing)
        return tuple(dict.fromkeys((*thing.aliases, *short)))

    def mentions(self, document: CampaignDocument, piece: CampaignPiece, tokens: Sequence[_Token],
                 ) -> tuple[Mention, ...]:
        """What a piece names: what it says by its form first, then what stands in its text."""
        sheet = document.kind == "character"
        own = self._of.get(title_key(document.title)) if sheet else None
        by_name: dict[str, Mention] = {}
        for mention in piece.mentions:
            key = title_key(mention.name)
            thing = self._of.get(key) or self._short.get(key)
            if thing is None and own and set(key.split()) <= own.words:
                thing = own
            if thing:
                kind = mention.type if sheet and mention.type else thing.type
                by_name.setdefault(thing.name, Mention(thing.name, kind))
        for thing in self._stand(tokens):
            by_name.setdefault(thing.name, Mention(thing.name, thing.type))
        return tuple(by_name.values())

    def _stand(self, tokens: Sequence[_Token]) -> Iterator[CampaignEntity]:
        """The things whose names stand in a text, the longest name at each place."""
        at = 0
        while at < len(tokens):
            for size in sorted(self._sizes.get(tokens[at].key, ()), reverse=True):
                key = tuple(token.key for token in tokens[at : at + size])
                thing, proper = self._standing.get(key, (None, False))
                if thing and (len(key) > 1 or self._alone(tokens, at, thing, proper)):
                    yield thing
                    at += len(key) - 1
                    break
            at += 1

    def _alone(self, terms: Sequence[_Token], at: int, thing: CampaignEntity, proper: bool) -> bool:
        """Whether one word is a thing's name here, and neither a common word nor another's name."""
        token = terms[at]
        if thing.type == "spell" and any(two.key in _CASTING for two in terms[max(0, at - 2) : at]):
            return True
        if proper and (not token.capital or (token.opens and thing.type in COMMON)):
            return False
        before = terms[at - 1] if token.beside else None
        after = terms[at + 1] if at + 1 < len(terms) and terms[at + 1].beside else None
        if after and thing.person and len(thing.words) > 1 and (
                after.capital and after.key not in thing.words):
            return False  # "Edda Vell" is no Edda Crane
        if not before or not before.capital or not thing.person or before.key in thing.words:
            return True
        if before.key in TITLES:
            return not thing.titles or before.key in thing.titles
        return before.opens

    def _short_names(self) -> dict[str, CampaignEntity]:
        """Single names of persons that nothing else is called by, by their keys."""
        owners: dict[str, set[int]] = defaultdict(set)
        for place, thing in enumerate(self.things):
            for word in thing.words if thing.person else ():
                owners[word].add(place)
        return {
            word: thing for place, thing in enumerate(self.things) for word in thing.short
            if owners[word] == {place} and word not in self._of and word not in TITLES
        }


def _tokens(text: str) -> list[_Token]:
    return [
        _Token(_key(match[0]), match[0][0].isupper(),
               bool(_OPENS.search(text, max(0, match.start() - 6), match.start())),
               bool(_BESIDE.search(text, max(0, match.start() - 2), match.start())))
        for match in _WORD.finditer(text)
    ]


@lru_cache(50_000)
def _key(word: str) -> str:
    return (words(word) or ("",))[0]
