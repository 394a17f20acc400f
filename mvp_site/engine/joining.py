"""What joins evidence of several domains: the names that two or more of them have. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from ..text.names import stands_in, title_key, words
from .types import DOMAINS, Decision, Domain, Evidence, Question, Relation

Results = Mapping[Domain, Sequence[Evidence]]
TELLING: Final = 0.5
"""What answers in a domain: what is worth at least this part of its best."""
CITED: Final = 2
"""How many places of a domain a relation names."""
_JOINED: Final[dict[Domain, str]] = {
    "character": "on the sheet", "rulebook": "its rule", "session_notes": "in past sessions",
    "books": "in books",
}


def relations_of(results: Results, question: Question, decisions: Sequence[Decision],
                 ) -> tuple[Relation, ...]:
    """What evidence of two or more domains names, first what the question names.

    The asker's own name joins nothing: the whole sheet is about it. What the question does not name
    is joined where it is named by what answers.
    """
    names: dict[str, str] = {}
    about: dict[str, dict[str, Evidence]] = {}
    for piece in (evidence for domain in DOMAINS for evidence in results.get(domain, ())):
        for name in piece.names:
            names.setdefault(title_key(name), name)
            about.setdefault(title_key(name), {})[piece.id] = piece
    own, names_asked = {"", title_key(question.character)}, asked_names(question, decisions)
    best = {domain: max((evidence.relevance for evidence in result), default=0.0)
            for domain, result in results.items()}
    joined = [
        (not is_asked(key, names_asked), -max(piece.relevance for piece in pieces.values()), key)
        for key, pieces in about.items()
        if key not in own and len({
            evidence.domain for evidence in pieces.values()
            if is_asked(key, names_asked) or evidence.relevance >= TELLING * best[evidence.domain]
        }) > 1
    ]
    return tuple(Relation(names[key], tuple(about[key]), _note(names[key], about[key].values()))
                 for *_, key in sorted(joined))


def asked_names(question: Question, decisions: Sequence[Decision]) -> list[tuple[str, ...]]:
    """The words of the question, and of each name that a router found in it."""
    return [words(question.text),
            *(words(named.name) for decision in decisions for named in decision.entities)]


def is_asked(key: str, names_asked: Sequence[Sequence[str]]) -> bool:
    """Whether a name is one of those, or stands in one; ``key`` as :func:`title_key` makes it."""
    return any(stands_in(key.split(), name) for name in names_asked)


def printed_relations(relations: Sequence[Relation], printed: Sequence[Evidence],
                      ) -> Iterator[Relation]:
    """What of the relations is printed and still joins two domains."""
    for relation in relations:
        pieces = sorted((piece for piece in printed if piece.id in relation.evidence),
                        key=lambda piece: DOMAINS.index(piece.domain))
        if len({piece.domain for piece in pieces}) > 1:
            ids = tuple(piece.id for piece in pieces)
            yield Relation(relation.name, ids, _note(relation.name, pieces))


def _note(name: str, pieces: Collection[Evidence]) -> str:
    phrases = []
    for domain in dict.fromkeys(evidence.domain for evidence in pieces):
        cited = dict.fromkeys(evidence.citation for evidence in pieces if evidence.domain == domain)
        phrases.append(f"{_JOINED[domain]}: {'; '.join([*cited][:CITED])}")
    return f"{name}: {'; '.join(phrases)}"
