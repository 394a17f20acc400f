"""The text of an answer that no model writes: the evidence itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import accumulate, groupby, zip_longest
from typing import Final

from ..content.types import DESCRIPTIONS, WORDS
from ..sessions.notes.numbering import numbers_in
from ..sessions.search import WHETHER
from ..text.names import stands_in, title_key, words
from ..text.normalising import content_words
from ..text.sentences import sentences
from .citations import CheckedAnswer, evidence_numbers, uncited
from .evidence_selection import unknown_names
from .final_prompt import HEADINGS
from .joining import TELLING
from .second_search import WORKED_OUT
from .types import (
    DOMAINS,
    AssembledContext,
    CitedSentence,
    Decision,
    Domain,
    Evidence,
    Length,
    Question,
)

MAX_QUOTED: Final[dict[Length, int]] = {"short": 1, "normal": 5, "long": 12}
"""Pieces of evidence that are quoted, by the length of the answer."""
WHOLE: Final = 240
"""Characters up to which a piece is quoted whole; of longer ones what answers is."""
LEADING: Final = 900
"""The same of the piece that answers best."""
_OWN: Final = re.compile(r"\b(?:i|my|mine|me)\b", re.IGNORECASE)
_GENERAL: Final = re.compile(
    r"\W*(?:what|how|why|when|where|who|which|do|does|is|are|can|may|explain|tell|describe)\b",
    re.IGNORECASE,
)
"""How questions begin that may ask for a rule; "swim speed" asks for the character's own."""
_BOLD: Final = re.compile(r"\W*\*\*([^*\n]+)\*\*")
_POSSESSIONS: Final = frozenset(
    {"spell", "item", "weapon", "armor", "magic_item", "feat", "feature"})
"""Types of things that a character has or has not."""
WHO: Final = "who"
TOLD: Final = "told"
"""What a question asks that is to know who somebody is, or all that is told of a name."""
_FIELDS: Final = frozenset({"armor class", "hit points", "all spells", "spell slots", "all items",
                            "coins", "level", "conditions"})
"""What a sheet may be asked for, and may lack."""
_LABELS: Final = {
    label: [words(form) for form in (label, *WORDS["asked"].get(label, label).split(","))]
    for label in (*WORDS["asked"], *(line[0] for described in DESCRIPTIONS.values()
                                     for line in (*described.head, *described.behind)))}
"""The fields of rules, and how people ask for them."""
_LABELLED: Final = re.compile(r"^\*\*([A-Z][A-Za-z ]+):?\*\*:? (.+)$", re.MULTILINE)
"""A field of a rule on a line of its own: "**Range:** 60 feet"."""
_CASTING: Final = "**Casting Time:**"
_SORT: Final = re.compile(r"^\*[^*\n]+\*$", re.MULTILINE)
"""What a spell's rule opens with; a spell is quoted by what it does."""
_CELL: Final = re.compile(r"[ \t]*\|[ \t]*")
_RULE: Final = re.compile(r"[ \t|:-]+")
_KEY: Final = re.compile(r"(?<![\w+.,-])(\d+)(?=\D|$)")
"""A number that a question or the first cell of a row has: 5 and 5th, and not +5."""
_HEAD: Final = re.compile(r"\*{2,3}[^*]+\*{2,3}")
_NONE: Final = frozenset({"", "-", "–", "—"})
_OF_RULES: Final = frozenset({
    "rule_mechanics", "skill_usage", "saving_throws", "interaction_rules", "environmental_rules"})
"""What is asked of the rulebook where a creature that the question names is only met."""


def evidence_text(context: AssembledContext, question: Question, decisions: Sequence[Decision],
                  length: Length = "normal") -> CheckedAnswer:
    """The evidence as Markdown: what answers, what else tells of it, how it goes together, sources.

    What answers comes first, in a sentence of its own: a field of the sheet, how a thing stands, or
    all that the notes say of a name, from the first session to the last.
    """
    query_words = content_words(question.text)
    asked_words = words(question.text)
    labels = {label for label, forms in _LABELS.items()
              if any(stands_in(form, asked_words) for form in forms)}
    numbers = evidence_numbers(context.evidence)
    lines: list[CitedSentence] = []
    needed = {decision.domain for decision in decisions if decision.is_needed}
    own = bool(question.character) and (not needed or "character" in needed) and (
        bool(_OWN.search(question.text)) or not _GENERAL.match(question.text)
        or any(row.asks for row in decisions if row.domain == "character"))
    lacking_names = _lacking(context, question, decisions) if own else []
    if lacking_names:
        lines.append(CitedSentence(
            f"{', '.join(lacking_names)}: not on the sheet of {question.character}.\n"))
    asked = next((row.asks for row in decisions if row.domain == "character"), "")
    if own and asked in _FIELDS and not any(
            _is_asked(piece, asked) for piece in context.evidence):
        lines.append(CitedSentence(
            f"{asked.removeprefix('all ').capitalize()}: not on the sheet of "
            f"{question.character}. What comes nearest:\n"))
    unknown = [name for name in unknown_names(context.evidence, question, decisions)
               if name not in lacking_names]
    if unknown and context.evidence:
        names = ", ".join(f"“{name}”" for name in unknown)
        lines.append(CitedSentence(f"Nothing that was found names {names}. What comes nearest:\n"))
    sessions = numbers_in(question.text) - {evidence.session for evidence in context.evidence}
    if sessions and any(evidence.session is not None for evidence in context.evidence):
        lacking = " or ".join(f"{number:g}" for number in sorted(sessions))
        lines.append(CitedSentence(
            f"Nothing was found of session {lacking}. What comes nearest:\n"))
    met = {title_key(entity.name) for decision in decisions if decision.intention in _OF_RULES
           for entity in decision.entities if entity.type == "creature"}
    question_keys = {title_key(entity.name) for decision in decisions
                     for entity in decision.entities} - met - {title_key(question.character)}
    naming = {piece.domain for piece in context.evidence if _names(piece, question_keys)}
    answering = needed & naming or naming or needed
    ranked = sorted(context.evidence, key=lambda piece: (
        not piece.id.startswith(WORKED_OUT), not (own and _is_asked(piece, asked, asked_words)),
        piece.domain not in answering, title_key(piece.title) in met,
        not _names(piece, question_keys), -piece.relevance))
    most = MAX_QUOTED[length]
    quoted = _told_of(ranked, query_words, question, decisions, most) or _quoted(
        ranked, needed, most)
    quotations: dict[str, Evidence] = {}
    for piece in quoted:
        title = f"**{piece.title}**: " if not piece.fields else ""
        text = _quotation(piece, question.text, WHOLE if quotations else LEADING, labels)
        quotations.setdefault(f"{title}{text}", piece)
    for at, (text, piece) in enumerate(quotations.items()):
        lead = "" if at == 0 else "\n- " if at == 1 else "- "
        lines.append(CitedSentence(f"{lead}{text} [{numbers[piece.id]}]", (piece.id,)))
    quoted = [*quotations.values()]
    ids = {piece.id for piece in quoted}
    relations = [(note, relation) for note, relation in
                 zip(context.notes, context.relations, strict=True)
                 if ids.issuperset(relation.evidence)]
    if relations:
        lines.append(CitedSentence("\n## How it goes together\n"))
    lines += [CitedSentence(f"- {note}", relation.evidence) for note, relation in relations]
    if quoted:
        lines.append(CitedSentence("\n## Sources\n"))
        lines += [CitedSentence(f"- [{numbers[evidence.id]}] {evidence.citation}", (evidence.id,))
                  for evidence in quoted]
    else:
        looked = [
            f"- {HEADINGS[decision.domain]}: "
            f"{', '.join(named.name for named in decision.entities) or question.text}"
            for decision in decisions if decision.is_needed
        ] or ["- nothing: this does not look like a question about your game"]
        lines += map(CitedSentence, ("Nothing was found. Looked for:", *looked,
                               "\nName what you want to know about, or try other words."))
    return CheckedAnswer(tuple(lines), (), "\n".join(sentence.text for sentence in lines))


def _is_asked(piece: Evidence, asked: str, question_words: Sequence[str] = ()) -> bool:
    """Whether a piece of a sheet is the field or the list that a question asks for or names."""
    whole, _, block = piece.title.rpartition(", ")
    key = title_key(block)
    return bool(piece.fields) or (piece.domain == "character" and (key == title_key(asked) or (
        bool(whole) and stands_in(key.split(), question_words))))


def _names(piece: Evidence, question_keys: set[str]) -> bool:
    """Whether evidence has a name of the question, where that has any."""
    text = words(" ".join((piece.title, *piece.names, piece.text)))
    return not question_keys or any(stands_in(key.split(), text) for key in question_keys)


def _lacking(context: AssembledContext, question: Question, decisions: Sequence[Decision],
             ) -> list[str]:
    """The things that a question whether one has them names, and no sheet does."""
    sheets = [piece for piece in (*context.evidence, *context.left_out)
              if piece.domain == "character"]
    sheet_keys = {title_key(name) for piece in sheets for name in (*piece.names, piece.title)}
    named = {entity.name: entity for decision in decisions for entity in decision.entities
             if entity.type in _POSSESSIONS}
    texts = [words(piece.text) for piece in sheets]
    return [name for name in named if title_key(name) not in sheet_keys
            and not any(stands_in(words(name), text) for text in texts)] \
        if sheets and WHETHER.search(question.text) else []


def _told_of(ranked: Sequence[Evidence], query_words: set[str], question: Question,
             decisions: Sequence[Decision], most: int) -> list[Evidence]:
    """What notes tell of the one name of a question that asks for nothing else.

    The oldest comes first, but before it the fullest entry where it is asked who somebody is. A
    question asks for more where another of its words stands in one of the notes. Of many notes the
    first and the last are taken.
    """
    named = {title_key(entity.name): entity for decision in decisions if decision.is_needed
             and decision.domain == "session_notes" for entity in decision.entities}
    named.pop(title_key(question.character), None)
    if len(named) != 1 or not ranked or ranked[0].domain != "session_notes":
        return []
    key = next(iter(named))
    about = sorted((piece for piece in ranked if piece.domain == "session_notes" and piece.names
                    and title_key(piece.names[0]) == key and _opens_with(piece)),
                   key=lambda piece: (piece.session is None, piece.session or 0, piece.id))
    rest = query_words - content_words(f"{key} {named[key].name}") - {
        word for piece in about for name in piece.names[:1] for word in content_words(name)}
    told = any(decision.asks in {WHO, TOLD} for decision in decisions)
    if not about or (rest and not told) or any(
            rest & content_words(piece.text) for piece in about):
        return []
    last = min(2, most - 1)
    ends = about if len(about) <= most else [*about[:most - last], *about[len(about) - last:]]
    if not any(decision.asks == WHO for decision in decisions):
        return ends
    lead = max(about, key=lambda piece: (bool(_BOLD.match(piece.text)), len(piece.text)))
    return [lead, *(piece for piece in ends if piece is not lead)][:most]


def _opens_with(piece: Evidence) -> bool:
    """Whether a piece of notes is about its first name, which heads it."""
    bold, name = _BOLD.match(piece.text), words(piece.names[0])
    return stands_in(name, words(bold[1])) if bold else words(piece.text)[:len(name)] == name


def _quoted(ranked: Sequence[Evidence], needed: Collection[Domain], most: int) -> list[Evidence]:
    """What is quoted: the best, then the best of each domain that is needed, then what tells."""
    quoted = list(ranked[:1])
    if not quoted:
        return []
    if quoted[0].id.startswith(WORKED_OUT):
        order = [title_key(name) for name in quoted[0].names]
        beside = {(key, piece.domain): piece for piece in reversed(ranked[1:]) for key in order
                  if key in map(title_key, (
                      piece.title, *(piece.names[:1] if piece.session is not None else ())))}
        quoted += [beside[place] for place in sorted(
            beside, key=lambda place: (order.index(place[0]), DOMAINS.index(place[1])))]
        return [*dict.fromkeys(quoted)][:most]
    best: dict[Domain, Evidence] = {}
    for piece in ranked:
        best.setdefault(piece.domain, piece)
    quoted += [piece for domain, piece in best.items()
               if domain in needed and piece is not quoted[0]]
    fields = {field for piece in quoted for field in piece.fields}
    lead = words(quoted[0].text) if quoted[0].domain == "character" else ()
    for piece in ranked:
        again = bool(piece.fields) and fields.issuperset(piece.fields)
        tells = piece.domain in needed and piece.relevance >= TELLING * best[piece.domain].relevance
        alone = bool(quoted[0].fields) and piece.domain == quoted[0].domain and not piece.fields
        listed = piece.domain == "character" and stands_in(words(piece.title), lead)
        if piece not in quoted and tells and not (again or alone or listed):
            quoted.append(piece)
            fields.update(piece.fields)
    return quoted[:most]


def _quotation(piece: Evidence, question: str, most: int, labels: Collection[str]) -> str:
    """What of the evidence answers, on a line: fields of a sheet whole; else all, or an extract."""
    if piece.fields:
        fields = _line("; ".join(piece.fields))
        beside = content_words(question) - content_words(f"{piece.title} {fields}")
        if stands_in(words(piece.title), words(question)):  # what else is asked of a thing
            fields = ". ".join((fields, *(part for part in _parts(piece.text)
                                          if beside & content_words(part))))
        return uncited(fields[:1].upper() + fields[1:])
    asked = [f"{name}: {value.strip()}" for name, value in _LABELLED.findall(piece.text)
             if name in labels] if piece.domain == "rulebook" else []
    if asked:
        return uncited(_line("; ".join(asked)))
    spell = _CASTING in piece.text and _SORT.sub("", _LABELLED.sub("", piece.text), count=1).strip()
    parts = _parts(spell or piece.text)
    text = " ".join(parts)
    text = text[len(piece.title):].lstrip("*:,. ") if _heads(piece.title, text) else text
    if len(text) <= most:
        return uncited(text.removesuffix(";"))
    if not piece.facts:
        return uncited(_excerpt(parts, question, most))
    query_words = content_words(question)
    shared = sorted(piece.facts, key=lambda fact: -len(content_words(fact) & query_words))
    ends = [*accumulate(len(fact) + 2 for fact in shared)]
    whole = {fact for fact, end in zip(shared, ends, strict=True) if end <= most} or {shared[0]}
    return uncited(_line("; ".join(fact for fact in piece.facts if fact in whole))) + " …"


def _excerpt(parts: Sequence[str], question: str, most: int) -> str:
    """Of sentences and rows those around the first that has most words of a question."""
    query_words, numbers = content_words(question), {*_KEY.findall(question)}
    shared = [len(content_words(part) & query_words)
              + (part.endswith(";") and not numbers.isdisjoint(_KEY.findall(part.split(",")[0])))
              for part in parts]
    start = end = shared.index(max(shared))
    text, around = parts[start], not (parts[start].endswith(";") and shared.count(max(shared)) == 1)
    while around and (end := end + 1) < len(parts) and len(text) + len(parts[end]) < most:
        text += f" {parts[end]}"
    while around and (start := start - 1) >= 0 and len(text) + len(parts[start]) < most:
        text = f"{parts[start]} {text}"
    text = text.removesuffix(";")
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} …"


def _heads(title: str, text: str) -> bool:
    return text.startswith(title) and text[len(title):len(title) + 1] in {":", ",", "."}


def _line(text: str) -> str:
    """``text`` on one line."""
    return " ".join(_parts(text)).removesuffix(";")


def _parts(text: str) -> list[str]:
    """The sentences of a text, and the rows of its tables, in each cell its column's head first."""
    parts: list[str] = []
    for is_table, lines in groupby(text.splitlines(), lambda line: line.lstrip()[:1] == "|"):
        if not is_table:
            for part in sentences("\n".join(lines)):
                run_in = bool(parts) and _HEAD.fullmatch(parts[-1])
                line = " ".join(part.split())
                parts[-1:] = [f"{parts[-1]} {line}"] if run_in else [*parts[-1:], line]
            continue
        heads, *rows = [_CELL.split(line.strip().strip("|").strip()) for line in lines
                        if not _RULE.fullmatch(line)] or [[]]
        parts += [", ".join(f"{head} {cell}".strip() for head, cell in zip_longest(
            heads, row, fillvalue="") if cell not in _NONE) + ";" for row in rows or [heads]]
    return [part for part in parts if part]
