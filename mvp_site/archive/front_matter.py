"""Front matter: optional YAML between ``---`` lines at the head of a prompt file."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..errors import FrontMatterError
from ..text.front_matter import read_keys
from ..text.hiding_keys import hiding
from ..text.normalising import clean
from ..types import AUDIENCES, CHUNK_MODES, DOMAINS

_CHOICES: Final = {"domain": DOMAINS, "mode": CHUNK_MODES, "audience": AUDIENCES}
WHOLE_FILE: Final = ""
IMPORTED: Final = "imported"
"""What an import kept of a text's source: it is for people, and nothing is made of it."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What an author fields of a file; None where nothing was fields.

    ``when`` maps a heading's text to the situations that call for it; the key ``""`` stands for
    the whole file. ``unless`` are groups of phrases: a turn that names all of one does without the
    file. ``follows`` are phrases by which another printed text brings it; ``brings`` says that its
    own text brings others. ``body`` is the 0-based line that the text starts at.
    """

    domain: str | None = None
    mode: str | None = None
    audience: str | None = None
    date: str | None = None
    version: str | None = None
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: int = 0
    unknown: tuple[str, ...] = ()
    unless: tuple[tuple[str, ...], ...] = ()
    follows: tuple[str, ...] = ()
    brings: bool = True


def read_front_matter(lines: Sequence[str], file: str) -> FrontMatter:
    """The front matter of a file's lines; an empty one where the file has none.

    Raises:
        FrontMatterError: as :func:`mvp_site.text.front_matter.read_keys`, and where another
            key than the audience has a wrong value.
    """
    try:
        values, body = read_keys(lines, file, _KNOWN)
    except FrontMatterError as error:
        if not (_IS_YAML in str(error) and any(line.startswith("when:") for line in lines)):
            raise
        raise FrontMatterError(f"{error}; {_BOTH}") from None
    return _checked(values, body, file)


_KNOWN: Final = frozenset({*_CHOICES, "date", "version", "when", "unless", "follows", "brings",
                           IMPORTED})
_IS_YAML: Final = "is not YAML"
_BOTH: Final = ("`when:` holds a list, for the whole file, or headings with a list each; for both, "
                'write the first list under the heading ""')


def _checked(raw: Mapping[Any, Any], body: int, file: str) -> FrontMatter:
    fields = {key: value for key, value in raw.items() if value is not None}
    values: dict[str, Any] = {
        key: str(fields[key]).strip().lower() for key in _CHOICES if key in fields
    }
    for key, value in values.items():
        if value not in _CHOICES[key]:
            raise FrontMatterError(
                f"{file}: {key}: {fields[key]!r} is unknown; write one of "
                f"{', '.join(_CHOICES[key])}"
            )
    if "date" in fields:
        try:
            date = datetime.datetime.fromisoformat(str(fields["date"])).date()
        except ValueError:
            raise FrontMatterError(
                f"{file}: date: {fields['date']!r} is not a date; write YYYY-MM-DD"
            ) from None
        values["date"] = date.isoformat()
    if "version" in fields:
        values["version"] = clean(str(fields["version"])).strip()
    if (brings := fields.get("brings", True)) not in (True, False):
        raise FrontMatterError(f"{file}: brings: {brings!r} must be true or false")
    unless = fields.get("unless", [])
    return FrontMatter(
        **values, brings=brings, follows=_situations(fields.get("follows", []), file, "follows"),
        unless=tuple(_situations(group, file, "unless")
                     for group in (unless if isinstance(unless, list) else [unless])),
        when=_when(fields.get("when", {}), file), body=body,
        unknown=tuple(sorted(str(key) for key, value in raw.items()
                             if str(key) not in _KNOWN and hiding(str(key), value) != "hidden")),
    )


def _when(value: object, file: str) -> dict[str, tuple[str, ...]]:
    if isinstance(value, (str, list)):
        return {WHOLE_FILE: _situations(value, file)}
    if isinstance(value, dict):
        return {clean(" ".join(str(k).split())): _situations(v, file) for k, v in value.items()}
    raise FrontMatterError(
        f"{file}: when: {value!r} is neither a list of situations nor a mapping from a heading "
        f"to such a list; {_BOTH}"
    )


def _situations(value: object, file: str, key: str = "when") -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise FrontMatterError(
            f"{file}: {key}: {value!r} must be a list of sentences; quote one that holds a colon"
            + (f"; {_BOTH}" if key == "when" else "")
        )
    return tuple(clean(" ".join(item.split())) for item in items if item.strip())
