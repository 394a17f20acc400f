"""Reading a prompt as a strict parser would, to hold it against what rendering put there."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from mvp_site.types import AUDIENCES, MODES

CALLERS: Final = tuple((mode, audience) for mode in MODES for audience in AUDIENCES if (mode, audience) != ("god", "player"))
"""Every mode with each audience that may use it."""
TAG = re.compile(r"</?(?:passage|turn|message|history|retrieved_context)(?![A-Za-z0-9])")


def own_tags(prompt: str) -> dict[str, int]:
    """How often each tag stands in ``prompt`` unescaped, by its opening characters."""
    return dict(Counter(TAG.findall(prompt)))
