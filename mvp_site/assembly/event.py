"""The telemetry event of one assembled turn, from what was asked, found and printed. Pure.

docs/telemetry.md tells what each field says.
"""

from __future__ import annotations

from typing import Any

from ..archive.release import IndexManifest
from ..retrieval.fusion import shown
from ..retrieval.text import clean
from ..settings import Settings
from . import telemetry
from .plan import Retrieval
from .request import Request, sha256


def prompt_event(settings: Settings, version: str,  # noqa: PLR0913 - it tells of all of it
                 manifest: IndexManifest | None, request: Request, retrieval: Retrieval, *,
                 cached: bool, text: str, header: str, times: tuple[float, float, float],
                 ) -> dict[str, Any]:
    """The event; ``text`` is the turn's as given, ``times`` are in seconds.

    They are those of the call, of what is printed being chosen, and of its being printed.
    """
    planned, evidence = retrieval.plan, retrieval.evidence
    event: dict[str, Any] = {
        "event": "prompt_assembled", "schema": telemetry.SCHEMA_VERSION,
        "version": version,
        "release": manifest.fingerprint if manifest else None,
        "header_sha256": manifest.header_sha256 if manifest else sha256(header),
        "mode": request.mode, "audience": request.audience,
        "query_sha256": request.query_hash, "query_chars": len(text),
        "retrieval_sparse": planned.sparse_reason is not None,
        "sparse_reason": planned.sparse_reason,
        "floor": planned.floor, "best_score": shown(planned.best),
        "lanes": {
            "used": evidence.lanes if evidence else None,
            "failed": dict(retrieval.failed),
        },
        "facets": sorted(request.facets), "leaned": request.previous is not None,
        "situations": [list(pair) for pair in evidence.resembling] if evidence else [],
        "chunks": [
            {
                "id": c.id, "version": c.version, "section": c.section, "score": c.score,
                "lexical_score": c.lexical_score, "dense_score": c.dense_score,
                "tokens": c.tokens, "chars": len(c.text), "partial": c.partial,
            }
            for c in planned.chunks
        ],
        "dropped": [
            {"id": d.id, "reason": d.reason, "score": d.score} for d in planned.dropped
        ],
        "tokens": {
            "header": manifest.header_tokens if manifest else None,
            "retrieved": planned.tokens,
            "budget": settings.prompt_max_tokens_retrieved,
            "archive": manifest.archive_tokens if manifest else None,
        },
        "cached": cached,
        "ms": {
            "retrieve": round((times[1] - times[0]) * 1000, 3),
            "assemble": round((times[2] - times[1]) * 1000, 3),
        },
    }
    if request.audience != "player":
        event["sources"] = [
            {"file": c.file, "lines": [list(span) for span in c.lines]} for c in planned.chunks
        ]
    if settings.prompt_log_text:
        event["query_text"] = clean(text)
    return event
