"""A rulebook's answers and sections as the page shows them. Numbers and safe HTML only. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from ..operations.rulebook import AnswerTable, RetrievedSection, RulebookResponse
from ..rulebook.results import ScorePart
from ..rulebook.sections import Section, Sections
from ..srd import ATTRIBUTION
from .figures import HUES, WIDTH
from .rulebook_text import SHOWN, html_of

CHILDREN: Final = 400
"""How many of the sections right below one its page names."""
NAMED: Final = 12
"""How many sections a line of links names."""

REASONS: Final[Mapping[str, str]] = {
    "nothing_asked": "Nothing was asked",
    "no_evidence": "Nothing was found",
    "filtered": "Nothing was found in these categories",
    "nothing_fits": "Nothing fits into so few tokens",
    "nothing_left": "There is no more",
}
HOW: Final[Mapping[str, str]] = {
    "title": "a title of the book",
    "variation": "a usual short form",
    "owner": "its owner left out",
    "typo": "taken for a slip of the pen",
    "as given": "no title of the book",
}
"""Why an entity was taken for what it was taken for."""


@dataclass(frozen=True, slots=True)
class Link:
    """A section to go to."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Links:
    """The first :data:`NAMED` of some sections, and how many more there are."""

    first: tuple[Link, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a score. ``hue`` is the same for all parts of one name on a page."""

    name: str
    value: float
    why: str
    hue: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A part's place in the bar, in units of :data:`~.figures.WIDTH`."""

    hue: int
    start: float
    width: float
    negative: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """The parts of a score on end: what adds to the right of ``zero``, what takes to the left."""

    pieces: tuple[Piece, ...]
    zero: float


@dataclass(frozen=True, slots=True)
class Result:
    """A section of a response. ``total`` is the sum of its parts."""

    number: int
    id: str
    title: str
    above: tuple[Link, ...]
    relevance: float
    parts: tuple[Part, ...]
    total: float
    bar: Bar
    html: Markup
    shortened: bool
    tokens: int
    citation: str
    whole: bool
    cut: bool
    left: Links


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of a response, and the sections that it was read from."""

    table: AnswerTable
    read_from: Links


@dataclass(frozen=True, slots=True)
class SectionView:
    """One section whole, with what stands around it in the book."""

    section: Section
    above: tuple[Link, ...]
    html: Markup
    shortened: bool
    below: tuple[Link, ...]
    more_below: Link | None
    before: Link | None
    after: Link | None


def results(response: RulebookResponse, sections: Sections) -> tuple[Result, ...]:
    """The sections of ``response`` in its order."""
    hues = _hues(part.name for found in response.sections for part in found.parts)
    scale = _scale([found.parts for found in response.sections])
    return tuple(
        _result(number, found, sections, hues, scale)
        for number, found in enumerate(response.sections, 1)
    )


def tables(response: RulebookResponse, sections: Sections) -> tuple[TableView, ...]:
    """The tables of ``response``."""
    return tuple(
        TableView(table, _links(sections, table.section_ids)) for table in response.tables
    )


def _result(number: int, found: RetrievedSection, sections: Sections, hues: Mapping[str, int],
            scale: tuple[float, float]) -> Result:
    section = sections.get(found.id)
    above = _above(section, sections) if section else ()
    return Result(
        number, found.id, found.title, above, found.relevance,
        tuple(Part(part.name, part.value, part.why, hues[part.name]) for part in found.parts),
        sum(part.value for part in found.parts), bar(found.parts, hues, scale),
        html_of(found.content, f"result {number}, {found.title}"),
        len(found.content) > SHOWN, found.tokens, found.citation, found.includes_children,
        found.cut, _links(sections, found.children_left),
    )


def bar(parts: Sequence[ScorePart], hues: Mapping[str, int], scale: tuple[float, float]) -> Bar:
    """The bar of one score on ``scale``: the lowest and the highest sum of a page."""
    low, high = scale
    unit = WIDTH / (high - low) if high > low else 0.0
    zero = abs(low) * unit
    pieces: list[Piece] = []
    right = left = zero
    for part in parts:
        width = abs(part.value) * unit
        if part.value < 0:
            left -= width
        start = left if part.value < 0 else right
        pieces.append(Piece(hues[part.name], round(start, 2), round(width, 2), part.value < 0))
        if part.value >= 0:
            right += width
    return Bar(tuple(pieces), round(zero, 2))


def _scale(scores: Iterable[Sequence[ScorePart]]) -> tuple[float, float]:
    """The lowest sum of what takes and the highest of what adds; 0 is always between."""
    low = high = 0.0
    for parts in scores:
        low = min(low, sum(part.value for part in parts if part.value < 0))
        high = max(high, sum(part.value for part in parts if part.value > 0))
    return low, high


def _hues(names: Iterable[str]) -> dict[str, int]:
    return {name: place % HUES + 1 for place, name in enumerate(dict.fromkeys(names))}


def section_view(section: Section, sections: Sections) -> SectionView:
    """``section`` with its text, what is above and below it, and its neighbours in the book."""
    number = sections.number(section.id)
    below = sections.children(section)
    return SectionView(
        section, _above(section, sections), html_of(section.content, section.title, 3),
        len(section.content) > SHOWN, tuple(Link(s.id, s.title) for s in below[:CHILDREN]),
        Link(below[CHILDREN].id, below[CHILDREN].title) if len(below) > CHILDREN else None,
        _neighbour(sections, number - 1), _neighbour(sections, number + 1),
    )


def own_attribution(attribution: str) -> str:
    """What ``attribution`` says beyond the statement that stands on every page."""
    return attribution.replace(ATTRIBUTION, "").strip()


def _above(section: Section, sections: Sections) -> tuple[Link, ...]:
    return tuple(Link(s.id, s.title) for s in reversed(sections.ancestors(section)))


def _links(sections: Sections, names: Sequence[str]) -> Links:
    found = (sections.get(name) for name in names[:NAMED])
    return Links(
        tuple(Link(section.id, section.title) for section in found if section),
        max(len(names) - NAMED, 0),
    )


def _neighbour(sections: Sections, number: int) -> Link | None:
    if not 0 <= number < len(sections):
        return None
    return Link(sections.at(number).id, sections.at(number).title)
