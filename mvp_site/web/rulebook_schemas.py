"""JSON Schemas of what the API takes and gives of the rulebook."""

from __future__ import annotations

from typing import Final

from ..rulebook import continuation as continued
from ..rulebook.categories import Category
from ..rulebook.entities import MAX_ENTITIES, MAX_ENTITY_CHARS
from ..rulebook.intentions import Intention
from ..rulebook.query_parsing import READ_CHARS
from ..rulebook.rulebook import MAX_LIMIT, MAX_TOKENS, MIN_TOKENS
from .rulebook_forms import MOST_TOKENS
from .schemas import COUNT, FLAG, NUMBER, SHARE, STRING, STRINGS, Schema, array, closed, ref

_INTENTION: Final[Schema] = {
    "type": ["string", "null"], "enum": [*map(str, Intention), None],
    "description": "What is wanted; it guides the search and excludes nothing.",
}
_ASKED: Final[Schema] = {
    "query": {"type": "string", "maxLength": READ_CHARS, "default": "",
              "description": "The question in words. NUL characters are refused."},
    "intention": _INTENTION,
    "entities": array(
        {"type": "string", "maxLength": MAX_ENTITY_CHARS}, maxItems=MAX_ENTITIES,
        description="Names of spells, classes, creatures and so on, as players write them.",
    ),
    "context_hints": array(
        {"type": "string", "maxLength": MAX_ENTITY_CHARS}, maxItems=MAX_ENTITIES,
        description="Words that what is wanted is likely to have.",
    ),
    "categories": {
        "type": ["array", "null"], "minItems": 1, "maxItems": len(Category),
        "items": {"type": "integer", "minimum": 1, "maximum": len(Category)},
        "description": "Only sections of these: " + "; ".join(
            f"{category.value} {category.label}" for category in Category
        ) + ".",
    },
}
QUERY_REQUEST: Final = closed({
    **_ASKED,
    "max_tokens": {
        "type": "integer", "minimum": MIN_TOKENS, "maximum": MOST_TOKENS, "default": MAX_TOKENS,
        "description": "How many tokens `text` has at most.",
    },
    "continuation": {
        "type": ["string", "null"], "minLength": 1, "maxLength": continued.MAX_CHARS,
        "description": "The continuation of an answer, for what did not fit into it; all else as "
                       "it was asked.",
    },
}, optional=(*_ASKED, "max_tokens", "continuation"))
SEARCH_REQUEST: Final = closed({
    **_ASKED,
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": 10},
}, optional=(*_ASKED, "limit"))

SCORE_PART: Final = closed({"name": STRING, "value": NUMBER, "why": STRING})
_LINES: Final = array({"type": "integer", "minimum": 1}, minItems=2, maxItems=2)
_PLACE: Final[Schema] = {
    "id": STRING, "title": STRING, "level": {"type": "integer", "minimum": 0, "maximum": 6},
    "path": STRINGS, "relevance": SHARE,
}
RANKED_SECTION: Final = closed({
    **_PLACE, "evidence": SHARE, "categories": STRINGS, "tokens": COUNT,
    "parts": array(ref("ScorePart")),
})
RETRIEVED_SECTION: Final = closed({
    **_PLACE, "content": STRING, "includes_children": FLAG,
    "children": STRINGS, "children_left": STRINGS,
    "cut": FLAG, "tokens": COUNT, "citation": STRING, "source": STRING, "lines": _LINES,
    "parts": array(ref("ScorePart")),
})
ANSWER_TABLE: Final = closed({
    "title": STRING, "columns": STRINGS, "rows": array(STRINGS), "section_ids": STRINGS,
})
RESPONSE: Final = closed({
    "intention": _INTENTION, "entities": STRINGS,
    "resolved": array(closed({"given": STRING, "name": STRING, "how": STRING})),
    "query": STRING, "tables": array(ref("AnswerTable")),
    "sections": array(ref("RetrievedSection")), "total_tokens": COUNT,
    "continuation": {"type": ["string", "null"]}, "left": COUNT,
    "reason": {
        "type": ["string", "null"],
        "enum": [
            "nothing_asked", "no_evidence", "filtered", "nothing_fits", "nothing_left", None,
        ],
    },
    "explanation": STRING, "source": STRING, "attribution": STRING, "rulebook": STRING,
    "lanes_failed": {"type": "object"},
    "text": {**STRING, "description": "Tables and sections as a prompt takes them."},
})
RANKING: Final = closed({
    "results": array(ref("RankedSection")), "source": STRING, "attribution": STRING,
    "rulebook": STRING,
})


def components() -> Schema:
    """The rulebook's named schemas."""
    return {
        "RulebookQuery": QUERY_REQUEST, "RulebookSearch": SEARCH_REQUEST,
        "RulebookResponse": RESPONSE, "RulebookRanking": RANKING, "ScorePart": SCORE_PART,
        "RankedSection": RANKED_SECTION, "RetrievedSection": RETRIEVED_SECTION,
        "AnswerTable": ANSWER_TABLE,
    }
