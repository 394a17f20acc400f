"""Keys and values by which people keep a text from players, besides ``audience``. Pure.

There is one table, for archives, notes, books and users' entities. A key counts only where all its
words stand in the table: ``secret_door`` hides nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

Sense = Literal["hidden", "unclear", ""]

_TABLE: Final = {
    "secret": "secret secrets hidden hide hides private confidential spoiler spoilers restricted "
              "geheim verborgen versteckt privat secrète secreto secreta oculto privado privada "
              "segreto nascosto privato segredo privé privée",
    "things": "secrets notes note info information notizen",
    "master": "dm dms gm gms dmonly gmonly gamemaster dungeonmaster master masters spielleiter "
              "spielleiterin spielleitung sl mj meneur máster",
    "role": "keeper referee storyteller narrator admin admins owner author",
    "player": "player players pc pcs party spieler spielerinnen joueur joueurs jugador jugadores "
              "giocatori jogador jogadores",
    "all": "everyone everybody anyone all public öffentlich",
    "shown": "public publish published show shown reveal revealed shared visible visibility "
             "sichtbar sichtbarkeit öffentlich visibilité visibilidad",
    "sight": "visible visibility sichtbar sichtbarkeit visibilité visibilidad",
    "readers": "access viewer viewers reader readers permission permissions privacy secrecy "
               "classification confidentiality for",
    "only": "only nur eyes",
    "not": "not no never nicht",
    "around": "meta metadata imported",
    "": "to by from the is are be can may do see seen view read know known told game dungeon "
        "facing für",
}
"""What the words of a key or a value are about; some are about several things."""
_KINDS: Final = {
    word: {kind for kind, words in _TABLE.items() if word in words.split()}
    for word in " ".join(_TABLE.values()).split()
}
_TAGS: Final = frozenset({"tag", "tags", "keyword", "keywords"})
"""Several of these may stand in one text, parted by spaces."""
_LABELS: Final = _TAGS | {
    "label", "labels", "category", "categories", "type", "types", "kind", "status", "state",
    "class", "classes", "cssclass", "cssclasses",
}
_FLAGS: Final = {
    **dict.fromkeys("true yes y on x 1 ja oui vrai sí si sim".split(), True),  # noqa: SIM905
    **dict.fromkeys("false no n off 0 nein non faux não none nobody niemand".split(), False),  # noqa: SIM905
}
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[^\W_]+")
_PARTS: Final = re.compile(r"[,;]")
_READ: Final = 400
_LINE: Final = re.compile(r"[\s>*_+#%-]*(?:<!--\s*)?([^\W\d_][\w -]*?)[*_]*\s*[:=]+[*_]*\s*(.*)")
_ENDS: Final = " \t\"'[]*_%->"


def hiding(key: str, value: Any) -> Sense:
    """Whether a key with its value keeps a text from players; ``unclear`` where it may mean to."""
    if (label := compatible(key[:_READ]).strip()) in _LABELS:
        return _of_labels(label, value)
    kinds = _kinds(key)
    if (flag := _flag(value)) is not None:
        return "hidden" if _flagged(kinds, flag) else ""
    if not kinds or value in (None, "", [], {}) or isinstance(value, Mapping):
        return ""
    readers = frozenset[str]().union(*map(_kinds, _items(value)))
    if (kinds & {"secret", "shown", "readers"} and _hides(readers)) or (
            "player" in kinds and "secret" in readers):
        return "hidden"
    if "secret" in kinds and "things" not in kinds:
        return "unclear"
    return "unclear" if "sight" in kinds and not readers & {"player", "all", "shown"} else ""


def hiding_keys(values: Mapping[str, Any]) -> Iterator[tuple[str, Sense]]:
    """The keys that hide a text or may mean to, as they are written, with what they say.

    What stands under a key of the table or one for data about the text counts as well.
    """
    for key, value in values.items():
        if sense := hiding(str(key), value):
            yield f"{key}: {value}"[:80], sense
        if isinstance(value, Mapping) and _kinds(str(key)):
            yield from ((f"{key}: {under}"[:80], sense) for under, sense in hiding_keys(value)
                        if sense == "hidden")


def hiding_line(line: str) -> bool:
    """Whether a line of text reads as a key that plainly hides it."""
    match = _LINE.match(line[:_READ])
    return match is not None and hiding(match[1], match[2].strip(_ENDS)) == "hidden"


def compatible(text: str) -> str:
    """``text`` in compatibility forms, case folded, without characters that cannot be seen."""
    if text.isascii():
        return text.lower()
    shown = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", shown).casefold()


def _flagged(kinds: frozenset[str], flag: bool) -> bool:
    """Whether a key that is true or false hides."""
    if "not" in kinds:
        return flag and bool(kinds & {"player", "shown"})
    if "secret" in kinds:
        return flag
    if kinds & {"master", "role"}:
        return flag and ("only" in kinds or "shown" not in kinds)
    return not flag and "only" not in kinds and bool(kinds & {"player", "shown"})


def _hides(kinds: frozenset[str]) -> bool:
    """Whether words keep from players."""
    if "not" in kinds:
        return bool(kinds & {"player", "shown"})
    return "secret" in kinds or bool(kinds & {"master", "role"} and not kinds & {"player", "all"})


def _of_labels(key: str, value: Any) -> Sense:
    """What tags say; of the game master's name alone it is unclear: prompts are often tagged so."""
    labels = list(_items(value))
    if isinstance(value, str) and key in _TAGS:
        labels += value.split()
    sense: Sense = ""
    for part in (part for label in labels for part in (label, *label.split("/"))):
        kinds = _kinds(part)
        if _hides(kinds) and kinds & {"secret", "not", "only", "things"}:
            return "hidden"
        if _hides(kinds) and "master" in kinds:
            sense = "unclear"
    return sense


def _kinds(text: str) -> frozenset[str]:
    """What the words of a text are about; empty where one of them is not in the table."""
    words = _WORD.findall(compatible(_HUMP.sub(" ", text[:_READ])))
    kinds = [_KINDS.get(word) for word in words]
    return frozenset() if None in kinds else frozenset[str]().union(*filter(None, kinds))


def _items(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        yield from (part for item in value for part in _items(item))
    elif not isinstance(value, Mapping):
        yield from _PARTS.split(str(value)[:_READ])


def _flag(value: Any) -> bool | None:
    """Whether a value says yes or no; None where it says something else."""
    return None if value is None else _FLAGS.get(compatible(str(value)[:_READ]).strip())
