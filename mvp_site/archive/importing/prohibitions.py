"""Prohibitions: what a prompt forbids its narrator ("never write the player's dialogue").

Such a rule must hold in every turn, so it belongs in the header wherever it stands. Judged by its
words alone: an order in the negative, or "you must not". What people of a world must not do ("a
knight must not draw steel here") has another subject and is none. English and German, and the words
for "never" of some languages more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from .structure import SourceSection
from .titles import ITEM

_LONG: Final = 60
"""A line of so many characters that ends no sentence goes on in the next."""
_LEAD: Final = r"(?:[^.!?:;\"“]{1,40}[:–—][\s*_]*)?"  # a label: "Dialogue: never write it"
_WHEN: Final = (r"(?:(?:if|when\w*|while|unless|until|before|after|during|wenn|falls|bevor|"
                r"solange)\b[^.!?;:]{0,100}[,:] (?:then )?)?")
_ELSEWHERE: Final = (  # in languages whose sentences are not read
    r"jamais|n['’]\w+ (?:jamais|pas)|ne \w+ (?:jamais|pas)|évite[rz]?|nunca|jamás|"
    r"evit[ae]\b|prohibido|proibido|non \w+ mai|vietato|nigdy|никогда|нельзя|запрещ\w+|"
    r"严禁|禁止|不要|不得|切勿"
)
_NEVER: Final = (
    r"(?:never(?! (?:was|were|has|have|had|did|does|is|before|again|since|mind)\b)|"
    r"(?:please )?(?:do not|don['’]?t)|must not|must never|avoid\b|refrain from|"
    r"(?:absolutely|strictly) no\b(?! one)|under no circumstances|at no (?:time|point)|"
    r"niemals|nie\b|keinesfalls|(?:auf|unter) kein\w+ (?:fall|umständen)|vermeide\w*|"
    rf"unterlasse\w*|verzichte auf|{_ELSEWHERE})"
)
_ORDER: Final = re.compile(rf"^[\W\d]{{0,20}}{_LEAD}{_WHEN}\W{{0,9}}{_NEVER}", re.IGNORECASE)
_GERMAN: Final = re.compile(  # the verb first: "Verrate nie, wer …", "Schreibe keine Dialoge"
    rf"^[\W\d]{{0,20}}{_LEAD}{_WHEN}[^\W\d_]{{3,}}(?:(?<!en)| sie) "
    r"(?:nie|niemals|nicht|keine?\w?)\b|"
    r"\bdu (?:darfst|sollst|wirst) (?:[\w,]+ ){0,6}(?:nie|niemals|nicht|keine\w*)\b", re.IGNORECASE)
_NARRATOR: Final = (
    r"(?:(?:the )?(?:ai|assistant|narrator|llm|[dg]m|story ?teller|(?:game|dungeon)[ -]?master)|"
    r"\{\{char\}\}|(?:your |the |each |every |all |any )?(?:responses?|repl(?:y|ies)|answers?|"
    r"outputs?|messages?|narration|prose))"
)
_MUST: Final = re.compile(
    r"\b(?:you\b(?: \w+)? (?:must(?: not\b|n['’]t| never)|shall (?:not|never)|should never|"
    r"will never|never\b|are (?:(?:never|not) (?:allowed|permitted|supposed)|"
    rf"(?:strictly )?(?:forbidden|prohibited))\b)|{_NARRATOR} (?:\w+ )?"
    r"(?:never\b|(?:must|shall|should|will|may|can|is|are) ?(?:not\b|n['’]t|never)))",
    re.IGNORECASE)
_MAY: Final = re.compile(
    r"\byou\b(?: \w+)? (?:may|can|should|will|do) ?(?:not\b|n['’]t|never) (?:\w+ )?(?:write|"
    r"speak|talk|control|decide|narrate|describe|reveal|act|reply|answer|roll|move|play)\b",
    re.IGNORECASE)
_AND: Final = re.compile(
    r"(?:[,;:–—]|\band|\bbut) (?:never(?! \w+[^s]s\b)|do not|don['’]t|must not|must never|niemals|"
    r"nie)\b", re.IGNORECASE)
_NO: Final = re.compile(rf"^[\W\d]{{0,20}}{_LEAD}(?:no|keine?\w?|aucun\w*|ningún|sin|нет)"
                        r"\b(?! (?:one|longer|more|less|matter)\b)", re.IGNORECASE)
_BARE: Final = re.compile(r"^[\W\d]{0,20}(?:no|keine?\w?)\b(?! (?:one|longer)\b)", re.IGNORECASE)
_BANNED: Final = re.compile(
    r"(?:\b(?:is|are|be)|[:–—,]) (?:\w+ )?(?:forbidden|allowed|prohibited|banned|off[- ]limits|"
    r"verboten|tabu)\b(?<!(?:is|re|be) allowed)|\bmust (?:not|never) (?:appear|be)\b",
    re.IGNORECASE)
_LOUD: Final = re.compile(r"\b(?:NEVER|DO NOT|DON['’]T|MUST NOT|NIEMALS|NICHT)\b|\bever\W*$")
_FITS: Final = re.compile(  # what a narrator does, writes or speaks of
    r"\b(?:writ\w+|speak\w*|talk\w*|narrat\w+|describ\w+|depict\w*|decid\w+|reveal\w*|invent\w*|"
    r"repeat\w*|summar\w+|repl\w+|respon[ds]\w*|answer\w*|outputs?|mention\w*|roll(?:s|ing)?|"
    r"break(?:ing)? character|characters?|players?|users?|\{\{\w+\}\}|dialogues?|monologues?|npcs?|"
    r"emojis?|markdown|json|html|tables?|headings?|bullets?|lists?|meta\w*|ooc|disclaimers?|ai|"
    r"spoilers?|scenes?|stor(?:y|ies)|plots?|prose|slang|clich\w+|tense|fourth wall|contents?|"
    r"railroad\w*|anachronis\w+|language|instructions|prompts?|violen\w+|roman[ct]\w+|flirt\w*|sex\w*|explicit|"
    r"erotic\w*|nud\w+|nsfw|minors?|rape|slurs?|gore|gory|graphic|torture|suicid\w*|self[- ]harm|"
    r"racis\w+|hate speech|real[- ](?:world|life|people)|schreib\w*|sprich\w*|entscheid\w*|"
    r"spieler\w*|antwort\w*|erzähl\w*|inhalte?\w*|gewalt\w*|szenen?|würf\w+|figuren?|dialoge?|"
    r"minderjährig\w*)\b", re.IGNORECASE)
_TOLD: Final = re.compile(
    r"^[\W\d]{0,20}(?:you\b|always|stay|keep|let|write|speak|play|narrate|answer|respond|reply|describe|"
    r"use|give|end|ask|show|act|remain|treat|follow|avoid|control|wait|stop|du\b)", re.IGNORECASE)
_PLAYER: Final = re.compile(r"\b(?:players?|users?|spielers?)\b|\{\{user\}\}", re.IGNORECASE)
_TITLE: Final = re.compile(
    r"\W*(?:\d+\W+)?(?:never(?: \w+){0,4}|do not(?: \w+){0,4}|don['’]?ts?(?: \w+){0,4}|"
    r"(?:hard |content )(?:limits?|lines?|bans?)|(?:forbidden|prohibited|banned|disallowed)"
    r"(?: (?:content|topics?|words|phrases|actions|behaviou?rs?|themes))?|prohibitions?|"
    r"things (?:you|to) (?:must )?(?:never|avoid)(?: do)?|verboten\w*(?: \w+)?|verbote|tabus?|"
    rf"interdi(?:t|ts|ctions)|prohibi\w+|запреты|.*\b(?:{_ELSEWHERE}).*)\W*", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?])[\"”*_)]*\s+|(?<=。)")


@dataclass(frozen=True, slots=True)
class Prohibition:
    """Rows ``[start, end)`` of a section that forbid something; ``line`` is the first that does.

    ``text`` is what it says. ``sure`` says that it speaks to the narrator, and not to anybody, and
    ``fenced`` that it stands in a code block.
    """

    start: int
    end: int
    line: int
    text: str
    sure: bool
    fenced: bool


def prohibitions(section: SourceSection) -> list[Prohibition]:
    """The prohibitions in a section, in order; lines are numbers of its rows.

    A title that forbids something is one with all below it, and each line below a title such as
    "Never do this" is one. Items go with all below them.
    """
    lines = section.lines
    title = section.title if section.own else ""
    units = [(unit, [(at, [(text, _level(text))
                           for text in _SENTENCE.split(" ".join(lines[at:upto])) if text.strip()])
                     for at, upto in _statements(lines, *unit[:2])])
             for unit in _units(section)]
    among = any(level for _, statements in units for _, texts in statements for _, level in texts)
    titled = bool(_TITLE.fullmatch(title))
    banned: list[Prohibition] = []
    for (start, end, fenced), statements in units:
        rules: list[tuple[int, int, str]] = []
        for at, texts in statements:
            bare = among and len(texts) == 1 and len(texts[0][0].split()) <= 8  # a fragment
            levels = [(2 if titled or (bare and _BARE.search(text)) else level, text)
                      for text, level in texts]
            enough = 1 if 2 * sum(level > 0 for level, _ in levels) >= len(levels) else 2
            rules += [(level, at, text.strip()) for level, text in levels if level >= enough]
        if rules:
            _, line, text = rules[0]
            banned.append(Prohibition(start, end, line, text, max(rules)[0] > 1, fenced))
    if not titled and _level(title) > 1 and not any(title in rule.text for rule in banned):
        return [Prohibition(0, len(lines), 0, title, True, False), *banned]
    return banned


def sentences(section: SourceSection) -> list[str]:
    """What a section says outside its code blocks, sentence by sentence."""
    return [text for _, _, texts in statements(section) for text in texts]


def statements(section: SourceSection) -> Iterator[tuple[int, int, list[str]]]:
    """Each line outside code, with those that it goes on in: rows ``[start, end)``, sentences."""
    lines = section.lines
    for block in section.blocks:
        if not block.fence:
            for start, end in _statements(lines, block.start, block.end):
                yield start, end, [text.strip() for text in _SENTENCE.split(
                    " ".join(lines[start:end])) if text.strip()]


def _level(text: str) -> int:
    """2 for a prohibition to the narrator, 1 for an order that may be to anybody, 0 for neither."""
    if text.lstrip(" -*+•>_").startswith(tuple('"“«‘„»')):
        return 0
    if _MUST.search(text):
        return 2
    if _ORDER.search(text) or _GERMAN.search(text):
        return 2 if _FITS.search(text) or _LOUD.search(text) else 1
    forbids = (_MAY.search(text) or _NO.search(text)
               or (_LOUD.search(text) and _PLAYER.search(text))
               or (_AND.search(text) and (_PLAYER.search(text) or _TOLD.search(text)))
               # A longer "... is forbidden" tells of a world.
               or (_BANNED.search(text) and len(text.split()) <= 14))
    return 2 if forbids and _FITS.search(text) else 0


def _units(section: SourceSection) -> Iterator[tuple[int, int, bool]]:
    """What goes together: an item with all below it, a statement, one that leads in a list.

    Each with its first line, the one behind its last, and whether it stands in a code block.
    """
    lines, lead = section.lines, None
    for block in section.blocks:
        item = not block.fence and ITEM.match(lines[block.start])
        if item and lead:
            lead = (lead[0], block.end, False)
            continue
        inner = () if item or block.level or block.table else _statements(
            lines, block.start + block.fence, block.end)
        parts = [(*span, block.fence) for span in (
            _items(lines, block.start, block.end) if item else inner)]
        if lead:
            yield lead
        leads = parts and not block.fence and lines[parts[-1][1] - 1].rstrip("*_ ").endswith(":")
        lead = parts.pop() if leads and _level(" ".join(lines[slice(*parts[-1][:2])])) else None
        yield from parts
    if lead:
        yield lead


def _items(lines: Sequence[str], start: int, end: int) -> Iterable[tuple[int, int]]:
    """An item whole if it forbids something itself; else what it leads with, and those below it."""
    below = [at for at in range(start + 1, end) if ITEM.match(lines[at])]
    least = min((len(lines[at]) - len(lines[at].lstrip()) for at in below), default=0)
    cuts = [at for at in below if len(lines[at]) - len(lines[at].lstrip()) == least]
    whole = not cuts or _level(" ".join(lines[start : cuts[0]]))
    return pairwise([start, end] if whole else [start, *cuts, end])


def _statements(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Lines that make sentences: a line goes on in the next where it ends none and is long."""
    begun = start
    for at in range(start, end):
        text, after = lines[at].rstrip(), lines[at + 1].strip() if at + 1 < end else ""
        goes_on = after and not ITEM.match(after) and text[-1:] not in tuple(".!?:;。") and (
            len(text) >= _LONG or after[0].islower())
        if not goes_on:
            if text:
                yield begun, at + 1
            begun = at + 1
