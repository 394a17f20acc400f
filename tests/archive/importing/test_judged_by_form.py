"""Prompts in languages whose words are not judged: what is proposed goes by form, and is to be checked."""

from __future__ import annotations

import pytest

from mvp_site.archive.importing import propose
from mvp_site.archive.importing.types import ImportSource, SourceLine, SourceText

SPANISH = """\
Eres la voz de un faro antiguo. Hablas de todo menos del visitante.

- Responde siempre en dos párrafos.
- Nunca decidas por el visitante.
- No describas sangre ni violencia.

## La lámpara
La lámpara gasta una medida de aceite por hora. Sin aceite se apaga y los barcos se pierden en la costa.

## REGLAS
**NO CUENTES NUNCA EL FINAL.**
**NO USES TABLAS.**

## El pueblo
- La tienda de Inés abre por la mañana.
- El cura duerme por la tarde.
- El alcalde pesca de noche.
"""
JAPANESE = """\
あなたは古い灯台の声です。訪問者以外のすべてを語ります。

## 町
町には四十人が住んでいて、よそ者とは話しません。

## 規則
**結末を決して語らないこと。**
**表を使わないこと。**
"""


@pytest.mark.parametrize(("text", "held", "left"), [
    (SPANISH, ("Responde siempre", "NO USES TABLAS"), ("La lámpara gasta", "La tienda de Inés")),
    (JAPANESE, ("灯台の声", "表を使わない"), ("四十人",)),
])
def test_what_opens_the_prompt_or_is_loud_is_proposed_and_to_be_checked(text: str, held: tuple[str, ...], left: tuple[str, ...]) -> None:
    lines = tuple(SourceLine(f"prompt.md:{number}", line) for number, line in enumerate(text.splitlines(), 1))
    proposal = propose(ImportSource("prompt", "prompt", (SourceText("prompt", lines),)))
    assert all(words in proposal.header for words in held)
    assert not any(words in proposal.header for words in left)
    assert all(any(words in written for name, written in proposal.texts.items()) for words in (*held, *left))
    proposed = [note for note in proposal.notes if note.startswith("header: '")]
    assert proposed
    assert all("to check: " in note for note in proposed)
    assert any("goes by form alone; check it" in note for note in proposal.notes)
