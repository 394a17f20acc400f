"""The assemblers of versions that callers name: opened when asked for, a few kept open."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from cachetools import LRUCache

from ..archive.versions import list_known
from ..errors import UnknownVersionError
from ..settings import Settings
from .assembler import PromptAssembler

MOST: Final = 4
"""How many versions are kept open: each holds its index in memory."""


class Assemblers:
    """Gives the assembler of a version by its name. Thread-safe.

    Those that are ``given`` are all there are; without any, the last ``most`` that were asked for
    are kept open, and an older one goes when the turns that use it have ended. A version whose
    index cannot be served is assembled from its header alone.
    """

    def __init__(self, settings: Settings, given: Mapping[str, PromptAssembler] | None = None, *,
                 most: int = MOST) -> None:
        self._settings = settings
        self._given = given
        self._kept: LRUCache[str, PromptAssembler] = LRUCache(most)
        self._opening = threading.Lock()

    def versions(self) -> list[str]:
        """The versions that exist, as authored text or as an index, by name."""
        return list_known(self._settings) if self._given is None else sorted(self._given)

    def get(self, version: str) -> PromptAssembler:
        """The assembler of ``version``.

        Raises:
            UnknownVersionError: it does not exist; lists those that do.
        """
        if version not in (versions := self.versions()):
            raise UnknownVersionError(
                f"unknown prompt version {version!r}; existing versions: "
                f"{', '.join(versions) or 'none'}"
            )
        if self._given is not None:
            return self._given[version]
        with self._opening:
            assembler = self._kept.get(version)
            if assembler is None:
                settings = replace(self._settings, prompt_version=version)
                assembler = PromptAssembler.open(settings, degraded=True)
                if not assembler.problem:  # else it is tried again: its index may have been built
                    self._kept[version] = assembler
            return assembler
