"""Turns of the store as pages show them: answers, manifests. Never trusted to have a field. Pure.

Each is read into the shape that a page shows; what it lacks, or has of another kind, is empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ..operations.campaigns import read_answer
from ..store.types import TurnRecord

HEADER_MARK: Final = "[SESSION_HEADER]"
WHY_FALLBACK: Final[Mapping[str, str]] = {
    "contract": "the model’s answers broke the rules of the game",
    "model": "the model gave no answer",
    "tokens": "the turn’s tokens were used up",
}
_ANSWER: Final[dict[str, Any]] = {
    **dict.fromkeys(("session_header", "location_confirmed", "resources", "narrative",
                     "god_mode_response"), ""),
    "planning_block": {"thinking": "", "choices": {"*": {
        **dict.fromkeys(("text", "description", "risk_level", "confidence"), ""),
        "pros": [""], "cons": [""],
    }}},
    "dice_rolls": [{
        **dict.fromkeys(("purpose", "expression", "advantage"), ""), "dice": [0], "modifier": 0,
        "total": 0, "target": {"kind": "", "value": 0}, "success": False,
    }],
}
_MANIFEST: Final[dict[str, Any]] = {
    "chunks": [{"id": "", "section": "", "score": 0.0}], "printed": [""],
    "dropped": [{"id": "", "reason": "", "score": 0.0}],
    "floor": 0.0, "sparse_reason": "", "version": "", "model": "", "usd": 0.0,
    "look_ups": [{
        "query": "", "text": "", "reason": "", "attempt": 0, "tokens": 0, "budget": 0,
        "chunks": [{"id": "", "score": 0.0, "tokens": 0}],
        "dropped": [{"id": "", "reason": "", "score": 0.0}],
    }],
    "tokens": {"*": 0}, "sent": {"*": 0}, "ms": {"*": 0.0},
    "steps": [{"attempt": 0, "seconds": 0.0, "tokens": 0, "calls": [""]}],
    "rolls": [{"expression": "", "dice": [0], "total": 0}],
    "attempts": [{
        "violations": [{"rule": "", "path": "", "message": ""}], "usage": {"*": 0},
        "seconds": 0.0, "error": "", "text": "",
    }],
}
_FACTS: Final = (
    ("version", "Version"), ("release", "Release"), ("model", "Model"), ("seed", "Seed"),
    ("header_sha256", "Header, SHA-256"), ("prompt_sha256", "Prompt, SHA-256"),
    ("sparse_reason", "Sparse because"),
)
_SENT: Final = {
    "header": "header", "contents": "contents", "retrieved": "retrieved", "history": "history",
    "state": "state", "state_changes": "what has changed in the state",
    "secret_notes": "secret notes",
    "dice_tray": "dice tray", "turn": "the turn itself", "tool": "tools",
    "again": "all this, sent again", "rolls": "calls of tools",
    "given_back": "answers given back", "counted": "sent, in all",
}
_BY_PROVIDER: Final = {
    "input": "sent, by the provider", "cache_read": "of it from its cache",
    "cache_write": "of it written to its cache", "output": "output", "reasoning": "of it thoughts",
}


def answer_view(answer: str | Mapping[str, Any], manifest: Mapping[str, Any] | None = None,
                ) -> dict[str, Any]:
    """``answer`` for a page, with the parts of its session header by their names.

    ``raw`` is the text, where it is no JSON object. ``manifest`` as :func:`.read_answer` has it.
    """
    response = read_answer(answer, manifest)
    fields = shaped(response, _ANSWER)
    lines = fields["session_header"].replace(HEADER_MARK, "").splitlines()
    named = (line.partition(":") for line in lines)
    return {
        **fields, "raw": str(answer) if response is None else "",
        "header": {name.strip(): value.strip() for name, colon, value in named if colon},
    }


def manifest_of(record: TurnRecord) -> dict[str, Any]:
    """The manifest of a turn, with all that pages show of one."""
    manifest: dict[str, Any] = shaped(record.manifest, _MANIFEST)
    return manifest


def view_of(record: TurnRecord) -> dict[str, Any]:
    """What the page of ``record`` shows beside the record.

    ``told_apart`` where the provider counts what was sent otherwise than we do.
    """
    manifest, answer = record.manifest, read_answer(record.answer)
    read = manifest_of(record)
    counts, sent = read["tokens"], read["sent"]
    differs = bool(sent) and counts.get("input", 0) != sent.get("counted", 0)
    by_provider = {name: label for name, label in _BY_PROVIDER.items()
                   if name in counts and (differs or name != "input")
                   and (counts[name] or name not in {"cache_write", "reasoning"})}
    documents = (("Answer", str(record.answer) if answer is None else answer),
                 ("State before the turn", record.state_before), ("Manifest", manifest))
    return {
        **read, "shown": answer_view(record.answer, manifest), "told_apart": differs,
        "spent": [(label, sent[name]) for name, label in _SENT.items() if sent.get(name)]
        + [(label, counts[name]) for name, label in by_provider.items() if sent],
        "facts": [(label, str(manifest[name])) for name, label in _FACTS
                  if manifest.get(name) not in (None, "")]
        + [("Cost", f"${usd:.4f}") for usd in [manifest.get("usd")]
           if isinstance(usd, int | float) and usd],
        "documents": [(label, document if isinstance(document, str) else json.dumps(
            document, ensure_ascii=False, indent=2, default=str
        )) for label, document in documents],
        "why_fallback": WHY_FALLBACK.get(record.fallback or "", record.fallback or ""),
    }


def shaped(value: object, shape: Any) -> Any:
    """``value`` as ``shape`` has it: its fields, one entry of its lists, its texts and numbers.

    ``*`` stands for any field. What is missing, or of another kind, is as in the shape; what is
    no object is left out of a list of objects.
    """
    if isinstance(shape, dict):
        mapping = value if isinstance(value, Mapping) else {}
        if "*" in shape:
            return {str(name): shaped(entry, shape["*"]) for name, entry in mapping.items()}
        return {name: shaped(mapping.get(name), part) for name, part in shape.items()}
    if isinstance(shape, list):
        entries = value if isinstance(value, list | tuple) else ()
        of_dicts = isinstance(shape[0], dict)
        return [shaped(row, shape[0]) for row in entries if isinstance(row, Mapping) == of_dicts]
    if isinstance(shape, float) and isinstance(value, int):
        value = float(value)
    return value if type(value) is type(shape) else shape
