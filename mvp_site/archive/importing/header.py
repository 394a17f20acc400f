"""What belongs in the header: text that says what form every answer has, or what is safe.

Here are what a look at a text's form says of it: its fields, its examples, its beginning. What its
sentences mean is judged in :mod:`.meaning`.
"""

from __future__ import annotations

import re
from typing import Final

from .titles import ITEM

READ: Final = frozenset({"de", "en"})
"""The languages of the prompts that meaning is fitted on."""
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
_MODE: Final = re.compile(r"(?i:(?:^|[/\W_])mod(?:e|us|o)(?:$|\s*[:–—]\s*\w|\s*[\"`*„“«]+\w)|"
                         r"\b(?:only|nur)\W*$)|"
                         r"^\W*[a-z_]+\W{0,2}[:=]\W{0,3}[a-z_]+\W*$")
"""A name of a mode, one that ends in "only", or a condition on the state (``weather: fog``)."""
_FIELD: Final = re.compile(
    r"^[ \t]*(?:\|[ \t]*\d+[ \t]*\||[-*+•|]|\d+[.)])?[ \t]*(?:`?</?([\w-]+)[^<>\n]*>|"
    r"[%@!~$&§]{1,3} ?([A-ZÄÖÜ]{2,})\b|([a-z]\w*)(?=[ \t]{3,}\S)|"
    r"(?:[`\"]|\*\*)([\w.\[\]-]+)(?:[`\"]|\*\*)[ \t]*(?:[:—–=(|-]|$)|"
    r"([A-Z][A-Z_]+)(?: [a-z][\w ]{0,20})?[:|]|(\w+) = |(\w+)\??: [^\n]*;)", re.MULTILINE)
"""A line that begins with a field's name: a tag, a column, a word set as code, a prefix, a type."""
_BOLD: Final = re.compile(r"(\*\*|__)[^*_]*\w[^*_]*\1")
_HEAD: Final = 1 / 3
"""The part of a prompt up to which a list is at its head."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])(?<!\d\.)\s+|\n+")


def lists_fields(text: str) -> bool:
    """Whether a text has a line for each of several fields."""
    return len(_FIELD.findall(text)) > 1


def tells_form(title: str) -> bool:
    """Whether a heading says that the form of answers is told below it."""
    return bool(_SHAPE.search(title.replace("_", " ")))


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
