"""What people have already, as an archive: prompts, lorebooks and skills, cut into headed files.

:func:`read_source` reads, :func:`propose` cuts and judges, :func:`accept` writes. Nothing of a
source is lost: each of its lines has one place, and ``Proposal.placed`` says which.
"""

from __future__ import annotations

from .accepting import accept
from .proposing import propose
from .reading import read_source
from .types import HEADER_TOKENS, ImportSource, PlacedLine, Proposal, SourceLine

__all__ = [
    "HEADER_TOKENS", "ImportSource", "PlacedLine", "Proposal", "SourceLine", "accept", "propose",
    "read_source",
]
