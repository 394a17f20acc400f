"""The facts of one rulebook, found by name and by field, and their form in an index release."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, get_args

from ...errors import CorruptIndexError
from ...retrieval.names import title_key
from ..sections import Section, Sections
from .fact_types import FORM, Facts, Fields, Origin
from .gathering import gather
from .spell_lists import SpellAccess
from .tables import Table
from .vocabulary import Vocabulary

VERSION: Final = 1
MEND: Final = "build again: mvp-site rulebook build --force"
_IN_PARENTHESES: Final = re.compile(r"\s*\([^()]*\)")
_ORDER: Final = {origin: place for place, origin in enumerate(get_args(Origin))}


class FactBook:
    """The facts of the sections of a rulebook; nothing here reads a section's text again.

    ``facts`` stand in the order of the book, and in ``keys`` the key of each one's name.
    ``vocabulary`` are the values that their fields have.
    """

    __slots__ = ("_by_name", "_names", "_sections", "facts", "keys", "vocabulary")

    def __init__(self, facts: Iterable[Facts], sections: Sections) -> None:
        self.facts = tuple(facts)
        self._sections = sections
        self._by_name: dict[str, list[int]] = {}
        self._names: list[frozenset[str]] = []
        for number, read in enumerate(self.facts):
            title = sections[read.section_id].title
            names = frozenset(_keys(read, title))
            for key in names:
                self._by_name.setdefault(key, []).append(number)
            whole = title_key(f"{title} {read.name}") if read.origin == "row" else ""
            self._names.append(names | {whole})
        self.keys = tuple(title_key(read.name) for read in self.facts)
        self.vocabulary = Vocabulary(self.facts)

    @classmethod
    def build(
        cls, sections: Sections, tables: Mapping[str, Sequence[Table]] | None = None,
        access: SpellAccess | None = None,
    ) -> FactBook:
        """The facts of ``sections``; linear in the length of their text.

        ``tables`` are those of :func:`~.tables.section_tables` and ``access`` the book's lists of
        spells; either is read here where it is not given.
        """
        return cls(gather(sections, tables, access), sections)

    def __len__(self) -> int:
        return len(self.facts)

    def named(self, name: str) -> tuple[Facts, ...]:
        """The facts of the things of that name: of sections, then of rows, then of ``below``.

        Case, plurals and quotes do not matter, and a thing in a table also goes by its name
        without parentheses, turned round ("Crossbow, light") and with its noun ("leather armor").
        """
        found = self._by_name.get(title_key(name), ())
        return tuple(
            self.facts[number]
            for number in sorted(found, key=lambda n: (_ORDER[self.facts[n].origin], n))
        )

    def names(self, number: int) -> frozenset[str]:
        """The keys that the facts of that number go by, one of them with the section's title."""
        return self._names[number]

    def section(self, facts: Facts) -> Section:
        """The section that ``facts`` were read from."""
        return self._sections[facts.section_id]

    def dump(self) -> bytes:
        """The facts as JSON lines, a line with their number first."""
        return b"".join(
            json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for value in (
                {"version": VERSION, "facts": len(self.facts)}, *map(_as_list, self.facts)
            )
        )

    @classmethod
    def load(cls, content: bytes, sections: Sections) -> FactBook:
        """The facts of :meth:`dump`, of the same ``sections``.

        Raises:
            CorruptIndexError: ``content`` is none of this version, is cut short, or names a section
                that is not there.
        """
        try:
            head, *lines = (json.loads(line) for line in content.split(b"\n") if line)
            if head != {"version": VERSION, "facts": len(lines)}:
                raise ValueError(f"{str(head)[:80]} stands over {len(lines)} of them")
            facts = tuple(map(_from_list, lines))
            for read in facts:
                if read.section_id not in sections:
                    raise ValueError(f"the section {read.section_id!r} is not there")
        except (ValueError, TypeError) as error:
            raise CorruptIndexError(
                f"the facts of the rulebook cannot be read ({error}); {MEND}"
            ) from error
        return cls(facts, sections)


def _keys(facts: Facts, title: str) -> Iterator[str]:
    """The keys of the names that a thing of the section ``title`` goes by."""
    names = [facts.name, _IN_PARENTHESES.sub("", facts.name)]
    if facts.origin == "row":
        bare = names[1].removeprefix(f"{title}{FORM}")
        names.append(bare)
        last, comma, first = bare.partition(", ")
        if comma and "," not in first:
            names.append(f"{first} {last}")
        key = title_key(bare)
        if facts.noun and facts.noun not in key.split():
            names.append(f"{bare} {facts.noun}")
        elif facts.noun:
            names.append(key.removesuffix(f" {facts.noun}"))
    return (key for name in names if (key := title_key(name)))


def _as_list(facts: Facts) -> list[object]:
    return [
        facts.name, facts.section_id, facts.origin, facts.group, facts.noun,
        [list(pair) for pair in facts.fields], [list(pair) for pair in facts.traits],
    ]


def _from_list(values: list[object]) -> Facts:
    name, section_id, origin, group, noun, fields, traits = values
    known = next((each for each in get_args(Origin) if each == origin), None)
    if known is None:
        raise ValueError(f"there is no origin {origin!r}")
    return Facts(
        _text(name), _text(section_id), _pairs(fields), known, _text(group), _pairs(traits),
        _text(noun),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:40]} is no text")
    return value


def _pairs(values: object) -> Fields:
    if not isinstance(values, list):
        raise TypeError("the fields of a fact are no list")
    return tuple((_text(label), _text(value)) for label, value in values)
