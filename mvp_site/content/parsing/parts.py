"""The parts of an entry: what stands under each heading, and paragraphs that open with a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ...retrieval.filters import fold
from .labels import Label, LabelledValues, markdown, plain, read, rows

Blocks: TypeAlias = Sequence[tuple[str, int]]
"""Texts in reading order, each with its heading's level, 0 of what is none."""

_SMALL: Final = "a|an|and|at|by|for|from|in|into|of|on|or|the|to|with|vs"
_WORD: Final = r"[A-Z\d+][\w’'+/–-]*"
_NAME: Final = rf"(?=[A-Z]){_WORD}(?:,? (?:(?:{_SMALL}) )*{_WORD}){{0,7}}"
_BRACKETS: Final = r" \([^()]{1,80}\)"
_USAGE: Final = re.compile(
    r"(.+) \(((?:recharges?|costs?|\d+/)[^()]*|[^()]*/(?:day|rest|turn)[^()]*)\)", re.IGNORECASE
)
_NAMED: Final = re.compile(rf"({_NAME}(?:{_BRACKETS})?)[.!?]\s+(\S.*)", re.DOTALL)
_RUN_IN: Final = re.compile(
    rf"(?<=[.!?)]) (?={_WORD} {_NAME}(?:{_BRACKETS})?\. [A-Z]"
    rf"|{_NAME}{_BRACKETS}\. [A-Z]|{_NAME}\. (?:Melee|Ranged)\b)"
)
_NO_NAME: Final = re.compile(r"(?:Hit|Miss|Failure|Success|Trigger|Response|At Will|Cantrips)\b")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A heading, '' of what stands before the first, and the texts below it."""

    title: str
    level: int
    texts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The texts as Markdown."""
        return together(self.texts)


def together(texts: Iterable[str]) -> str:
    """The texts as one of Markdown."""
    return "\n\n".join(filter(None, map(markdown, texts)))


def told(texts: Iterable[str], sections: Iterable[TextPart], but: Sequence[dict[str, Any]] = (),
         ) -> dict[str, Any]:
    """A description and sections, without those whose text is one of ``but``."""
    elsewhere = ("", *(section["desc"] for section in but))
    return {"desc": together(texts), "sections": [
        {"name": part.title, "desc": part.text} for part in sections if part.text not in elsewhere
    ]}


def parts(name: str, blocks: Blocks, titles: Iterable[str] = ()) -> list[TextPart]:
    """The parts of an entry called ``name``, the first without a title.

    A text that is one of ``titles``, folded, is a heading whatever its level. The entry's own
    heading, which comes first, is left out.
    """
    known_titles = set(titles)
    sections: list[tuple[str, int, list[str]]] = [("", 0, [])]
    for at, (text, level) in enumerate(blocks):
        plain_text = plain(text) if level else text.strip()
        if at == 0 and (level or fold(plain(plain_text)) == fold(name)):
            continue
        if level or fold(plain(plain_text)) in known_titles:
            sections.append((plain(plain_text), level, []))
        elif plain_text:
            sections[-1][2].append(plain_text)
    return [TextPart(title, level, tuple(texts)) for title, level, texts in sections]


def labelled(name: str, blocks: Blocks, labels: Sequence[Label]) -> tuple[LabelledValues,
                                                                          list[TextPart]]:
    """What labels find before the first heading of an entry, and the parts behind it."""
    head, *below = parts(name, blocks)
    return read(lines_of(head.texts), labels), below


def lines_of(texts: Iterable[str], row: str = "") -> Iterator[str]:
    """Texts line by line, without marks; of a table of two columns ``left: right``.

    A row that begins with ``row`` gives its other cells, each behind its column's title.
    """
    for text in texts:
        cells = rows(text)
        own = [line for line in cells if row and fold(line[0]) == fold(row)]
        if len(cells) > 1 and own:
            yield from (f"{title}: {cell}" for title, cell in
                        zip(cells[0][1:], own[0][1:], strict=False) if cell)
        elif cells and all(len(cell) == 2 for cell in cells):
            yield from (f"{name}: {value}" for name, value in cells if name or value)
        elif cells:
            yield text
        else:
            yield from (line_text for line in text.split("\n") if (line_text := plain(line)))


def named(texts: Iterable[str], *, split: bool = False) -> tuple[list[dict[str, Any]], list[str]]:
    """Paragraphs that open with a name ("Keen Smell. The wolf …"), and those before the first.

    A paragraph without a name belongs to the one before it. With ``split`` several may stand in
    one text.
    """
    entries: list[dict[str, Any]] = []
    before: list[str] = []
    for text in texts:
        for part in _RUN_IN.split(plain(text)) if split and not rows(text) else [text]:
            match = _NAMED.fullmatch(plain(part))
            if match and not _NO_NAME.match(part):
                used = _USAGE.fullmatch(match[1])
                entries.append({"name": used[1] if used else match[1], "desc": match[2].strip()}
                             | ({"usage": used[2]} if used else {}))
            elif entries:
                entries[-1]["desc"] += f"\n\n{markdown(part)}"
            else:
                before.append(markdown(part))
    return entries, before
