"""Writes what the product answers to the evaluation's questions, or compares two such files.

Asks the checkout that is on PYTHONPATH, over the HTTP API, so that an older one is asked alike. Its
data folder must have the indexes; a shelf of books and the sample campaign are read into it. A
difference stands under the first place where it was found: status, ranking, or anything else.

Usage: side_by_side.py answers FILE [SHELF]
       side_by_side.py compare BEFORE AFTER
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SETS = Path(__file__).parent / "evaluation" / "sets"
ENTITLED = "MVP_SITE_DM_TOKEN-of-this-run"
VERSIONS = ("dec_2025", "mar_2026")
RANKINGS = {"prompts": "chunks", "rulebook": "results", "entities": "results", "library": "results",
            "engine": "sentences"}
UNSTEADY = {"timings", "routing", "ms"}
"""Keys whose values are times, or a name that is made anew each time."""
Question = tuple[str, str, dict[str, Any]]
"""What is asked: its id, the path, and the body."""


def lines(name: str) -> Iterator[dict[str, Any]]:
    """The lines of a set."""
    for line in (SETS / f"{name}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def prompts() -> Iterator[Question]:
    """Every needle and turn in its mode for the DM, and in the story for a player."""
    for name in ("needles_tune", "needles_test", "natural_turns", "turns"):
        for line in lines(name):
            body = {"text": line.get("query") or line["input"]}
            body |= {key: line[key] for key in ("state", "history") if line.get(key)}
            versions = [line["version"]] if line.get("version", "any") != "any" else VERSIONS
            for version in versions:
                for mode, audience in ((line["mode"], "dm"), ("story", "player")):
                    yield (f"{name} {line['id']} {version} {audience}", "/api/assemble",
                           {**body, "version": version, "mode": mode, "audience": audience})


def rulebook() -> Iterator[Question]:
    """Every question with all that it gives, and by its words alone."""
    for line in lines("rulebook"):
        body = {"query": line["user_query"] or ""}
        given = ("intention", "entities", "context_hints")
        more = {key: line[key] for key in given if line.get(key)}
        yield f"{line['id']} words", "/api/rulebook/search", body
        yield f"{line['id']} all", "/api/rulebook/search", body | more


def entities() -> Iterator[Question]:
    """Every query with its filters, and the likes of what it refers to."""
    for name in ("entities", "entities_everyday"):
        for line in lines(name):
            if line["kind"] == "lookup":
                continue
            path = f"/api/entities/{line['type']}"
            if line.get("reference"):
                yield f"{name} {line['id']}", f"{path}/{line['reference']}/similar", {}
            else:
                filters = {"filters": json.dumps(line["filters"])} if line.get("filters") else {}
                yield f"{name} {line['id']}", path, {"query": line["query"], **filters}


def library() -> Iterator[Question]:
    """Every question to the shelf."""
    for line in (*lines("library"), *lines("corpora/library_srd_5_2")):
        yield line["id"], "/api/library/ask", {"query": line["query"]}


def engine() -> Iterator[Question]:
    """Every question to the sample campaign, in the character's name."""
    for line in lines("engine_evidence"):
        body = {key: line[key] for key in ("query", "character", "audience")}
        yield line["id"], "/api/ask", body


def answers(shelf: Path | None) -> dict[str, Any]:
    """The answers by source and id: the status, and the body without what is unsteady."""
    from mvp_site import Settings  # noqa: PLC0415 - the checkout's
    from mvp_site.library.library import Library  # noqa: PLC0415
    from mvp_site.sessions.session_notes import SessionNotes  # noqa: PLC0415
    from mvp_site.web import create_app, limits  # noqa: PLC0415

    settings = Settings(mvp_site_dm_token=ENTITLED)
    SessionNotes.open(settings).import_samples()
    sources: dict[str, Callable[[], Iterator[Question]]] = {
        "prompts": prompts, "rulebook": rulebook, "entities": entities, "engine": engine,
    }
    if shelf is not None:
        scan = Library.open(settings).scan(shelf)
        print(f"books: {len(scan.sources)}", file=sys.stderr)
        sources["library"] = library

    app = create_app(settings, config={limits.API: "1000000000/minute"})
    client, heads = app.test_client(), {"Authorization": f"Bearer {ENTITLED}"}
    found: dict[str, Any] = {}
    for source, questions in sources.items():
        for number, (name, path, body) in enumerate(questions(), 1):
            if source == "entities":
                answer = client.get(path, query_string=body, headers=heads)
            else:
                answer = client.post(path, json=body, headers=heads)
            found[f"{source} {name}"] = [answer.status_code, steady(answer.get_json())]
            if number % 200 == 0:
                print(f"{source}: {number}", file=sys.stderr)
    return found


def steady(body: Any) -> Any:
    """A body without what is unsteady, and numbers to six places."""
    if isinstance(body, dict):
        return {key: steady(of) for key, of in body.items() if key not in UNSTEADY}
    if isinstance(body, float):
        return round(body, 6)
    return [steady(of) for of in body] if isinstance(body, list) else body


def differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The source, the kind and the question of each difference."""
    for name in sorted(before.keys() | after.keys()):
        source = name.partition(" ")[0]
        if name not in before or name not in after:
            yield source, "not asked", name
        elif before[name] != after[name]:
            (status, body), (other_status, other) = before[name], after[name]
            ranked, ranked_after = ([hit.get("id") or hit.get("slug") or hit.get("title")
                                     for hit in of.get(RANKINGS[source], [])]
                                    for of in (body, other))
            if status != other_status:
                yield source, f"status {status}, then {other_status}", name
            elif ranked != ranked_after:
                yield source, "order", name
            else:
                yield source, next(field for field in {**body, **other}
                                   if body.get(field) != other.get(field)), name


def main() -> None:
    """Run the command line."""
    command, *paths = sys.argv[1:]
    if command == "answers":
        found = answers(Path(paths[1]) if len(paths) > 1 else None)
        Path(paths[0]).write_text(json.dumps(found), encoding="utf-8")
        return
    before, after = (json.loads(Path(path).read_text("utf-8")) for path in paths)
    asked = Counter(name.partition(" ")[0] for name in after)
    every = list(differences(before, after))
    for source, count in asked.items():
        refused = sum(status != 200 for name, (status, _) in after.items()
                      if name.startswith(f"{source} "))
        kinds = Counter(kind for of, kind, _ in every if of == source)
        print(f"{source}: {count} answers, {refused} refused, {sum(kinds.values())} differ",
              dict(kinds) or "")
    for source, kind, name in every[:40]:
        print(f"  {source}: {kind}: {name}")


if __name__ == "__main__":
    main()
