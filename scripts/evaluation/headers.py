"""Headers that an import proposes: how much of what a runner's parser needs they hold.

A folder has one prompt each (``prompts/``, ``prompt.md``, ``prompt.txt`` or ``rules.md``) with a
``needs.json``: lines that must always be there, and lines of one mode that never may.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np

from mvp_site.archive.importing import propose, read_source
from mvp_site.text.tokens import count_tokens

from .report import Report, Table

SOURCES: Final = ("prompts", "prompt.md", "prompt.txt", "rules.md")


def run_headers(folder: Path) -> Report:
    """A row a prompt: the share of what is needed, tokens, and lines of one mode."""
    rows, shares = [], []
    for prompt in sorted(path for path in folder.iterdir() if path.is_dir()):
        needs = json.loads((prompt / "needs.json").read_text("utf-8"))
        source = next(path for name in SOURCES if (path := prompt / name).exists())
        proposed = propose(read_source(source)).header
        header = " ".join(proposed.split())
        held = [" ".join(line.split()) in header for line in needs["always"]]
        wrong = sum(" ".join(line.split()) in header for line in needs["never"])
        shares.append(float(np.mean(held)))
        rows.append((prompt.name, f"{shares[-1]:.2f}", f"{count_tokens(proposed):,}", str(wrong)))
    mean = float(np.mean(shares))
    values = {"mean": mean, "shares": dict(zip([row[0] for row in rows], shares, strict=True))}
    return Report(values, (Table(("prompt", "needed", "tokens", "of one mode"), tuple(rows)),
                           f"mean {mean:.2f} of {len(rows)} prompts"))
