"""What becomes of files by people who have not seen this program, by format.

Usage: python -m scripts.evaluation.strangers_eval [--quick] [--only PATTERN] FOLDER …

A folder is an author's (see ``tests/formats/strangers.py``). A row says how many lines are found
again, how many secrets no player sees, how many questions are answered by the first five hits, and
of sheets how many facts by the first sentence of the answer. What is missed follows the table.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from mvp_site import Settings
from mvp_site.errors import MvpSiteError
from mvp_site.retrieval.building import open_encoder
from mvp_site.retrieval.encoder import Encoder, Vectors
from tests.formats.strangers import Reading, Stranger, plain, read, strangers, words
from tests.hashing import HashingEncoder

COLUMNS = ("read", "lines", "secrets", "answered", "facts")
_NUMBER = re.compile(r"-?\d+")


class Encoded:
    """An encoder that encodes each text once, though each file is built by itself."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self._vectors = encoder, dict[str, Vectors]()
        self.fingerprint, self.dimension = encoder.fingerprint, encoder.dimension
        self.window, self.pieces, self.reads = encoder.window, encoder.pieces, encoder.reads

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= zip(new, self._encoder.encode(new) if new else (), strict=True)
        return np.stack([self._vectors[text] for text in texts])


def facts(stranger: Stranger) -> Iterator[tuple[str, list[str]]]:
    """Questions of what follows from a sheet, and what the first sentence must have."""
    for key, value in stranger.first.items():
        text = str(value)
        if key == "ac":
            yield "What is my armor class?", [text.split(maxsplit=1)[0]]
        elif key == "hp":
            yield "How many hit points do I have?", _NUMBER.findall(text)[:2]
        elif key == "class and level":
            yield "What class and level am I?", _NUMBER.findall(text)
        elif key == "spell save dc":
            yield "What is my spell save DC?", [text]
        elif key in {"slots", "slots left"} and isinstance(value, dict):
            for level, left in value.items():
                if level.isdigit():
                    yield f"How many level {level} slots do I have left?", [left.split()[0]]
        elif match := re.match(r"can I still (cast|use) (.*)", key):
            verb, name = match.groups()
            if name == "X":
                name, _, text = text.partition(": ")
            if "Unsichtbarkeit" not in name and text.startswith(("yes", "no,")):
                yield f"Can I still {verb} {name}?", ["can be" if text[0] == "y" else "cannot be"]


def measured(stranger: Stranger, encoder: Encoder | None,
             ) -> tuple[dict[str, list[bool]], list[str]]:
    """What was right of a file, by column, and what was not, in words."""
    right: dict[str, list[bool]] = defaultdict(list)
    missed: list[str] = []

    def count(column: str, good: bool, what: str) -> None:
        right[column].append(good)
        if not good:
            missed.append(f"{column}: {stranger.id}: {what}")

    with tempfile.TemporaryDirectory() as folder:
        try:
            reading: Reading | None = read(stranger, Path(folder), encoder or HashingEncoder())
        except MvpSiteError as error:
            reading = None
            count("read", False, str(error))
        else:
            assert reading is not None
            count("read", not reading.refused, "; ".join(reading.refused))
        text, shown = (words(reading.text), plain(reading.shown)) if reading else ("", "")
        for line in stranger.lines:
            count("lines", words(line) in text, line)
        for secret in stranger.secrets if reading else ():
            count("secrets", plain(secret) not in shown, secret)
        for query, answer in stranger.questions if encoder else ():
            hits = reading.ask(query) if reading else []
            good = plain(answer).casefold() in plain("\n".join(hits)).casefold()
            count("answered", good, f"{query} [{answer}] came: {[hit[:50] for hit in hits[:3]]}")
        for query, parts in facts(stranger) if encoder and stranger.kind == "sheet" else ():
            sentence = reading.answer(query) if reading else ""
            count("facts", all(part in sentence for part in parts),
                  f"{query} {parts} came: {sentence[:150]}")
    return right, missed


def main() -> None:
    """Print the table, and what is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true", help="ask no questions")
    given = parser.parse_args()
    encoder = None if given.quick else Encoded(open_encoder(Settings()))
    rows: dict[str, dict[str, list[bool]]] = {}
    missed = []
    for folder in given.folders:
        for stranger in strangers(folder):
            if given.only and not re.search(given.only, stranger.path.name):
                continue
            right, wrong = measured(stranger, encoder)
            name = re.sub(r"(plain_prompt)_.*", r"\1_other", stranger.path.stem)
            name += stranger.path.suffix * (name in {"sheet", "book"})
            row = rows.setdefault(name, defaultdict(list))
            for column, values in right.items():
                row[column] += values
            missed += wrong
    total: dict[str, list[bool]] = defaultdict(list)
    for row in rows.values():
        for column, values in row.items():
            total[column] += values
    print(f"| format | {' | '.join(COLUMNS)} |\n|{' --- |' * (len(COLUMNS) + 1)}")
    for name, row in {**rows, "all": total}.items():
        cells = (f"{sum(row[column])} of {len(row[column])}" if row[column] else "–"
                 for column in COLUMNS)
        print(f"| {name} | {' | '.join(cells)} |")
    print("\n".join(["", *missed]))


if __name__ == "__main__":
    main()
