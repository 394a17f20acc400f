"""What belongs in the header: text that says what form every answer has, or what is safe.

Here are what a look at a text's form says of it: its fields, its examples, its beginning. What its
sentences mean is judged in :mod:`.meaning`.
"""

from __future__ import annotations

import re
from typing import Final

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
_BOLD: Final = re.compile(r"(?:[-*+•]\s+)?(\*\*|__).+\1[.!:]?")
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


def is_loud(text: str) -> bool:
    """Whether most of its lines are wholly bold or in capitals, as rules are in any language."""
    lines = [line for line in text.splitlines() if re.search(r"\w", line)]
    return 2 * sum(bool(_BOLD.fullmatch(line.strip())) or line.isupper() for line in lines) \
        >= len(lines) > 0


def situated(name: str, text: str) -> bool:
    """Whether rules hold in one situation only, by their name (a file's, a title) or beginning."""
    return bool(_MODE.search(name) or _SITUATED.match(name) or _SITUATED.match(text))
