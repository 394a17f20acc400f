"""The offline narrator: a deterministic double of a model, for play without a key."""

from .narrator import OfflineNarrator

__all__ = ["OfflineNarrator"]
