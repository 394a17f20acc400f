#!/usr/bin/env python3
"""What the first hour costs: install, first search, a rebuild; beside ChromaDB and LlamaIndex.

Each is installed into a fresh environment below a scratch folder and searches the same five files,
with the encoder that this package ships. Prints a Markdown table of what it measured, one after the
other on this machine; run it where nothing else runs.

Usage: first_hour.py WHEEL
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILES = ("combat.md", "economy.md", "resting_and_travel.md",
         "skills_in_play.md", "social_scenes.md")
QUESTION = "I try to slip past the gate guard"
PIECES = '''
import pathlib, sys
pieces = [part.strip() for file in sorted(pathlib.Path("files").glob("*.md"))
          for part in file.read_text("utf-8").split("\\n## ") if part.strip()]
sys.path.insert(0, "minilm")
from minilm import encode
'''
ENCODER = '''
import numpy as np, onnxruntime, pathlib, tokenizers
HERE = pathlib.Path(__file__).parent
SESSION = onnxruntime.InferenceSession(str(HERE / "model.onnx"), providers=["CPUExecutionProvider"])
TOKENS = tokenizers.Tokenizer.from_file(str(HERE / "tokenizer.json"))
TOKENS.no_padding(); TOKENS.enable_truncation(256)
def encode(texts):
    vectors = []
    for text in texts:
        ids = np.asarray([TOKENS.encode(text).ids], np.int64)
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vectors.append(SESSION.run(None, fed)[0][0].tolist())
    return vectors
'''
CHROMA = PIECES + f'''
import chromadb
books = chromadb.PersistentClient("chroma").get_or_create_collection("files")
books.upsert([str(n) for n in range(len(pieces))], encode(pieces), documents=pieces)
print(books.query(encode([{QUESTION!r}]), n_results=3)["documents"][0][0][:60])
'''
LLAMA = PIECES + f'''
from llama_index.core import Settings, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode
class MiniLM(BaseEmbedding):
    def _get_text_embedding(self, text): return encode([text])[0]
    def _get_query_embedding(self, query): return encode([query])[0]
    async def _aget_query_embedding(self, query): return encode([query])[0]
Settings.embed_model = MiniLM()
books = VectorStoreIndex([TextNode(text=piece) for piece in pieces])
print(books.as_retriever(similarity_top_k=3).retrieve({QUESTION!r})[0].text[:60])
'''


def main() -> int:
    """Measure, and print the table."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    wheel = Path(sys.argv[1]).resolve()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, packages, programs in (
            ("mvp-site", [str(wheel)], None),
            ("ChromaDB", ["chromadb", "tokenizers"], CHROMA),
            ("LlamaIndex", ["llama-index-core", "onnxruntime", "tokenizers"], LLAMA),
        ):
            work = Path(folder, name)
            rows.append((name, *_measured(work, packages, programs)))
            print(f"{name}: done", file=sys.stderr)
    print("| | install, s | environment, MB | first search, s | after an edit, s | first hit |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, install, size, first, again, found in rows:
        print(f"| {name} | {install:.0f} | {size} | {first:.1f} | {again:.1f} | {found} |")
    return 0


def _run(*command: object, **more: Any) -> str:
    return subprocess.run([*map(str, command)], check=True, text=True,  # noqa: S603 - our own
                          stdout=subprocess.PIPE, **more).stdout


def _measured(work: Path, packages: list[str], program: str | None,
              ) -> tuple[float, int, float, float, str]:
    (work / "files").mkdir(parents=True)
    for file in FILES:
        (work / "files" / file).write_bytes((ROOT / "prompt_archive/mar_2026" / file).read_bytes())
    began = time.perf_counter()
    _run(sys.executable, "-m", "venv", work / "venv")
    pip = (work / "venv/bin/python", "-m", "pip", "install", "-qq", "--no-input")
    pinned = ["-c", ROOT / "constraints.txt"] if program is None else []
    _run(*pip, "--upgrade", "pip")
    _run(*pip, *packages, *pinned)
    install = time.perf_counter() - began
    files = [file for file in (work / "venv").rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) // 10**6
    if program is None:
        archive = work / "prompt_archive/v1"
        archive.mkdir(parents=True)
        for file in (work / "files").iterdir():
            (archive / file.name).write_bytes(file.read_bytes())
        (archive / "core_header.txt").write_text("Answer in prose.\n", encoding="utf-8")
        edited = archive / FILES[0]
    else:
        (work / "minilm").mkdir()
        (work / "minilm/minilm.py").write_text(ENCODER, encoding="utf-8")
        shipped = next((ROOT / "mvp_site/encoder").glob("onnx-*"))
        for name in ("model.onnx", "tokenizer.json"):
            (work / "minilm" / name).write_bytes((shipped / name).read_bytes())
        (work / "search.py").write_text(program, encoding="utf-8")
        edited = work / "files" / FILES[0]
    first, found = _searched(work, program)
    with edited.open("a", encoding="utf-8") as file:
        file.write("\n## Ladders\n\nA ladder is half cover for whoever stands behind it.\n")
    again, _ = _searched(work, program)
    return install, size, first, again, found


def _searched(work: Path, program: str | None) -> tuple[float, str]:
    here: dict[str, Any] = {"cwd": work, "stderr": subprocess.DEVNULL, "env": {
        "PATH": "/usr/bin:/bin", "HOME": str(work), "MVP_SITE_CACHE_DIR": str(work / "cache"),
    }}
    began = time.perf_counter()
    if program is None:
        command = work / "venv/bin/mvp-site"
        _run(command, "index", "build", **here)
        rows = _run(command, "assemble", QUESTION, "--brief", **here).splitlines()
        found = next((row.split(maxsplit=3)[-1].strip() for row in rows if "#" in row), "")
    else:
        found = " ".join(_run(work / "venv/bin/python", "search.py", **here).split())
    return time.perf_counter() - began, found[:48]


if __name__ == "__main__":
    sys.exit(main())
