"""Texts in characters that no engine reads as anything but letters.

Filter languages differ in how a quote, a backslash or a per cent sign is escaped, and some
cannot escape a wildcard at all. So such characters never reach an engine: fields are stored and
asked for in a code of private-use characters. It is one to one, and a part of a text is a part of
its code, so equality and "contains" mean the same before and after.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...errors import BackendError
from ..filters import FieldKind, FilterField

MARK: Final = "\ue000"
SEPARATOR: Final = "\ue011"
"""Stands around each of several texts that are stored as one; never part of a code."""
SPACE: Final = "\ue012"
"""Stands for a space where an engine would cut a text there; never part of a code."""
_DIGITS: Final = "".join(chr(0xE001 + digit) for digit in range(16))
_CODED: Final = re.compile(
    r"""["'`\\%_{}()\[\]<>*?:;$&|^~!=+/#@\x00-\x1f\x7f-\xa0\u2028\u2029\ue000-\uf8ff\ud800-\udfff]"""
)
_WORD: Final = re.compile(r"[a-wyz0-9][a-z0-9]*\Z")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}\Z")


def plain(text: str) -> str:
    """``text`` in code: every character that an expression could read is spelt in private ones.

    A spelling is as long as any other and starts with a character that stands nowhere else, so no
    part of one can be taken for another text. Of private characters a code has only those of
    spellings; all the others are free to separate and to name what is stored together.
    """
    return _CODED.sub(_spelt, text)


def word(term: str) -> str:
    """``term`` as a word of Latin letters and digits, which every tokenizer keeps whole."""
    return term if _WORD.match(term) else f"x{term.encode('utf-8', 'surrogatepass').hex()}"


def column(field: str, kind: FieldKind) -> str:
    """The column of a field; fields of one name and several kinds have one each.

    Raises:
        BackendError: the name cannot be a column's.
    """
    if not _NAME.match(field):
        raise BackendError(
            f"a field is named {field[:60]!r}, which no engine takes: a name is of letters, digits "
            "and underscores, starts with a letter and is no longer than 100"
        )
    return f"{kind.name.lower()}_{field}"


def columns_of(fields: Sequence[FilterField]) -> tuple[str, ...]:
    """The columns of fields, each once, in order."""
    return tuple(dict.fromkeys(column(field.name, field.kind) for field in fields))


def _spelt(match: re.Match[str]) -> str:
    return MARK + "".join(_DIGITS[int(digit, 16)] for digit in f"{ord(match[0]):04x}")
