"""What belongs in the header: text that says what form every answer has, or what is safe.

Judged by what such text is like anywhere: how many of its sentences speak of the model's role, of
answers and their parts, or of what must never be written; and how many bind ("must", imperatives).
A section most of whose sentences say "never", "always" or "must" is a rule wherever it stands. The
words are English and German.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from ...text.languages import UNSPACED_CHARACTER
from ..answer_example import objects
from ..answer_form import asks_for_json
from .titles import ITEM

ENOUGH: Final = 0.5
"""From this score on a section is proposed for the header."""
_BINDS: Final = re.compile(
    r"^\W*(?:\d+\W+)?(?:never|always|do not|don['’]t|only|no|avoid|use|write|keep|end|begin|start|"
    r"open|close|answer|reply|respond|output|stay|refuse|stop|show|include|return|format|put)\b|"
    r"\b(?:must|shall|may not|cannot|can['’]?t|never|always|forbidden|not allowed|required|"
    r"under no circumstances|do not|don['’]t|no matter|you are (?:an?|the)|^\W*you are|"
    r"your (?:role|task|job)|du bist|immer|nie|niemals|nicht|musst|darfst|sollst)\b", re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    # the form of answers
    r"^\W*you (?:are|voice|narrate|play|run|control|speak|describe|keep|track|act|do not)\b|"
    r"\btreat the (?:player|user)|^\W*du (?:bist|spielst|erzählst|schreibst|führst)\b|"
    r"\b(?:deine (?:rolle|aufgabe)|rolle|antwort\w*|ausgabe\w*|erzähl\w*|absätze?\w*|wörter|"
    r"(?:erste|zweite|dritte)n? person|präsens|präteritum|gewalt\w*|sexuell\w*|minderjährig\w*)\b|"
    r"\b(?:you are (?:an?|the)|your (?:role|task|job)|act as|role-?play as|outputs?|formats?|"
    r"formatting|respon(?:d|ds|se|ses)|repl(?:y|ies)|answers?|messages?|json|xml|ya?ml|markdown|"
    r"html|code (?:block|fence)s?|tags?|fields?|brackets?|asterisks|italics?|bold|headings?|"
    r"bullet|words? (?:long|at most|or fewer)|\d+ (?:words|sentences|paragraphs|tokens)|"
    r"(?:first|second|third)[- ]person|(?:past|present) tense|point of view|prose|narrat\w+|"
    r"(?:status|mode) line|placeholders?|for the (?:player|user)|\{\{user\}\}|system prompt|"
    r"these instructions|out of character|ooc|as an ai|"
    # safety
    r"safe(?:ty|ly)?|consent\w*|minors?|under ?age|child(?:ren)?|sexual\w*|explicit|nsfw|"
    r"romance|self[- ]harm|suicid\w*|slurs?|hat(?:e|red)|racis\w+|gore|graphic|torture|abuse|"
    r"real[- ](?:world|life|people)|trigger\w*|boundar\w+|veils?|lines and|fades? (?:out|to black)|"
    r"uncomfortable|distress\w*|refuse|illegal|harmful|content (?:limits?|polic\w+|rating))\b",
    re.IGNORECASE,
)
_FIRST: Final = r"\W*(?:\d+\W+)?(?:never|always|do not|don['’]t|must)\b"
_STRONG: Final = re.compile(rf"^{_FIRST}|\b(?:must|shall)(?: not| never)?\b", re.IGNORECASE)
_STRONG_ITEM: Final = re.compile(_FIRST, re.IGNORECASE)
_NEGATES: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|nor|cannot|nicht|nie|kein\w*)\b|n['’]t\b",
    re.IGNORECASE)
_FORBIDDING: Final = 0.6
"""The part of items, or of lines of a sentence each, that deny something in a list of limits."""
_LIMITS: Final = re.compile(
    r"\b(?:safety|consent|veils?|hard lines?|limits|boundar\w+|content (?:rules?|polic\w+)|grenzen|"
    r"tabus?|sicherheit)\b|\b(?:we|wir|you|du)\b[^>]{0,20}\b(?:not|never|nicht|nie)\b|n['’]t\b",
    re.IGNORECASE)
"""In a title: what is below says what is not played."""
_SAFE: Final = re.compile(
    r"\b(?:sexual\w*|minors?|consent\w*|veils?|lines and|nsfw|self[- ]harm|suicid\w*|gor[ey]\w*|"
    r"tortur\w*|slurs?|distress\w*|fades? to black|graphic\w*|harm to|abuse|cruelty|phobia\w*|"
    r"sexuell\w*|minderjährig\w*|gewalt\w*|folter\w*)\b", re.IGNORECASE)
_MANY: Final = 40
"""Sentences of a section that is more than that."""
_ITEMS: Final = 3
"""So many items of a list are judged as such, whatever else stands in each."""
_RULES: Final = 0.7
"""The part of a section's sentences that say so, from which on it is a rule of its own."""
_SHAPE: Final = re.compile(r"\b(?:formats?|templates?|outputs?|respon(?:se|d)s?|repl(?:y|ies)|"
                           r"answers?|antwort\w*)\b", re.IGNORECASE)
_KNOWN: Final = re.compile(
    r"\b(?:the|a|an|of|and|to|in|is|are|you|or|with|for|not|der|die|das|und|ist|ein|eine|den|nicht|"
    r"du|sie|mit|im|zu|auf)\b", re.IGNORECASE)
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
_DATA: Final = re.compile(
    r"^\s*(?:[\[\]{}]+,?|\"[^\"\n]*\"\s*:.*|\"[^\"\n]*\",?)\s*$", re.MULTILINE)
"""A line of JSON without a fence."""
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
_TAG: Final = re.compile(r"^\s*</?[\w.-]+>\s*$", re.MULTILINE)


def judge(title: str, text: str) -> tuple[float, str]:
    """How much a section belongs in the header, from 0, and why, in words."""
    bare = _TAG.sub("", text)
    if not re.search(r"\w", _FENCED.sub("", bare)) and not _SHAPE.search(
            title.rpartition(" > ")[2].replace("_", " ")):
        return 0.0, ""  # code alone says nothing of answers, unless its heading does
    plain = _DATA.sub("", _FENCED.sub("as in this code block", bare))
    sentences = [sentence for sentence in _SENTENCE.split(plain) if re.search(r"\w", sentence)]
    if not sentences:
        return 0.0, ""
    about, binding, strong = (sum(bool(pattern.search(sentence)) for sentence in sentences)
                              for pattern in (_ABOUT, _BINDS, _STRONG))
    count = len(sentences)
    score = about / count * (0.4 + 0.6 * min(1.0, 2 * binding / count))
    share = strong / count
    items = [line for line in plain.splitlines() if ITEM.match(line)]
    if len(items) >= _ITEMS:
        share = max(share, sum(bool(_STRONG_ITEM.match(item)) for item in items) / len(items))
    lines = items if len(items) >= _ITEMS else plain.split("\n")
    lines = [line for line in lines if line.strip()]
    denied = sum(bool(_NEGATES.search(_SENTENCE.split(line.strip())[0])) for line in lines)
    limits = len(lines) > _ITEMS and denied >= _FORBIDDING * len(lines) and (
        bool(items) or (2 * count <= 3 * len(lines) and 3 * binding >= count))
    score = max(score, ENOUGH if share >= _RULES or limits else 0.0)
    safe = sum(bool(_SAFE.search(sentence)) for sentence in sentences)
    if (_LIMITS.search(title) or safe > _ITEMS) and count <= _MANY:
        score = max(score, ENOUGH)
    return score + 0.2 * bool(_ABOUT.search(title.replace("_", " "))), (
        f"{about} of {count} sentences speak of the form of answers or of what is safe, "
        f"{binding} bind")


def speaks_of_answers(sentence: str) -> bool:
    """Whether a sentence speaks of the form of answers, or of what is safe."""
    return bool(_ABOUT.search(sentence))


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
    """Whether most of a text is in neither of the languages that are judged."""
    words = len(re.findall(r"[^\W\d_]+", text))
    far = len(UNSPACED_CHARACTER.findall(text))
    return words + far > 12 and len(_KNOWN.findall(text)) < (words + far) / 10
