"""What retrievers of frameworks search: the prompt index, the rulebook, the entities. One shape.

Each gives what may be used for a query, the best first, and nothing where nothing is evidence.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..assembly.assembler import PromptAssembler
from ..content.stat_block import markdown_of
from ..entities.index import EntityIndex
from ..errors import InvalidRequestError, SettingsError
from ..rulebook.rulebook import Rulebook
from ..settings import Settings, settings_of
from ..types import Audience, Mode

LIMIT: Final = 10
"""How many sections or entities are found where nobody says how many."""
Source = Literal["prompts", "rulebook", "entities"]


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text for a query. ``score`` is in [0, 1]; ``metadata`` has plain values, these too."""

    id: str
    text: str
    score: float
    metadata: Mapping[str, Any]


Search = Callable[[str, int | None], Sequence[ScoredText]]
"""Takes a query and the most that is wanted, None for as many as there are reasons for."""


def prompts(assembler: PromptAssembler, *, mode: Mode = "story", audience: Audience = "player",
            max_tokens_retrieved: int | None = None) -> Search:
    """Searches the prompt index as a turn does, within its floor and budget."""
    def search(query: str, limit: int | None = None) -> list[ScoredText]:
        chunks = assembler.retrieve(
            query, mode, audience, max_tokens_retrieved=max_tokens_retrieved
        ).chunks[:limit]
        return [_found(hit.id, hit.text, hit.score, dataclasses.asdict(hit)) for hit in chunks]

    return search


def rulebook(book: Rulebook) -> Search:
    """Searches the sections of a rulebook; none where the best is under its floor."""
    def search(query: str, limit: int | None = None) -> list[ScoredText]:
        sections = book.search(query, limit=LIMIT if limit is None else limit)
        if not sections or sections[0].relevance < book.floor:
            return []
        return [_found(hit.id, hit.section.content, hit.relevance, {
            "file": book.source, "section": " > ".join(hit.path), "lines": hit.section.lines,
        }) for hit in sections]

    return search


def entities(index: EntityIndex, *, types: Sequence[str] | None = None) -> Search:
    """Searches the entities of all types, or of ``types``; their fields are in the metadata."""
    def search(query: str, limit: int | None = None) -> list[ScoredText]:
        results = index.search_all(query, LIMIT if limit is None else limit, types=types)
        return [_found(
            f"{result['entity_type']}/{result['slug']}",
            f"{result['name']}\n\n{markdown_of(result.get('desc'))}".strip(),
            result["_score"], {"file": result["document"], "section": result["name"], **result},
        ) for result in results]

    return search


def found(search: Search, query: str, limit: int | None) -> Sequence[ScoredText]:
    """What ``search`` gives for a query, at most ``limit`` of it.

    Raises:
        InvalidRequestError: the limit is under 0.
    """
    if limit is not None and limit < 0:
        raise InvalidRequestError(f"{limit} documents cannot be found: give 0 or more")
    return () if limit == 0 else search(query, limit)


def _found(id_: str, text: str, score: float, metadata: Mapping[str, Any]) -> ScoredText:
    rest = {name: value for name, value in metadata.items() if name not in {"text", "_score"}}
    return ScoredText(id_, text, score, {**rest, "id": id_, "score": score})


_SOURCES: Final[Mapping[str, Callable[..., Search]]] = {
    "prompts": lambda settings, **options: prompts(PromptAssembler.open(settings), **options),
    "rulebook": lambda settings, **options: rulebook(Rulebook.open(settings), **options),
    "entities": lambda settings, **options: entities(EntityIndex.open(settings), **options),
}


def open_source(source: str, settings: Settings | None = None, **options: Any) -> Search:
    """The search of ``source``, opened by ``settings``; ``options`` as the function of its name.

    Raises:
        SettingsError: there is no such source, or it has no such option.
        IndexLoadError, EncoderError: it cannot be opened; the message has the command.
    """
    if source not in _SOURCES:
        raise SettingsError(f"there is no source {source!r:.40}; there are {', '.join(_SOURCES)}")
    try:
        return _SOURCES[source](settings_of(settings), **options)
    except TypeError as error:
        raise SettingsError(f"source {source!r} cannot be opened: {error}") from None
