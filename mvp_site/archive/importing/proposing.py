"""The proposal: a source's lines in header and files, each in one place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count, pairwise
from typing import Final

from ...content.slugs import slug_of
from ...errors import ArchiveError
from ...text.dm_words import (
    hides,
    reserved_by_tags,
    reserved_fact,
    reserved_name,
    reserves,
    silences,
)
from ...text.languages import recognised
from ...text.tokens import count_tokens
from ...text.typos import near
from ..chunking import MAX_TOKENS
from ..delimiters import GIVEN, escape
from ..file_references import references
from ..markdown import marked_regions
from ..own_modes import PLACEHOLDERS, named
from ..versions import HEADER
from .answer_fields import AnswerFields, answer_fields
from .header import (
    ENOUGH,
    is_loud,
    lists_fields,
    opens_prompt,
    situated,
)
from .matter import limited, quoted, unread, with_matter
from .meaning import (
    HOLDS,
    OTHERS,
    SITUATED,
    UNTITLED,
    SectionMeaning,
    SectionPlace,
    binding_rows,
    likeliest,
    section_reader,
    situated_rows,
)
from .prohibitions import Prohibition, prohibitions, sentences
from .secret_hints import secret, told_by_order
from .structure import (
    OutputLine,
    SourceSection,
    heading_style,
    made,
    paths,
    runs,
    sections,
)
from .titles import first_words
from .types import (
    ALWAYS,
    ASIDE,
    HEADER_TOKENS,
    ImportSource,
    PlacedLine,
    Proposal,
    SourceLine,
    SourceText,
)

FILE_TOKENS: Final = 3_000
"""A longer file is made of its sections."""
_NAME_CHARS: Final = 48
_FORM: Final = 3.0
_OPENS: Final = 5.0
_AROUND: Final = 2_500
"""The most tokens of what is proposed for standing around an example."""
_CODE: Final = re.compile(r"`[^`\n]*`")
_GIVEN: Final = re.compile(rf"</?(?:{'|'.join(GIVEN)})\b[^<>]*>")
"""A tag of what callers give: a header may speak of it."""
_WORD: Final = re.compile(r"\w")
_MOST: Final = 5
_SHOWN: Final = 60
_SITUATED: Final = "it holds in one situation only"
_FACT: Final = re.compile(r"\b(?:that|who|why|where|how) (?!(?:you|they|to|their|the player)\b)")
_STARTER: Final = "Answer as the narrator of this game, by the rules that are given with a turn."
_ASIDE_NOTE: Final = "# Kept of what was imported; no prompt is made of it."


_Region = tuple[SourceLine, SourceLine]
"""The lines of a pair of markers."""


@dataclass(slots=True)
class _Draft:
    """What is proposed so far."""

    notes: list[str]
    texts: dict[str, str] = field(default_factory=dict)
    placed: list[PlacedLine] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    regions: Mapping[SourceLine, list[_Region]] = field(default_factory=dict)
    """The pairs of markers that enclose a line, the outer ones first."""
    names: Counter[str] = field(default_factory=Counter)
    """How many texts were called by each path."""

    def write(self, name: str, rows: Iterable[OutputLine]) -> None:
        """Add a text, each line of it accounted; added blank lines are no second ones."""
        out: list[str] = []
        added = True  # the line above is a blank one of ours, or there is none
        for row in _enclosed(rows, self.regions):
            blank = not row.text.strip()
            if row.how != "mark" and not (blank and (added or not (row.line or out[-1].strip()))):
                out.append(row.text)
                added = blank and row.line is None
            if row.line and row.line.text.strip():
                self.placed.append(PlacedLine(row.line, name, max(len(out), 1), row.how))
        while out and not out[-1].strip():
            out.pop()
        self.texts[name] = "\n".join([*out, ""])

    def free(self, name: str) -> str:
        """A path of a name's words that no text has."""
        *folders, stem = [slug_of(part)[:_NAME_CHARS].strip("-") or "section"
                          for part in name.split("/")]
        base = "/".join([*folders, stem])
        for number in count(self.names[base] + 1):
            path = f"{base}-{number}.md" if number > 1 else f"{base}.md"
            if path not in self.texts:
                self.names[base] = number
                break
        return path


def _regions(documents: Iterable[SourceText]) -> dict[SourceLine, list[_Region]]:
    """The pairs of markers in comments that enclose each line of the source."""
    regions: dict[SourceLine, list[_Region]] = {}
    for document in documents:
        for start, end in marked_regions([line.text for line in document.lines]):
            for line in document.lines[start : end + 1]:
                regions.setdefault(line, []).append((document.lines[start], document.lines[end]))
    return regions


def _enclosed(rows: Iterable[OutputLine], regions: Mapping[SourceLine, list[_Region]],
              ) -> Iterator[OutputLine]:
    """``rows`` with both markers of each pair that encloses any of them."""
    opened: list[_Region] = []
    made_rows: list[OutputLine] = []  # since the last line of the source
    for row in rows:
        if row.line is None or not row.text.strip():
            made_rows.append(row)
            continue
        around = regions.get(row.line, [])
        while opened and opened[-1] not in around:
            yield OutputLine(opened.pop()[1].text)
        yield from made_rows
        made_rows.clear()
        for region in around[len(opened) :]:
            opened.append(region)
            if row.line != region[0]:
                yield OutputLine(region[0].text)
        yield row
        if opened and row.line == opened[-1][1]:
            opened.pop()
    yield from (OutputLine(end.text) for _, end in reversed(opened))
    yield from made_rows


def propose(source: ImportSource, *, header_tokens: int = HEADER_TOKENS,
            pin: Sequence[str] = (), unpin: Sequence[str] = ()) -> Proposal:
    """The header and files that a source could be; pure.

    Whole sections that speak of the form of answers or of safety are proposed for the header, the
    likeliest first, then what else is forbidden to the narrator, up to ``header_tokens`` o200k
    tokens. They stand in it in the source's order. What stands under a heading of ``pin``, or in a
    file of that name, is proposed in any case, and what stands under one of ``unpin`` never.

    Raises:
        ArchiveError: the source holds no text, or no heading of that name.
    """
    draft = _Draft([*source.notes], regions=_regions(source.documents))
    cut = [part for source_text in source.documents for part in _by_reader(source_text, source)]
    if not any(source_sections for _, source_sections in cut):
        raise ArchiveError(f"{source.name!r} holds no text: there is nothing to import")
    chosen = _chosen(source, cut, header_tokens, draft, _under(cut, pin), _under(cut, unpin))
    rows = [row for document, source_sections in cut for row in _header(source_sections, chosen)]
    if not rows:
        rows = [OutputLine(_STARTER)]
        draft.notes.append("header: nothing reads as rules of form or safety; a line of ours "
                           "stands there until you write some")
    if _language(source) != "en":
        draft.notes.append("header: most of this text is in another language than English; others "
                           "are judged less surely: check it, and move what must always hold "
                           "yourself")
    draft.write(HEADER, rows)
    if words := told_by_order(draft.texts[HEADER]):
        draft.secrets.append(f"{words[:_SHOWN]!r} tells in an order what players may not know, and "
                             "stands in the header")
    draft.notes.append(f"header: {count_tokens(draft.texts[HEADER]):,} of {header_tokens:,} tokens")
    aside = [OutputLine(line.text, line, "kept") for line in source.aside]
    for document, source_sections in cut:
        if why := unread(document.kept):
            draft.notes.append(f"{document.name}: its front matter is read by its lines, which are "
                               f"kept as text: it cannot be read as YAML ({why})")
        left = [replace(part, rows=rows) for part in source_sections
                for taken in [chosen.get(id(part), ())]
                for rows in [tuple(row for at, row in enumerate(part.rows) if at not in taken)]
                if any(row.line and row.text.strip() for row in rows)]
        if left:
            _add(document, sections(document.lines) if document.wanted else left, draft)
        elif document.kept:
            aside += [OutputLine("---"), OutputLine(f"of: {quoted(document.name)}"), *(
                OutputLine(line.text, line, "kept" if line.text.strip("-.") else "mark")
                for line in document.kept)]
    draft.notes += _few(draft.secrets, "reads as if for the DM alone")
    if draft.secrets:
        draft.notes.append("to hide such text, have it in a file of its own with `audience: dm` in "
                           "front matter; `mvp-site archive lint` names each")
    draft.notes += _file_names(draft.texts)
    if aside:
        draft.write(ASIDE, [OutputLine(_ASIDE_NOTE), *aside])
    if names := {name: text for name, text in source.names.items()
                 if any(name in named(text) for text in draft.texts.values())}:
        draft.texts[PLACEHOLDERS] = "".join(
            f"{name} = {quoted(text)}\n" for name, text in names.items())
    return Proposal(draft.texts, tuple(draft.placed), tuple(draft.notes), source.uses)


def _file_names(texts: Mapping[str, str]) -> Iterator[str]:
    """A note where texts name files, which no prompt has."""
    names = [*dict.fromkeys(file for text in texts.values() for _, file in references(text))]
    if names:
        yield (f"no prompt has files, and the texts name {', '.join(names[:_MOST])}"
               f"{', …' * (len(names) > _MOST)}: `mvp-site archive lint` says where, and its --fix "
               "writes titles in their place")


def _language(source: ImportSource) -> str:
    """The language that most of a prompt is in; what other tools wrote is taken for English."""
    if source.kind != "prompt":
        return "en"
    return recognised(["\n".join(line.text for document in source.documents if not document.lore
                                 for line in document.lines)])[0]


def _under(cut: Sequence[tuple[SourceText, list[SourceSection]]], names: Iterable[str],
           ) -> set[int]:
    """The identities of the sections in files of these names, or under headings of these.

    Raises:
        ArchiveError: there is no such file or heading.
    """
    if not names:
        return set()
    places = [(id(section), {_slug(title) for title in (
        document.name, *(above.title for above in path)) if title})
        for document, source_sections in cut for section, path in paths(source_sections)]
    for name in names:
        if not any(_slug(name) in titles for _, titles in places):
            titles = dict.fromkeys(section.title for _, parts in cut for section in parts)
            hint = "".join(f"; did you mean {title!r}?" for title in near(name, titles, 1))
            raise ArchiveError(f"no heading or file is called {name!r:.80}{hint}")
    slugs = {_slug(name) for name in names}
    return {identity for identity, titles in places if titles & slugs}


def _slug(title: str) -> str:
    """What a heading or file is called, without its numbers."""
    return re.sub(r"^(?:\d+-)+", "", slug_of(title))


def _chosen(source: ImportSource, cut: Sequence[tuple[SourceText, list[SourceSection]]], limit: int,
            draft: _Draft, pinned: Collection[int], unpinned: Collection[int],
            ) -> dict[int, set[int]]:
    """The rows of sections for the header, by the identity of these; notes say which, and why.

    Whole sections come first, then prohibitions from all others, for which up to half of the room
    is left. Those that have no room are told.
    """
    candidates = [
        (section, "marked to be always there" if document.wanted else "you named it",
         document.wanted or ALWAYS)
        for document, source_sections in cut for section in source_sections
        if id(section) in pinned or (document.wanted and id(section) not in unpinned)
    ]
    barred: list[str] = []
    read = [(document.name, section, path) for document, source_sections in cut
            if source.kind == "prompt" and not document.lore and not document.wanted
            and document.audience in {"", "player"} for section, path in paths(source_sections)
            if id(section) not in {*pinned, *unpinned}]
    few = limited(source.documents)
    bound = {id(section) for name, section, path in read
             if name in few or any(situated(names, above.text) for above in path
                   for names in (name, above.title))}
    fields = answer_fields([part for _, part, _ in read if id(part) not in bound])
    listed = fields.choices([part for _, part, _ in read])
    bound |= {id(part) for _, part, path in read if listed & {*map(id, path)}}
    forms = _around_example(source, cut, fields) | _openings(source, cut)
    holds = HOLDS + OTHERS * (foreign := _language(source) != "en")
    forbidding = {id(section): prohibitions(section) for _, section, _ in read}
    meanings = _meanings(
        [SectionPlace(name, path) for name, _, path in read],
        {key for key, bans in forbidding.items() if bans}, fields.names, draft)
    leaning = {identity for identity, meaning in meanings.items() if forms.get(identity) != _OPENS
               and meaning.binds < holds and meaning.situated >= SITUATED + (holds - HOLDS)}
    apart = {id(part): situated_rows(part, meanings[id(part)])
             if forms.get(id(part)) != _OPENS else set[int]()
             for _, part, _ in read if id(part) in meanings}
    leaning |= {id(part) for _, part, _ in read if part.text and not any(
        row.text.strip() and at not in apart.get(id(part), ())
        for at, row in enumerate(part.rows) if at >= part.body)}
    rules = [_rule(section, rule, id(section) in bound) for _, section, _ in read
             for rule in (*forbidding[id(section)], *(
                 Prohibition(start, end, start, text, True, False) for start, end, text in (
                     binding_rows(section, meanings[id(section)])
                     if id(section) in meanings and id(section) not in leaning else ())
                 if start not in apart[id(section)]))]
    bans = Counter[int]()  # lines of sections that surely forbid
    for part, rule, _, bar, _ in rules:
        if rule.sure and not bar:
            banned = part.rows[rule.start : rule.end]
            bans[id(part)] += sum(bool(row.text.strip()) for row in banned)
    judged = _all_judged(read, bans, forms, meanings, foreign, holds)
    for (_, part, _), (score, why) in zip(read, judged, strict=True):
        # A form says no secrets, whatever is not to be written.
        if score >= ENOUGH and (forms.get(id(part)) not in {None, _OPENS}
                                or not secret(part.title, part.text)):
            candidates.append((part, why, score))
    proposed = {id(section) for section, *_ in candidates}
    due = min(limit // 2, sum(tokens for section, rule, _, bar, tokens in rules
                              if rule.sure and not bar and id(section) not in proposed))
    headers = {id(section) for document, source_sections in cut for section in source_sections
               if document.wanted == ALWAYS and source.kind == "prompt" and not document.lore}
    chosen: dict[int, set[int]] = {}
    for part, why, score in sorted(candidates, key=lambda row: (-row[2], not bans[id(row[0])])):
        own = id(part) in {*pinned, *headers}
        text = "\n".join(row.text for row in part.rows)
        title = part.title or text.strip().splitlines()[0][:40]
        told = f"{title!r} ({part.tokens:,} tokens): {why}"
        room = limit if score >= _FORM else limit - due
        bar = _SITUATED if id(part) in {*bound, *leaning} else \
            _bar("" if score >= _FORM else text, part.tokens + 2, room)
        if bar and not own:
            by_line = [f"{row.line.place}: {row.text.strip()[:_SHOWN]!r}" for row in part.rows
                       if score >= _FORM and row.line and _WORD.search(row.text)]
            (draft.notes if by_line else barred).extend(
                f"not in the header: {what}; {bar}" for what in by_line or [told])
        else:
            chosen[id(part)] = {*range(len(part.rows))} - apart.get(id(part), set())
            limit -= part.tokens + 2
            draft.notes.append(f"header: {told}")
            draft.notes += [f"not in the header: {row.line.place}: {row.text.strip()[:_SHOWN]!r}; "
                            f"{_SITUATED}" for at, row in enumerate(part.rows)
                            if at not in chosen[id(part)] and row.line]
    draft.notes += _few(barred, "not in the header")
    _add_rules(rules, chosen, limit, draft)
    return chosen


def _add_rules(rules: Sequence[tuple[SourceSection, Prohibition, str, str, int]],
               chosen: dict[int, set[int]], limit: int, draft: _Draft) -> None:
    """Add the rows of rules for which there is room, the sure ones first."""
    for part, rule, told, bar, tokens in sorted(rules, key=lambda candidate: not candidate[1].sure):
        rows = chosen.get(id(part), set())
        if rows.issuperset(range(rule.start, rule.end)):
            continue
        why = bar or ("there is no room for it" if tokens > limit else "")
        if not why:
            chosen[id(part)] = rows = rows | {*range(rule.start, rule.end)}
            limit -= tokens
            if all(at in rows for at in range(part.body, len(part.rows)) if part.rows[at].text):
                rows.update(range(len(part.rows)))
        draft.notes.append(f"not in the header: {told}; {why}" if why else f"header: {told}")


def _meanings(places: Sequence[SectionPlace], forbidding: Collection[int],
              names: Collection[str], draft: _Draft) -> dict[int, SectionMeaning]:
    """What the sections mean; of much text those that forbid something, and what opens it."""
    some = likeliest(places, forbidding)
    if more := len(places) - len(some):
        draft.notes.append(f"header: this is much text; {more:,} of its sections were not judged: "
                           "they forbid nothing; --pin takes what is missed")
    return section_reader().read(some, names) if some else {}


def _all_judged(
    read: Sequence[tuple[str, SourceSection, Sequence[SourceSection]]], bans: Mapping[int, int],
    forms: Mapping[int, float], meanings: Mapping[int, SectionMeaning], foreign: bool, holds: float,
) -> Iterator[tuple[float, str]]:
    """How much each section belongs in the header, from 0, and why, in words."""
    told = "its sentences mean the form of answers, or what is safe"
    for _, part, _ in read:
        if form := forms.get(id(part)):
            yield form, ("it opens the prompt" if form == _OPENS else
                         "it says what an answer is made of")
        elif (meaning := meanings.get(id(part))) and meaning.binds >= (
                holds if part.own and part.title else holds + UNTITLED):
            yield ENOUGH + min(meaning.binds / 10, 1.0), told
        elif foreign and is_loud(part.text) and not (
                meaning and meaning.situated >= SITUATED):
            yield ENOUGH, "to check: most of its lines are bold or in capitals"
        elif 2 * bans[id(part)] >= len(part.text.splitlines()) > 1:
            yield ENOUGH, f"{bans[id(part)]} of its lines forbid something"
        else:
            yield 0.0, ""


def _openings(source: ImportSource, cut: Sequence[tuple[SourceText, list[SourceSection]]],
              ) -> dict[int, float]:
    """How much each section, by identity, that opens a prompt is wanted."""
    return {id(part): _OPENS for document, parts in cut
            if source.kind == "prompt" and not document.lore and not document.wanted
            for part in _preamble(parts)
            if len(source.documents) == 1 or opens_prompt(part.text)}


def _around_example(source: ImportSource, cut: Sequence[tuple[SourceText, list[SourceSection]]],
                    fields: AnswerFields) -> dict[int, float]:
    """The same of the sections around the first example of an answer, and of those on its fields.

    It is all below the heading above the example's own, but for a title of everything, and less
    where that is much.
    """
    shown = fields.shown_in
    if source.kind != "prompt" or not shown:
        return {}
    whole = [part for document, parts in cut if not document.wanted for part in parts]
    parts = next(parts for _, parts in cut if any(part is shown for part in parts))
    path = next(path for part, path in paths(parts) if part is shown)
    headed = [part for part in path if part.own and part.level]
    if headed and len(source.documents) == 1 and _alone(headed[0], parts):
        headed = headed[1:]
    wholes = [_below(parts, top) for top in headed[-2:]]
    around = next((below for below in wholes if sum(part.tokens for part in below) <= _AROUND),
                  [shown])
    return {id(part): _FORM + 0.5 * lists_fields(part.text)
            for part in whole if any(part is near for near in around) or fields.titled(part)}


def _alone(top: SourceSection, parts: Sequence[SourceSection]) -> bool:
    """Whether a section is a title of everything: there is no other of its level."""
    return [part.level for part in parts if part.own].count(top.level) == 1


def _below(parts: Sequence[SourceSection], top: SourceSection) -> Sequence[SourceSection]:
    """A section with all that stands below it.

    What Markdown heads is never below a heading in capitals or in a frame.
    """
    start = next(at for at, part in enumerate(parts) if part is top)
    end = next((at for at in range(start + 1, len(parts)) if parts[at].own and (
        parts[at].level <= top.level or (heading_style(top) and not heading_style(parts[at])))),
        len(parts))
    return parts[start:end]


def _preamble(parts: Sequence[SourceSection]) -> Sequence[SourceSection]:
    """What stands before the first heading, or right below it where it tells who the reader is."""
    parts = [part for part in parts if _WORD.search(part.title + part.text)]
    headed = [at for at, part in enumerate(parts) if part.own and part.level]
    if not headed:
        return parts[:1] if parts and opens_prompt(next(iter(sentences(parts[0])), "")) else ()
    if headed[0] == 0 and len(headed) > 1 and opens_prompt(parts[0].text):
        return parts[: headed[1]]
    return parts[: headed[0]]


def _rule(section: SourceSection, rule: Prohibition, bound: bool,
          ) -> tuple[SourceSection, Prohibition, str, str, int]:
    """A prohibition of a section, in words, why it cannot be in the header or '', its tokens."""
    text = "\n".join(row.text for row in section.rows[rule.start : rule.end])
    line = section.rows[rule.line].line
    tells = (reserves(text) or (silences(text) and reserved_fact(text))
             or (hides(text) and _FACT.search(text)))
    bar = (_SITUATED if bound or situated("", text) else "it may tell a secret" if tells else
           "it is in a code block" if rule.fenced else _bar(text, 0, 0))
    note = f"{line.place if line else section.title}, a prohibition: {rule.text[:_SHOWN]!r}"
    return section, rule, note, bar, count_tokens(text) + count_tokens(section.title) + 2


def _bar(text: str, tokens: int, limit: int) -> str:
    text = _GIVEN.sub("", _CODE.sub("", text))
    return ("it holds tags that prompts are made of" if escape(text) != text else
            "there is no room for it" if tokens > limit else "")


def _header(parts: Sequence[SourceSection], chosen: Mapping[int, set[int]]) -> Iterator[OutputLine]:
    """The rows that were chosen; what is taken out of a section stands under its heading again."""
    above: SourceSection | None = None
    for section, path in paths(parts):
        if chosen_rows := chosen.get(id(section)):
            named = next((above for above in reversed(path) if above.own), section)
            if named is not above and min(chosen_rows) and named.title:
                yield from made(named.level, named.title).rows
            above = named
            yield from (row for at, row in enumerate(section.rows) if at in chosen_rows)
            yield OutputLine("")


def _few(notes: Sequence[str], label: str) -> list[str]:
    """The first notes, and how many more there are."""
    return [*notes[:_MOST], *([f"{label}: {len(notes) - _MOST} more"] if notes[_MOST:] else [])]


def _by_reader(document: SourceText, source: ImportSource) -> Iterator[tuple[SourceText,
                                                                             list[SourceSection]]]:
    """The document with its sections, in parts: what it reserves for the game master, and the rest.

    What a heading or first lines reserve goes with all below it. A file's own name reserves it
    whole, but for the only one of a source that says itself which of its parts are hidden.
    """
    source_sections = sections(document.lines)
    for_players = document.audience in {"", "player"}
    parts = [*runs(source_sections)] if for_players else [("", source_sections)]
    text = "\n".join(line.text for line in document.lines)
    name = (reserved_name(document.name, text) or reserved_by_tags(text)
            if for_players and not document.lore else "")
    if name and not (len(source.documents) == 1 and any(why for why, _ in parts)):
        parts = [(name, source_sections)]
    if document.wanted and document.lore:
        parts = [(why or reserved_fact("\n".join(section.text for section in run)), run)
                 for why, run in parts]
    source_lines = document.kept
    for why, run in parts:
        part = replace(document, kept=source_lines)
        if why:
            title = run[0].title.replace("/", " ") if len(parts) > 1 else ""
            folder = document.name.rpartition("/")[0]
            part = replace(part, audience="dm", reserved=why, wanted=0.0, name=(
                f"{folder}/" * bool(folder) + title if title else document.name))
        elif document.wanted:
            lines = {row.line for section in run for row in section.rows}
            own = tuple(line for line in document.lines if len(parts) == 1 or line in lines)
            whole = SourceSection(0, part.name, tuple(OutputLine(line.text, line) for line in own))
            yield replace(part, lines=own), [whole]
        if why or not document.wanted:
            yield part, run
        source_lines = ()


def _add(document: SourceText, sections: Sequence[SourceSection], draft: _Draft) -> None:
    """Add a document's files; what is kept of it stands in the first."""
    for_players = document.audience in {"", "player"}
    whole = document.kept or document.reserved
    groups = [[*sections]] if whole else [*_groups(sections)]
    folder = document.name.rpartition("/")[0]
    lines = document.kept
    for group in groups:
        named = next((section for section in group if section.own and section.title), None)
        title = document.name if len(groups) == 1 or not named else (
            f"{folder}/" * bool(folder) + named.title.replace("/", " "))
        rows = [row for section in group for row in (*section.rows, OutputLine(""))]
        name = draft.free(title)
        written = with_matter(document, lines, rows, title.rpartition("/")[2])
        draft.write(name, written)
        draft.secrets += [
            f"{part.title or first_words(part.text)!r} reads as if for the DM alone ({hint!r}) and "
            f"stands in {name}, which players may see" for part in group
            if for_players and (hint := secret(part.title, part.text) or told_by_order(part.text))]
        if not for_players:
            draft.notes.append(f"{name} is hidden from players (`audience: dm`): " + (
                f"{group[0].title or document.name!r} says {document.reserved!r}"
                if document.reserved else "its source says so") +
                "; the model gets it in turns for the DM, and in no player's")
        if escaped := next((row for row in written if row.how == "escaped"), None):
            draft.notes.append(f"{name}: {escaped.text[:60]!r} is prose, and hides nothing; to "
                               "hide the file, write audience: dm in its front matter")
        lines = ()


def _groups(sections: Sequence[SourceSection],
            outermost: bool = True) -> Iterator[list[SourceSection]]:
    """The files that sections make: one for each at the top, small ones together.

    Those have 2,000 tokens at most. One over :data:`FILE_TOKENS` is made of those below it, each
    file with its heading above.
    """
    group: list[SourceSection] = []
    size = 0
    lowest = [*accumulate((source_section.level for source_section in sections), min)]
    starts = [at for at, section in enumerate(sections) if section.level == lowest[at]]
    runs = [sections[start:end] for start, end in pairwise([*starts, len(sections)])]
    for run in runs:
        tokens = sum(section.tokens for section in run)
        alone = run[0].own and max(size, tokens) > MAX_TOKENS
        if group and (alone or size + tokens > 2_000):
            yield group
            group, size = [], 0
        if tokens > FILE_TOKENS and len(run) > 1:
            top, inner = run[0], [*_groups(run[1:], outermost=False)]
            if len(runs) == 1 and outermost:  # the title of everything
                yield from [[top], *inner] if top.text else [[replace(top, own=False), *inner[0]],
                                                            *inner[1:]]
                continue
            yield [top, *inner[0]]
            above = [made(top.level, top.title)] if top.title else []
            yield from ([*above, *source_sections] for source_sections in inner[1:])
        else:
            group, size = [*group, *run], size + tokens
    if group:
        yield group
