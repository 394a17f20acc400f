"""One session's notes, as anybody writes them, to a document whose pieces hold every line.

Headings, bold lines and labels ("Loot:") tell the parts. A piece is a list item with what belongs
to it, a paragraph or a table; where one of its lines is for the DM alone, that line and what is
indented below it are a piece of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePath
from typing import Any, Final

from ...content.slugs import latin_slug
from ...errors import FrontMatterError, SessionsError
from ...formats import Sample, recognise, refusal
from ...text.audience import KEY
from ...text.dm_marks import comments, indent, marked_lines
from ...text.dm_words import reserved_by_tags, reserved_name
from ...text.front_matter import read_keys
from ...text.markdown import MarkdownBlock, blocks, split_lines
from ...text.obsidian import note_links, note_of, readable_lines, unlinked
from ...text.titles import plain
from ...types import AUDIENCES, Audience
from ..intentions import NOTE_PARTS
from ..types import MAX_PIECES, CampaignDocument, CampaignPiece, KnownName, Mention, too_many
from .entities import named
from .headings import (
    DM_PARTS,
    exact_part,
    hidden_columns,
    hidden_text,
    hides,
    opens_hidden,
    part_of,
)
from .numbering import date_in, number_in, subtitle, unnumbered
from .template import hint
from .vault import aliases_of, default_part, named_by, type_of

LONGEST: Final = 120
"""So many words a piece has, but for a sentence that has more."""
HIDDEN: Final = "-dm"
"""How the id of a file ends that is the DM's as a whole."""
_READ: Final = ("session", "number", "title", KEY)
_KEYS: Final = (*_READ, "date", "in_world")
_TYPES: Final = ("tags", "category", "kind", "type")
"""Keys that may say what a page is about, the surest last."""
_PAGE_ID: Final = 80
_NO_SESSION: Final = (
    "kept as a page, for nothing says which session it is of; if it is one's notes, write "
    "`session: 3` or `date: 2026-03-07` between --- lines at the top")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_SUFFIX: Final = re.compile(r"\.[^\W\d]\w{0,8}\Z")
"""Not the half of "Session 0.5"."""
_HINTS: Final = frozenset(map(hint, NOTE_PARTS.values()))
_RULE: Final = re.compile(r"[\s*_=+|:-]*\Z")
_BULLET: Final = re.compile(r"^(\s*)[•‣◦·▪–—](?=\s)")
_ITEM: Final = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+")
_MARKER: Final = re.compile(r"^\s*[-*+]\s+")
_BOLD: Final = re.compile(r"\s*(\*\*|__)(?=\S)((?:(?!\1).){1,80})\1\s*:?\s*\Z")
_LABEL: Final = re.compile(
    r"[\s*_]*([^:*_|>\s][^:*_|]{0,60})[*_]*(?::[*_]*|\s[\u2013\u2014-])(?:\s+(.*)|)\Z"
)
_TAG: Final = re.compile(r"</?\w[^<>]*>")
_BREAK: Final = re.compile(r"\n(?=\s*(?:[-*+|>]|\d+[.)]\s))|(?<=[.!?…])[\"'”’)\]*_]*\s+")
_BOLD_LEVEL, _LABEL_LEVEL = 7, 8
_BARE: Final = 5
"""No line of more words is a heading by its words alone."""


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading that text stands under; ``before`` it so many pieces were read."""

    level: int
    title: str
    part: str | None
    hidden: bool
    line: int
    before: int


def read_notes(text: str, file: str, number: float | None = None) -> CampaignDocument:
    """The notes of one session, or another page of a campaign's notes.

    Each line of text is in a piece, secrets in pieces for the DM. The session is ``number``; where
    that is None the front matter, a heading or the name of ``file`` says which; else its date does.
    What has neither is a page, which is called as its file, an index as its folder. The document's
    id is ``session-3``, ``session-2031-05-04`` or ``page-npcs-hanna-vell``, with ``-dm`` where a
    whole file is the DM's: its front matter, its name or a folder says so.

    Raises:
        SessionsError: what it says as the number is none, the front matter cannot be read, or the
            notes have too much in them.
    """
    sample = Sample(file, text=text)
    if (format_ := recognise(sample, "notes")) and format_.extent == "refused":
        raise SessionsError(f"{file}: {refusal(sample, 'notes')}")
    lines = split_lines(text)
    try:
        front, first = read_keys(lines, file, _KEYS)
    except FrontMatterError as error:
        raise SessionsError(str(error)) from None
    path = _SUFFIX.sub("", PurePath(file).as_posix())
    folders, called = note_of(path)
    secret = hides(called.replace("_", " ").replace("-", " "), whole=True) or any(
        hidden_text(f"{value}:") for key, value in front.items() if key not in _KEYS
    ) or bool(reserved_name("/".join(folders), "") or reserved_by_tags("\n".join(lines[first:])))
    reader = _NotesReader(lines, first, front, front.get(KEY, "dm" if secret else "player"), file)
    title = next(iter(reader.titles), "")
    kind = type_of((*folders, *map(str, _listed(front, *_TYPES))))
    count = number
    if number is None:
        count = _number(front, title, "" if kind else called, file)
    played = (str(front.get("date") or "") * (not kind or count is not None), title, called)
    date = next(filter(None, map(date_in, played)), None)
    hidden = reader.audience != "player"
    if count is None and date is None:
        return _page(reader, kind, called, front, path, text)
    rest = str(front.get("title") or "") or title or called * (count is None)
    name = "" if hidden else subtitle(rest)
    label = f"Session {count}" if count is not None else str(date)
    slug = latin_slug(subtitle(called)) if count is None else ""
    return named(CampaignDocument(
        id="-".join(filter(None, (f"session-{date if count is None else count}", slug)))
        + HIDDEN * hidden, kind="session", title=f"{label}{': ' if name else ''}{name}",
        pieces=reader.pieces(), source=text, number=count, date=date,
        path=path * (count is None),
    ), reader.links)


def _page(reader: _NotesReader, kind: str, called: str, front: Mapping[str, Any], path: str,
          text: str) -> CampaignDocument:
    """A page on somebody or something of a type."""
    aliases = (*map(str, _listed(front, "aliases", "alias")), str(front.get("title") or ""),
               *reader.titles)
    known = KnownName(called, kind, aliases_of(called, aliases), reader.audience)
    pieces = tuple(
        replace(piece, part=default_part(kind) if piece.part == "key_events" else piece.part)
        for piece in reader.pieces())
    document = named(CampaignDocument(
        id=f"page-{latin_slug(path)[-_PAGE_ID:].strip('-')}"
        + HIDDEN * (reader.audience != "player"),
        kind="session", title=called, pieces=pieces, source=text, path=path,
        warnings=() if kind or "/" in path else (_NO_SESSION,)), reader.links)
    about = Mention(called, kind)
    return replace(document, known=(known, *document.known), pieces=tuple(
        replace(piece, mentions=tuple(dict.fromkeys((about, *piece.mentions))))
        for piece in document.pieces))


def _listed(front: Mapping[str, Any], *keys: str) -> Iterator[Any]:
    """The values that front matter has under keys, those of lists one by one."""
    for key, value in front.items():
        if str(key).casefold() in keys:
            yield from value if isinstance(value, list) else [value] if value else []


def _number(front: Mapping[str, Any], title: str, called: str, file: str) -> float | None:
    """The session's number that is said first: by the front matter, the title, the file's name."""
    key = str(front.get("session", front.get("number", "")))
    for text, name in ((f"session {key}", False), (key, True), (title, False), (called, True)):
        wrong = unnumbered(text)
        if (number := number_in(text, name)) is not None and not wrong:
            return number
        if wrong:
            raise SessionsError(
                f"{file}: {wrong!r} is no session's number: they go from 0 to 9999, half a session "
                "as 3.5, written as `# Session 3: The Mill` or as `session: 3` between --- lines "
                "at the top; notes of several sessions are a file each"
            )
    return None


def _worded(value: object) -> str:
    """A value of front matter in words; '' for a flag alone, which says nothing to a reader."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {wording}" for key, entry in value.items() if (
            wording := ("no", "yes")[entry] if isinstance(entry, bool) else _worded(entry)))
    if isinstance(value, list):
        return ", ".join(filter(None, map(_worded, value)))
    return "" if value is None or isinstance(value, bool) else str(value)


class _NotesReader:
    """Reads the lines of one file into pieces, from heading to heading."""

    def __init__(self, lines: Sequence[str], first: int, front: Mapping[str, Any],
                 audience: Audience, file: str) -> None:
        self.audience, self._file = audience, file
        self.titles: list[str] = []
        self.links: dict[str, tuple[KnownName, ...]] = {}
        self._pieces: list[CampaignPiece] = []
        self._counts: Counter[tuple[str, bool]] = Counter()
        self._under: list[_Heading] = []
        self._marked: set[int] = set()
        for key, value in front.items():
            if key == "date" and date_in(str(value)) == date_in(PurePath(file).name) is not None:
                continue
            if key not in _READ and (wording := _worded(value)):
                line = next((at for at, line in enumerate(lines) if str(key) in line), 0)
                label = "date, when we played" if key == "date" else _HUMP.sub(" ", str(key))
                self._head(_LABEL_LEVEL, label, line)
                self._cut(f"{label}: {wording}", line)
                self._close(_LABEL_LEVEL)
        visible = "\n".join(["", *lines[first:]])
        shown = list(visible)
        for start, end in comments(visible):
            if (comment := visible[start:end]) not in _HINTS:
                at = first - 1 + visible.count("\n", 0, start)
                self._add(comment, at, "dm_notes", hidden=True)
            shown[start:end] = [letter if letter == "\n" else "" for letter in comment]
        visible = "".join(shown)
        self._marked = {first - 1 + at for at in marked_lines(visible)}
        plainly = [_BULLET.sub(r"\1-", line) for line in readable_lines(visible).split("\n")[1:]]
        self._read([*[""] * first, *plainly], first)
        self._close(0)

    def pieces(self) -> tuple[CampaignPiece, ...]:
        """The pieces in the order of the file."""
        return tuple(sorted(self._pieces, key=lambda piece: piece.lines or (0, 0)))

    def _read(self, lines: Sequence[str], first: int) -> None:
        """Read ``lines[first:]``, of which the parser gives all blocks but definitions of links."""
        at = first
        for block in (*blocks(lines, first), MarkdownBlock(len(lines), len(lines))):
            self._text(lines, MarkdownBlock(at, block.start))
            at = max(at, block.end)
            if not block.level:
                self._text(lines, block)
            elif block.title.strip():
                self._head(block.level, plain(unlinked(block.title)), block.start)

    def _head(self, level: int, title: str, line: int) -> None:
        self._close(level)
        if level < _BOLD_LEVEL and not self._under and not self.titles and (
            number_in(title) is not None or (level == 1 and not part_of(title) and not hides(title))
        ):
            self.titles.append(title)
            if hides(title, whole=True):
                self.audience = max(self.audience, "dm", key=AUDIENCES.index)
            return
        part, hidden = part_of(title), hides(title) or line in self._marked
        self._under.append(_Heading(
            level, title, "dm_notes" if hidden and part is None else part, hidden, line,
            len(self._pieces),
        ))

    def _close(self, level: int) -> None:
        """End the headings of ``level`` and below; one of no part without text is text itself."""
        while self._under and self._under[-1].level >= level:
            last = self._under[-1]
            if last.before == len(self._pieces) and not exact_part(last.title):
                self._add(last.title, last.line)
            self._under.pop()

    def _text(self, lines: Sequence[str], block: MarkdownBlock) -> None:
        """Read a block that is no heading, and the headings that its lines are all the same."""
        start = block.start
        while start < block.end and not lines[start].strip():
            start += 1
        if start == block.end:
            return
        if block.fence or block.table:
            self._units(lines, block)
            return
        for at in range(start, block.end):
            level, title = _heading(lines, at, block)
            if not (level or self.titles or self._under or any(map(str.strip, islice(lines, at)))):
                title = lines[at].strip()
                level = int(number_in(title) is not None and not subtitle(title))
            if level:
                self._units(lines, MarkdownBlock(start, at))
                self._head(level, title, at)
                start = at + 1
        self._units(lines, MarkdownBlock(start, block.end, table=block.table))

    def _units(self, lines: Sequence[str], block: MarkdownBlock) -> None:
        """Read the lines of a block of text: what is for players and what is not, by itself."""
        whole = block.table and hidden_columns(lines[block.start])
        part, labelled = None, 0
        runs: list[tuple[int, int, str | None, bool]] = []
        deep: int | None = None
        for start, end in _units(lines, block):
            column = indent(lines[start])
            label = None if block.fence else _LABEL.match(_ITEM.sub("", lines[start]))
            kind = exact_part(label[1]) if label and label[2] else None
            item = bool(_ITEM.match(lines[start]))
            if kind and not (item and self._part() not in {None, "other"}):
                part, labelled = kind, column
            elif item and column <= labelled:
                part = None
            above = item and end < block.end and indent(lines[end]) > column and hides(
                _MARKER.sub("", lines[start]).strip(" *_:"))
            if whole or above or kind in DM_PARTS or any(map(hidden_text, lines[start:end])) or (
                    not self._marked.isdisjoint(range(start, end))):
                deep = column if deep is None else min(deep, column)
                hidden = True
            elif deep is not None and column <= deep:
                deep, hidden = None, False
            else:
                hidden = deep is not None
            same = bool(runs) and runs[-1][2:] == (part, hidden)
            runs.append((runs.pop()[0] if same else start, end, part, hidden))
        for start, end, part, hidden in runs:
            self._cut("\n".join(lines[start:end]), start, part, hidden)

    def _part(self) -> str | None:
        return next((heading.part for heading in reversed(self._under) if heading.part), None)

    def _cut(self, text: str, start: int, part: str | None = None, hidden: bool = False) -> None:
        at = 0
        for cut in _cuts(text):
            self._add(text[at:cut], start, part, hidden)
            start += text.count("\n", at, cut)
            at = cut

    def _add(self, text: str, start: int, part: str | None = None, hidden: bool = False) -> None:
        """Keep a text that begins in the line ``start`` unless it has nothing to read."""
        start += text[: len(text) - len(text.lstrip())].count("\n")
        links = (*named_by(note_links(text)),)
        text = unlinked(_MARKER.sub("", text)).strip()
        if _RULE.fullmatch(text):
            return
        if len(self._pieces) == MAX_PIECES:
            raise too_many(self._file)
        part = part or self._part() or ("other" if self._under else "key_events")
        secret = hidden or part in DM_PARTS or any(heading.hidden for heading in self._under)
        audience = "dm" if secret and self.audience == "player" else self.audience
        self._counts[part, secret] += 1
        id_ = f"{part}/{'dm-' if secret else ''}{self._counts[part, secret]}"
        self.links[id_] = links
        self._pieces.append(CampaignPiece(
            id=id_, part=part, title=" – ".join(head.title for head in self._under), text=text,
            audience=audience, lines=(start + 1, start + 1 + text.count("\n")),
        ))


def _heading(lines: Sequence[str], at: int, block: MarkdownBlock) -> tuple[int, str]:
    """The level and title of a line of text that serves as heading; 0 for one that does not."""
    line = _TAG.sub("", lines[at])
    if bold := _BOLD.match(line):
        return _BOLD_LEVEL, bold[2].strip(" :")
    if _ITEM.match(line) or line.lstrip().startswith((">", "|")):
        return 0, ""
    label = _LABEL.match(line)
    title = label[1].strip(" *_") if label and not label[2] else ""
    if title and (exact_part(title) or hides(title) or title.isupper()):
        return _LABEL_LEVEL, title
    follows = lines[at + 1].strip() if at + 1 < block.end else ""
    title = line.strip().strip("*_ ")
    bare = at == block.start and len(title.split()) <= _BARE and not follows[:1].islower()
    if bare and title[:1].isupper() and title[-1] not in ".!?…" and (
            exact_part(title) or (":" not in title and hides(title))):
        return _LABEL_LEVEL, title
    return 0, ""


def _units(lines: Sequence[str], block: MarkdownBlock) -> Iterator[tuple[int, int]]:
    """Where list items, table rows and labelled lines of a block begin and end."""
    start = block.start
    for at in range(block.start + 1, block.end):
        line = lines[at]
        label = None if block.fence else _LABEL.match(line)
        if block.table or (not block.fence and _ITEM.match(line)) or opens_hidden(line) or (
            label and label[2] and exact_part(label[1])
        ):
            yield start, at
            start = at
    if start < block.end:
        yield start, block.end


def _cuts(text: str) -> Iterator[int]:
    """Where ``text`` ends, and before where it is too long: at its sentences, items and rows."""
    size = start = 0
    for end in (*(match.end() for match in _BREAK.finditer(text)), len(text)):
        count = len(text[start:end].split())
        if size and size + count > LONGEST:
            yield start
            size = 0
        size += count
        start = end
    yield len(text)
