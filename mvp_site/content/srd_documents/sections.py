"""A long text cut where its headings, and names set in bold before a paragraph, open something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from .values import passage

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*(?:\n|\Z)")
_RUN_IN: Final = re.compile(r"\*{3}([^*\n]+?)[.:]\*{3}\s*")
_DEEPEST: Final = 7


@dataclass(slots=True)
class _Opened:
    """A name at its depth, the name that it stands under, and the blocks that follow it."""

    depth: int
    name: str
    above: str
    blocks: list[str] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """The name behind the one that it stands under."""
        return self.name if self.above in {"", self.name} else f"{self.above}: {self.name}"


def cut(text: Iterable[str]) -> tuple[list[str], list[dict[str, str]]]:
    """The blocks before the first inner name, and each name with its text, in their order.

    The text's own title, a heading at its very beginning, is dropped; so is a name under which
    nothing stands before the next. A name that comes more than once says what it stands under.
    """
    opening, *inner = _opened(text)
    told = [one for one in inner if one.blocks]
    count = Counter(one.name for one in told)
    return opening.blocks, [
        passage(one.full_name if count[one.name] > 1 else one.name, one.blocks) for one in told
    ]


def _opened(text: Iterable[str]) -> list[_Opened]:
    found = [_Opened(0, "", "")]
    for place, (depth, name, block) in enumerate(_pieces(text)):
        if depth and place:
            above = next((one.name for one in reversed(found) if one.depth < depth), "")
            found.append(_Opened(depth, name, above))
        if block:
            found[-1].blocks.append(block)
    return found


def _pieces(text: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Depth and name (0 and '' for none) that a block opens with, and the rest of the block."""
    for block in text:
        if heading := _HEADING.match(block):
            yield len(heading[1]), heading[2].strip(), block[heading.end():].strip("\n")
        elif run_in := _RUN_IN.match(block):
            yield _DEEPEST, run_in[1].strip(), block[run_in.end():].strip("\n")
        else:
            yield 0, "", block
