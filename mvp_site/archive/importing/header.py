"""Which sections belong in the header: those that say what form every answer has, and what is safe.

Judged by what such text is like anywhere: who the model is, what an answer is made of, what must
never be written; and how much of it binds (an imperative or "must", "never" in a sentence). With an
encoder, nearness to a few descriptions counts too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ...retrieval.encoder import Vectors

Encode = Callable[[Sequence[str]], Vectors]
ENOUGH: Final = 0.5
"""From here on a section is proposed for the header."""
_BINDS: Final = re.compile(
    r"^\W*(?:\d+\W+)?(?:never|always|do not|don['’]t|only|no|avoid|use|write|keep|end|begin|start|"
    r"open|close|answer|reply|respond|output|stay|refuse|stop|show|include|return|format|put)\b|"
    r"\b(?:must|shall|may not|cannot|can['’]?t|never|always|forbidden|not allowed|required|"
    r"under no circumstances|do not|don['’]t|no matter)\b", re.IGNORECASE,
)
_FORM: Final = re.compile(
    r"\b(?:you are (?:an?|the)|your (?:role|task|job)|act as|role-?play as|outputs?|formats?|"
    r"formatting|respon(?:d|ds|se|ses)|repl(?:y|ies)|answers?|messages?|json|xml|ya?ml|markdown|"
    r"html|code (?:block|fence)s?|tags?|fields?|brackets?|asterisks|italics?|bold|headings?|"
    r"bullet|words? (?:long|at most|or fewer)|\d+ (?:words|sentences|paragraphs|tokens)|"
    r"(?:first|second|third)[- ]person|(?:past|present) tense|point of view|prose|narrat\w+|"
    r"(?:status|mode) line|placeholders?|for the (?:player|user)|\{\{user\}\}|system prompt|"
    r"these instructions|out of character|ooc|as an ai)\b", re.IGNORECASE,
)
_SAFETY: Final = re.compile(
    r"\b(?:safe(?:ty|ly)?|consent\w*|minors?|under ?age|child(?:ren)?|sexual\w*|explicit|nsfw|"
    r"romance|self[- ]harm|suicid\w*|slurs?|hat(?:e|red)|racis\w+|gore|graphic|torture|abuse|"
    r"real[- ](?:world|life|people)|trigger\w*|boundar\w+|veils?|lines and|fades? (?:out|to black)|"
    r"uncomfortable|distress\w*|refuse|illegal|harmful|content (?:limits?|polic\w+|rating))\b",
    re.IGNORECASE,
)
_DESCRIBED: Final = {
    "form": (
        "How every answer must be written: its format, length, tense and the tags around it.",
        "The fields of the JSON object that each reply consists of, and which are required.",
        "Who you are as the narrator, how you speak, and that you never act for the player.",
    ),
    "safety": (
        "What must never be written: sexual content with minors, real hatred, self-harm.",
        "Consent, limits of content, and what to do when a person is uncomfortable.",
    ),
    "other": (
        "Rules of the game world: fights, travel, trade, prices, skills and dice.",
        "Places, people and factions, their history, wants and secrets.",
        "What happens in a scene, and how a plot goes on.",
        "Lists of equipment, ships, spells and creatures with their numbers.",
    ),
}
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_NEARNESS: Final = 1.5


class Judgment(NamedTuple):
    """How much a section belongs in the header, from 0, and why, in words."""

    score: float
    why: str


def judge(titles: Sequence[str], texts: Sequence[str], encode: Encode | None = None,
          ) -> list[Judgment]:
    """What to think of each section, by its headings and its text."""
    near = _nearness(titles, texts, encode)
    return [_judgment(*one) for one in zip(titles, texts, near, strict=True)]


def _judgment(title: str, text: str, near: float) -> Judgment:
    said = [sentence for sentence in _SENTENCE.split(text) if re.search(r"\w", sentence)]
    if not said:
        return Judgment(0.0, "")
    counts = {
        "form": sum(bool(_FORM.search(one)) for one in said),
        "safety": sum(bool(_SAFETY.search(one)) for one in said),
    }
    about = max(counts, key=lambda name: counts[name])
    binding = sum(bool(_BINDS.search(one)) for one in said)
    both = sum(bool(_FORM.search(one) or _SAFETY.search(one)) for one in said)
    named = bool(_FORM.search(title) or _SAFETY.search(title))
    score = both / len(said) * (0.4 + 0.6 * min(1.0, 2 * binding / len(said)))
    score += 0.2 * named + _NEARNESS * near
    why = (f"{counts[about]} of {len(said)} sentences speak of "
           f"{'the form of answers' if about == 'form' else 'what is safe'}, {binding} bind")
    return Judgment(score, why)


def _nearness(titles: Sequence[str], texts: Sequence[str], encode: Encode | None) -> list[float]:
    """How much nearer each text is to rules of form or safety than to any other, as a cosine."""
    if encode is None or not texts:
        return [0.0] * len(texts)
    described = [text for texts_ in _DESCRIBED.values() for text in texts_]
    other = len(_DESCRIBED["other"])
    vectors = encode([f"{title}\n{text}" for title, text in zip(titles, texts, strict=True)])
    cosines = vectors @ encode(described).T
    return [float(row[:-other].max() - row[-other:].max()) for row in cosines]
