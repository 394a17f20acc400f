"""What belongs in the header: text that says what form every answer has, or what is safe.

Judged by what such text is like anywhere: how many of its sentences speak of the model's role, of
answers and their parts, or of what must never be written; and how many bind ("must", imperatives).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

ENOUGH: Final = 0.5
"""From this score on a section is proposed for the header."""
_BINDS: Final = re.compile(
    r"^\W*(?:\d+\W+)?(?:never|always|do not|don['’]t|only|no|avoid|use|write|keep|end|begin|start|"
    r"open|close|answer|reply|respond|output|stay|refuse|stop|show|include|return|format|put)\b|"
    r"\b(?:must|shall|may not|cannot|can['’]?t|never|always|forbidden|not allowed|required|"
    r"under no circumstances|do not|don['’]t|no matter|you are (?:an?|the)|"
    r"your (?:role|task|job))\b", re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    # the form of answers
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
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_TAG: Final = re.compile(r"^\s*</?[\w.-]+>\s*$", re.MULTILINE)
_NAMED: Final = 0.2


class Judgment(NamedTuple):
    """How much a section belongs in the header, from 0, and why, in words."""

    score: float
    why: str


def judge(title: str, text: str) -> Judgment:
    """What to think of a section, by the headings above it and its text."""
    said = [one for one in _SENTENCE.split(_TAG.sub("", text)) if re.search(r"\w", one)]
    if not said:
        return Judgment(0.0, "")
    about = sum(bool(_ABOUT.search(one)) for one in said)
    binding = sum(bool(_BINDS.search(one)) for one in said)
    score = about / len(said) * (0.4 + 0.6 * min(1.0, 2 * binding / len(said)))
    return Judgment(score + _NAMED * bool(_ABOUT.search(title.replace("_", " "))), (
        f"{about} of {len(said)} sentences speak of the form of answers or of what is safe, "
        f"{binding} bind"
    ))
