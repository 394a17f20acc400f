"""A double of the rulebook: a small book in our own words, really parsed; answers by words in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mvp_site.errors import RulebookQueryError
from mvp_site.retrieval.names import title_key, words
from mvp_site.rulebook.answer_table import AnswerTable
from mvp_site.rulebook.categories import Category
from mvp_site.rulebook.entities import ResolvedEntity, checked_entities
from mvp_site.rulebook.intentions import Intention
from mvp_site.rulebook.markdown import parse_rulebook
from mvp_site.rulebook.results import (
    Citation,
    RankedSection,
    RetrievedSection,
    RulebookQuery,
    RulebookResponse,
    ScorePart,
)
from mvp_site.rulebook.sections import Section, Sections

BOOK = """\
This book is for tests alone.

# Playing

## Falling

A creature that falls is hurt: **1d6** for every ten feet, *at most* 20d6.

| Feet | Dice |
|-----:|------|
| 10   | 1d6  |
| 200  | 20d6 |

### Water

Who falls into deep water is hurt half as much.[^1] See [the tides](https://tides.example/now) and [below](#armor).

## Resting

1. A short rest takes an hour.
2. A long rest takes eight.
   - Two of them in one day do nothing.

> Who keeps watch is not asleep.

# Armor

| Armor | Cost | Class |
| --- | --- | --- |
| Quilted coat | 5 gp | 11 |
| Ring shirt | 30 gp | 14 |

# Spells

## Ember Lance

*Second-level fire*

**Range:** 60 feet

A lance of embers flies at one creature. It saves or burns for 3d6 fire damage.

#### At higher levels

One more die for each level above the second.

## Quiet Step

*First-level shadow*

Nobody hears the creature that you touch.
"""
ATTRIBUTION = "Written for the tests of this project; use it as you like."


def part(name: str, value: float, why: str) -> ScorePart:
    return ScorePart(name, value, why)


@dataclass
class WordsRulebook:
    """Finds the sections that have words of the question; gives ``page`` of them at a time.

    ``fails`` is raised instead. A continuation is "from-" and a number.
    """

    sections: Sections = field(default_factory=lambda: parse_rulebook(BOOK))
    source: str = "The Little Book"
    attribution: str = ATTRIBUTION
    fingerprint: str = "f1e2d3c4b5a69788"
    page: int = 3
    fails: Exception | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)

    def search(self, query: str = "", intention: Intention | str | None = None, entities: Sequence[str] = (), context_hints: Sequence[str] = (),
               categories: Sequence[Category] | None = None, limit: int = 10) -> tuple[RankedSection, ...]:
        if self.fails is not None:
            raise self.fails
        wanted = {word for text in (query, *checked_entities(entities), *context_hints) for word in words(text) if len(word) > 3}
        found = [self._ranked(section, wanted, intention) for section in self.sections if categories is None or {a.category for a in section.categories} & set(categories)]
        hits = [hit for hit in found if hit.evidence > 0]
        return tuple(sorted(hits, key=lambda hit: (-hit.relevance, hit.id))[:limit])

    def _ranked(self, section: Section, wanted: set[str], intention: Intention | str | None) -> RankedSection:
        in_title = wanted & set(words(section.title))
        in_text = wanted & set(words(section.content))
        evidence = min(0.6 * len(in_title) + 0.25 * len(in_text), 1.0)
        parts = [part("words", evidence, f"has {', '.join(sorted(in_title | in_text))}")]
        if intention is not None and {a.category for a in section.categories} & set(Intention(intention).categories):
            parts.append(part("category", 0.2, f"where answers to {intention} usually stand"))
        parts.append(part("level", -0.15 if section.level == 1 else 0.1, "chapters lose, leaves gain"))
        total = sum(p.value for p in parts)
        return RankedSection(section, max(0.0, min(total / 2, 1.0)), evidence, tuple(parts))

    def search_many(self, queries: Sequence[RulebookQuery], limit: int = 10) -> list[tuple[RankedSection, ...]]:
        return [self.search(q.query, q.intention, q.entities, q.context_hints, q.categories, limit) for q in queries]

    def query(self, intention: Intention | str | None = None, entities: Sequence[str] = (), context_hints: Sequence[str] = (), user_query: str | None = None,
              categories: Sequence[Category] | None = None, max_tokens: int = 8000, continuation: str | None = None) -> RulebookResponse:
        self.asked.append({
            "intention": intention, "entities": tuple(entities), "context_hints": tuple(context_hints), "user_query": user_query, "categories": categories,
            "max_tokens": max_tokens, "continuation": continuation,
        })
        hits = self.search(user_query or "", intention, entities, context_hints, categories, limit=99)
        start = 0
        if continuation is not None:
            if not (continuation.startswith("from-") and continuation[5:].isascii() and continuation[5:].isdecimal()):
                raise RulebookQueryError(f"{continuation[:40]!r} is no continuation: give the one that a response came with, unaltered")
            start = int(continuation[5:])
        shown = hits[start:start + self.page]
        given = Intention(intention) if intention is not None else None
        sections = tuple(self._retrieved(hit) for hit in shown)
        reason, explanation = None, ""
        if not sections:
            reason = "nothing_left" if start else "no_evidence" if user_query or entities else "nothing_asked"
            explanation = "no section has a word of it: name the spell, rule or thing in the words of the book"
        tables: tuple[AnswerTable, ...] = ()
        if given is Intention.COMPARE_ENTITIES and len(entities) > 1 and not start:
            rows = (("Range", "60 feet", "—"), ("Level", "2", "1"))
            tables = (AnswerTable("How they differ", ("Field", *(e.title() for e in entities)), rows, ("spells/ember-lance", "spells/quiet-step")),)
        text = "\n\n".join(f"## {s.section.title}\n[{s.citation}]\n\n{s.content}" for s in sections)
        return RulebookResponse(
            intention=given, entities=tuple(self._resolved(e) for e in entities), query=user_query or "", sections=sections, tables=tables, text=text,
            total_tokens=sum(s.tokens for s in sections), continuation=f"from-{start + self.page}" if start + self.page < len(hits) else None,
            reason=reason, explanation=explanation, source=self.source, attribution=self.attribution, rulebook=self.fingerprint,  # type: ignore[arg-type]
        )

    def _resolved(self, entity: str) -> ResolvedEntity:
        titled = self.sections.titled(entity)
        return ResolvedEntity(entity, titled[0].title.lower() if titled else title_key(entity), "title" if titled else "as given")

    def _retrieved(self, hit: RankedSection) -> RetrievedSection:
        section = hit.section
        top = bool(section.children_ids)
        content = self.sections.full_content(section.id, include_children=top and section.level > 1)
        left = () if section.level > 1 else section.children_ids
        return RetrievedSection(section, content, hit.relevance, top and section.level > 1, (), left, False, section.tokens + 20, Citation(self.source, section.path, section.lines), hit.parts)
