"""What a text says of itself: that it is for the game master, and not for players. A guess.

A rule on what the narrator may tell ("never reveal hidden rolls") reserves nothing: the words must
speak of the text that they stand in ("do not show this to players"), or name its reader.
"""

from __future__ import annotations

import re
from typing import Final

from .hiding_keys import compatible, hiding
from .shipped_tables import shipped_tables

SENTENCE: Final = re.compile(r"(?<=[.!?:])\s+")
"""What parts the sentences of a text."""
_TABLES: Final = shipped_tables(__package__, "dm_words.toml")


def _pattern(lines: str) -> re.Pattern[str]:
    """One pattern of several, a line each, with the words that stand in them."""
    whole = "|".join(lines.splitlines())
    for name, words in _TABLES["words"].items():
        several = words if isinstance(words, str) else f"(?:{'|'.join(words)})"
        whole = whole.replace(name, several)
    return re.compile(whole)


PATTERNS: Final = {name: _pattern(lines) for name, lines in _TABLES["patterns"].items()}
"""What marks a text as the game master's, by what is looked at; ``dm_words.toml`` has the words."""
_COLON: Final = re.compile(r"[:–—]|\{\{")
_TAG: Final = re.compile(r"(?<![\w&#/(\[])#([^\W\d][\w/-]*)")
_OPENING: Final = re.compile(r"[\s>*+-]*\W{0,4}[^\n.:\])!?]{1,80}?"
                            r"(?:[:\])!]|\.(?=[\s\])]|$)|\s[–—]\s|[*_] - )")
_PLAYER_SPEAKS: Final = re.compile(
    r"^\W*(?:players?|users?|you|me|\{\{user\}\}|spieler(?:in)?|jou(?:eur|euse)|jogador[ae]?|"
    r"jugador[ae]?)\W*:|<START>", re.IGNORECASE | re.MULTILINE)
_FOLDERS: Final = frozenset({"master", "máster", "mestre", "mistrz", "мастер"})
"""What the game master is called who shares the word with craftsmen."""
_NUMBER: Final = re.compile(r"^(?:(?:chapter|part|appendix|kapitel|chapitre|anhang) )?"
                            r"(?:\d+(?:\.\d+)*|[ivx]+(?=[.)])|[a-z](?=[.)]))[.):]? (?=\w)")
_ROLE: Final = re.compile(
    r"^\W*(?:you (?:are|will be|play|act)|your (?:role|task|job)|act as|du bist|tu es|vous êtes|"
    r"eres|você é|sei )\b|\b(?:instructions|system prompt)\b")
"""What a prompt opens with, whatever else it says to be secret."""
_ORDER: Final = re.compile(
    r"^\W*(?:always|never|do not|don['’]t|keep|answer|respond|reply|write|describe|narrate|speak|"
    r"stay|use|you)\b")


def _words(pattern: str, plain: str) -> str:
    """The words of a plain text that a pattern finds; '' without."""
    match = PATTERNS[pattern].search(plain)
    return match[0] if match else ""


def hides(text: str) -> str:
    """The words of a text that would keep it from players; '' where nothing reads so. A guess."""
    return _words("hides", " ".join(compatible(text).split()))


def reserves(text: str) -> str:
    """The words by which a text is for the game master alone; '' where it has none."""
    return _words("self", _plain(text))


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
    if words := _words("label", label) or ("" if speech else _words("spoken", label)):
        return words
    return reserves(label) if speech or label.endswith((".", "–", "—")) else reserved(label)


def mentions_reserved(text: str) -> str:
    """The words within a text that reserve it: brackets ("(GM: …)") or tags ("#secret"); or ''."""
    return (_words("within", _plain(text)) if _COLON.search(text) else "") or _tags(text)


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
    plain = _NUMBER.sub("", _plain(title))
    first_word = title.split(maxsplit=1)[0] if title.split() else ""
    if first_word.isupper() and not title.isupper() and _words("secret_word", _plain(first_word)):
        return first_word  # SECRET the list
    if words := _words("title", plain) or _words("self", plain):
        return words.strip(" :([-–—|")
    if not prompt and "#" in title and (tags := _tags(title)):
        return tags
    first = _first(text)
    if (words := _words("masters", plain)) and not (prompt or _ROLE.search(first)
                                                    or _ORDER.search(first)):
        return words
    return hides(f"# {plain}") or ("" if _ROLE.search(first) else reserves(first))


def reserved_by_name(title: str) -> bool:
    """Whether a title reserves what is below it in words that name the game master or players."""
    return bool(_words("readers", _plain(reserved(title))))


def to_narrator(text: str) -> bool:
    """Whether a text begins by telling its reader to be the narrator, as prompts do."""
    return bool(_words("to_master", _first(text)))


def orders(sentence: str) -> bool:
    """Whether a sentence tells a narrator what to do or to be, or what players do."""
    plain = _plain(sentence)
    return bool(_ORDER.search(plain) or _ROLE.search(plain) or _words("of_players", plain))


def silences(text: str) -> str:
    """The words of a text that ask not to tell what it says; '' where it has none."""
    return _words("silence", _plain(text))


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
                 if not (narrator and _words("masters", _plain(words)))
                 and (_words("name", _plain(words)) or reserved(words, prompt=narrator))), "")


def _first(text: str) -> str:
    """The first three lines of a text that are not blank, up to 400 characters, plain."""
    lines = [line for line in text.splitlines() if line.strip()][:3]
    return _plain(" ".join(lines)[:400])


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`>#\"“”]+", " ", text).casefold().split())
