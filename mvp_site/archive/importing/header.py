"""What belongs in the header: text that says what form every answer has, or what is safe.

Here are what a look at a text's form says of it: its fields, its examples, its beginning. What its
sentences mean is judged in :mod:`.meaning`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from ...text.languages import recognised
from ..answer_example import objects
from ..answer_form import asks_for_json
from .titles import ITEM

ENOUGH: Final = 0.5
"""From this score on a section is proposed for the header."""
_SHAPE: Final = re.compile(r"\b(?:formats?|templates?|outputs?|respon(?:se|d)s?|repl(?:y|ies)|"
                           r"answers?|antwort\w*)\b", re.IGNORECASE)
_ROLE: Final = re.compile(
    r"^\W*(?:you(?:['’]re| are| run| write| play| voice| tell)\b|your (?:role|task|job)\b|act as\b|"
    r"du bist\b)", re.IGNORECASE)
_SITUATED: Final = re.compile(
    r"\W*(?:this|these|they|what follows|the rules)\b[^.!?\n]{0,60}\bonly (?:when|while|if|in)\b|"
    r"[^\n]{0,60}\((?:only|nur)\b|"
    r"\W*(?:(?:this|these|everything|what follows|the rules)\b[^.!?\n]{0,40}\b"
    r"(?:appl(?:y|ies)|holds?|is|are) (?:used |for )?)?(?:only (?:when|while|if|during|for)|while|"
    r"during|throughout|as long as|for (?:so|as) long as|whenever|used? only|"
    r"used (?:when|while|between|during))\b|"
    r"\W*when\b[^.!?:\n]*[`(][\w.]+ ?[=:]|\W*everything (?:here|in this \w+) is for\b|"
    r"[^.!?\n]{0,200}\b(?:and only then|(?:and )?at no other time)\b|"
    r"\W*nur (?:wenn|während|falls)\b", re.IGNORECASE)
_MODE: Final = re.compile(r"(?:^|[/\W_])mode(?:$|\s*[:–—]\s*\w)", re.IGNORECASE)
_FENCED: Final = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_FIELD: Final = re.compile(
    r"^[ \t]*(?:\|[ \t]*\d+[ \t]*\||[-*+•|]|\d+[.)])?[ \t]*(?:`?</?([\w-]+)[^<>\n]*>|"
    r"[%@!~$&§]{1,3} ?([A-ZÄÖÜ]{2,})\b|([a-z]\w*)(?=[ \t]{3,}\S)|"
    r"(?:[`\"]|\*\*)([\w.\[\]-]+)(?:[`\"]|\*\*)[ \t]*(?:[:—–=(|-]|$)|"
    r"([A-Z][A-Z_]+)(?: [a-z][\w ]{0,20})?[:|]|(\w+) = |(\w+)\??: [^\n]*;)", re.MULTILINE)
"""A line that begins with a field's name: a tag, a column, a word set as code, a prefix, a type."""
_LISTS: Final = re.compile(r"^[ \t]*(?:[-*+•|]|\d+[.)]) ?\S", re.MULTILINE)
_REPLY: Final = re.compile(
    r"\b(?:repl(?:y|ies)|answers?|respon(?:ses?|d)|outputs?|messages?|posts?|"
    r"(?:send|write|writ)\w* back|"
    r"(?:what|everything|all) you (?:write|send|say)|antwort\w*|ausgabe\w*)\b", re.IGNORECASE)
_PROGRAM: Final = re.compile(
    r"\bform of (?:the|your|each|every)\b|"
    r"\b(?:json|xml|ya?ml|objects?|arrays?|elements?|tags?|fields?|keys?|members|prefix(?:es)?|"
    r"pars(?:es?|ed|ers?)|clients?|front ?end|schemas?|interface|fences?|validat\w+|formats?|"
    r"nothing (?:around|outside|else|before|after)|in this order|objekt\w*|feld(?:er\w*)?)\b",
    re.IGNORECASE)
_BOLD: Final = re.compile(r"(\*\*|__)[^*_]*\w[^*_]*\1")
_HEAD: Final = 1 / 3
"""The part of a prompt up to which a list is at its head."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])(?<!\d\.)\s+|\n+")



def asks_for_form(title: str, text: str) -> bool:
    """Whether a section asks for answers of some form, in its heading or under it."""
    sentences = [title.replace("_", " "), *_SENTENCE.split(_FENCED.sub("", text))]
    return bool(asks_for_json(text) or _SHAPE.search(sentences[0]) or any(
        _REPLY.search(sentence) and _PROGRAM.search(sentence) for sentence in sentences))


def lists_fields(text: str) -> bool:
    """Whether a text has a line for each of several fields."""
    return len(_FIELD.findall(text)) > 1


def field_names(text: str) -> set[str]:
    """The names of fields that lines of a text begin with, or that its objects have."""
    return {name for match in _FIELD.findall(text) for name in match if name} | {
        name for example in objects(text) for name in example}


def is_part(text: str, names: Collection[str]) -> bool:
    """Whether a text lists what one of these fields, which it begins with, is made of."""
    first = next(iter(_SENTENCE.split(text)), "")
    return bool(_LISTS.search(text)) and any(f"`{name}`" in first for name in names)


def names_fields(text: str) -> bool:
    """Whether a text names the fields of an answer, in a list or in an example."""
    return lists_fields(text) or any(objects(text))


def opens_prompt(text: str) -> bool:
    """Whether a text tells its reader who they are, as a prompt's beginning does."""
    return any(_ROLE.search(sentence) for sentence in _SENTENCE.split(text))


def judge_form(text: str, place: float) -> tuple[float, str]:
    """The same of a text whose language is not read: by its form, and where in the prompt it is.

    ``place`` is 0 at the prompt's beginning and 1 at its end.
    """
    lines = [line for line in text.splitlines() if re.search(r"\w", line)]
    loud = sum(bool(_BOLD.search(line) or line.isupper()) for line in lines)
    items = sum(bool(ITEM.match(line)) for line in lines)
    if lines and 2 * loud >= len(lines):
        return ENOUGH + 0.2, "to check: most of its lines are bold or in capitals"
    if place <= _HEAD and 3 * items >= 2 * len(lines) > 2:
        return ENOUGH, "to check: a list at the head of the prompt"
    if not place:
        return ENOUGH, "to check: it opens the prompt"
    return 0.0, ""


def situated(name: str, text: str) -> bool:
    """Whether rules hold in one situation only, by their name (a file's, a title) or beginning."""
    return bool(_MODE.search(name) or _SITUATED.match(name) or _SITUATED.match(text))


def foreign(text: str) -> bool:
    """Whether a text is in another language than English."""
    return recognised([text])[:1] != ("en",)
