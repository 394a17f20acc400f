"""Notes of several sessions in one file: a document each, the rest a page, and nothing hidden is shown."""

from __future__ import annotations

import pytest

from mvp_site.sessions.notes.logs import sessions_of

LOG = """---
players: Ann, Bo
---
# Our log
Ann plays Kess.

Sesión 1 - El molino
====================
We met Tench.

## Session 2.5
### Loot
A key.

**Session 3: The sluice**

Tench drowned.

## Found
A boot.

# Sesja 4: tylko dla MG
Tench lives.

# People
- Tench
"""


def test_each_session_is_a_text_and_the_rest_is_one() -> None:
    texts = sessions_of(LOG)
    assert [[line for line in text.splitlines()[3:] if line.strip()] for text in texts] == [
        ["Sesión 1 - El molino", "====================", "We met Tench."], ["## Session 2.5", "### Loot", "A key."],
        ["**Session 3: The sluice**", "Tench drowned.", "## Found", "A boot."], ["# Our log", "Ann plays Kess.", "# Sesja 4: tylko dla MG", "Tench lives.", "# People", "- Tench"]]
    assert all(text.startswith("---\nplayers: Ann, Bo\n---\n") for text in texts)


@pytest.mark.parametrize("text", [
    "# Session 1\nA.\n\n## Loot\nB.", "# Session 1\n\nSession 2 was cancelled.\n\nSession 3 will be long.", "## 2 dragons\nA.\n\n## 3 dwarves\nB.",
    "# Sessions 1 & 2\nA.", "---\naudience: [\n---\n# Session 1\n# Session 2", "# 2026-03-07\nA.", "```\n# Session 1\n# Session 2\n```", "",
])
def test_other_texts_stay_whole(text: str) -> None:
    assert sessions_of(text) == [text]


def test_a_diary_is_parted_by_dates() -> None:
    assert [text.splitlines()[0] for text in sessions_of("## 7 March 2026\nA.\n## 14 March 2026\nB.")] == ["## 7 March 2026", "## 14 March 2026"]
