"""Windows: together they cover a passage, each fits the encoder and opens with its heading."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.retrieval.encoder import Encoder, OnnxEncoder
from mvp_site.retrieval.windows import windows

from ..hashing import HashingEncoder

pytestmark = pytest.mark.serving

HEADING = ("mechanics", "Experience")
SPECIAL = 2
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LINES = st.lists(st.lists(WORDS, max_size=60).map(" ".join), max_size=12).map("\n".join)


def check(heading: Sequence[str], text: str, encoder: Encoder) -> None:
    found = windows(heading, text, encoder)
    assert all(encoder.pieces(window) <= encoder.window - SPECIAL for window in found)
    first_lines = {window.partition("\n")[0] for window in found}
    bodies = found
    if any(heading):
        assert len(first_lines) == 1, "every window opens with the heading path"
        bodies = [window.partition("\n")[2] for window in found]
    covered = "".join("".join(body.split()) for body in bodies)
    assert covered == "".join(text.split()), "text is lost, doubled or out of order"


@given(st.lists(WORDS.map(lambda w: "".join(w.split())), max_size=3), LINES, st.integers(64, 512))
def test_every_text_is_covered_in_order_and_every_window_fits(heading: list[str], text: str, window: int) -> None:
    check(heading, text, HashingEncoder(window=window))


REAL = [
    "The goblin king counts his dead. " * 60,
    "| level | slots |\n| --- | --- |\n" + "\n".join(f"| {n} | {n * 3} |" for n in range(120)),
    "```json\n"
    + "\n".join(f'  "npc_{n:03}": {{"hp": {n}, "__DELETE__": true}},' for n in range(90))
    + "\n```",
    "supercalifragilistic" * 60,
    "x" * 5000,
    "漢字" * 800,
    "😀" * 500,
    "é\u0301\u200d\ufeff" * 300,
]


@pytest.mark.parametrize("text", REAL, ids=[ascii(text[:12]) for text in REAL])
def test_real_word_pieces(real_encoder: OnnxEncoder, text: str) -> None:
    check(HEADING, text, real_encoder)
    check(("a very long heading " * 30,), text, real_encoder)
