"""Parts of the book: a title, the blocks under it and the parts below; a tree becomes Markdown."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, Final, TypeAlias, TypeVar, Union

from ...content.srd_documents.values import names
from ...content.wording import enumerated, natural
from ...srd import Amount, OptionChoice, Paragraphs
from ...text.markdown import blocks
from ...text.vocabulary import NUMBERS

Content: TypeAlias = Union["str | BookPart", "Iterable[Content]"]


@dataclass(frozen=True, slots=True)
class BookPart:
    """A section of the book: its heading is as deep as it stands in the tree."""

    title: str
    blocks: Paragraphs = ()
    parts: tuple[BookPart, ...] = ()


def part(title: str, *contents: Content) -> BookPart:
    """A part of texts and, behind them, of parts; what is empty is left out.

    The headings in a text open parts, however deep they are, as far as the text goes.
    """
    blocks: list[str] = []
    parts: list[BookPart] = []
    below: list[BookPart] = []
    for content in contents:
        pieces = list(_flat(content))
        texts = (piece for piece in pieces if isinstance(piece, str))
        grown = _grown(title, 0, deque(piece for text in texts for piece in _pieces(text)))
        blocks += grown.blocks
        parts += grown.parts
        below += (one for one in pieces if isinstance(one, BookPart) and (one.blocks or one.parts))
    return BookPart(title, tuple(blocks), (*parts, *below))


def written(parts: Iterable[BookPart], depth: int = 1) -> str:
    """The Markdown of ``parts``, whose headings are of level ``depth``; ends in a line feed."""
    return "\n\n".join(_written(parts, depth)) + "\n"


def _grown(title: str, level: int, pieces: deque[tuple[int, str, str]]) -> BookPart:
    """The part of a heading of ``level``; what belongs to it is taken off ``pieces``."""
    blocks: list[str] = []
    parts: list[BookPart] = []
    while pieces and (not pieces[0][0] or pieces[0][0] > level):
        deeper, heading, text = pieces.popleft()
        if deeper:
            pieces.appendleft((0, "", text))
            below = _grown(heading, deeper, pieces)
            parts += [below] * bool(below.blocks or below.parts)
        else:
            blocks += [text] * bool(text)
    return BookPart(title, tuple(blocks), tuple(parts))


def _flat(content: Content) -> Iterator[str | BookPart]:
    if isinstance(content, str | BookPart):
        yield content
    else:
        for piece in content:
            yield from _flat(piece)


def _pieces(text: str) -> Iterator[tuple[int, str, str]]:
    """Level and title (0 and empty for none) of each heading, and the text that follows it."""
    lines = text.split("\n")
    heads = [block for block in blocks(lines) if block.level]
    ends = [*(markdown_block.start for markdown_block in heads), len(lines)]
    yield 0, "", "\n".join(lines[: ends[0]]).strip("\n")
    for head, end in zip(heads, ends[1:], strict=True):
        yield head.level, head.title, "\n".join(lines[head.end : end]).strip("\n")


def _written(parts: Iterable[BookPart], depth: int) -> Iterator[str]:
    for book_part in parts:
        yield f"{'#' * min(depth, 6)} {book_part.title}"
        yield from book_part.blocks
        yield from _written(book_part.parts, depth + 1)


NOTHING: Final = "—"
"""What a cell or a line shows where the game has no value."""

T = TypeVar("T")


def grouped(items: Iterable[T], key: Callable[[T], Any]) -> list[tuple[Any, list[T]]]:
    """The items by their keys, both in order."""
    return [(name, list(group)) for name, group in groupby(sorted(items, key=key), key)]


def number_word(number: int) -> str:
    """``two``; figures past ten."""
    return NUMBERS[number] if number <= 10 else str(number)


def bullets(items: Iterable[str]) -> str:
    """One block: a list of ``items``."""
    return "\n".join(f"- {item}" for item in items)


def facts(values: Mapping[str, str]) -> list[str]:
    """A block ``**Label:** value`` for each value that is not empty."""
    return [f"**{label}:** {value}" for label, value in values.items() if value]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """One block: a Markdown table, empty without rows; a bar within a cell is escaped."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), "|" + "---|" * len(head), *lines]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def pounds(weight: float | None) -> str:
    """``1/4 lb.``, ``1 1/2 lb.``, ``10 lb.``; :data:`NOTHING` for 0 and None."""
    if not weight:
        return NOTHING
    whole, rest = divmod(Fraction(weight).limit_denominator(100), 1)
    return f"{' '.join(str(part) for part in (whole, rest) if part)} lb."


def amount(item: Amount) -> str:
    """``four javelins``, or the name alone for one, as it reads within a sentence."""
    name = in_prose(item.ref.name)
    if item.quantity == 1:
        return name
    return f"{number_word(item.quantity)} {name if name.endswith('s') else f'{name}s'}"


def in_prose(name: str) -> str:
    """``light crossbow`` of ``Crossbow, light``: a name of a thing within a sentence."""
    return natural(name).lower()


def choice_text(choice: OptionChoice, written_as: Callable[[str], str] = str) -> str:
    """``choose two from A, B, and C``, each as ``written_as``."""
    options = enumerated(map(written_as, names(choice.options)))
    return f"choose {number_word(choice.count)} from {options}"
