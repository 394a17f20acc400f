"""Token counts in o200k, from the vocabulary that ``bpe-openai`` carries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any, Final

from .normalising import clean

PART_CHARS: Final = 50_000


@cache
def _tokenizer() -> Any:
    # Opened on first use: a served turn needs only the counts that the build stored. The package's
    # Python reads three vocabularies again before its library does, which takes ten times longer.
    package = find_spec("bpe_openai")
    spec = package and PathFinder.find_spec("_bindings", package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("bpe_openai has no _bindings: install bpe-openai 0.1")
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    return library.tokenizer_for_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """The number of o200k tokens of ``text``; special-token strings count as plain text."""
    return sum(_tokenizer().count(part) for part in _parts(clean(text)))


known_tokens: Final = lru_cache(maxsize=4096)(count_tokens)
"""The same, counted once for the last 4,096 texts that were asked for."""


def _parts(text: str) -> Iterator[str]:
    """``text`` in parts that the tokenizer takes, cut at line ends or spaces where it can be."""
    start = 0
    while len(text) - start > PART_CHARS:
        window = text[start : start + PART_CHARS]
        cut = max(window.rfind("\n"), window.rfind(" ")) + 1 or PART_CHARS
        yield window[:cut]
        start += cut
    if start < len(text):
        yield text[start:]


def printed_tokens(text: str) -> int:
    """The o200k tokens of ``text`` on lines of its own; never less than it adds to a prompt.

    A token never reaches over a line end into the next line, but for a slash there.
    """
    return count_tokens(f"{text}\n") + text.startswith(("/", "\\", "\n", "\r")) if text else 0
