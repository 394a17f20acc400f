"""What players call things: abbreviations and everyday words, and the names they stand for.

Only a whole entity is looked up here, never a word inside one: "lock" alone is most often the
class, "arcane lock" is not. The table is ``utterances/short_forms.toml``.
"""

from __future__ import annotations

import tomllib
from typing import Final

from ..utterances import FOLDER

VARIATIONS: Final[dict[str, str]] = tomllib.loads(
    FOLDER.joinpath("short_forms.toml").read_text("utf-8")
)
"""A variation, folded as :func:`~.names.fold` does, and the name it stands for."""
