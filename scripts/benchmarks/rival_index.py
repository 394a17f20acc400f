"""The rival's index: LangChain's splitters over an archive, its documents and vectors on disk.

Each document knows the source lines that stand in it whole, so that the rival is judged by the
lines it prints, as every other system is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from mvp_site.archive.front_matter import read_front_matter
from mvp_site.archive.versions import PromptFile, Version
from mvp_site.text.markdown import split_lines
from mvp_site.text.tokens import count_tokens
from mvp_site.training.export import model_path

from .rival import ABOUT, DOCUMENTS, GAP, VECTORS, embeddings

CHUNK_TOKENS = 500
OVERLAP_TOKENS = 50
HEADINGS = [("#" * level, f"h{level}") for level in range(1, 7)]


def build(version: Version, model: str, budget: int, folder: Path) -> int:
    """Write the rival's index of ``version`` to ``folder``; returns its number of documents.

    An index of the same documents that stands there is kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries = [entry for source in version.sources for entry in _documents(source)]
    about = {
        "model": model_path(model), "header": version.header.decode("utf-8"), "budget": budget,
    }
    if _read(folder / DOCUMENTS) == entries and _read(folder / ABOUT) == about:
        return len(entries)
    vectors = embeddings(model_path(model)).embed_documents([entry["text"] for entry in entries])
    matrix = np.asarray(vectors, np.float32)
    index = faiss.IndexFlatL2(matrix.shape[1])  # what LangChain's FAISS.from_documents makes
    index.add(matrix)
    faiss.write_index(index, str(folder / VECTORS))
    _write(folder / DOCUMENTS, entries)
    _write(folder / ABOUT, about)  # last: without it the index is no index
    return len(entries)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def _documents(source: PromptFile) -> Iterator[dict[str, Any]]:
    """The documents of one file in order, each with its tokens and its whole source lines.

    Front matter is left out: it is no text that answers anything, and it would crowd the answers.
    """
    raw = split_lines(source.text)
    body = read_front_matter(raw, source.file).body
    sections = MarkdownHeaderTextSplitter(HEADINGS, strip_headers=False).split_text(
        "\n".join(raw[body:])
    )
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=CHUNK_TOKENS, chunk_overlap=OVERLAP_TOKENS, length_function=count_tokens
    )
    lines = [(number, text) for number, line in enumerate(raw[body:], body + 1)
             if (text := _as_split(line))]
    start = 0
    for section in sections:
        for text in splitter.split_text(section.page_content):
            part = [bare for line in text.split("\n") if (bare := line.strip())]
            start, numbers = locate(part, lines, start)
            yield {
                "text": text,
                "metadata": {
                    **section.metadata, "file": source.file, "lines": spans(numbers),
                    "tokens": count_tokens(text + GAP),
                },
            }


def _as_split(line: str) -> str:
    """A line as MarkdownHeaderTextSplitter leaves it."""
    return "".join(filter(str.isprintable, line.strip()))


def locate(part: Sequence[str], lines: Sequence[tuple[int, str]], start: int,
           ) -> tuple[int, list[int]]:
    """Where ``part`` stands in a file's (number, text) ``lines``, from index ``start`` on.

    Returns the index of its first line and the numbers of the lines that stand in it whole: a
    document may begin or end inside a long line, and such a line is not counted.

    Raises:
        ValueError: it stands nowhere.
    """
    for at in range(start, len(lines) - len(part) + 1):
        window = lines[at : at + len(part)]
        if all(
            mine == text
            or (i == 0 and len(part) == 1 and mine in text)
            or (i == 0 and text.endswith(mine))
            or (i == len(part) - 1 and text.startswith(mine))
            for i, (mine, (_, text)) in enumerate(zip(part, window, strict=True))
        ):
            whole = [n for mine, (n, text) in zip(part, window, strict=True) if mine == text]
            return at, whole
    raise ValueError(f"a document of the rival's stands nowhere in its file: {part[0][:80]!r}")


def spans(numbers: Sequence[int]) -> list[list[int]]:
    """Ascending line numbers as inclusive spans."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
