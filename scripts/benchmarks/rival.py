"""The rival, served: LangChain's EnsembleRetriever over BM25 and FAISS, packed into the budget.

Nothing of ``mvp_site`` is imported here, so that a process of the rival's pays for the rival alone.
``rival_index`` writes the folder that :meth:`Rival.open` reads.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import faiss
import torch
from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.docstore.in_memory import InMemoryDocstore
from langchain_community.retrievers import BM25Retriever
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_huggingface import HuggingFaceEmbeddings

VECTORS = "vectors.faiss"
DOCUMENTS = "documents.json"
ABOUT = "about.json"
NEAREST = 12
"""Documents each retriever returns."""
GAP = "\n\n"

torch.set_num_threads(1)


@dataclass(frozen=True, slots=True)
class Packed:
    """The documents that are sent, in rank order, and the o200k tokens of what is sent."""

    documents: tuple[Document, ...]
    tokens: int


class Rival:
    """An EnsembleRetriever with a header before what it finds, and the turn after it."""

    def __init__(self, retriever: EnsembleRetriever, header: str, budget: int,
                 lexical_seconds: float) -> None:
        self._retriever = retriever
        self._header = header
        self._budget = budget
        self.lexical_seconds = lexical_seconds
        """What the lexical index cost at opening: BM25Retriever has no form on disk."""

    @classmethod
    def open(cls, folder: Path) -> Rival:
        """The rival from the folder that ``rival_index.build`` wrote."""
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        documents = [
            Document(page_content=entry["text"], metadata=entry["metadata"])
            for entry in json.loads((folder / DOCUMENTS).read_text(encoding="utf-8"))
        ]
        names = [str(number) for number in range(len(documents))]
        store = FAISS(
            embeddings(about["model"]), faiss.read_index(str(folder / VECTORS)),
            InMemoryDocstore(dict(zip(names, documents, strict=True))), dict(enumerate(names)),
        )
        started = time.perf_counter()
        lexical = BM25Retriever.from_documents(
            documents, preprocess_func=lower_cased, k=NEAREST
        )
        seconds = time.perf_counter() - started
        dense = store.as_retriever(search_kwargs={"k": NEAREST})
        both = EnsembleRetriever(retrievers=[lexical, dense], weights=[0.5, 0.5])
        return cls(both, about["header"], about["budget"], seconds)

    def pack(self, text: str) -> Packed:
        """What is sent for ``text``: in rank order, skipping what no longer fits the budget."""
        chosen: list[Document] = []
        total = 0
        for document in self._retriever.invoke(text):
            tokens = document.metadata["tokens"]
            if total + tokens <= self._budget:
                chosen.append(document)
                total += tokens
        return Packed(tuple(chosen), total)

    def turn(self, text: str) -> str:
        """The prompt of a turn: the header, what was found, the turn."""
        found = GAP.join(document.page_content for document in self.pack(text).documents)
        return f"{self._header}{GAP}{found}{GAP}{text}\n"


def lower_cased(text: str) -> list[str]:
    """The rival's lexical tokens: lower-cased, split at white space."""
    return text.lower().split()


def embeddings(model: str) -> HuggingFaceEmbeddings:
    """The embeddings of the model whose files are at ``model``, on one thread."""
    return HuggingFaceEmbeddings(model_name=model, model_kwargs={"device": "cpu"})
