"""Internal terms: type codes, trait scales and alignments that no player may read.

What counts is decided by use, for most of the words are ordinary English:

- The sixteen Myers-Briggs codes are no words, so they count wherever they stand by themselves.
- *Neuroticism*, *extraversion* and *conscientiousness* are names of scales before anything else and
  count; so does *agreeableness* unless it is that of a thing ("the agreeableness of the weather").
  *Openness* counts only as a scale: with a degree ("low openness", "high in openness"), a number,
  as "openness to experience", or beside another scale. The adjectives (open, conscientious,
  extroverted, agreeable, neurotic) count only as a list of three, or as "trait" and the like.
- An alignment is its two words together, whatever joins them: markup, an ampersand, quotation marks
  around each. Not where a paragraph or a dash parts them ("he stays neutral - good man"), nor where
  the second word belongs to what follows it ("a neutral good morning", "true neutral ground").

A code that is the name of somebody in the state is a name.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from ..lettering import plain
from ..types import Violation
from .context import Context, Rule, path, quoted

# A letter beside it makes a term part of another word; digits and marks do not.
_START: Final = r"(?<![^\W\d_])"
_END: Final = r"(?![^\W\d_])"
_MARK: Final = r"[\s_/*~|\\`]"
_JOINT: Final = (
    rf"(?:{_MARK}{{0,8}}|{_MARK}{{0,3}}[&+]{_MARK}{{0,3}}|[_*~/]{{0,4}}-\n?[_*~/]{{0,4}})"
)
_QUOTE: Final = "[\"'\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a()\\[\\]]"
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
    (rf"{_START}(?:his|her|your|my|whose|(?-i:[A-Z])\w{{1,30}}'s)\salignment\s(?:is|was|reads"
     rf"|remains|stays|seems),?\s(?:\w{{1,12}},?\s){{0,3}}{_MORAL}{_END}"),
    rf"{_START}{_MORAL}\sby\salignment{_END}",
    (rf"{_QUOTE}(?:lawful|neutral|chaotic){_QUOTE}\s?(?:[&+/-]\s?)?{_QUOTE}(?:good|evil|neutral)"
     rf"{_QUOTE}"),
    # In capitals both are labels; in small letters "lawful and good" is said of anybody.
    rf"{_START}(?-i:Lawful|Neutral|Chaotic)\s(?:and|but|yet)\s(?-i:Good|Evil|Neutral){_END}",
    rf"{_START}[lnc][/.][gne]\s(?:by\s|in\s)?align(?:ed|ment){_END}",
    rf"{_START}alignment\s(?:shift|drift|slid|slip|turn|mov|lean|chang)\w*\s(?:\w+\s){{0,2}}{_MORAL}{_END}",
    rf"{_START}alignment\W{{1,3}}(?:(?:is|was)\s)?(?:[lnc][gne]|tn){_END}",
    rf"{_START}(?:[lnc][gne]|tn)[\s-]align(?:ed|ment){_END}",
)
_GROUPS: Final = tuple(  # patterns, and letters that stand in whatever one of them finds
    (letters, tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns))
    for letters, patterns in (
        (("",), _TYPES[:2]),
        (("myers", "mbti", "vert"), _TYPES[2:]),
        (("openness", "experience", "agreeab", "conscientious", "neurotic", "vert", "extr", "big",
          "five"), _SCALES),
        (("lawful", "chaotic", "neutral", "align"), _ALIGNMENTS),
    )
)
_TRAITS: Final = re.compile(
    rf"{_START}(?:open|conscientious|extr[ao]verted|introverted|agreeable|neurotic){_END}",
    re.IGNORECASE,
)
_CODE: Final = re.compile(_TYPES[0], re.IGNORECASE)
_PARAGRAPHS: Final = re.compile(r"\n[^\S\n]*\n\s*|\u2029")
_TAG: Final = re.compile(r"</?([A-Za-z][A-Za-z0-9]{0,15})(?:[\s/][^<>]{0,80})?>")
_BREAKING: Final = frozenset({"br", "hr", "p", "div", "li", "td", "tr", "h1", "h2", "h3"})
_DASH: Final = re.compile("[\u2014\u2015]")
_SPACED: Final = re.compile(r"(?<![^\W_])[A-Za-z](?:[ .*_\u00b7-]{1,2}[A-Za-z]){3,}(?![^\W_])")
_LETTERS: Final = re.compile(r"[^A-Za-z]+")
_RUN_TOGETHER: Final = re.compile(
    rf"(?:lawful|neutral|chaotic)(?:good|evil|neutral)|trueneutral|{_SCALE}|agreeableness",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+")
_JOINS: Final = re.compile(r"[_-]+")
_FIELDS: Final = ("text", "description")
_LISTS: Final = ("pros", "cons")
_SHOWN: Final = 3


def terms_in(text: str) -> tuple[str, ...]:
    """The internal terms in ``text`` as they are written there in plain letters, each once."""
    found: dict[str, None] = {}
    for paragraph in _PARAGRAPHS.split(text):
        read, spaced = _read(paragraph)
        found.update(dict.fromkeys(spaced))
        lower = read.lower()
        for letters, patterns in _GROUPS:
            if any(part in lower for part in letters):
                for pattern in patterns:
                    for match in pattern.finditer(read):
                        found.setdefault(" ".join(match[0].split()))
        for sentence in _SENTENCE.findall(read) if _TRAITS.search(read) else ():
            traits = {match[0].casefold() for match in _TRAITS.finditer(sentence)}
            if len(traits) >= 3:
                found.setdefault(", ".join(sorted(traits)))
    return tuple(found)


def _read(paragraph: str) -> tuple[str, list[str]]:
    """A paragraph as it is read, without markup; and terms that were spelled letter by letter."""
    if "<" in paragraph:
        paragraph = _TAG.sub(lambda tag: " " if tag[1].lower() in _BREAKING else "", paragraph)
    if "&" in paragraph:
        paragraph = html.unescape(paragraph)
    read = plain(_DASH.sub(" - ", paragraph))
    spelled = [_LETTERS.sub("", match[0]) for match in _SPACED.finditer(read)]
    if not spelled:
        return read, []
    joined = _SPACED.sub(lambda match: _LETTERS.sub("", match[0]), read)
    return joined, [match[0] for word in spelled for match in _RUN_TOGETHER.finditer(word)]


def _internal_terms(context: Context) -> Iterator[Violation]:
    spoken = partial(_spoken, context)
    yield from spoken(context.text("narrative"), "narrative")
    for key, fields in context.choices:
        here = "planning_block", "choices", key
        # A key joins its words, so that nothing in it can be a compound.
        yield from spoken(_JOINS.sub(" ", key), path(*here), key=True)
        for name in _FIELDS:
            if isinstance(value := fields.get(name), str):
                yield from spoken(value, path(*here, name))
        for name in _LISTS:
            if isinstance(values := fields.get(name), list):
                for index, value in enumerate(values):
                    if isinstance(value, str):
                        yield from spoken(value, path(*here, name, index))


def _spoken(context: Context, text: str, place: str, *, key: bool = False) -> Iterator[Violation]:
    found = terms_in(text)
    if any(map(_CODE.fullmatch, found)):
        own = _codes_in_names(context.after)
        own |= {name.lower() for name in own} if key else set()
        found = tuple(term for term in found if term not in own)
    if found:
        named = ", ".join(map(quoted, found[:_SHOWN]))
        yield Violation("internal_terms", place, f"names {named}: types, traits and alignments are "
                        "internal; show conduct instead")


def _codes_in_names(state: Mapping[str, Any]) -> set[str]:
    """What looks like a type's code and is somebody's name, written as in the name."""
    found: set[str] = set()
    pending: list[Any] = [state]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            names = (value for key, value in part.items() if key == "name" or key.endswith("_name"))
            for name in names:
                if isinstance(name, str):
                    found.update(match[0] for match in _CODE.finditer(name))
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return found


INTERNAL_TERMS: Final = Rule(
    "internal_terms",
    "Myers-Briggs types, Big Five terms and alignments are INTERNAL ONLY",
    _internal_terms,
)
