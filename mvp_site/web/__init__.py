"""The web: a JSON API, the inspector of prompts and turns, and a page to play on."""

from __future__ import annotations

from .app import create_app

__all__ = ["create_app"]
