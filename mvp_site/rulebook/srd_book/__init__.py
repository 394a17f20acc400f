"""The default rulebook: the records of the SRD, written as one hierarchical Markdown text."""

from __future__ import annotations

from .book import chapters, render_srd
from .part import Part

__all__ = ["Part", "chapters", "render_srd"]
