"""Makes a response of a ranking: tables, sections within the budget, citations, what is left."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..text.names import words
from ..text.tokens import printed_tokens
from .book import LoadedRulebook
from .categories import Category
from .continuation import continuation_of
from .paging import BLANK, Delivered, SectionCandidate, SectionSpan, SelectionPage, select
from .results import AnswerTable, Citation, Reason, RetrievedSection, RulebookResponse
from .section_ranking import SectionRanking

OTHERS: Final = 20
"""How many ranked sections are offered, the best one included."""
LEAST: Final = 0.02
"""The least relevance of a section that is offered at all."""
LEAST_PART: Final = 0.2
"""The least relevance of a section that is given at once, as a part of the best one's. Relevance is
the chance that a section answers (docs/rulebook.md)."""
CITED: Final = 5
"""How many of the sections that a table was read from come first."""
NEAREST: Final = 3
"""How many titles are told beside what the book does not have."""
REFERRED: Final = 3
"""How many rules follow that what is named refers to."""
MOST_REFERRED: Final = 600
"""The most tokens of such a rule; a named thing with its parts may have :data:`REFERRED` times
as many."""
LISTED: Final = 30
"""What has more siblings is one of a list, such as a spell, and no rule."""
GENERAL: Final = frozenset({Category.SPELLCASTING, Category.COMBAT, Category.CONDITIONS,
                            Category.CORE_MECHANICS})
SINGLE: Final = frozenset({Category.CLASS_FEATURES, Category.EQUIPMENT, Category.CREATURES,
                           Category.CHARACTER_CREATION})
SEVERAL: Final = 3
CLEAR: Final = 0.6
"""Where so many best sections are each of another thing, and the best is under this relevance, no
general rule answers."""
TABLE_SHARE: Final = 0.5
"""The most of the budget that tables take."""


def respond(book: LoadedRulebook, ranking: SectionRanking, budget: int, given: Delivered | None,
            ) -> RulebookResponse:
    """The response for a ranking; ``given`` is what earlier pages gave, None for the first."""
    query, manifest = ranking.query, book.manifest
    answer = RulebookResponse(intention=query.intention, entities=query.entities, query=query.query,
                              sections=(), source=manifest.source, attribution=manifest.attribution,
                              rulebook=manifest.fingerprint, lanes_failed=ranking.best.failed)

    lanes = " and ".join(ranking.best.failed)
    failed = f"found without the {lanes} lane, which failed" if lanes else ""

    def explained(text: str, reason: Reason | None = None) -> RulebookResponse:
        return replace(answer, reason=reason, explanation="; ".join(filter(None, (text, failed))))

    if not query.text:
        return explained("nothing was asked: give an intention, entities, or a question in words",
                         "nothing_asked")
    if query.nothing_else:
        return explained(_absent(book, ranking), "no_evidence")
    tables = _fitted(ranking.promise.tables, budget) if given is None else ()
    spent = sum(map(_cost, tables))
    candidates = _candidates(book, ranking, at_once=given is None)
    if not candidates and not tables:
        return explained(*_nothing(book, ranking))
    page = select(book, candidates, ranking.totals, budget - spent, given or Delivered())
    if not page.pieces and not tables:
        if page.left:
            return explained(f"what answers does not fit into {budget} tokens: ask with more",
                             "nothing_fits")
        return explained("everything that answers has been given", "nothing_left")
    sections = tuple(_section(book, ranking, piece, page) for piece in page.pieces)
    return replace(
        explained(_explanation(book, ranking)), sections=sections, tables=tables,
        text=_joined(*(table.markdown() for table in tables), *(
            _joined(f"{part.section.heading}\n[{part.citation}]", part.content) for part in sections
        )),
        total_tokens=spent + page.tokens, left=page.left,
        continuation=continuation_of(page.given, manifest.fingerprint, query)
        if page.left else None,
    )


def _candidates(book: LoadedRulebook, ranking: SectionRanking, *,
                at_once: bool) -> list[SectionCandidate]:
    """What tables were read from, then the ranked sections, if the best one answers; it is whole.

    Of very many sections that a table was read from, the best ones. Each thing that the caller
    names has its own best section, and what these refer to follows. Others that hardly answer
    beside the best are for ``later`` where they would be given ``at_once``.
    """
    ranked, relevance = ranking.best.numbers[:OTHERS].tolist(), ranking.relevance
    best = max((float(relevance[number]) for number in ranked), default=0.0)
    least = LEAST if best >= book.manifest.weights.least else 1.0
    cited = ranking.promise.numbers if ranking.promise.tables else ()
    if len(cited) > CITED:
        cited = tuple(sorted(cited, key=lambda n: (-ranking.totals[n], n))[:CITED])
    named = _named(book, ranking)
    first = [*dict.fromkeys([*cited, *named])]
    certain = {*first, *(n for name in ranking.query.names if name.given
                         for n in book.titles.titled(name.words))}
    numbers = dict.fromkeys([*first, *(n for n in ranked if n in certain or relevance[n] >= least)])
    candidates = [
        SectionCandidate(number, whole=rank == 0, later=at_once and rank > 0
                         and number not in certain and relevance[number] < LEAST_PART * best)
        for rank, number in enumerate(numbers)
    ]
    # What is named and what it refers to have their places before anything below the first.
    referred = _referred(book, ranking, named)
    ahead = [SectionCandidate(number, whole=_whole(book, number)) for number in first]
    if len(first) == 1:
        ahead = candidates[:1]
    return [*ahead, *map(SectionCandidate, referred), *candidates]


def _named(book: LoadedRulebook, ranking: SectionRanking) -> tuple[int, ...]:
    """The best section of each thing that the caller names: its own, or one below; best first."""
    query = ranking.query
    categories = set(query.categories or ())

    def allowed(number: int) -> bool:
        return not categories or not categories.isdisjoint(
            assignment.category for assignment in book.sections.at(number).categories
        )

    best: list[int] = []
    for name in query.names if query.entities else ():
        tree = {number for top in book.titles.titled(name.words) if name.given
                for number in (top, *book.sections.below(top)) if allowed(number)}
        if tree:
            best.append(min(tree, key=lambda n: _aptness(book, ranking, n)))
    return tuple(sorted(dict.fromkeys(best), key=lambda n: (-ranking.totals[n], n)))


def _aptness(book: LoadedRulebook, ranking: SectionRanking, number: int) -> tuple[float, ...]:
    """What sections of one thing are ordered by: the intention's categories, depth, the ranking."""
    section, intention = book.sections.at(number), ranking.query.intention
    wanted = intention.categories if intention else ()
    weight = max((assignment.weight for assignment in section.categories
                  if assignment.category in wanted), default=0.0)
    return -weight, len(section.path), -float(ranking.totals[number]), number


def _whole(book: LoadedRulebook, number: int) -> bool:
    """Whether a section is small enough to be given with all below it."""
    below = sum(book.sections.at(each).tokens for each in book.sections.below(number))
    return below + book.sections.at(number).tokens <= MOST_REFERRED * REFERRED


def _referred(book: LoadedRulebook, ranking: SectionRanking, named: Sequence[int],
              ) -> tuple[int, ...]:
    """General rules, by their titles, that the texts of what is named refer to; the best few."""
    titles = {title for number in named
              for title in book.titles.named_in(words(book.sections.at(number).content))}
    rules = {
        number for title in titles for number in book.titles.titled(title)
        if number not in named and _is_general(book, number)
    }
    return tuple(sorted(rules, key=lambda n: (-ranking.totals[n], n))[:REFERRED])


def _is_general(book: LoadedRulebook, number: int) -> bool:
    """Whether a section is a rule, small enough to stand beside what refers to it."""
    section = book.sections.at(number)
    categories = {assignment.category for assignment in section.categories}
    above = book.sections.parent(section)
    return (
        bool(categories & GENERAL) and not categories & SINGLE and section.tokens <= MOST_REFERRED
        and bool(section.content) and (above is None or len(above.children_ids) <= LISTED)
    )


def _fitted(tables: Sequence[AnswerTable], budget: int) -> tuple[AnswerTable, ...]:
    """The tables within their share of the budget; of one too long, the rows that fit."""
    room = int(budget * TABLE_SHARE)
    fitted: list[AnswerTable] = []
    for table in tables:
        parts = [*map(table.first, range(1, len(table.rows))), table]
        if fit := bisect(parts, room, key=_cost):
            fitted.append(parts[fit - 1])
            room -= _cost(parts[fit - 1])
    return tuple(fitted)


def _cost(table: AnswerTable) -> int:
    return printed_tokens(table.markdown()) + BLANK


def _section(book: LoadedRulebook, ranking: SectionRanking, piece: SectionSpan,
             page: SelectionPage) -> RetrievedSection:
    section = book.sections.at(piece.number)
    below = [book.sections.at(number) for number in piece.below]
    content = section.content
    if piece.span is not None:
        content = content[slice(*piece.span)].strip("\n")
    return RetrievedSection(
        section=section,
        content=_joined(content, *(part for one in below for part in (one.heading, one.content))),
        relevance=float(ranking.relevance[piece.number]),
        includes_children=bool(below), children=tuple(section.id for section in below),
        children_left=tuple(book.sections.at(number).id for number in piece.left),
        cut=page.given.cut == piece.number, tokens=piece.tokens,
        citation=Citation.of(section, book.manifest.source, below[-1] if below else None),
        parts=ranking.parts_of(piece.number),
    )


def _joined(*parts: str) -> str:
    """The parts that have text, with a blank line between."""
    return "\n\n".join(filter(None, parts))


def _absent(book: LoadedRulebook, ranking: SectionRanking) -> str:
    """That the book does not have what is named, with the nearest titles."""
    nearest = dict.fromkeys(
        book.sections.at(number).title for number in ranking.best.numbers[:OTHERS].tolist()
    )
    return (f"{book.manifest.source} has nothing on {', '.join(map(repr, ranking.query.absent))}; "
            f"the nearest titles are {', '.join(list(nearest)[:NEAREST])}")


def _nothing(book: LoadedRulebook, ranking: SectionRanking) -> tuple[str, Reason]:
    query, floor = ranking.query, book.manifest.weights.least
    if query.categories and ranking.relevance.max() >= floor:
        return ("no section of the asked categories answers, and others may: leave the filter out",
                "filtered")
    reason = f"nothing in {book.manifest.source} answers {query.text[:200]!r} surely enough"
    if len(ranking.best.numbers):
        nearest = int(ranking.best.numbers[0])
        reason += (
            f"; the nearest section is {book.sections.at(nearest).heading_path!r} with relevance "
            f"{float(ranking.relevance[nearest]):.3f}, under the floor of {floor:.3f}"
        )
    if notes := _explanation(book, ranking):
        reason += f"; {notes}"
    return reason + ". Name an entity as the book does, or ask in other words.", "no_evidence"


def _explanation(book: LoadedRulebook, ranking: SectionRanking) -> str:
    """What was taken for something else, what is unknown, what the table was read for."""
    query = ranking.query
    readings = [f"{written!r} as {read_as!r}" for written, read_as in query.corrected]
    readings += [
        f"{entity.given!r} as {entity.name!r}" for entity in query.entities
        if entity.how in ("typo", "owner", "variation")
    ]
    read = f"read {', '.join(readings)}" if readings else ""
    unknown = [
        entity.given for entity in query.entities
        if entity.how == "as given" and not book.titles.contains(words(entity.name))
    ]
    untitled = f"nothing is titled {', '.join(map(repr, unknown))}" if unknown else ""
    single = ""
    if _only_single(book, ranking):
        single = (f"{book.manifest.source} has no general section on this: what follows is from "
                  "single entries")
    return "; ".join(part for part in (read, untitled, single, ranking.promise.note) if part)


def _only_single(book: LoadedRulebook, ranking: SectionRanking) -> bool:
    """Whether a question that names no thing is answered by parts of many single ones alone."""
    numbers = ranking.best.numbers[:SEVERAL].tolist()
    if any(name.given for name in ranking.query.names) or len(numbers) < SEVERAL:
        return False
    if ranking.promise.tables or float(ranking.relevance[numbers[0]]) > CLEAR:
        return False
    sections = [book.sections.at(number) for number in numbers]
    things = {
        section.path[:3] for section in sections if len(section.path) > 2
        and any(each.category in {Category.CREATURES, Category.EQUIPMENT}
                for each in section.categories)
    }
    return len(things) == SEVERAL
