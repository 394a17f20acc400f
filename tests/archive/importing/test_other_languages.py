"""Prompts in other languages than English: what opens them, and what is loud, is proposed, and is to be checked."""

from __future__ import annotations

import pytest

from mvp_site.archive.importing import propose
from mvp_site.archive.importing.types import ImportSource, SourceLine, SourceText
from tests.texts import case_text

SPANISH = case_text("prompt_es.md")
JAPANESE = case_text("prompt_ja.md")


@pytest.mark.parametrize(("text", "held", "left"), [
    (SPANISH, ("Responde siempre", "NO USES TABLAS"), ("La tienda de Inés",)),
    (JAPANESE, ("灯台の声", "表を使わない"), ("四十人",)),
])
def test_what_opens_the_prompt_or_is_loud_is_proposed_and_to_be_checked(text: str, held: tuple[str, ...], left: tuple[str, ...]) -> None:
    lines = tuple(SourceLine(f"prompt.md:{number}", line) for number, line in enumerate(text.splitlines(), 1))
    proposal = propose(ImportSource("prompt", "prompt", (SourceText("prompt", lines),)))
    assert all(words in proposal.header for words in held)
    assert not any(words in proposal.header for words in left)
    assert all(any(words in written for name, written in proposal.texts.items()) for words in (*held, *left))
    assert any("to check: most of its lines are bold or in capitals" in note for note in proposal.notes)
    assert any("judged less surely: check it" in note for note in proposal.notes)
