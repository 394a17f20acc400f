"""A loopback server with as much of Marqo's HTTP contract as the engine uses, and no more.

It keeps documents in memory, refuses what the documentation does not allow, and remembers what it
was asked. Filters are read here by patterns of its own.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from werkzeug import Request, Response
from werkzeug.serving import make_server

MOST_DOCUMENTS = 128
MOST_HITS = 1_000
SEARCH_KEYS = {
    "q", "filter", "limit", "offset", "searchMethod", "searchableAttributes", "showHighlights",
    "attributesToRetrieve", "hybridParameters",
}
_TYPES: dict[str, Callable[[Any], bool]] = {
    "text": lambda v: isinstance(v, str), "bool": lambda v: isinstance(v, bool),
    "int": lambda v: type(v) is int and abs(v) < 2**31, "long": lambda v: type(v) is int,
    "double": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "array<text>": lambda v: isinstance(v, list) and all(isinstance(t, str) for t in v),
    "custom_vector": lambda v: isinstance(v, dict) and set(v) == {"content", "vector"},
}
Test = Callable[[dict[str, Any]], bool]


class RefusedError(Exception):
    """What the server answers with a status of 4xx."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


@dataclass
class Index:
    """Settings and documents of an index."""

    settings: dict[str, Any]
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, str]:
        return {one["name"]: one["type"] for one in self.settings["allFields"]}

    def having(self, feature: str) -> set[str]:
        return {one["name"] for one in self.settings["allFields"]
                if feature in one.get("features", [])}


class MarqoServer:
    """What the server holds, and what it was asked: (method, path, body, headers)."""

    def __init__(self) -> None:
        self.indexes: dict[str, Index] = {}
        self.seen: list[tuple[str, str, Any, dict[str, str]]] = []
        self.answer: Callable[[str, str], tuple[int, bytes] | None] = lambda method, path: None
        self.url = ""
        self._lock = threading.Lock()

    def respond(self, method: str, path: str, body: Any) -> Any:  # noqa: PLR0911 (a case a path)
        """The answer's JSON.

        Raises:
            RefusedError: the request is not of the contract.
        """
        with self._lock:
            plain, _, query = path.partition("?")
            match method, *plain.strip("/").split("/"):
                case "GET", "health":
                    return {"status": "green"}
                case "GET", "indexes":
                    return {"results": [{"indexName": name} for name in self.indexes]}
                case "POST", "indexes", name:
                    return self._create(name, body)
                case "DELETE", "indexes", name:
                    self._index(name)
                    del self.indexes[name]
                    return {"acknowledged": True}
                case "GET", "indexes", name, "settings":
                    return self._index(name).settings
                case "POST", "indexes", name, "documents":
                    return self._add(self._index(name), body)
                case "GET", "indexes", name, "documents":
                    return self._get(self._index(name), body, "expose_facets=True" in query)
                case "POST", "indexes", name, "search":
                    return {"hits": self._search(self._index(name), body)}
        raise RefusedError(404, "not_found", f"{method} {path}")

    def _index(self, name: str) -> Index:
        if name not in self.indexes:
            raise RefusedError(404, "index_not_found", f"Index {name} not found")
        return self.indexes[name]

    def _create(self, name: str, settings: dict[str, Any]) -> Any:
        if name in self.indexes:
            raise RefusedError(409, "index_already_exists", name)
        if not re.fullmatch(r"[a-zA-Z_-][a-zA-Z0-9_-]*", name):
            raise RefusedError(400, "invalid_index_name", name)
        assert settings["type"] == "structured"
        assert settings["modelProperties"]["type"] == settings["model"] == "no_model"
        for one in settings["allFields"]:
            assert one["type"] in _TYPES
            assert set(one.get("features", [])) <= {"filter", "lexical_search"}
            assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", one["name"])
        self.indexes[name] = Index(settings)
        return {"acknowledged": True, "index": name}

    def _add(self, index: Index, body: dict[str, Any]) -> Any:
        documents = body["documents"]
        if not 0 < len(documents) <= MOST_DOCUMENTS:
            raise RefusedError(400, "bad_request", f"{len(documents)} documents")
        items = [self._add_one(index, document) for document in documents]
        return {"errors": any(item["status"] != 200 for item in items), "items": items,
                "processingTimeMs": 1.0, "index_name": ""}

    def _add_one(self, index: Index, document: dict[str, Any]) -> dict[str, Any]:
        dimension = index.settings["modelProperties"]["dimensions"]
        for name, value in document.items():
            kind = "text" if name == "_id" else index.types.get(name)
            if kind is None or not _TYPES[kind](value):
                return {"_id": document["_id"], "status": 400, "error": f"field {name}"}
            if kind == "custom_vector" and len(value["vector"]) != dimension:
                return {"_id": document["_id"], "status": 400, "error": "dimension"}
        index.documents[document["_id"]] = document
        return {"_id": document["_id"], "status": 200}

    def _get(self, index: Index, ids: list[str], facets: bool) -> Any:
        if not ids:
            raise RefusedError(400, "empty_document_ids", "no ids")
        results = []
        for name in ids:
            document = index.documents.get(name)
            if document is None:
                results.append({"_id": name, "_found": False, "message": "not there"})
                continue
            shown = {key: value for key, value in document.items() if key != "vector"}
            if facets:
                shown["_tensor_facets"] = [
                    {"vector": document["vector"]["content"],
                     "_embedding": document["vector"]["vector"]}
                ] if "vector" in document else []
            results.append({**shown, "_found": True})
        return {"results": results}

    def _search(self, index: Index, body: dict[str, Any]) -> list[dict[str, Any]]:
        if unknown := set(body) - SEARCH_KEYS:
            raise RefusedError(422, "invalid_argument", str(unknown))
        if not 0 < body["limit"] <= MOST_HITS:
            raise RefusedError(400, "illegal_requested_doc_count", str(body["limit"]))
        test = filter_test(body["filter"], index) if "filter" in body else lambda _: True
        allowed = [one for one in index.documents.values() if test(one)]
        q, method = body["q"], body["searchMethod"]
        vector = q["customVector"]["vector"] if isinstance(q, dict) else None
        words = q if isinstance(q, str) else q["customVector"].get("content") or ""
        lanes = []
        if method in {"TENSOR", "HYBRID"}:
            assert vector is not None
            lanes.append(_nearest(allowed, vector))
        if method in {"LEXICAL", "HYBRID"}:
            lanes.append(_said(allowed, words, index.having("lexical_search")))
        if method == "HYBRID":
            asked = body["hybridParameters"]
            assert (asked["retrievalMethod"], asked["rankingMethod"]) == ("disjunction", "rrf")
            assert asked["searchableAttributesTensor"] == ["vector"]
            assert set(asked["searchableAttributesLexical"]) <= index.having("lexical_search")
            assert "searchableAttributes" not in body
        ranked: Counter[str] = Counter()
        for lane in lanes:
            for rank, name in enumerate(lane[: body["limit"]]):
                ranked[name] += 1 / (60 + rank)  # type: ignore[assignment]
        best = [name for name, _ in ranked.most_common(body["limit"])]
        kept = body.get("attributesToRetrieve")
        return [
            {"_id": name, "_score": ranked[name], **{
                key: value for key, value in index.documents[name].items()
                if key != "vector" and (kept is None or key in kept)
            }}
            for name in best
        ]


def filter_test(text: str, index: Index) -> Test:
    """What a filter asks of a document: ranges and choices of texts, all joined by AND."""
    tests = [_one(part, index) for part in text.split(" AND ")]
    return lambda document: all(test(document) for test in tests)


def _one(text: str, index: Index) -> Test:
    if found := re.fullmatch(r"(\w+):\[(\d+) TO (\d+)\]", text):
        name, low, high = found.groups()
        assert index.types[name] in {"double", "long", "int"}
        test: Test = lambda document: int(low) <= document.get(name, -1) <= int(high)  # noqa: E731
    elif found := re.fullmatch(r"\((\w+):\([^() :\\]+\)(?: OR \1:\([^() :\\]+\))*\)", text):
        name = found[1]
        wanted = set(re.findall(r":\(([^()]+)\)", text))
        assert index.types[name] == "text"
        test = lambda document: document.get(name) in wanted  # noqa: E731
    else:
        raise RefusedError(400, "invalid_argument", f"filter: {text[:200]}")
    if name not in index.having("filter"):
        raise RefusedError(400, "invalid_argument", f"{name} is no field to filter by")
    return test


def _nearest(documents: list[dict[str, Any]], vector: list[float]) -> list[str]:
    held = [one for one in documents if "vector" in one]
    scores = {one["_id"]: float(np.dot(one["vector"]["vector"], vector)) for one in held}
    return sorted(scores, key=lambda name: (-scores[name], name))


def _said(documents: list[dict[str, Any]], words: str, fields: set[str]) -> list[str]:
    if words == "*":
        return sorted(one["_id"] for one in documents)
    assert re.fullmatch(r"[a-z0-9 ]+", words)  # no quote, which would ask for a phrase
    wanted = words.split()
    scores: dict[str, float] = {}
    for one in documents:
        counts = Counter(" ".join(one.get(name, "") for name in fields).split())
        score = sum(counts[word] / (counts[word] + 1.2) for word in wanted)
        if score:
            scores[one["_id"]] = score
    return sorted(scores, key=lambda name: (-scores[name], name))


def _answered(marqo: MarqoServer, request: Request) -> Response:
    path = request.full_path.rstrip("?")
    body = request.get_json(force=True) if request.content_length else None
    marqo.seen.append((request.method, path, body, dict(request.headers)))
    status = 500
    if (fault := marqo.answer(request.method, path)) is not None:
        return Response(fault[1], fault[0], content_type="application/json")
    try:
        return Response(json.dumps(marqo.respond(request.method, path, body)), content_type="application/json")
    except RefusedError as error:
        status = error.status
        said = {"message": error.message, "code": error.code, "type": "invalid_request"}
    except Exception as error:  # noqa: BLE001 (the client is told, and the test with it)
        said = {"message": f"{type(error).__name__}: {error}", "code": "contract", "type": "contract"}
    return Response(json.dumps(said), status, content_type="application/json")


@contextmanager
def marqo_server() -> Iterator[MarqoServer]:
    """The server on a port of its own; its thread has ended behind it."""
    marqo = MarqoServer()
    http = make_server("127.0.0.1", 0, Request.application(partial(_answered, marqo)), threaded=True)
    http.daemon_threads = True
    marqo.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield marqo
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
