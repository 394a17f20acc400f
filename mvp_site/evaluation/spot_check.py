"""A page of turns with what was retrieved for each, for people to judge."""

from __future__ import annotations

from dataclasses import replace

from ..assembly.assembler import PromptAssembler
from ..settings import Settings
from .needles import load_needles

_EXCERPT = 160


def spot_check(settings: Settings, count: int) -> str:
    """Markdown of ``count`` players' turns of the tuning set, spread over versions and ids."""
    turns = [needle for needle in load_needles("tune") if needle.kind == "turn"]
    step = max(len(turns) // max(count, 1), 1)
    chosen = turns[::step][:count]
    assemblers = {
        version: PromptAssembler.open(replace(settings, prompt_version=version))
        for version in sorted({needle.version for needle in chosen})
    }
    lines = [
        f"# {len(chosen)} turns and what was retrieved for them",
        "",
        "Written by `mvp-site eval needles --turns`. The turns are of the tuning set; none shares",
        "a content word with the passage its author wanted. Scores are evidence before bonuses.",
    ]
    for number, needle in enumerate(chosen, 1):
        plan = assemblers[needle.version].retrieve(
            needle.query, needle.mode, "god", needle.history, needle.state
        )
        lines += ["", f"## {number}. “{_plain(needle.query)}”", ""]
        about = f"{needle.version}, mode {needle.mode}"
        if needle.state:
            about += ", with state"
        if needle.history:
            about += ", after other turns"
        lines += [f"*{about}; {plan.tokens} tokens*", ""]
        if plan.sparse_reason:
            lines.append(f"Nothing was retrieved: {plan.sparse_reason}.")
        for chunk in plan.chunks:
            excerpt = _plain(" ".join(chunk.text.split())[:_EXCERPT])
            lines.append(f"- **{_plain(chunk.section)}** ({chunk.score:.2f}): {excerpt} …")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """``text`` with what Markdown would read as markup escaped."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in text)
