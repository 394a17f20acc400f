"""The tables that some intentions promise beside the sections."""

from __future__ import annotations

from collections.abc import Mapping

from .answer_table import AnswerTable
from .asking import Asked
from .sections import Sections


class Answers:
    """What was read from a book once, for the intentions that promise a table."""

    def __init__(self, sections: Sections) -> None:
        self._sections = sections

    @classmethod
    def build(cls, sections: Sections) -> Answers:
        """Read a book; linear in its length."""
        return cls(sections)

    def tables(self, asked: Asked) -> tuple[AnswerTable, ...]:
        """The tables that ``asked`` is promised."""
        return ()

    def dump(self) -> dict[str, bytes]:
        """What was read, as files."""
        return {}

    @classmethod
    def load(cls, files: Mapping[str, bytes], sections: Sections) -> Answers:
        """What was read, from the files of :meth:`dump`."""
        return cls(sections)
