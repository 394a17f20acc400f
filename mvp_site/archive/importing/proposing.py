"""The proposal: a source's lines in header and files, each in one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, Final

import numpy as np

from ...errors import ArchiveError, FrontMatterError
from ...retrieval.audience import says_audience
from ...retrieval.front_matter import HEAD_LINES
from ...retrieval.markdown import split_lines
from ...retrieval.tokens import count_tokens
from ...yaml_values import write_yaml
from ..delimiters import escape
from ..front_matter import IMPORTED, read_front_matter
from ..versions import HEADER
from ..versions import Source as File
from ..when_lines import headings
from .cutting import file_name, groups, parts_of
from .header import ENOUGH, Encode, judge
from .structure import Row, Section, made_heading, sections
from .types import ASIDE, HEADER_TOKENS, Document, Placed, Proposal, ProposedFile, Source

_STARTER: Final = "Answer as the narrator of this game, by the rules that are given with a turn."
_ASIDE_NOTE: Final = "# Kept of what was imported; no prompt is made of it.\n"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Sections that go to the header together, or not at all; ``wanted`` is what must be there."""

    sections: Sequence[Section]
    title: str
    text: str
    wanted: bool


@dataclass(slots=True)
class _Draft:
    """What is proposed so far."""

    files: list[ProposedFile] = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    aside: list[dict[str, Any]] = field(default_factory=list)


def propose(source: Source, *, header_tokens: int = HEADER_TOKENS, encode: Encode | None = None,
            ) -> Proposal:
    """The header and files that a source could be; pure but for ``encode``.

    Whole sections that speak of the form of answers or of safety are proposed for the header, the
    likeliest first, up to ``header_tokens`` o200k tokens, and stand in it in the source's order.
    ``encode`` gives unit vectors of texts, by which topics are told apart; without it, text that
    has no structure of its own is cut by size.

    Raises:
        ArchiveError: the source holds no text.
    """
    if encode:
        vector = cache(partial(_vector, encode))  # texts are judged, and then cut by topic
        encode = lambda texts: np.stack([vector(text) for text in texts])  # noqa: E731
    draft = _Draft(notes=[*source.notes])
    served = [one for one in source.documents if any(line.text.strip() for line in one.lines)]
    if not served:
        raise ArchiveError(f"{source.name!r} holds no text: there is nothing to import")
    cut = {id(one): _sections(one, encode) for one in served if one.role != "aside"}
    chosen = _chosen(source, cut, header_tokens, encode, draft)
    rows = [row for one in source.documents for section in cut.get(id(one), ())
            if id(section) in chosen for row in (*section.rows, Row(""))]
    if not rows:
        rows = [Row(_STARTER)]
        draft.notes.append("header: nothing reads as rules of form or safety; a line of ours "
                           "stands there until you write some")
    header = _written(rows, HEADER, 0, draft)
    for document in source.documents:
        left = [one for one in cut.get(id(document), ()) if id(one) not in chosen]
        if document.role == "header" and left:
            left = _sections(replace(document, role="file"), encode)
        if not left:
            when = {"when": list(document.when)} if document.when else {}
            _keep(document, {**document.kept, **when}, draft)
        elif document.role == "cut":
            parts = [part for one in left for part in parts_of(one, encode)]
            for title, group in groups(parts, document.name):
                _add(document, title, group, draft)
        else:
            _add(document, document.name, left, draft)
    if draft.aside:
        text = _ASIDE_NOTE + write_yaml(draft.aside)
        draft.files.append(ProposedFile(ASIDE, text))
    draft.notes.append(f"header: {count_tokens(header):,} of {header_tokens:,} tokens")
    return Proposal(header, tuple(draft.files), tuple(draft.placed), tuple(draft.notes))


def _vector(encode: Encode, text: str) -> Any:
    return encode([text])[0]


def _sections(document: Document, encode: Encode | None) -> list[Section]:
    """A document's sections below its title; where text is long, it has headings."""
    if document.role in {"as_is", "header"}:
        rows = tuple(Row(line.text, line) for line in document.lines)
        bare = Section(0, "", rows)
        return [_titled(document, bare) if document.title else bare]
    found = sections(document.lines)
    if document.role == "cut":  # what has a heading is judged whole, and cut later
        return [part for one in found
                for part in ([one] if one.level else parts_of(one, encode))]
    if not found or not found[0].level or document.title:
        bare = found.pop(0) if found and not found[0].level else Section(0, "", ())
        found = [_titled(document, bare), *found]
    return [part for one in found for part in parts_of(one, encode)]


def _titled(document: Document, section: Section) -> Section:
    """A section without a heading below the document's title, or a heading of its name."""
    name = " ".join(document.name.rpartition("/")[2].split())
    text = document.title.text.strip() if document.title else name
    row = Row(f"# {text}", document.title, "heading" if document.title else "text")
    return Section(1, text, (row, Row(""), *section.rows), 1, made=not document.title)


def _chosen(source: Source, cut: Mapping[int, list[Section]], limit: int, encode: Encode | None,
            draft: _Draft) -> set[int]:
    """The sections for the header, by identity; notes say which, and why."""
    found = list(_candidates(source, cut))
    judged = judge([one.title for one in found], [one.text for one in found], encode)
    chosen: set[int] = set()
    for one, (score, reason) in sorted(zip(found, judged, strict=True),
                                    key=lambda pair: (not pair[0].wanted, -pair[1].score)):
        if not one.wanted and score < ENOUGH:
            continue
        text = _text(one.sections)
        tokens = count_tokens(text) + 2
        why = "marked to be always there" if one.wanted else reason
        told = f"{one.title!r} ({tokens:,} tokens): {why}"
        if not one.wanted and escape(text) != text:
            draft.notes.append(f"not in the header: {told}; it holds tags that prompts are made of")
        elif tokens > limit and not (one.wanted and source.kind == "prompt"):
            draft.notes.append(f"not in the header: {told}; there is no room for it")
        else:
            chosen |= {id(section) for section in one.sections}
            limit -= tokens
            draft.notes.append(f"header: {told}")
    return chosen


def _candidates(source: Source, cut: Mapping[int, list[Section]]) -> Iterator[_Candidate]:
    for document in source.documents:
        found = cut.get(id(document), [])
        if document.role == "cut":
            path: list[Section] = []
            for one in found:
                path = [*(above for above in path if above.level < one.level), one]
                if one.words:
                    said = " > ".join(above.title for above in path if above.title)
                    yield _Candidate([one], said, one.words, wanted=False)
        elif found and (document.role == "header" or source.kind != "lorebook"):
            title = document.title.text if document.title else document.name
            yield _Candidate(found, title, _text(found), document.role == "header")


def _text(found: Iterable[Section]) -> str:
    return "\n\n".join(section.text for section in found)


def _written(rows: Iterable[Row], file: str, above: int, draft: _Draft) -> str:
    """The rows as text behind ``above`` lines, each accounted; none blank at either end."""
    out: list[str] = []
    gap = True  # nothing, or a blank line of ours, is above
    for row in rows:
        blank = row.line is None and out and not out[-1].strip()
        if row.how != "mark" and (row.text.strip() or not (gap or blank)):
            out.append(row.text)
            gap = not row.text.strip() and row.line is None
        if row.line and row.line.text.strip():
            draft.placed.append(Placed(row.line, file, above + len(out), row.how))
    while out and not out[-1].strip():
        out.pop()
    return "\n".join([*out, ""])


def _add(document: Document, title: str, found: Sequence[Section], draft: _Draft) -> None:
    """Add a file of sections, with its front matter."""
    if document.role == "as_is":
        *folders, title = document.name.split("/")
        above = "".join(f"{file_name(one, set()).removesuffix('.md')}/" for one in folders)
        name = file_name(title, draft.taken, above)
    else:
        name = file_name(title, draft.taken)
    rows = [row for section in found for row in (*section.rows, Row(""))]
    if document.role == "as_is":
        text = _written(rows, name, 0, draft)
        draft.files.append(ProposedFile(name, text))
        if problem := _problem(text, name):
            draft.notes.append(f"{problem}; lint will say so until it is mended")
        return
    if not found[0].level:
        rows = [*made_heading(1, title), *rows]
    kept = {key: value for key, value in document.kept.items() if _is_plain(value)}
    body = _written(rows, name, 0, _Draft())
    head = [line for line in body.split("\n") if line.strip()][:HEAD_LINES]
    told = [*head, *write_yaml(dict(document.kept)).split("\n")]
    audience = "dm" if any(map(says_audience, told)) else ""
    if audience:
        draft.notes.append(f"{name} seems to say who may see it, and is for the DM alone; change "
                           "its audience if players may see it")
    for own in (kept, {}):  # a key may be one that YAML does not take
        front = _front(document, name, own, audience, body)
        if not _problem(front + body, name):
            break
    draft.files.append(ProposedFile(name, front + _written(rows, name, front.count("\n"), draft)))
    _keep(document, {key: value for key, value in document.kept.items() if key not in own}, draft,
          name)


def _front(document: Document, name: str, kept: Mapping[str, Any], audience: str, body: str) -> str:
    when: Any = list(document.when)
    hidden = f"---\naudience: dm\n---\n{body}"  # as which any text can be read
    if when and len(first := headings(File(name, hidden))) > 1:
        when = {next(filter(None, first), first[0]): when}
    matter = {"audience": audience, "when": when, IMPORTED: dict(kept)}
    said = {key: value for key, value in matter.items() if value}
    return f"---\n{write_yaml(said)}---\n" if said else ""


def _problem(text: str, name: str) -> str:
    try:
        read_front_matter(split_lines(text), name)
    except FrontMatterError as error:
        return str(error)
    return ""


def _is_plain(value: object) -> bool:
    return not isinstance(value, dict) and not (
        isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value))


def _keep(document: Document, kept: Mapping[str, Any], draft: _Draft, file: str = "") -> None:
    """Keep values in ``imported.yaml``, and account for all that the document has."""
    if kept:
        of = {"of": document.name} | ({"file": file} if file else {})
        draft.aside.append({**of, "values": dict(kept)})
    for key, lines in document.values.items():
        place = file if file and key not in kept else ASIDE
        draft.placed += [Placed(line, place, 0, "value") for line in lines if line.text.strip()]
