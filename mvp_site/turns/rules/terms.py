"""Internal terms: type codes, trait scales and alignments that no player may read.

What counts is decided by use, for most of the words are ordinary English:

- The sixteen Myers-Briggs codes are no words, so they count wherever they stand by themselves.
- *Neuroticism*, *extraversion* and *conscientiousness* are names of scales before anything else and
  count; so does *agreeableness* unless it is that of a thing ("the agreeableness of the weather").
  *Openness* counts only as a scale: with a degree ("low openness", "high in openness"), a number,
  as "openness to experience", or beside another scale. The adjectives (open, conscientious,
  extroverted, agreeable, neurotic) count only as a list of three, or as "trait" and the like.
- An alignment is its two words together, whatever joins them; not where the second word belongs to
  what follows it ("a neutral good morning", "true neutral ground", "a chaotic evil-smelling heap").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..lettering import plain
from ..types import Violation
from .context import Context, Rule, path, quoted

# A letter beside it makes a term part of another word; digits and marks do not.
_START: Final = r"(?<![^\W\d_])"
_END: Final = r"(?![^\W\d_])"
_JOINT: Final = r"[\s_/*~|\\-]{0,8}"
_DEGREE: Final = r"(?:high|higher|highest|low|lower|lowest|moderate|average|strong|weak|elevated)"
_SCALE: Final = r"(?:conscientiousness|neuroticism|extr[ao]version)"
_SOFT: Final = r"(?:agreeableness|openness)"
_MORAL: Final = r"(?:lawful|chaotic|evil|neutral|good|law|chaos)"
_ADJECTIVE: Final = r"(?:conscientious|agreeable|neurotic|extroverted)"
_GOOD: Final = (  # what is good in plain English, where lawful or chaotic may stand before
    "mornings?|evenings?|days?|nights?|afternoons?|bye|will|faith|sense|luck|standing|humou?r"
    "|manners|order|conscience|cause|reasons?|measure|fortune|weather|cheer|fun|times?|spirits"
    "|company|food|nature|news|title"
)
_NEUTRAL: Final = (
    r"grounds?|territor\w+|zones?|lands?|ports?|tones?|colou?rs?|gr[ae]ys?|expressions?|face"
    r"|part(?:y|ies)|position|waters"
)
_TYPES: Final = (
    rf"{_START}[ie][ns][tf][jp]s?{_END}",
    rf"{_START}[ie]([.·/ -]{{1,2}})[ns]\1[tf]\1[jp]{_END}",
    rf"{_START}(?:myers{_JOINT}briggs|mbti){_END}",
    rf"{_START}(?:intro|extr[ao])vert(?:ed)?[\s-](?:personality[\s-])?type{_END}",
)
_SCALES: Final = (
    rf"{_START}(?:{_SCALE}|extraverts?|extraverted){_END}",
    rf"{_START}agreeableness{_END}(?!\sof\s(?:the|an?|this|that|these|those|its?|our|such)\b)",
    rf"{_START}{_DEGREE}(?:ly)?[\s-](?:(?:in|on|levels?\sof)\s)?{_SOFT}{_END}(?!\sof\b)",
    rf"{_START}open(?:ness)?\sto\sexperience{_END}",
    rf"{_START}{_SOFT}[\s-](?:scores?|traits?|scales?|ratings?|facets?|levels?|dimensions?){_END}",
    rf"{_START}{_SOFT}\s?(?:is|was|of|at|[:=])?\s?(?:(?:(?:very|rather)\s)?(?:high|low)|\d+){_END}",
    rf"{_START}scor\w+\s(?:{_DEGREE}(?:ly)?\s)?(?:in|on|for)\s{_SOFT}{_END}",
    rf"{_START}openness{_END}(?=[^.!?]{{0,80}}{_START}(?:{_SCALE}|agreeableness){_END})",
    rf"{_START}(?:{_SCALE}|agreeableness){_END}[^.!?]{{0,80}}{_START}openness{_END}",
    rf"{_START}{_ADJECTIVE}[\s-](?:personality[\s-])?(?:traits?|scores?|facets?|scales?){_END}",
    rf"{_START}big[\s-](?:five|5)[\s-](?:personality|traits?|profiles?|scores?|scales?|model){_END}",
    rf"{_START}big[\s-](?:five|5)[\s-](?:terms?|factors?|dimensions?|inventory|leanings?){_END}",
    rf"{_START}five[\s-]factor[\s-]model{_END}",
)
# "evil-smelling" and "good-natured" are words of their own; "evil-aligned" is not.
_NO_COMPOUND: Final = r"(?!-(?!(?:align|like|ish|type|lean|style|hearted))[a-z])"
_ALIGNMENTS: Final = (
    rf"{_START}(?:lawful|neutral|chaotic){_JOINT}evil{_END}{_NO_COMPOUND}",
    rf"{_START}(?:lawful|neutral|chaotic){_JOINT}good{_END}{_NO_COMPOUND}(?!\W(?:{_GOOD}){_END})",
    rf"{_START}(?:lawful|chaotic){_JOINT}neutral{_END}",
    rf"{_START}true{_JOINT}neutral{_END}(?!\W(?:{_NEUTRAL}){_END})",
    rf"{_START}(?:lawful|chaotic|evil)[\s-]align(?:ed|ment){_END}(?!\s(?:of|with))",
    rf"{_START}(?:(?:good|neutral)-aligned|of\s(?:good|neutral)\salignment){_END}",
    rf"{_START}alignment\W{{1,3}}(?:(?:is|was)\s)?(?:lawful|chaotic|evil|neutral){_END}",
    rf"{_START}alignment\s?[:=]\s?good{_END}",
    rf"{_START}alignment\s(?:shift|drift|slid|slip|turn|mov|lean|chang)\w*\s(?:\w+\s){{0,2}}{_MORAL}{_END}",
    rf"{_START}alignment\W{{1,3}}(?:(?:is|was)\s)?(?:[lnc][gne]|tn){_END}",
    rf"{_START}(?:[lnc][gne]|tn)[\s-]align(?:ed|ment){_END}",
)
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE) for pattern in (*_TYPES, *_SCALES, *_ALIGNMENTS)
)
_TRAITS: Final = re.compile(
    rf"{_START}(?:open|conscientious|extr[ao]verted|introverted|agreeable|neurotic){_END}",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+")
_JOINS: Final = re.compile(r"[_-]+")
_FIELDS: Final = ("text", "description")
_LISTS: Final = ("pros", "cons")
_SHOWN: Final = 3


def terms_in(text: str) -> tuple[str, ...]:
    """The internal terms in ``text`` as they are written there in plain letters, each once."""
    read = plain(text)
    found: dict[str, None] = {}
    for pattern in _PATTERNS:
        for match in pattern.finditer(read):
            found.setdefault(" ".join(match[0].split()))
    for sentence in _SENTENCE.findall(read) if _TRAITS.search(read) else ():
        traits = {match[0].casefold() for match in _TRAITS.finditer(sentence)}
        if len(traits) >= 3:
            found.setdefault(", ".join(sorted(traits)))
    return tuple(found)


def _internal_terms(context: Context) -> Iterator[Violation]:
    yield from _spoken(context.text("narrative"), "narrative")
    for key, fields in context.choices:
        here = "planning_block", "choices", key
        # A key joins its words, so that nothing in it can be a compound.
        yield from _spoken(_JOINS.sub(" ", key), path(*here))
        for name in _FIELDS:
            if isinstance(value := fields.get(name), str):
                yield from _spoken(value, path(*here, name))
        for name in _LISTS:
            if isinstance(values := fields.get(name), list):
                for index, value in enumerate(values):
                    if isinstance(value, str):
                        yield from _spoken(value, path(*here, name, index))


def _spoken(text: str, place: str) -> Iterator[Violation]:
    found = terms_in(text)
    if found:
        named = ", ".join(map(quoted, found[:_SHOWN]))
        yield Violation("internal_terms", place, f"names {named}: types, traits and alignments are "
                        "internal; show conduct instead")


INTERNAL_TERMS: Final = Rule(
    "internal_terms",
    "Myers-Briggs types, Big Five terms and alignments are INTERNAL ONLY",
    _internal_terms,
)
