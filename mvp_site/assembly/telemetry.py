"""Telemetry: one JSON event a turn, by standard logging, and a span where OpenTelemetry is there.

The event's schema is ``telemetry.schema.json`` beside this file (docs/telemetry.md). Nothing of
the player's text is in it but its hash and length, unless ``PROMPT_LOG_TEXT`` is on.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import resources
from typing import Any, Final

import orjson

from ..archive.release import IndexManifest
from ..archive.turn_ranking import lanes_used
from ..retrieval.ranking import rounded
from ..settings import Settings
from ..text.normalising import clean
from ..text.tokens import known_tokens
from .plan import RankedPlan
from .request import RetrievalRequest, sha256

LOGGER: Final = logging.getLogger("mvp_site.telemetry")
SCHEMA_VERSION: Final = 2

_trace: Any = None
with suppress(ImportError):  # the extra `otel` is not installed
    _trace = importlib.import_module("opentelemetry.trace")


def schema() -> dict[str, Any]:
    """The event's JSON Schema (draft 2020-12)."""
    text = resources.files(__package__).joinpath("telemetry.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def prompt_event(settings: Settings, version: str,  # noqa: PLR0913 - it tells of all of it
                 manifest: IndexManifest | None, request: RetrievalRequest, retrieval: RankedPlan,
                 *, budget: int, cached: bool, text: str, header: str,
                 header_tokens: int | None, contents: str, unfilled: Sequence[str],
                 times: tuple[float, float, float]) -> dict[str, Any]:
    """The event; ``text`` is the turn's as given, ``header`` the archive's, ``contents`` its table.

    ``times`` are in seconds: of the call, of what is printed being chosen, of its being printed.
    """
    planned, ranking = retrieval.plan, retrieval.ranking
    event: dict[str, Any] = {
        "event": "prompt_assembled", "schema": SCHEMA_VERSION,
        "version": version,
        "release": manifest.fingerprint if manifest else None,
        "header_sha256": manifest.header_sha256 if manifest else sha256(header),
        "mode": request.mode, "audience": request.audience,
        "query_sha256": request.query_hash, "query_chars": len(text),
        "retrieval_sparse": planned.sparse_reason is not None,
        "sparse_reason": planned.sparse_reason,
        "floor": planned.floor, "best_score": rounded(planned.best), "exhausted": planned.exhausted,
        "lanes": {
            "used": lanes_used(ranking) if ranking else None,
            "failed": dict(retrieval.failed),
        },
        "facets": sorted(request.signals), "leaned": request.leaned,
        "chunks": [
            {
                "id": c.id, "version": c.version, "section": c.section, "score": c.score,
                "lexical_score": c.lexical_score, "dense_score": c.dense_score,
                "tokens": c.tokens, "chars": len(c.text), "partial": c.partial,
                "pinned": c.pinned,
            }
            for c in planned.chunks
        ],
        "dropped": [
            {"id": d.id, "reason": d.reason, "score": d.score} for d in planned.dropped
        ],
        "tokens": {
            "header": header_tokens,
            "contents": known_tokens(contents),
            "retrieved": planned.tokens,
            "budget": budget,
            "archive": manifest.archive_tokens if manifest else None,
        },
        "unfilled": [*unfilled], "cached": cached,
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


def emit(event: Mapping[str, Any]) -> None:
    """Log the event as one line of JSON at INFO; a turn with a failed lane at WARNING."""
    log(LOGGER, logging.WARNING if event["lanes"]["failed"] else logging.INFO, event)


def log(logger: logging.Logger, level: int, event: Mapping[str, Any]) -> None:
    """Log ``event`` as one line of JSON, where anybody listens."""
    if not logger.isEnabledFor(level):
        return
    try:
        line = orjson.dumps(event, default=dict).decode()
    except TypeError:  # a lone surrogate in an error's message
        line = json.dumps(event, default=dict, separators=(",", ":"))
    # Every event comes from here: to look for the caller would cost more than to write the line.
    logger.handle(logger.makeRecord(logger.name, level, __file__, 0, line, (), None, log.__name__))


def span(version: str, text: str | None) -> AbstractContextManager[Any]:
    """A retrieval span by the GenAI semantic conventions, or None where nobody traces."""
    if _trace is None or isinstance(_trace.get_tracer_provider(), _trace.ProxyTracerProvider):
        return nullcontext()
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": version,
    }
    if text is not None:
        attributes["gen_ai.retrieval.query.text"] = text
    tracer = _trace.get_tracer("mvp_site")
    started: AbstractContextManager[Any] = tracer.start_as_current_span(
        f"retrieval {version}", attributes=attributes
    )
    return started


def describe(current: Any, event: Mapping[str, Any]) -> None:
    """Put a turn's outcome on its span."""
    if current is None or not current.is_recording():
        return
    documents = [{"id": c["id"], "score": c["score"]} for c in event["chunks"]]
    current.set_attribute("gen_ai.retrieval.documents", json.dumps(documents))
    current.set_attribute("mvp_site.retrieval_sparse", event["retrieval_sparse"])
    current.set_attribute("mvp_site.tokens_retrieved", event["tokens"]["retrieved"])
    current.set_attribute("mvp_site.release", event["release"] or "")
    if event["sparse_reason"]:
        current.set_attribute("mvp_site.sparse_reason", event["sparse_reason"])
