"""What a text says of itself: that it is for the game master, and not for players. A guess.

A rule on what the narrator may tell ("never reveal hidden rolls") reserves nothing: the words must
speak of the text that they stand in ("do not show this to players"), or name its reader.
"""

from __future__ import annotations

import re
from typing import Final

from .audience import hides
from .hiding_keys import hiding

SENTENCE: Final = re.compile(r"(?<=[.!?:])\s+")
"""What parts the sentences of a text."""
_WORDS: Final = {
    "MASTER": r"(?:[dg]ms?|(?:game|dungeon)[ -]?masters?|keepers?|referees?|story ?tellers?|"
              r"wardens?|judges?|spielleit\w+|sl|mj|meneur\w*(?: de jeu)?|"
              r"ma[iî]tre (?:de jeu|du donjon)|dj|máster|director(?:a)? de juego|narrador\w*|"
              r"master|mestre|мастер\w*|ведущ\w+|mistrz\w*(?: gry)?|prowadząc\w+|mg|"
              r"spelleiders?)",
    "CLEAR": r"(?:[dg]ms?|mj|mg|sl|(?:game|dungeon)[ -]?masters?|spielleit\w+|"
             r"meneur\w* de jeu|ma[iî]tre (?:de jeu|du donjon)|director(?:a)? de juego)",
    "PLAYERS": r"(?:players?|party|pcs|users?|\{\{user\}\}|spielern?|joueu(?:rs|ses)|"
               r"jugador(?:es|as)|giocatori|jogador(?:es|as)|игрок\w*|gracz\w*|spelers)",
    "TELL": r"(?:reveal\w*|shown?|shar(?:e|ed|ing)|tell|told|spoil\w*|disclosed?|divulged?|"
            r"mention\w*|read (?:aloud|out|to)|state|give away|peek\w*)",
    "HINT": r"(?:reveal(?:ed)?|tell|told|spoil(?:ed)?|disclosed?|divulged?|mention(?:ed)?|stated?|"
            r"read(?: out)?|give away|share)",
    "TILL": r"(?:outright|aloud|openly|directly|before|until|unless|yet|to)\b",
    "OWN": r"(?:your|these|prompts?|instructions|rules|rolls|dcs?)",
    "NOT": r"(?:not|n['’]t|never|nicht|nie|pas|no|non|não|не)",
    "RESERVED": r"(?:réservée?s?|riservat[oaie]|reservad[oa]s?|zastrzeżon\w+)",
    "ONLY": r"(?:only|nur|solo|sólo|solamente|seulement|uniquement|apenas|somente|só|только|"
            r"tylko|alleen)",
    "FOR": r"(?:for|für|pour|para|per|для|dla|voor)",
    "THE": r"(?:(?:the|your|den|die|das|dem|der|les?|la|los?|el|il|l['’]|os?|as?) ?)?",
    "OF": r"(?:du|de la|de|del|della|d[ei]l?|d[ao]s?|der|des)",
    "THIS": r"(?:(?:any |all |none )?(?:of )?(?:this|it|these|them|the following|what follows)"
            r"(?: (?:SECRET )?TEXT)?)",
    "SECRET": r"(?:hidden|secrets?|private|confidential|spoilers?|geheim(?:e[mnrs]?|niss?e?n?)?|"
              r"secrètes?|secret[oa]s?|segret[oaie]|segred[oa]s?|ocult[oa]s?|секрет\w*|тайн\w*|tajn[eay]\w*|"
              r"tajemnic\w*|sekret\w*)",
    "TEXT": r"(?:notes?|modules?|scenarios?|adventures?|sections?|chapters?|parts?|files?|"
            r"pages?|documents?|records?|information|infos?|knowledge|lore|truths?|"
            r"back ?stor(?:y|ies)|agendas?|timelines?|twists?|motives?|facts|stuff|prep|texts?)",
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
\bRESERVED (?:au|à|aux|al?|alla|ao|para|per|dla)(?: (?:la|el|il|o))? MASTER\b
\bNOT (?:meant |intended |bestimmt )?FOR (?:the |die |les |los |as |os |i )?PLAYERS\b
NOT (?:ever )?(?:show|reveal|read|give|share|spoil|tell) THIS (?:to|with) (?:\w+ )?PLAYERS
NOT (?:ever )?let (?:\w+ )?PLAYERS (?:know|learn|see|read) (?:about )?THIS\b
\bPLAYERS (?:must|should|may|can|do) ?NOT (?:ever )?(?:know|learn|see|read) THIS\b
^[(\[]? ?SECRET (?:from|to) PLAYERS
[(\[]SECRET (?:from|to) PLAYERS
\b(?:keep|kept) THIS (?:a )?(?:secret|hidden|private)\b
\bTHIS (?:is|are|stays?|remains?|must (?:be|stay)) (?:kept )?SECRET (?:from|to) (?:\w+ )?PLAYERS
\bPLAYERS nicht zeigen
\bne (?:\w+ )?(?:pas )?montre\w* (?:pas )?aux PLAYERS
\bno (?:lo )?(?:mostrar|muestr\w+) a l[oa]s PLAYERS
""")
_TITLE: Final = _any(r"""
^\W*(?:the |plot |story )?SECRET\W*$
^(?:\W*SECRET|spoilers? alert) ?[:(\[–—|-](?!\w)
^\W*[🔏🔐🔒🤐🤫]
^(?:the )?(?:plot )?twists?$
^\W*spoilers?(?: (?:alert|ahead|below|warning|inside))?\W*$
^\W*for (?:my|your) eyes only\b
^мастеру ?:
\bplot twists?\b
^\W*(?:top secret|classified|confidential|sealed(?: TEXT)?)\W*$
^(?:please )?(?:do not|never|don['’]?t|must not|not to) (?:ever )?(?:be )?TELL\b(?!.*\bOWN\b)
\bmust NOT be TELL\b
^no (?:peeking|spoilers|access for PLAYERS|PLAYERS(?: access| allowed| beyond)?)\b
\bstop reading\b
\b(?:do not|don['’]?t) (?:read|peek|look)\b\W*$
\bCLEAR (?:version|prep)\b
^CLEAR:
^[(\[]CLEAR[)\]]
[(\[]CLEAR[)\]]
^FOR THEMASTER(?:['’]s?)?(?: (?:eyes|use|reference|TEXT))?(?:\W*$| ?[:–—])
^FOR THE\w*(?:master|keeper|warden)(?:['’]s?)? (?:eyes )?ONLY\b
\bMASTER (?:alone )?knows?\b
(?:[dg]m|kp|マスター|語り手|キーパー|主持人|守秘人) ?(?:専用|のみ|だけ|限定|专用)
(?:[dg]m|마스터|진행자|키퍼) ?(?:전용|만|외)
(?:仅限?|只限|只有) ?(?:[dg]m|kp|主持人|守秘人)
^MASTER ONLY\W*$
\b(?:CLEAR|referee)[ -](?:facing|side)\b
[(\[:–—|-] ?SECRET\W*$
\bSECRET[ -]TEXT\b
\bMASTER(?:['’]s?)? (?:TEXT|SECRET|eyes)\b
^MASTER-(?:TEXT|SECRET)\W*$
\b(?:behind the screen|hinter dem schirm|derrière l['’]écran)\b
\b(?:(?:tras|detrás de) la pantalla|dietro lo schermo)\b
\bSECRET (?:OF|FOR) THEMASTER
^(?:\W*)ONLY MASTER\W*$
\b(?:spiel)?meister-?(?:info\w*|notiz\w*|wissen)
\bMASTER-?(?:info\w*|notizen|wissen)\b
\bspielleit\w*(?:info|notiz|wissen)\w*
\bPLAYERS (?:do|does)(?: not|n['’]t) (?:yet )?(?:know|see)\b
\bPLAYERS (?:nicht wissen|no saben|n['’]?e? ?savent pas|não sabem|non sanno|igno\w+|descono\w+)\b
\bPLAYERS (?:не знают|nie wiedzą|niet weten)\b
\bNOT lire (?:à voix haute|aux PLAYERS)\b
\b(?:not[aei]s?|notat\w+|notizen|anota\w+|ap+unt\w+|заметк\w+|info\w*) (?:(?:OF|FOR) )?THEMASTER\b
""")
_MASTERS: Final = _any(r"""
^CLEAR$
\bCLEAR(?:['’]s?)? (?:background|guide|handbook|material|reference)\b(?<!dungeon master['’]s guide)
^secrets (?:&|and|und|et|y|e|i|и|/) ?\w
^(?:behind the scenes|eyes only)\W*$
^(?:(?:what|who)(?:['’]s| is| are)?|where) (?:\w+ )?really\b
^(?:(?:his|her|its|their) )?(?:true|real|secret) (?:identity|nature|self|face|motives?|plans?)\W*$
^(?:his|her|its|their) (?:true|real|secret) \w+\W*$
^(?:the (?:\w+ )?)?truth(?: (?:about|behind)\b|\W*$)
\bPLAYERS (?:will|should|may|can) (?:\w+ )?(?:find out|learn|discover)\b
^(?:die wahrheit|la v[eé]rit[eéà]|la verdad|a verdade|prawda|правда)\W*$
""")
"""Titles that a prompt to a model which is the game master has as well."""
_COLON: Final = re.compile(r"[:–—]|\{\{")
_TAG: Final = re.compile(r"(?<![\w&#/(\[])#([^\W\d][\w/-]*)")
_SECRET_WORD: Final = _any(r"""
^\W*SECRET\W*$
""")
_LABEL: Final = _any(r"""
\bMASTER(?:['’]s?)?(?: eyes)?[ -]only\b
^\W*SECRET FROM (?:\w+ )?PLAYERS\W
^\W*keep SECRET (?:from|to) (?:\w+ )?PLAYERS\W
^\W*for you(?:r eyes)? (?:only|alone)\b
^\W*[🔏🔐🔒🤐🤫]
[(\[]ONLY (?:FOR )?THEMASTER[)\]]
^SECRET ?[–—]
""")
"""A label that speaks of the text behind it, whoever reads it."""
_SPOKEN: Final = _any(r"""
^\W*(?:FOR )?THECLEAR(?:['’]s?)?(?: (?:ONLY|TEXT|eyes))?\W*[:\])]
^[(\[]MASTER(?: TEXT)?\W*[:\])]
^\W*THEMASTER['’]s? (?:TEXT|SECRET|eyes|boxe?s?)\W
^\W*THEMASTER TEXT\W
""")
"""A label that in a conversation would name who speaks."""
_WITHIN: Final = _any(r"""
[(\[{=]CLEAR(?:['’]s?)?(?: (?:ONLY|TEXT|eyes))? ?[:–—]
\{\{ ?(?:SECRET|CLEAR) ?[|:]
""")
"""What stands in brackets or is highlighted within a text."""
_OPENING: Final = re.compile(r"[\s>*+-]*\W{0,4}[^\n.:\])!?]{1,80}?"
                            r"(?:[:\])!]|\.(?=[\s\])]|$)|\s[–—]\s|[*_] - )")
_PLAYER_SPEAKS: Final = re.compile(
    r"^\W*(?:players?|users?|you|me|\{\{user\}\}|spieler(?:in)?|jou(?:eur|euse)|jogador[ae]?|"
    r"jugador[ae]?)\W*:|<START>", re.IGNORECASE | re.MULTILINE)
_NAME: Final = _any(r"""
(?:^| )SECRET$
\bMASTER only\b
^for (?:the )?MASTER$
(?:^| )CLEAR(?: version)?$
""")
_FOLDERS: Final = frozenset({"master", "máster", "mestre", "mistrz", "мастер"})
"""What the game master is called who shares the word with craftsmen."""
_SILENCE: Final = _any(r"""
\b(?:do not|don['’]t|never|must not) (?:be )?HINT (?:it|this|that|them|these)(?: TILL| ?[^ \w]|$)
\b(?:do not|don['’]t|never|must not) (?:be )?HINT TILL
\b(?:do not|don['’]t|never) (?:ever )?HINT ?(?:[.!]|$)
""")
_NUMBER: Final = re.compile(r"^(?:(?:chapter|part|appendix|kapitel|chapitre|anhang) )?"
                            r"(?:\d+(?:\.\d+)*|[ivx]+(?=[.)])|[a-z](?=[.)]))[.):]? (?=\w)")
_ROLE: Final = re.compile(
    r"^\W*(?:you (?:are|will be|play|act)|your (?:role|task|job)|act as|du bist|tu es|vous êtes|"
    r"eres|você é|sei )\b|\b(?:instructions|system prompt)\b")
"""What a prompt opens with, whatever else it says to be secret."""
_TO_MASTER: Final = _any(r"""
^\W*(?:you (?:are|will be|play|act)|act as)\b.{0,80}\b(?:CLEAR|narrator|story ?teller)\b
^\W*(?:du bist|tu es|vous êtes|eres|você é|sei )\b.{0,80}\b(?:MASTER|narrat\w+)\b
""")
_READERS: Final = _any(r"""
\b(?:MASTER|PLAYERS)\b
""")
_OF_PLAYERS: Final = _any(r"""
^\W*(?:the )?PLAYERS\b
""")
_ORDER: Final = re.compile(
    r"^\W*(?:always|never|do not|don['’]t|keep|answer|respond|reply|write|describe|narrate|speak|"
    r"stay|use|you)\b")


def reserves(text: str) -> str:
    """The words by which a text is for the game master alone; '' where it has none."""
    match = _SELF.search(_plain(text))
    return match[0] if match else ""


def opens_reserved(text: str, *, speech: bool = False) -> str:
    """The words of a label before a text ("GM: …", "[Keeper only] …") that reserve it; or ''.

    One that a full stop ends must name the game master. ``speech`` says that the text may be of a
    conversation, or speaks to a narrator: a bare name before it is then who speaks.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return ""
    label = _plain(opening[0])
    if label.endswith("!"):
        return reserved(label) if opening[0].isupper() else ""
    match = _LABEL.search(label) or (None if speech else _SPOKEN.search(label))
    if match:
        return match[0]
    return reserves(label) if speech or label.endswith((".", "–", "—")) else reserved(label)


def mentions_reserved(text: str) -> str:
    """The words within a text that reserve it: brackets ("(GM: …)") or tags ("#secret"); or ''."""
    match = _WITHIN.search(_plain(text)) if _COLON.search(text) else None
    return match[0] if match else _tags(text)


def reserved_by_tags(text: str) -> str:
    """The tags by which a note is for the game master: of its first line or a paragraph of tags."""
    lines = [line for line in text.split("\n") if not line.startswith("# ")]
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    for at, line in enumerate(lines):
        alone = at == first or not "".join(lines[at - 1 : at] + lines[at + 1 : at + 2]).strip()
        if alone and "#" in line and not _TAG.sub("", line).strip(" ,\t") and _tags(line):
            return _tags(line)
    return ""


def _tags(text: str) -> str:
    """The first tag of a text that hides, or names the game master; '' without."""
    return next((match[0] for match in _TAG.finditer(text) if hiding("tags", [match[1]])), "")


def is_speech(text: str) -> bool:
    """Whether players speak in a text, each line behind a name."""
    return bool(_PLAYER_SPEAKS.search(text))


def reserved(title: str, text: str = "", prompt: bool = False) -> str:
    """The words of a heading, or of the first lines below it, that reserve what is there; or ''.

    ``prompt`` says that the whole speaks to a narrator, who may be called by the same names.
    """
    plain = _heading(title)
    first_word = title.split(maxsplit=1)[0] if title.split() else ""
    if first_word.isupper() and not title.isupper() and _SECRET_WORD.match(_plain(first_word)):
        return first_word  # SECRET the list
    if match := _TITLE.search(plain) or _SELF.search(plain):
        return match[0].strip(" :([-–—|")
    if not prompt and "#" in title and (tags := _tags(title)):
        return tags
    first = _first(text)
    if (match := _MASTERS.search(plain)) and not (prompt or _ROLE.search(first)
                                                 or _ORDER.search(first)):
        return match[0]
    return hides(f"# {plain}") or ("" if _ROLE.search(first) else reserves(first))


def reserved_by_name(title: str) -> bool:
    """Whether a title reserves what is below it in words that name the game master or players."""
    return bool(_READERS.search(_plain(reserved(title))))


def to_narrator(text: str) -> bool:
    """Whether a text begins by telling its reader to be the narrator, as prompts do."""
    return bool(_TO_MASTER.search(_first(text)))


def orders(sentence: str) -> bool:
    """Whether a sentence tells a narrator what to do or to be, or what players do."""
    plain = _plain(sentence)
    return any(order.search(plain) for order in (_ORDER, _ROLE, _OF_PLAYERS))


def silences(text: str) -> str:
    """The words of a text that ask not to tell what it says; '' where it has none."""
    match = _SILENCE.search(_plain(text))
    return match[0] if match else ""


def reserved_fact(text: str) -> str:
    """The words by which a text keeps quiet what it tells; '' where it only gives orders."""
    sentences = [part for part in SENTENCE.split(_plain(text)) if not (
        silences(part) or hides(part) or _ORDER.search(part) or _ROLE.search(part))]
    return (silences(text) or hides(text)) if sentences else ""


def reserved_name(path: str, text: str) -> str:
    """The part of a file's path, without suffix, that reserves the file; ''  without.

    Without its ``text`` the path is of folders.
    """
    narrator = to_narrator(text)
    parts = path.split("/")
    folders = parts[:-1] if text else parts
    return next((part for part in folders if part.casefold() in _FOLDERS), "") or next(
                (part for part in parts
                 for words in [re.sub(r"[\W_]+", " ", part)]
                 if not (narrator and _MASTERS.search(_plain(words)))
                 and (_NAME.search(_plain(words)) or reserved(words, prompt=narrator))), "")


def _first(text: str) -> str:
    """The first three lines of a text that are not blank, up to 400 characters, plain."""
    lines = [line for line in text.splitlines() if line.strip()][:3]
    return _plain(" ".join(lines)[:400])


def _heading(title: str) -> str:
    """A title without its number, plain."""
    return _NUMBER.sub("", _plain(title))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`>#\"“”]+", " ", text).casefold().split())
