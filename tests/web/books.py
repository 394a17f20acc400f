"""A small book in our own words, and a rulebook of it that says what it was asked."""

from __future__ import annotations

from functools import cache
from typing import Any

from mvp_site.rulebook.results import RulebookResponse
from mvp_site.rulebook.rulebook import Rulebook

from ..hashing import HashingEncoder

BOOK = """\
This book is for tests alone.

# Playing

## Falling

A creature that falls is hurt: **1d6** for every ten feet, *at most* 20d6.

| Feet | Dice |
|-----:|------|
| 10   | 1d6  |
| 200  | 20d6 |

### Water

Who falls into deep water is hurt half as much.[^1] See [the tides](https://tides.example/now) and [below](#armor).

## Resting

1. A short rest takes an hour.
2. A long rest takes eight.
   - Two of them in one day do nothing.

> Who keeps watch is not asleep.

# Armor

| Armor | Cost | Class |
| --- | --- | --- |
| Quilted coat | 5 gp | 11 |
| Ring shirt | 30 gp | 14 |

# Spells

## Ember Lance

*Second-level fire*

**Range:** 60 feet

A lance of embers flies at one creature. It saves or burns for 3d6 fire damage.

#### At higher levels

One more die for each level above the second.

## Quiet Step

*First-level shadow*

Nobody hears the creature that you touch.
"""
LONG = BOOK + "\n# Falls\n" + "".join(f"\n## Falling in water {n}\n\n{'A creature that falls in water by the fire is hurt. ' * 12}\n" for n in range(9))
"""The same, with more to say than fits into a small budget."""
ATTRIBUTION = "Written for the tests of this project; use it as you like."


@cache
def _read(text: str, source: str, attribution: str) -> Rulebook:
    return Rulebook.from_markdown(text, source=source, attribution=attribution, encoder=HashingEncoder())


class WordsRulebook(Rulebook):
    """The real rulebook in memory, by the encoder's double."""

    def __init__(self, text: str = BOOK, source: str = "The Little Book", attribution: str = ATTRIBUTION) -> None:
        super().__init__(_read(text, source, attribution)._source)
        self.asked: list[dict[str, Any]] = []

    def query(self, **asked: Any) -> RulebookResponse:  # type: ignore[override]
        self.asked.append(asked)
        return super().query(**asked)
