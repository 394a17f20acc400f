"""Other tools' files: known by their content, read into plain values, or refused by name.

A format is one module of this package with a tuple ``FORMATS``. :func:`recognise` says what a file
is, :func:`likeness` what an unknown one looks like; ``docs/formats.md`` has the table that
:func:`formats` gives.
"""

from __future__ import annotations

from .registry import formats, likeness, recognise, refusal
from .types import Extent, Format, Kind, Sample

__all__ = ["Extent", "Format", "Kind", "Sample", "formats", "likeness", "recognise", "refusal"]
