"""JSON Schemas (2020-12) of what the API takes and gives; the API checks requests against them."""

from __future__ import annotations

import re
from typing import Any, Final

from jsonschema import Draft202012Validator

from ..assembly import telemetry
from ..assembly.request import MAX_HISTORY
from ..turns.opening import MAX_INPUT_CHARS
from ..types import AUDIENCES, CHUNK_MODES, DOMAINS, MODES
from .failures import KINDS

Schema = dict[str, Any]

CAMPAIGN: Final = "^[A-Za-z0-9._-]{1,100}$"
MAX_TEXT: Final = 100_000
SPARSE: Final = ("empty_query", "no_index", "no_hits", "below_floor", "filtered", "lane_failure")
DROPPED: Final = (
    "below_floor", "over_budget", "duplicate", "audience", "outranked", "redacted",
)


def closed(properties: Schema, optional: tuple[str, ...] = (), **more: Any) -> Schema:
    """An object of exactly these properties; those in ``optional`` may be missing."""
    return {
        "type": "object", "properties": properties, "additionalProperties": False,
        "required": [name for name in properties if name not in optional], **more,
    }


def ref(name: str) -> Schema:
    """A reference to the component ``name``."""
    return {"$ref": f"#/components/schemas/{name}"}


def array(items: Schema, **more: Any) -> Schema:
    """A list of ``items``."""
    return {"type": "array", "items": items, **more}


STRING: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "number"}
SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
FLAG: Final[Schema] = {"type": "boolean"}
STRINGS: Final[Schema] = array(STRING)
OPEN: Final[Schema] = {"type": "object"}
MODE: Final[Schema] = {"type": "string", "enum": list(MODES)}
AUDIENCE: Final[Schema] = {"type": "string", "enum": list(AUDIENCES)}
OPTIONAL_STATE: Final[Schema] = {
    "type": ["object", "null"],
    "description": "The game's state. NUL characters and nesting deeper than 64 are refused.",
}


def _nullable(schema: Schema) -> Schema:
    kind = schema["type"]
    found = {**schema, "type": [kind, "null"]}
    if "enum" in schema:
        found["enum"] = [*schema["enum"], None]
    return found


def _text(description: str, least: int = 0, most: int = MAX_TEXT) -> Schema:
    return {
        "type": "string", "minLength": least, "maxLength": most,
        "description": f"{description} NUL characters are refused.",
    }


MESSAGE: Final = closed({
    "role": {"type": "string", "enum": ["user", "assistant"]},
    "content": _text("What was said.", most=MAX_TEXT),
})
HISTORY: Final[Schema] = {
    "type": ["array", "null"], "maxItems": MAX_HISTORY, "items": MESSAGE,
    "description": "The messages before this turn, oldest first.",
}

ASSEMBLE_REQUEST: Final = closed({
    "text": _text("What the player, or the system, says this turn."),
    "mode": {**MODE, "default": "story"},
    "audience": {**AUDIENCE, "default": "player",
                 "description": "Who may see the passages; `dm` and `god` need the DM token."},
    "version": {"type": ["string", "null"], "minLength": 1, "maxLength": 64,
                "description": "A prompt version; by default the one that the server serves."},
    "history": HISTORY,
    "state": OPTIONAL_STATE,
}, optional=("mode", "audience", "version", "history", "state"))

TURN_REQUEST: Final = closed({
    "campaign_id": {
        "type": "string", "pattern": CAMPAIGN,
        "description": "The campaign; a new one begins with its first turn.",
    },
    "user_input": _text("What the player says.", least=1, most=MAX_INPUT_CHARS),
    "mode": {**MODE, "default": "story"},
    "audience": {**AUDIENCE, "default": "player",
                 "description": "Who asks; `dm` and `god` need the DM token."},
    "state": {**OPTIONAL_STATE, "description": "Instead of the campaign's own. DM token only."},
    "history": {**HISTORY, "description": "Instead of the campaign's own. DM token only."},
    "seed": {"type": ["integer", "null"], "minimum": 0, "maximum": 2**63 - 1,
             "description": "Fixes the dice. DM token only."},
}, optional=("mode", "audience", "state", "history", "seed"))

ERROR: Final = closed({
    "error": closed({"kind": {"type": "string", "enum": list(KINDS)}, "message": STRING}),
})

_CHUNK: Final[Schema] = {
    "id": STRING, "text": STRING, "section": STRING,
    "domain": {"type": ["string", "null"], "enum": [*DOMAINS, None]},
    "mode": {"type": ["string", "null"], "enum": [*CHUNK_MODES, None]},
    "audience": AUDIENCE, "version": STRING, "tokens": COUNT, "score": SHARE,
    "lexical_score": SHARE, "dense_score": SHARE, "partial": FLAG,
}
_LINES: Final = array(array({"type": "integer", "minimum": 1}, minItems=2, maxItems=2))
CHUNK: Final = closed({**_CHUNK, "file": STRING, "lines": _LINES})
PLAYER_CHUNK: Final = closed(_CHUNK, description="A passage without its file and lines.")
DROPPED_CHUNK: Final = closed({
    "id": STRING, "reason": {"type": "string", "enum": list(DROPPED)}, "score": SHARE,
    "lexical_score": SHARE, "dense_score": SHARE,
})
PROMPT_MESSAGE: Final = closed({
    "role": {"type": "string", "enum": ["system", "user", "assistant"]},
    "content": STRING, "breakpoint": FLAG,
})


def _assembled(view: str, chunk: str) -> Schema:
    return closed({
        "view": {"type": "string", "enum": [view]}, "prompt": STRING,
        "messages": array(ref("PromptMessage"), minItems=2), "chunks": array(ref(chunk)),
        "dropped": array(ref("DroppedChunk")), "sparse": FLAG,
        "sparse_reason": _nullable({"type": "string", "enum": list(SPARSE)}),
        "telemetry": ref("Telemetry"),
    })


CHOICE: Final = closed({
    "text": STRING, "description": STRING,
    "risk_level": {"type": "string", "enum": ["safe", "low", "medium", "high"]},
    "pros": STRINGS, "cons": STRINGS,
    "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
}, optional=("pros", "cons", "confidence"))
PLANNING: Final = closed({
    "thinking": STRING, "context": STRING,
    "choices": {"type": "object", "additionalProperties": CHOICE},
}, optional=("context",))
DICE_ROLL: Final = closed({
    "roll_id": STRING, "purpose": STRING, "expression": STRING,
    "dice": array({"type": "integer"}), "modifier": {"type": "integer"},
    "total": {"type": "integer"},
    "advantage": {"type": "string", "enum": ["none", "advantage", "disadvantage"]},
    "target": closed({
        "kind": {"type": "string", "enum": ["DC", "AC"]}, "value": {"type": "integer"},
    }),
    "success": FLAG,
})
_ANSWER: Final[Schema] = {
    "session_header": STRING, "resources": STRING, "narrative": STRING,
    "planning_block": PLANNING, "dice_rolls": array(DICE_ROLL), "god_mode_response": STRING,
    "location_confirmed": STRING, "state_updates": OPEN,
}
ANSWER: Final = closed({
    **_ANSWER, "entities_mentioned": STRINGS,
    "debug_info": closed({"dm_notes": STRINGS, "state_rationale": STRING}),
}, optional=("planning_block",))
PLAYER_ANSWER: Final = closed(
    _ANSWER, optional=("planning_block",),
    description="An answer without debug_info and entities_mentioned; state_updates holds what "
                "the player's own state holds.",
)
VIOLATION: Final = closed({"rule": STRING, "path": STRING, "message": STRING})
USAGE: Final = closed({
    "input_tokens": COUNT, "output_tokens": COUNT, "cache_read_tokens": COUNT,
    "cache_write_tokens": COUNT,
})
ATTEMPT: Final = closed({
    "text": STRING, "violations": array(ref("Violation")),
    "warnings": array(ref("Violation")), "usage": ref("Usage"),
    "seconds": {"type": "number", "minimum": 0}, "error": STRING,
})
ROLL: Final = closed({
    "id": STRING, "expression": STRING, "purpose": STRING, "dice": array({"type": "integer"}),
    "modifier": {"type": "integer"}, "total": {"type": "integer"},
    "advantage": {"type": "string", "enum": ["none", "advantage", "disadvantage"]},
    "target": {"type": ["string", "null"], "enum": ["DC", "AC", None]},
    "value": {"type": ["integer", "null"]}, "success": {"type": ["boolean", "null"]},
})
_TURN: Final[Schema] = {
    "turn_id": STRING, "campaign_id": STRING, "mode": MODE,
    "fallback": {"type": ["string", "null"], "enum": ["contract", "model", "tokens", None]},
}
TURN: Final = closed({
    "view": {"type": "string", "enum": ["dm"]}, **_TURN, "response": ref("Answer"), "state": OPEN,
    "text": STRING, "attempts": array(ref("Attempt")), "rolls": array(ref("Roll")),
    "usage": ref("Usage"), "telemetry": ref("Telemetry"), "chunks": STRINGS,
})
PLAYER_TURN: Final = closed({
    "view": {"type": "string", "enum": ["player"]}, **_TURN, "response": ref("PlayerAnswer"),
    "state": closed({
        "player_character_data": OPEN,
        "world_data": closed({"world_time": OPEN}),
    }, optional=("player_character_data", "world_data")),
})

RELEASE: Final = closed({
    "version": STRING,
    "status": {"type": "string",
               "enum": ["fresh", "stale", "missing", "corrupt", "archive_gone"]},
    "release": _nullable(STRING), "chunks": _nullable(COUNT), "passages": _nullable(COUNT),
    "header_tokens": _nullable(COUNT), "archive_tokens": _nullable(COUNT),
    "floor": _nullable(SHARE), "model": _nullable(STRING), "encoder": _nullable(STRING),
    "header_sha256": _nullable(STRING),
    "remedy": {**_nullable(STRING), "description": "The command that mends it."},
})
RELEASES: Final = closed({"default": STRING, "releases": array(ref("Release"))})
HEALTH: Final = closed({
    "status": {"type": "string", "enum": ["ok", "degraded", "failing"],
               "description": "`degraded`: prompts are assembled, turns are not played."},
    "checks": array(closed({"name": STRING, "ok": FLAG, "message": STRING})),
})


def components() -> Schema:
    """Every named schema of the API."""
    return {
        **_event_components(),
        "AssembleRequest": ASSEMBLE_REQUEST, "TurnRequest": TURN_REQUEST, "Error": ERROR,
        "Chunk": CHUNK, "PlayerChunk": PLAYER_CHUNK, "DroppedChunk": DROPPED_CHUNK,
        "PromptMessage": PROMPT_MESSAGE,
        "Assembled": _assembled("dm", "Chunk"),
        "PlayerAssembled": _assembled("player", "PlayerChunk"),
        "Answer": ANSWER, "PlayerAnswer": PLAYER_ANSWER, "Violation": VIOLATION, "Usage": USAGE,
        "Attempt": ATTEMPT, "Roll": ROLL, "Turn": TURN, "PlayerTurn": PLAYER_TURN,
        "Release": RELEASE, "Releases": RELEASES, "Health": HEALTH,
    }


def _event_components() -> Schema:
    """The schema of telemetry's event, and each of its definitions, as components of their own."""
    event = _moved(telemetry.schema())
    return {
        "Telemetry": {k: v for k, v in event.items() if k not in {"$schema", "$id", "$defs"}},
        **{f"Telemetry.{name}": found for name, found in event["$defs"].items()},
    }


def _moved(value: Any) -> Any:
    """``value`` with references to a definition pointing to where it stands in the document."""
    if isinstance(value, dict):
        return {
            key: found.replace("#/$defs/", "#/components/schemas/Telemetry.")
            if key == "$ref" else _moved(found)
            for key, found in value.items()
        }
    return [_moved(found) for found in value] if isinstance(value, list) else value


def is_campaign(value: str) -> bool:
    """Whether ``value`` can be a campaign's id, to its very end."""
    return re.fullmatch(CAMPAIGN, value) is not None


def validator(schema: Schema) -> Draft202012Validator:
    """A validator of ``schema``; thread-safe."""
    return Draft202012Validator(schema)
