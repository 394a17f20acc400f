"""What a text says of itself: that it is for the game master, and not for players. A guess.

A rule on what the narrator may tell ("never reveal hidden rolls") reserves nothing: the words must
speak of the text that they stand in ("do not show this to players"), or name its reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from ...retrieval.audience import hides
from .structure import Section

_LINES: Final = 3
_CHARS: Final = 400
"""How many lines that are not blank, and how many of their characters, are a text's first lines."""
_WORDS: Final = {
    "MASTER": r"(?:[dg]ms?|(?:game|dungeon)[ -]?masters?|keepers?|referees?|story ?tellers?|"
              r"wardens?|spielleit\w+|sl|mj|meneur\w*(?: de jeu)?|ma[iî]tre (?:de jeu|du donjon)|"
              r"dj|máster|director(?:a)? de juego|narrador\w*|master|mestre|мастер\w*|ведущ\w+)",
    "PLAYERS": r"(?:players?|pcs|users?|spielern?|joueu(?:rs|ses)|jugador(?:es|as)|giocatori|"
               r"jogador(?:es|as)|игрок\w*)",
    "NOT": r"(?:not|n['’]t|never|nicht|nie|pas|no|non|não|не)",
    "ONLY": r"(?:only|nur|solo|sólo|solamente|seulement|uniquement|apenas|somente|только)",
    "FOR": r"(?:for|für|pour|para|per|для)",
    "THIS": r"(?:(?:any |all |none )?(?:of )?(?:this|it|these|them|the following|what follows)"
            r"(?: (?:SECRET )?TEXT)?)",
    "SECRET": r"(?:hidden|secrets?|private|confidential|spoilers?|geheim\w*|secrètes?|secret[oa]s?|"
              r"segret[oaie]|ocult[oa]s?)",
    "TEXT": r"(?:notes?|modules?|scenarios?|adventures?|plots?|sections?|chapters?|parts?|files?|"
            r"pages?|documents?|records?|information|infos?|knowledge|lore|truths?|"
            r"back ?stor(?:y|ies)|agendas?|timelines?|twists?|motives?|facts)",
}
"""What stands for such words in the patterns below."""


def _any(patterns: str) -> re.Pattern[str]:
    """One pattern of several, a line each."""
    whole = "|".join(patterns.split("\n")[1:-1])
    for name, words in _WORDS.items():
        whole = whole.replace(name, words)
    return re.compile(whole)


_SELF: Final = _any(r"""
\b(?:for|to) (?:the |your )?MASTER(?:['’]s?)?(?: eyes| use| reference)? (?:only|alone)\b
\bMASTER(?:['’]s?)?(?: eyes)?[ -]only\b
\bfor (?:the )?MASTER['’]s? eyes\b
\bONLY FOR (?:\w+ )?MASTER\b
\bFOR (?:\w+ )?MASTER (?:ONLY|bestimmt|allein)\b
\bréservée?s? (?:au|à|aux)(?: la)? MASTER\b
\bNOT (?:meant |intended |bestimmt )?FOR (?:the |die |les |los |as |os |i )?PLAYERS\b
NOT (?:ever )?(?:show|reveal|read|give|share|spoil|tell) THIS (?:to|with) (?:\w+ )?PLAYERS
NOT (?:ever )?let (?:\w+ )?PLAYERS (?:know|learn|see|read) (?:about )?THIS\b
\bPLAYERS (?:must|should|may|can|do) ?NOT (?:ever )?(?:know|learn|see|read) THIS\b
\b(?:keep|kept) THIS (?:a )?(?:secret|hidden|private)\b
\bTHIS (?:is|are|stays?|remains?|must (?:be|stay)) (?:kept )?SECRET (?:from|to) (?:\w+ )?PLAYERS
\bPLAYERS nicht zeigen
\bne (?:\w+ )?(?:pas )?montre\w* (?:pas )?aux PLAYERS
\bno (?:lo )?(?:mostrar|muestr\w+) a l[oa]s PLAYERS
""")
_TITLE: Final = _any(r"""
^(?:the )?SECRET$
[(\[:–—|-] ?SECRET\W*$
\bSECRET[ -]TEXT\b
\bMASTER(?:['’]s?)? (?:TEXT|SECRET|eyes)\b
\bbehind the screen\b
\bMASTER-?(?:info\w*|notizen|wissen)\b
\bspielleit\w*(?:info|notiz|wissen)\w*
\bPLAYERS do(?: not|n['’]t) (?:yet )?(?:know|see)\b
\b(?:notes|notas|note) (?:du|del?|do|für|for)(?: the| la)? MASTER\b
""")
_NAME: Final = _any(r"""
(?:^| )SECRET$
\bMASTER only\b
""")
_ROLE: Final = re.compile(
    r"^\W*(?:you (?:are|will be|play|act)|your (?:role|task|job)|act as|du bist|tu es|vous êtes|"
    r"eres|você é|sei )\b|\b(?:instructions|system prompt)\b")
"""What a prompt opens with, whatever else it says to be secret."""


def reserves(text: str) -> str:
    """The words by which a text is for the game master alone; '' where it has none."""
    found = _SELF.search(_plain(text))
    return found[0] if found else ""


def reserved(title: str, text: str = "") -> str:
    """The words of a heading, or of the first lines below it, that reserve what is there; or ''."""
    said = _plain(title)
    if found := _TITLE.search(said) or _SELF.search(said):
        return found[0].strip(" :([-–—|")
    first = " ".join([line for line in text.splitlines() if line.strip()][:_LINES])[:_CHARS]
    return hides(f"# {said}") or ("" if _ROLE.search(_plain(first)) else reserves(first))


def reserved_name(path: str) -> str:
    """The part of a file's path, without suffix, that reserves the file; ''  without."""
    return next((part for part in path.split("/")
                 for words in [re.sub(r"[\W_]+", " ", part)]
                 if _NAME.search(_plain(words)) or reserved(words)), "")


def runs(found: Sequence[Section]) -> Iterator[tuple[str, list[Section]]]:
    """The sections in runs, each with the words that reserve it or ''; what is below goes along."""
    top, why = -1, ""
    held: list[tuple[int, str, Section]] = []
    for at, one in enumerate(found):
        if not why or one.level <= found[top].level:
            said = reserved(one.title, one.text) if one.own else ""
            top, why = at if said else -1, said
        held.append((top, why, one))
    for (_, said), run in groupby(held, lambda row: row[:2]):
        yield said, [one for *_, one in run]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`>#\"“”]+", " ", text).casefold().split())
