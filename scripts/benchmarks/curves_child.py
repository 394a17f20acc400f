"""A process that builds, or opens and asks, so many synthetic passages, and says what it costs.

Run as a script: ``curves_child.py build|open KIND ENGINE SIZE FOLDER``. Prints one line of JSON. A
table of random vectors, one a word, stands in for the encoder: what the encoder costs is known, and
is left out.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from child import peak_bytes

from mvp_site import EntityIndex, Library, PromptAssembler, Rulebook, SessionNotes, Settings
from mvp_site.archive.build import build_prompt_index
from mvp_site.entities.build import build_entities, stock_of
from mvp_site.retrieval.encoder import Vectors
from mvp_site.rulebook.build import build_rulebook

QUESTIONS: Final = {"local": 60, "milvus-lite": 25}
WARM: Final = 5
BEST: Final = 10
WORDS: Final = {"archive": 260, "rulebook": 160, "entities": 50, "notes": 16, "books": 60}
"""The words of a passage of each kind."""
_NAMES: Final = "zux wop jix xej pyc gec cup wig jaz pox".split()  # noqa: SIM905
_COMMON: Final = "the of and to in a is that for it was on with as his they at by".split()  # noqa: SIM905
_FILE: Final = 200
"""Passages of a file."""
Ask = Callable[[str], Sequence[str]]


class TableEncoder:
    """Vectors by a table of random rows, one a word."""

    dimension = 384
    window = 256
    fingerprint = "table-384"

    def __init__(self) -> None:
        self._table = np.random.default_rng(1).standard_normal((8_192, self.dimension), np.float32)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, the sum of those of a text's words."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            words = text.casefold().split() or [""]
            rows = [zlib.crc32(word.strip(".,:#*").encode()) % len(self._table) for word in words]
            vectors[row] = self._table[rows].sum(axis=0)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def pieces(self, text: str) -> int:
        """The number of words."""
        return len(text.split())

    def reads(self, text: str) -> bool:
        """Whether there is a word."""
        return bool(text.split())


@cache
def vocabulary() -> tuple[str, ...]:
    """The words of the SRD's descriptions, the most used first."""
    texts = " ".join(str(document.get("desc", "")) for _, document in stock_of(()).entries)
    counts = Counter(re.findall(r"[a-z]{4,}", texts.casefold()))
    return tuple(sorted(counts, key=lambda word: (-counts[word], word)))


def name(number: int) -> str:
    """A name of a number, which is like no word."""
    text, number = "", number + len(_NAMES) ** 2
    while number:
        number, at = divmod(number, len(_NAMES))
        text += _NAMES[at]
    return text.capitalize()


def title(number: int) -> str:
    """What a passage is called, and no other."""
    return f"{name(number)} {name(number * 7 % 9_973)}"


def bodies(kind: str, size: int) -> Iterator[list[str]]:
    """The words of each passage: every third a common one, the others of the SRD's, by rank."""
    rng = np.random.default_rng(2)
    known = np.array(vocabulary(), object)
    weights = 1 / np.arange(1, len(known) + 1)
    weights /= weights.sum()
    for _ in range(size):
        words = known[rng.choice(len(known), WORDS[kind], p=weights)].tolist()
        words[::3] = rng.choice(_COMMON, len(words[::3])).tolist()
        yield words


def questions(kind: str, size: int, count: int) -> list[tuple[str, str]]:
    """Questions of the rarest words of a passage, each with the passage's title."""
    most = 24 if kind == "entities" else 12  # which refuse what has little of an entity
    chosen = set(np.linspace(0, size - 1, count).astype(int).tolist())
    rank = {word: number for number, word in enumerate(vocabulary())}
    return [(" ".join(sorted({*words} - {*_COMMON}, key=rank.__getitem__)[-most:]), title(number))
            for number, words in enumerate(bodies(kind, size)) if number in chosen]


def sentences(words: Sequence[str]) -> str:
    """Words as sentences."""
    return " ".join(f"{' '.join(words[at : at + 16]).capitalize()}."
                    for at in range(0, len(words), 16))


def texts(kind: str, size: int, form: str, head: Callable[[int], str]) -> Iterator[str]:
    """Files of passages; ``form`` is one's, ``head`` the beginning of a file of a number."""
    rows: list[str] = []
    for number, words in enumerate(bodies(kind, size)):
        rows.append(form.format(title=title(number), text=sentences(words)))
        if len(rows) == _FILE or number == size - 1:
            yield head(number // _FILE + 1) + "".join(rows)
            rows = []


@dataclass(frozen=True, slots=True)
class Kind:
    """How passages of a kind are written to a folder, built, and opened to be asked."""

    write: Callable[[Path, int], object]
    build: Callable[[Settings, Path], object]
    open: Callable[[Settings], Any]
    ask: Callable[[Any, str], Sequence[str]]


def _files(folder: Path, files: Iterator[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(files):
        (folder / f"part-{number:04d}.md").write_text(text, encoding="utf-8")


def _archive(folder: Path, size: int) -> None:
    _files(folder / "prompt_archive/v1", texts(
        "archive", size, "## {title}\n\n{text}\n\n", lambda number: f"# Part {name(number)}\n\n"))
    (folder / "prompt_archive/core_header.txt").write_text("You are the game master.\n")


def _entities(folder: Path, size: int) -> None:
    place = folder / "own/rules"
    place.mkdir(parents=True)
    rows = [{"name": title(number), "desc": sentences(words)}
            for number, words in enumerate(bodies("entities", size))]
    for start in range(0, size, 5_000):
        (place / f"{start}.json").write_text(json.dumps(rows[start : start + 5_000]))


def _import(settings: Settings, folder: Path) -> None:
    with closing(SessionNotes.open(settings, encoder=TableEncoder())) as notes:
        notes.import_notes("game", [
            (path.name, path.read_text("utf-8")) for path in sorted((folder / "notes").iterdir())])
        notes.search("game", "what was that?", "session")  # which builds what the next one opens


KINDS: Final = {
    "archive": Kind(
        _archive, lambda settings, _: build_prompt_index(settings, "v1", encoder=TableEncoder()),
        lambda settings: PromptAssembler.open(settings, encoder=TableEncoder()),
        lambda part, query: [chunk.section for chunk in part.assemble(query).chunks]),
    "rulebook": Kind(
        lambda folder, size: _files(folder / "book", iter(["".join(texts(
            "rulebook", size, "## {title}\n\n{text}\n\n",
            lambda number: f"# Part {name(number)}\n\n"))])),
        lambda settings, folder: build_rulebook(
            settings, folder / "book/part-0000.md", encoder=TableEncoder()),
        lambda settings: Rulebook.open(settings, encoder=TableEncoder()),
        lambda part, query: [row.section.title for row in part.search(query, limit=BEST)]),
    "entities": Kind(
        _entities, lambda settings, folder: build_entities(
            settings, [folder / "own"], encoder=TableEncoder()),
        lambda settings: EntityIndex.open(settings, encoder=TableEncoder()),
        lambda part, query: [
            row["name"] for row in part.search_entities("rules", query, limit=BEST)]),
    "notes": Kind(
        lambda folder, size: _files(folder / "notes", texts(
            "notes", size, "- {text} So it was at {title}.\n",
            lambda number: f"---\nsession: {number}\n---\n# Session {number}\n\n## Events\n\n")),
        _import, lambda settings: SessionNotes.open(settings, encoder=TableEncoder()),
        lambda part, query: [hit.piece.text for hit in part.search(
            "game", query, "session", limit=BEST)]),
    "books": Kind(
        lambda folder, size: _files(folder / "shelf", texts(
            "books", size, "## {title}\n\n{text}\n\n",
            lambda number: f"# Book {name(number)}\n\n")),
        lambda settings, folder: Library.open(settings, encoder=TableEncoder()).scan(
            folder / "shelf", encoder=TableEncoder()),
        lambda settings: Library.open(settings, encoder=TableEncoder()),
        lambda part, query: [hit.title for hit in part.ask(query, BEST).results]),
}


def main(step: str, kind: str, engine: str, size: str, place: str) -> None:
    """Do a step, tell what it took."""
    folder, count, chosen = Path(place), int(size), KINDS[kind]
    settings = Settings(
        prompt_version="v1", prompt_archive_dir=folder / "prompt_archive",
        prompt_index_dir=folder / "index", mvp_site_data_dir=folder / "data",
        mvp_site_cache_dir=folder / "cache", prompt_retriever_score_floor=0.0,
        prompt_cache_size=0,
        mvp_site_milvus_uri=None if engine == "local" else str(folder / "milvus.db"),
    )
    if step == "build":
        chosen.write(folder, count)
        measured = _timed(lambda: chosen.build(settings, folder))[0]
    else:
        asked = questions(kind, count, QUESTIONS[engine])
        (part, query) = None, asked[0][0]

        def opened() -> Any:
            part = chosen.open(settings)
            chosen.ask(part, query)
            return part

        measured, part = _timed(opened)
        seconds, recalled = [], 0
        for query, called in asked:
            began = time.process_time()
            hits = chosen.ask(part, query)[:BEST]
            seconds.append(time.process_time() - began)
            recalled += any(called in text for text in hits)
        measured |= {"latency": float(np.median(seconds[WARM:])), "recall": recalled / len(asked)}
        if close := getattr(part, "close", None):
            close()
    print(json.dumps({**measured, "peak": peak_bytes()}))


def _timed(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """The seconds of some work, by the clock and of processors, and what came of it."""
    began, processor = time.perf_counter(), sum(os.times()[:4])
    result = work()
    return {"seconds": time.perf_counter() - began,
            "processor": sum(os.times()[:4]) - processor}, result


if __name__ == "__main__":
    main(*sys.argv[1:])
