"""Values that have more and less, with a bound: "Large or bigger", "no rarer than uncommon"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...retrieval.filters import AnyOf
from .quantities import Said
from .values import alternatives, forms

_GREATER: Final = r"(?:bigger|larger|greater|rarer|better|higher|more\s+rare|stronger)"
_LESSER: Final = r"(?:smaller|lower|lesser|less\s+rare|more\s+common|commoner|worse|weaker)"
_BEFORE: Final = (
    rf"(?:(?P<least>at\s+least|minimum|(?:no|not)\s+{_LESSER}\s+than)|"
    rf"(?P<most>at\s+most|maximum|up\s+to|(?:no|not)\s+{_GREATER}\s+than)|"
    rf"(?P<over>{_GREATER}\s+than|above|over)|(?P<under>{_LESSER}\s+than|below|under)|"
    r"(?P<between>between))\s+(?:an?\s+)?"
)
_AFTER: Final = (
    rf"(?:(?P<up>\+|\s+(?:or|and)\s+(?:{_GREATER}|above|up|over|more))|"
    rf"(?P<down>\s+(?:or|and)\s+(?:{_LESSER}|below|down|under|less)))"
)


class Orders:
    """Finds bounds on the values of fields that are in an order, the least first."""

    def __init__(self, orders: Mapping[str, Sequence[str]]) -> None:
        self._orders = orders
        self._places = {field: {form: place for place, value in enumerate(order)
                                for form in (*forms(value), value)}
                        for field, order in orders.items()}
        self._patterns = {field: _pattern(alternatives(places))
                          for field, places in self._places.items()}

    def find(self, text: str) -> Iterator[Said]:
        """The bounds in a folded text; two on one field bind together."""
        for field, pattern in self._patterns.items():
            order, places = self._orders[field], self._places[field]
            found: list[Said] = []
            for match in pattern.finditer(text):
                low = places[_plain(match["low"])]
                high = places[_plain(match["high"])] if match["high"] else low
                low, high = min(low, high), max(low, high)
                if match["least"] or match["up"]:
                    high = len(order) - 1
                elif match["most"] or match["down"]:
                    low = 0
                elif match["over"]:
                    low, high = low + 1, len(order) - 1
                elif match["under"]:
                    low, high = 0, low - 1
                elif not match["high"]:
                    continue
                if values := order[low : high + 1]:
                    found.append(Said(AnyOf(field, tuple(sorted(values))), *match.span()))
            if len(found) > 1:
                common = set.intersection(*({*one.clause.values} for one in found
                                            if isinstance(one.clause, AnyOf)))
                clause = AnyOf(field, tuple(sorted(common)))
                found = [Said(clause, one.start, one.end) for one in found] if common else []
            yield from found


def _pattern(one: str) -> re.Pattern[str]:
    to = rf"(?:(?(between)\s+and\s+|\s*(?:-|\bto\b|\bthrough\b)\s*)(?P<high>{one}))"
    return re.compile(rf"(?<![\w-])(?:{_BEFORE})?(?P<low>{one})(?:{to}|{_AFTER})?(?![\w-])")


def _plain(said: str) -> str:
    return " ".join(said.replace("-", " ").split())
