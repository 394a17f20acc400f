"""The product as it is measured: one release in service, assemblers with empty caches over it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evaluation.needles import Needle

from mvp_site.assembly.assembler import PromptAssembler
from mvp_site.assembly.serving import Loaded, serve
from mvp_site.releases.reloading import ServedSource
from mvp_site.settings import Settings
from mvp_site.types import AssembledTurn


@dataclass(frozen=True, slots=True)
class Ours:
    """A release in service."""

    settings: Settings
    version: str
    serving: ServedSource[Loaded]
    served: Loaded

    @classmethod
    def open(cls, settings: Settings) -> Ours:
        """The release of the settings' version, verified and fresh.

        Raises:
            MvpSiteError: it cannot be served; the message says the command that mends it.
        """
        version = PromptAssembler.open(settings).version  # held against the archive as well
        serving = serve(settings, version, None, degraded=False)
        served = serving.peek()
        assert served is not None
        return cls(settings, version, serving, served)

    def assembler(self) -> PromptAssembler:
        """An assembler that has seen no turn yet; the release and its encoder are shared."""
        header = self.served.release.header
        return PromptAssembler(self.settings, self.serving, header, self.version)

    def pinned(self) -> list[str]:
        """The chunks in the middle of the first two files."""
        files = dict.fromkeys(chunk.file for chunk in self.served.release.chunks)
        of_files = ([c.id for c in self.served.release.chunks if c.file == file] for file in files)
        return [ids[len(ids) // 2] for ids in islice(of_files, 2)]


def ask(assembler: PromptAssembler, needle: Needle, **more: Any) -> AssembledTurn:
    """The needle's turn, as the evaluation asks it."""
    return assembler.assemble(needle.query, needle.mode, "god", needle.history, needle.state,
                              **more)


class Discard(logging.Handler):
    """Formats every record, as a real handler does, and drops it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Format ``record``."""
        self.format(record)


def log_telemetry() -> None:
    """Have every turn log its event, so that its cost is in the turn's."""
    for name in ("mvp_site.telemetry", "mvp_site.turns"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(Discard())
